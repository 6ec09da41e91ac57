import { certificateFolder } from '../../src/domain/certificates/job';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { openTrailIn, storeIn, tamperWith } from '../support/temporary-store';
import type { Store } from '../../src/store/store';
import type { StoredAuditRecord } from '../../src/store/audit/read';
import { IdKey } from '../../src/protection/id-key';
import { everyFault, postsOf } from '../support/batch-account';
import { Installation, eventually } from '../support/diligence-process';
import { cnpj, sheetOf } from '../support/documents';

const rows = 150;
const trouble = {
  issuance: { waitingMs: [20, 100], processingMs: [100, 1_000], distribution: 'lognormal' },
  latencyMs: [20, 60],
  background: { rate: 0.1, kinds: everyFault },
  documents: { [cnpj(1)]: { request: ['reset_after'] } },
} as const;
const batch = ['certificate', 'batch', '--input', 'input.csv', '--out', 'out', '--deadline', '5m'];

describe('the audit trail of a batch with faults and a killed worker', () => {
  let place: Installation;
  let store: Store;
  let idKey: IdKey;
  let batchId: string;

  beforeAll(async () => {
    place = await Installation.start(trouble as never);
    await writeFile(join(place.folder, 'input.csv'), sheetOf(rows));
    const worker = await place.startWorker();
    const command = place.begin([...batch, '--by', 'Ana']);
    await eventually('a third is requested', () => postsOf(place.sandbox).length > rows / 3);
    worker.kill('SIGKILL');
    await once(worker, 'exit');
    expect(postsOf(place.sandbox).length).toBeLessThan(rows);
    await place.startWorker();
    expect((await command.result).code).toBe(3);
    const text = await readFile(join(place.folder, 'data', 'id-key'), 'utf8');
    idKey = IdKey.parse(text);
    store = storeIn(place.folder);
    ({ batchId } = await summary());
  }, 240_000);

  afterAll(() => place.stop(), 60_000);

  const summary = async () =>
    JSON.parse(await readFile(join(place.folder, 'out', 'summary.json'), 'utf8')) as {
      batchId: string;
      auditHead: string;
    };
  const records = async (): Promise<StoredAuditRecord[]> => {
    const { code, stdout } = await place.run(['audit', 'export', '--format', 'json']);
    expect(code).toBe(0);
    return JSON.parse(stdout) as StoredAuditRecord[];
  };
  const idsOf = async (kind: string): Promise<string[]> =>
    (await records()).filter((record) => record.kind === kind).map(({ id }) => id);

  test('holds one record for each request that was sent or may have been', async () => {
    const claimed: string[] = [];
    for (const subject of await store.attempts.subjects('certificate/')) {
      for (const { n, claim } of await store.attempts.of(subject)) {
        if (claim.kind === 'send') claimed.push(`request/${subject}/${n}`);
      }
    }
    expect((await idsOf('request')).toSorted()).toEqual(claimed.toSorted());
  });

  test('agrees with what the service has received', async () => {
    const certain = new Map<string, number>();
    const possible = new Map<string, number>();
    const count = (map: Map<string, number>, name: string): void =>
      void map.set(name, (map.get(name) ?? 0) + 1);
    for (const { kind, result, subject = '', details } of await records()) {
      if (kind !== 'request') continue;
      const answered = String(details?.['reason'] ?? '').startsWith('answered');
      count(possible, subject);
      if (result === 'accepted' || result === 'refused' || answered) count(certain, subject);
    }
    for (let row = 1; row <= rows; row += 1) {
      const document = cnpj(row);
      const received = postsOf(place.sandbox).filter((post) => post.subject === document).length;
      const subject = idKey.nameOf('document', document);
      // An answer in the name of the gateway may come before the service has read what was asked.
      expect(possible.get(subject) ?? 0).toBeGreaterThanOrEqual(received);
      expect(possible.get(subject) ?? 0).toBeGreaterThan(0);
      if (received > 0) expect(certain.get(subject) ?? 0).toBeLessThanOrEqual(received);
    }
  });

  test('holds one record for each outcome', async () => {
    const stored = new Set<string>();
    for await (const outcome of store.outcomes.all(certificateFolder(batchId))) {
      const { item, attempts, certidaoId, status } = outcome;
      stored.add(`outcome/${batchId}/${item}/${attempts}/${certidaoId ?? '-'} ${status}`);
    }
    const recorded = (await records())
      .filter(({ kind }) => kind === 'outcome')
      .map(({ id, result }) => `${id} ${result}`);
    expect(recorded.toSorted()).toEqual([...stored].toSorted());
    expect(recorded.length).toBeGreaterThanOrEqual(rows);
  });

  test('says in whose name, and holds no document and no name', async () => {
    const who = [batchId, '--status', 'unknown_outcome', '--by', 'Bruno'];
    const what = ['--action', 'abandon', '--note', 'agreed with the service'];
    const { code } = await place.run(['resolve', ...who, ...what]);
    expect([0, 3]).toContain(code);
    const all = await records();
    const decisions = all.filter(({ kind }) => kind === 'decision');
    expect(decisions.map(({ result, by, job }) => [result, by, job])).toEqual([
      ['start', 'Ana', batchId],
      ['abandon', 'Bruno', batchId],
    ]);
    expect(new Set(all.filter(({ kind }) => kind === 'request').map(({ by }) => by))).toEqual(
      new Set(['Ana']),
    );
    const text = JSON.stringify(all);
    for (let row = 1; row <= rows; row += 1) expect(text).not.toContain(cnpj(row));
    expect(text).not.toContain('agreed with the service');
  }, 60_000);

  test('verifies, and opens as a sheet', async () => {
    const verified = await place.run(['audit', 'verify', '--json']);
    expect(JSON.parse(verified.stdout)).toMatchObject({ intact: true, findings: 0 });
    expect(verified.code).toBe(0);
    const exported = await place.run(['audit', 'export', '--excel', '--out', 'audit.csv']);
    expect(exported).toMatchObject({ code: 0, stdout: '' });
    const sheet = parse(await readFile(join(place.folder, 'audit.csv')), {
      bom: true,
      columns: true,
      delimiter: ';',
    }) as Record<string, string>[];
    expect(sheet.map(({ id }) => id)).toEqual((await records()).map(({ id }) => id));
    expect(new Set(sheet.map(({ intact }) => intact))).toEqual(new Set(['true']));
  }, 60_000);

  test('shows an end that was cut off to whoever holds the summary', async () => {
    const { auditHead } = await summary();
    expect((await place.run(['audit', 'verify', '--head', auditHead])).code).toBe(0);
    const number = Number.parseInt(auditHead, 10);
    const tamper = (sql: string) =>
      tamperWith(place.folder, sql, number) as Promise<{ chain: string }[]>;
    // The chain of the worker: that of a command has a record or two.
    const [head] = await tamper(
      'SELECT chain FROM anchor_head WHERE anchor = ? ORDER BY number DESC LIMIT 1',
    );
    await openTrailIn(place.folder);
    await tamper('DELETE FROM anchor_head WHERE anchor >= ?');
    await tamper('DELETE FROM anchor WHERE number >= ?');
    await tamperWith(
      place.folder,
      'DELETE FROM event WHERE chain = ? AND number = (SELECT max(number) FROM event WHERE chain = ?)',
      head?.chain,
      head?.chain,
    );
    const told = await place.run(['audit', 'verify', '--head', auditHead]);
    expect(told.code).toBe(1);
    expect(told.stdout).toContain(`anchor ${number}: the head ${auditHead} is not there`);
  }, 60_000);
});

describe('orders to a batch that runs', () => {
  let place: Installation;

  afterEach(() => place.stop(), 60_000);

  test('stand on the audit trail with their actor', async () => {
    // So slow that it still runs when the orders come.
    place = await Installation.start({}, { CERTIFICATES_RPS: '5' });
    await place.startWorker();
    await writeFile(join(place.folder, 'input.csv'), sheetOf(400));
    const started = await place.run([...batch, '--detach']);
    const id = started.stdout.trim();
    await eventually('requests are sent', () => postsOf(place.sandbox).length > 2);
    for (const order of [['pause'], ['resume', '--by', 'Ana'], ['cancel', '--now']]) {
      expect(await place.run([...order, id])).toMatchObject({ code: 0 });
    }
    const exported = await place.run(['audit', 'export', '--format', 'json']);
    const decisions = (JSON.parse(exported.stdout) as StoredAuditRecord[])
      .filter(({ kind }) => kind === 'decision')
      .map(({ result, by }) => [result, by]);
    expect(decisions).toEqual([
      ['start', 'tester'],
      ['pause', 'tester'],
      ['resume', 'Ana'],
      ['cancel_now', 'tester'],
    ]);
    // A command writes one record, in a chain of its own.
    await openTrailIn(place.folder);
    await tamperWith(
      place.folder,
      'DELETE FROM event WHERE chain = (SELECT chain FROM event GROUP BY chain HAVING count(*) = 1 ORDER BY chain DESC LIMIT 1)',
    );
    const verified = await place.run(['audit', 'verify']);
    expect(verified.code).toBe(1);
    expect(verified.stdout).toContain('the whole chain is not there, and anchor');
  }, 240_000);
});
