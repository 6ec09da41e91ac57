import { Readable } from 'node:stream';
import { readAnalysis } from '../../src/apis/credit/result.wire';
import {
  AnalysisRepository,
  inputKey,
  operationFolder,
  resultKey,
} from '../../src/store/credit/analyses';
import { KeySeal } from '../../src/store/sealed/seal';
import { Store } from '../../src/store/store';
import { JobBatchRepository } from '../../src/store/core/jobs/job-batches';
import { analysisSubject } from '../../src/domain/core/service/attempts';
import { indexDocuments, indexedBytes } from '../../src/store/core/subject-index';
import { sha256Of } from '../../src/store/certificates/evidence-files';
import { impersonalKeys, kindOf } from '../../src/store/erasure/catalog';
import { putLarge, readLarge } from '../../src/store/core/large-objects';
import { ErasurePlanner } from '../../src/store/erasure/planner';
import type { JobBatchRecord } from '../../src/domain/core/job-batch';
import type { AnalysisOutcome } from '../../src/domain/credit/job';
import { punctuateDocument } from '../../src/domain/core/documents/documents';
import { documentsInText } from '../../src/domain/core/documents/held-documents';
import { KeyRing } from '../../src/protection/key-ring';
import { cnpj, cpf } from '../support/documents';
import {
  changedKeys,
  cutShortAnywhere,
  erased,
  keysThat,
  nameOf,
  ofAge,
  type Planning,
} from '../support/erasures';
import { bodyAt, bodyKeys, bodyOf } from '../support/stored-bodies';
import { TemporaryStore, notesOf } from '../support/temporary-store';

const keys = KeyRing.parse(`k-1:${'cd'.repeat(32)}`);
const assignor = cnpj(1);
const payer = cpf(2);
const other = cnpj(3);
const payerName = 'MARIA IRREPETIVEL';
const call = { method: 'GET', pathTemplate: '/result' } as const;

let place: TemporaryStore | undefined;
let store: Store;
let seals: boolean;
beforeEach(() => use(false));
afterAll(() => place?.remove());

function use(sealed: boolean): void {
  place?.remove();
  place = new TemporaryStore();
  seals = sealed;
  store = opened(place);
}

function opened({ database }: TemporaryStore): Store {
  return new Store(database, new KeySeal(seals ? keys : null));
}

const issue = (message: string) => ({ ruleId: 'r', message, detail: { actual: payer } });

function treeOf(operationId: string) {
  const titulo = (id: string, valor: number) => ({
    id: `${operationId}-${id}`,
    numero: `N-${id}`,
    valor,
    nfeChave: `352611${assignor}${'1'.repeat(24)}`,
    status: 'approved',
    issues: [],
  });
  return {
    operationId,
    cedente: {
      id: `c-${operationId}`,
      cnpj: assignor,
      razaoSocial: 'FORNECEDORA',
      status: 'blocked',
      issues: [issue(`${punctuateDocument(payer)} (maria  irrepetivel) has too much of it`)],
      sacados: [
        {
          id: `s-${operationId}`,
          cnpjCpf: payer,
          razaoSocial: payerName,
          tipo: 'PF',
          status: 'blocked',
          issues: [issue('as above')],
          titulos: [titulo('t1', 10.5), titulo('t2', 20)],
          unknownField: { note: payerName },
        },
        {
          id: `o-${operationId}`,
          cnpjCpf: other,
          razaoSocial: 'COMPRADORA SA',
          status: 'approved',
          issues: [],
          titulos: [titulo('t3', 30)],
        },
      ],
    },
    summary: { totalTitulos: 3, totalValue: 60.5, approved: 3 },
  };
}

interface Sample {
  name?: string;
  instant?: string;
  operationId?: string;
  file?: string;
  settledAt?: string | null;
  /** Whether the local scan saw the assignor; else the result alone tells it. */
  tellsAssignor?: boolean;
}

async function putInput(text: string): Promise<string> {
  const bytes = Buffer.from(text);
  const sha256 = sha256Of(bytes);
  await indexDocuments(store, inputKey(sha256), nameOf, documentsInText(text));
  await putLarge(store, inputKey(sha256), Readable.from([bytes]));
  return sha256;
}

/** An analysis as starter, activities and a person leave it. */
async function file(sample: Sample = {}): Promise<string> {
  const { name = 'ab'.repeat(16), instant = '20260101T000000000Z' } = sample;
  const { operationId = `op-${name.slice(0, 4)}`, settledAt = '2026-01-02T00:00:00.000Z' } = sample;
  const jobId = `credit/${name}/${instant}`;
  const folder = `analyses/${name}/${instant}`;
  const text = sample.file ?? `${assignor} ${payer} ${payerName} ${other}`;
  const sha256 = await putInput(text);
  const zip = await putInput(`<CNPJ>${assignor}</CNPJ><CNPJ>${other}</CNPJ>`);
  const analyses = new AnalysisRepository(store);
  await analyses.putRecord(folder, {
    jobId,
    name,
    fence: name,
    cnab: { name: `${payer}.rem`, sha256, bytes: 1, key: inputKey(sha256) },
    xmls: { name: 'a.zip', sha256: zip, bytes: 1, key: inputKey(zip) },
    engineId: null,
    engine: null,
    filter: 'all',
    assignor: sample.tellsAssignor === false ? null : nameOf(assignor),
    receivables: 3,
    totalCents: '6050',
    forced: `Maria Irrepetivel wants it`,
    createdAt: '2026-01-01T00:00:00.000Z',
    createdBy: 'tester',
  });
  const { attempts } = store;
  const subject = analysisSubject(name);
  const owner = { workflowId: `credit/${name}`, chunk: '1' };
  const times = { answerBy: 1, claimedAt: 1, afterUnknown: false };
  if ((await attempts.of(subject)).length === 0) {
    const claim = { owner, kind: 'send', nonce: 'n', ...times } as const;
    await attempts.claim(subject, 1, claim, 'job');
    await attempts.putReceipt(
      subject,
      { n: 1, claim },
      { kind: 'unknown', reason: 'reset', at: 1 },
    );
    const note = `${payerName} called, ${payer}`;
    const resolution = { action: 'adopt', externalId: operationId, by: 'x', note, at: 2 } as const;
    await attempts.resolve(subject, 1, resolution);
  }
  for (const filter of ['issues', 'all'] as const) {
    const holder = operationFolder(operationId);
    const bytes = Readable.from([Buffer.from(JSON.stringify(treeOf(operationId)))]);
    await putLarge(
      store,
      resultKey(operationId, filter),
      indexedBytes(bytes, (held) => indexDocuments(store, holder, nameOf, held)),
    );
  }
  if (settledAt !== null) {
    const outcome = {
      jobId,
      status: 'completed',
      operationId,
      statusWord: 'done',
      error: null,
      result: {
        allKey: resultKey(operationId, 'all'),
        issuesKey: resultKey(operationId, 'issues'),
        summary: { receivables: 3 },
        contradictions: [`titulo ${operationId}-t1 is odd`, `titulo ${operationId}-t3 is odd`],
      },
      possibleDoubleCharge: false,
      startedAt: settledAt,
      settledAt,
    };
    await analyses.putOutcome(folder, outcome as unknown as AnalysisOutcome);
  }
  return folder;
}

const planner = (): ErasurePlanner => new ErasurePlanner(store, nameOf);
const erase = (plan: Planning) => erased(store, plan);

async function everything(): Promise<string> {
  const told: string[] = [];
  for (const key of await bodyKeys(store)) told.push(key, String(await bodyOf(store, key)));
  told.push(...(await notesOf(store)));
  return told.join('\n');
}

const quotesPayer = new RegExp(
  `${payer}|${punctuateDocument(payer).replaceAll('.', '\\.')}|maria\\s+irrepetivel`,
  'i',
);

describe('an erasure of a payer', () => {
  it('leaves amounts and statuses of it, and everybody else as he was', async () => {
    const folder = await file();
    const before = await tree('op-abab');
    const plan = await planner().ofDocument(payer);
    expect(plan).toMatchObject({ rows: 2, undecided: [], jobs: [{ whole: false, ended: true }] });
    await erase((one) => one.ofDocument(payer));
    expect(await everything()).not.toMatch(quotesPayer);
    const after = await tree('op-abab');
    const [gone, kept] = after.cedente.sacados;
    expect(kept).toEqual(before.cedente.sacados[1]);
    expect(gone).toMatchObject({ cnpjCpf: null, razaoSocial: null, id: null, status: 'blocked' });
    expect(gone?.titulos).toEqual([10.5, 20].map((valor) => expect.objectContaining({ valor })));
    expect(JSON.stringify(gone)).not.toMatch(/t1|N-|3526/);
    const read = await readAnalysis(call, readLarge(store, resultKey('op-abab', 'all')));
    expect(read.summary).toMatchObject({ receivables: 3, totalValue: 60.5 });
    const analyses = new AnalysisRepository(store);
    expect(await analyses.record(folder)).toMatchObject({
      cnab: { name: '[erased].rem', key: '', sha256: '' },
      xmls: { name: 'a.zip', key: expect.stringContaining('inputs/') },
      forced: '[erased] wants it',
    });
    expect((await analyses.outcome(folder))?.result?.contradictions).toEqual([
      'titulo [erased] is odd',
      'titulo op-abab-t3 is odd',
    ]);
    const [attempt] = await store.attempts.of(analysisSubject('ab'.repeat(16)));
    expect(attempt?.resolution).toMatchObject({ action: 'adopt', externalId: 'op-abab' });
    expect(changedKeys(await planner().ofDocument(payer))).toEqual([]);
  });

  it('takes a result as a whole that is too large to be rewritten, and says so', async () => {
    const folder = await file();
    const plan: Planning = () => new ErasurePlanner(store, nameOf, 100).ofDocument(payer);
    const taken = keysThat('removed', await plan(planner()));
    const left = (await store.records.list('operations/')).filter((key) => !taken.includes(key));
    expect(left).toEqual([]);
    await erase(plan);
    expect(await new AnalysisRepository(store).outcome(folder)).toMatchObject({
      status: 'completed',
      result: null,
      erased: true,
    });
  });
});

describe('an erasure of an assignor', () => {
  it.each([true, false])('takes its analysis as a whole (told by the file: %s)', async (told) => {
    await file({ tellsAssignor: told });
    const plan = await planner().ofDocument(assignor);
    expect(plan.jobs).toMatchObject([{ whole: true }]);
    await erase((one) => one.ofDocument(assignor));
    expect((await bodyKeys(store)).filter((key) => !key.startsWith('erasures/'))).toEqual([]);
  });

  it('is refused while nobody knows whether it was bought', async () => {
    await file();
    place?.database.commitNow([
      { sql: 'DELETE FROM resolution', parameters: [] },
      { sql: 'UPDATE attempt SET is_resolved = 0', parameters: [] },
    ]);
    const { undecided } = await planner().ofDocument(assignor);
    expect(undecided).toMatchObject([{ subject: `credit/${'ab'.repeat(16)}`, answerBy: null }]);
    expect((await planner().ofDocument(payer)).undecided).toEqual([]);
  });
});

describe('an erasure that was cut short anywhere', () => {
  it.each([
    ['of a payer', payer, false],
    ['of a payer, sealed', payer, true],
    ['of an assignor that the result alone tells', assignor, false],
  ])(
    'is finished by the same command: %s',
    async (_, document, sealed) => {
      const open = async (): Promise<Store> => {
        use(sealed);
        await file({ tellsAssignor: document === payer });
        expect((await clearText()).includes(payer)).toBe(!sealed);
        return opened(place as TemporaryStore);
      };
      const check = async (_store: Store, { step }: { step: string }): Promise<void> => {
        const left = await everything();
        const quoted = document === payer ? quotesPayer : new RegExp(assignor);
        expect([step, left.match(quoted)]).toEqual([step, null]);
        const others = (await bodyKeys(store)).filter((key) => !key.startsWith('erasures/'));
        if (document === assignor) expect([step, others]).toEqual([step, []]);
        else expect((await tree('op-abab')).cedente.sacados[1]?.cnpjCpf).toBe(other);
      };
      const steps = await cutShortAnywhere(open, (one) => one.ofDocument(document), check);
      expect(steps).toEqual(['commit', 'removeBlobs', 'forget', 'commit']);
    },
    60_000,
  );
});

describe('an erasure by the id of an analysis', () => {
  it('takes what no other analysis shares', async () => {
    const first = await file();
    const second = await file({ name: 'cd'.repeat(16) });
    const plan = await planner().ofJob(first.replace('analyses/', 'credit/'));
    const gone = changedKeys(plan);
    expect(gone.filter((key) => key.startsWith('inputs/') || key.includes('/cdcd'))).toEqual([]);
    expect(gone).toContain(`job/${first}`);
    await erase((one) => one.ofJob(first.replace('analyses/', 'credit/')));
    expect((await bodyKeys(store)).filter((key) => key.includes('op-abab'))).toEqual([]);
    await erase((one) => one.ofJob(second.replace('analyses/', 'credit/')));
    expect((await bodyKeys(store)).filter((key) => !key.startsWith('erasures/'))).toEqual([]);
  });

  it('leaves the other times that the same was asked for, and what fences it', async () => {
    const operationId = 'op-1';
    const first = await file({ operationId });
    const later = await file({ operationId, instant: '20260201T000000000Z' });
    await erase((one) => one.ofJob(first.replace('analyses/', 'credit/')));
    const left = await bodyKeys(store);
    expect(left.filter((key) => key.startsWith('analyses/'))).toEqual(
      ['input', 'outcome'].map((name) => `${later}/${name}`),
    );
    expect(await store.attempts.subjects('credit/')).toHaveLength(1);
    expect((await tree('op-1')).cedente.sacados).toHaveLength(2);
  });
});

describe('an erasure of a batch of analyses', () => {
  const batchId = `credit-batch/${'ef'.repeat(16)}/20260101T000000000Z`;
  const folder = `batches/${batchId}`;

  beforeEach(async () => {
    const asked = await file();
    const before = await file({ name: 'cd'.repeat(16) });
    const childOf = (of: string, had: boolean) => {
      const jobId = of.replace('analyses/', 'credit/');
      return { kind: 'item', note: '', child: { jobId, before: had, terms: {} } } as const;
    };
    const common = { type: 'file', reference: '' };
    const writer = store.rows.writer(folder, nameOf);
    const first = { ...common, line: 2, item: 0, document: `${payer}.rem` };
    await writer.add({ ...first, ...childOf(asked, false) });
    await writer.add({ ...common, line: 3, item: 1, document: 'b.rem', ...childOf(before, true) });
    const refused = { ...common, line: 4, document: 'c.rem', code: 'not_sent' };
    await writer.add({ ...refused, kind: 'invalid', message: `c of ${payerName}` });
    await writer.end();
    const createdAt = '2026-01-01T00:00:00.000Z';
    const about = { batchId, kind: 'credit-batch', inputName: `for ${payer}`, createdAt };
    await new JobBatchRepository(store).put(about as JobBatchRecord, null, []);
  });

  it('takes the analyses that it was the first to ask for', async () => {
    const { jobs } = await planner().ofJob(batchId);
    expect(jobs.map(({ id }) => id)).toEqual([batchId, expect.stringMatching(/^credit\/abab/)]);
    await erase((one) => one.ofJob(batchId));
    const left = (await bodyKeys(store)).filter((key) => !key.startsWith('erasures/'));
    expect(left.filter((key) => /abab|batches/.test(key))).toEqual([]);
    expect((await tree('op-cdcd')).cedente.sacados).toHaveLength(2);
  });

  it('of a payer leaves its lines, without what they quote', async () => {
    await erase((one) => one.ofDocument(payer));
    expect(await everything()).not.toMatch(quotesPayer);
    const names: string[] = [];
    for await (const row of store.rows.all(folder)) names.push(row.document);
    expect(names).toEqual(['[erased].rem', 'b.rem', 'c.rem']);
  });
});

describe('an erasure by age', () => {
  it('takes results or files of what ended before, unless a later analysis shares them', async () => {
    const old = await file();
    await file({ name: 'cd'.repeat(16), settledAt: '2026-06-01T00:00:00.000Z', file: other });
    const before = Date.parse('2026-03-01');
    const results = await ofAge(store, 'results', before);
    expect(results.jobs.map(({ folder }) => folder)).toEqual([old]);
    await erase(() => ofAge(store, 'results', before));
    expect(
      (await store.records.list('operations/')).filter((key) => key.includes('op-abab')),
    ).toEqual([]);
    expect(await new AnalysisRepository(store).outcome(old)).toMatchObject({
      status: 'completed',
      operationId: 'op-abab',
      result: null,
      erased: true,
    });
    await erase(() => ofAge(store, 'inputs', before));
    // The ZIP is that of both, the file of the later one is its own.
    const manifests = (await store.records.list('inputs/')).filter((key) => key.endsWith('.json'));
    expect(manifests).toHaveLength(2);
    expect(await store.attempts.subjects('credit/')).toHaveLength(2);
    for (const what of ['pdf', 'results', 'inputs'] as const) {
      expect(changedKeys(await ofAge(store, what, before))).toEqual([]);
    }
    // No file leads there any more, and people have typed the name all the same.
    expect(JSON.stringify(await bodyAt(store, `${old}/input`))).toMatch(quotesPayer);
    await erase((one) => one.ofDocument(payer));
    expect(await everything()).not.toMatch(quotesPayer);
  });
});

test('every object of an analysis is in the table of what is kept about people', async () => {
  await file();
  const strange = (await bodyKeys(store)).filter(
    (key) => kindOf('record', key) === null && !impersonalKeys.test(key),
  );
  expect(strange).toEqual([]);
});

async function tree(operationId: string): Promise<ReturnType<typeof treeOf>> {
  const parts: Buffer[] = [];
  for await (const part of readLarge(store, resultKey(operationId, 'all'))) parts.push(part);
  return JSON.parse(Buffer.concat(parts).toString()) as ReturnType<typeof treeOf>;
}

/** Bodies as they lie on the disk. */
async function clearText(): Promise<string> {
  const told: string[] = [];
  for (const key of await bodyKeys(store)) told.push(String(await place?.store.records.get(key)));
  for (const row of place?.database.readNow({
    sql: 'SELECT said FROM resolution',
    parameters: [],
  }) ?? [])
    told.push(String(Buffer.from((row as { said: Uint8Array }).said)));
  return told.join('\n');
}
