import { readerOf } from '../../../src/report/reader';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { factOf } from '../../../src/activities/certificates/read-fact';
import { outcomeOfFact } from '../../../src/activities/certificates/outcomes';
import { parseJson } from '../../../src/apis/http/problem';
import { resourceFromWire } from '../../../src/apis/investigation/resource';
import { issuanceWire } from '../../../src/apis/investigation/wire/certificates.wire';
import {
  noCounts,
  type ManifestItem,
  type StatusCounts,
} from '../../../src/domain/certificates/certificates';
import { certificateFolder } from '../../../src/domain/certificates/job';
import { printResult, printRows, printView } from '../../../src/starters/cli/print-job';
import type { CommandContext } from '../../../src/starters/jobs/context';
import { kindOf } from '../../../src/starters/kinds';
import { CertificateRowWriter } from '../../support/certificate-rows';
import { cnpj } from '../../support/documents';
import { printedByTests } from '../../support/printed';
import { TemporaryStore } from '../../support/temporary-store';
import { leavesOf, missing, plain, wordsOf, type Fields } from '../../support/printed-leaves';
import { record, reportOf } from '../report/sample';
import { startManualSandbox, untilSettledMs } from '../sandbox/raw-caller';

/** What the sandbox answered about certificates stands in the JSON, on the screen and in the report. */

const call = { method: 'GET', pathTemplate: '/certidoes/{certidaoId}' };
const requestedAt = Date.parse('2026-01-05T12:00:00Z');
const companies = [cnpj(1), cnpj(2), cnpj(3)] as const;
const longName = 'Comercio de Alimentos e Participacoes Sociedade Empresaria Limitada';

let answers: Fields[];
let place: TemporaryStore;
let ctx: CommandContext;
const printed = printedByTests();

beforeAll(async () => {
  const [, other, failing] = companies;
  const result = { titular: { nome: longName } };
  const scenario = {
    documents: { [other]: { end: 'divergente', result }, [failing]: { end: 'failed' } },
  } as const;
  const caller = await startManualSandbox({ scenario });
  const ids: string[] = [];
  for (const one of companies) ids.push(await caller.orderId(one));
  caller.sandbox.clock.advance(untilSettledMs);
  answers = [];
  for (const id of ids) answers.push((await caller.poll(id)).json);
  await caller.close();
});
beforeEach(() => {
  place = new TemporaryStore();
  ctx = {
    store: place.store,
    reader: readerOf('en'),
    environment: { language: 'en' },
  } as unknown as CommandContext;
});
afterEach(() => {
  Reflect.deleteProperty(process.stdout, 'columns');
  place.remove();
});

/** Stores what the worker makes of the answers. */
async function put(jobId: string, some: readonly Fields[]): Promise<StatusCounts> {
  const { store } = place;
  const writer = new CertificateRowWriter(store, certificateFolder(jobId), (text) => text);
  const counts = noCounts();
  const made = some.map((answer, item) => {
    const document = companies[item] ?? '';
    const row: ManifestItem = {
      kind: 'item',
      item,
      line: item + 2,
      type: 'trabalhista',
      document,
      reference: '',
      note: '',
    };
    const id = String(answer['certidao_id']);
    const status = answer['status'] === 'failed' ? 'failed' : 'issued';
    const body = parseJson(Buffer.from(JSON.stringify(answer)));
    const settled = { status, now: requestedAt } as const;
    const fact = factOf(
      resourceFromWire(issuanceWire, call, body, ['certidaoId', id]),
      row,
      body,
      settled,
    );
    counts[status] += 1;
    const outcome = outcomeOfFact(fact, row, { requestedAt, attempts: 1, flags: 0 });
    return { fact, outcome, row };
  });
  for (const { row } of made) await writer.add(row);
  await writer.finish({ ...record, jobId });
  const facts = made.map(({ fact }) => ({ fact, pdf: null }));
  const outcomes = made.map(({ outcome }) => outcome);
  await store.outcomes.file(certificateFolder(jobId), 'lane-0000/a', outcomes, {
    facts,
    entries: [],
  });
  return counts;
}

async function jobOf(kind: 'certificate' | 'certificate-batch', some: readonly Fields[]) {
  const id = `${kind}/x`;
  const counts = await put(id, some);
  const { summary } = reportOf([]);
  return {
    id,
    folder: certificateFolder(id),
    kind,
    status: 'done',
    needsAttention: false,
    waitsFor: null,
    output: null,
    createdAt: record.createdAt,
    endedAt: summary.finishedAt,
    input: record,
    outcome: {
      edition: 0,
      snapshotAt: 0,
      summary: { ...summary, batchId: id, counts, total: some.length },
    },
  };
}

/** Words of the service, and ours. */
const told = ({ error, result, ...answer }: Fields): Fields => {
  const { titular = null, ...found }: Fields = { ...(result as Fields | undefined) };
  const { code, category, message, retryable }: Fields = { ...(error as Fields | undefined) };
  const fields = {
    certidaoId: answer['certidao_id'],
    officialName: found['nome_oficial'],
    baseName: found['nome_base'],
    holderName: (titular as Fields | null)?.['nome'],
    sourceName: found['fonte_nome'],
    divergent: found['divergente'],
    classification: found['classificacao'],
    capturedAt: found['capturado_em'],
    completedAt: answer['completed_at'],
    errorCode: code,
    errorCategory: category,
    errorMessage: message,
    retryable,
  };
  const known = Object.entries(fields).map(([name, value]) => [name, value ?? null]);
  return Object.fromEntries(known) as Fields;
};

async function jsonOf(job: Awaited<ReturnType<typeof jobOf>>): Promise<Fields> {
  const terms = { json: true, html: true, out: place.folder };
  await printResult(ctx, kindOf(job.kind), job as never, terms);
  return (JSON.parse(printed()) as { outcome: Fields }).outcome;
}

async function screensOf(job: Awaited<ReturnType<typeof jobOf>>): Promise<string[]> {
  const sentences = await kindOf(job.kind).lines(job, ctx);
  const screens: string[] = [];
  for (const width of [80, 140]) {
    Object.assign(process.stdout, { columns: width });
    const start = printed().length;
    await printView(ctx, kindOf(job.kind), { job, state: null, progress: null }, false);
    const text = printed().slice(start);
    const wide = text.split('\n').filter((line) => line.length > width);
    expect(wide.filter((line) => !sentences.includes(line))).toEqual([]);
    screens.push(text);
  }
  return screens;
}

const reported = async () => wordsOf(await readFile(join(place.folder, 'report.html'), 'utf8'));

/** Of the answer, what the page is about: instants have another look there. */
const shownOf = (answer: Fields) => {
  const { capturado_em: _, ...result } = (answer['result'] ?? {}) as Fields;
  const { code, message } = (answer['error'] ?? {}) as Fields;
  return leavesOf([result, code, message]).filter((leaf) => typeof leaf === 'string');
};

test('certificates of a batch: each answer whole in its row, in the JSON, on screens, in sheet and report', async () => {
  const job = await jobOf('certificate-batch', answers);
  const outcome = await jsonOf(job);
  const { sections } = outcome['findings'] as { sections: Fields[] };
  expect(sections).toMatchObject([{ name: 'certificates', total: 3, file: 'results.csv' }]);
  // Those that need a person come first.
  const isFailed = ({ status }: Fields) => Number(status === 'failed');
  const inOrder = answers.toSorted((a, b) => isFailed(b) - isFailed(a));
  expect(sections[0]?.['rows']).toMatchObject(inOrder.map(told));

  const start = printed().length;
  await printRows(ctx, kindOf(job.kind), job);
  const rows = printed().slice(start).trim().split('\n');
  expect(rows.map((line) => JSON.parse(line) as object)).toMatchObject(
    answers.map((result) => ({ ...told(result), result })),
  );

  const names = answers.slice(0, 2).map((answer) => String(told(answer)['holderName']));
  expect(names[1]).toBe(longName);
  for (const screen of await screensOf(job)) {
    expect(screen).toContain('\ncertificates (3)\n');
    expect(names.filter((name) => !screen.includes(name.slice(0, 20)))).toEqual([]);
  }
  const sheet = await readFile(join(place.folder, 'results.csv'), 'utf8');
  expect(missing(answers.map(shownOf), sheet.split(/[,\n]/))).toEqual([]);
  const page = await reported();
  expect(
    answers
      .flatMap(shownOf)
      .map(plain)
      .filter((word) => !page.includes(word)),
  ).toEqual([]);
});

test.each([0, 1, 2])(
  'one certificate: its answer whole in the JSON, and its words on screen and page: %i',
  async (at) => {
    const answer = answers[at] ?? {};
    const job = await jobOf('certificate', [answer]);
    expect(await jsonOf(job)).toMatchObject({ ...told(answer), result: answer });
    const words = shownOf(answer);
    expect(words.length).toBeGreaterThan(1);
    for (const screen of await screensOf(job))
      expect(words.map(String).filter((word) => !screen.includes(word))).toEqual([]);
    const page = await reported();
    expect(words.map(plain).filter((word) => !page.includes(word))).toEqual([]);
  },
);
