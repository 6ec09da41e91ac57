import { certificateSubject, type Claim } from '../../src/domain/attempts';
import { Store } from '../../src/store/store';
import { IdKey } from '../../src/protection/id-key';
import { indexDocuments } from '../../src/store/erasure/subject-index';
import { PurgePlanner } from '../../src/store/erasure/purge-plan';
import { carryOut } from '../../src/store/erasure/purge';
import { WorkWriter, summaryKey, workFolder } from '../../src/store/certificates/works';
import { noCounts } from '../../src/domain/certificates';
import { nothingTold } from '../../src/domain/outcomes';
import type { WorkRecord } from '../../src/domain/work';
import { cnpj } from '../support/documents';
import { TemporaryStore, notesOf } from '../support/temporary-store';

const idKey = IdKey.parse('ab'.repeat(32));
const nameOf = (document: string): string => idKey.nameOf('document', document);
const person = cnpj(1);
let place: TemporaryStore;

beforeEach(() => {
  place = new TemporaryStore();
});
afterEach(() => place.remove());

const planner = (): PurgePlanner => new PurgePlanner(place.store, nameOf);

interface Sample {
  documents?: string[];
  finishedAt?: string | null;
  inputKey?: string | null;
  inputSha256?: string | null;
  /** Of the first document, with a note in the results of the others. */
  officialName?: string;
  note?: string;
}

/** A batch of documents with results, as the workflows leave it. */
async function file(workId: string, sample: Sample = {}): Promise<void> {
  const { documents = [person, cnpj(2)], inputKey = null } = sample;
  const { finishedAt = '2026-01-02T00:00:00.000Z', inputSha256 = null } = sample;
  const { officialName = null, note = '' } = sample;
  const folder = workFolder(workId);
  const createdAt = '2026-01-01T00:00:00.000Z';
  const writer = new WorkWriter(place.store, folder, nameOf);
  for (const [item, document] of documents.entries()) {
    const line = item + 2;
    const certidaoId = `id-${document}`;
    const pdfKey = `pdf/cnpj/2026/01/${nameOf(document).slice(0, 8)}_${certidaoId}_0a1b2c3d.pdf`;
    const told = item === 0 ? { officialName } : { note };
    const asked = { attempts: 1, requestedAt: null, possibleDoubleCharge: false, note: '' };
    const settled = { ...nothingTold, item, certidaoId, pdfKey, settledAt: createdAt } as const;
    await place.store.outcomes.file(folder, 'lane-0000/a', [
      { ...asked, ...settled, ...told, status: 'issued' },
    ]);
    await writer.add({ kind: 'item', item, line, type: 'cnpj', document, reference: '', note: '' });
    await place.store.records.putIfAbsent(pdfKey, '%PDF-');
  }
  const record = { workId, kind: 'certificate-batch', createdAt, inputKey, inputSha256 };
  await writer.finish({ ...record, items: documents.length } as WorkRecord);
  if (finishedAt === null) return;
  const summary = { finishedAt, counts: { ...noCounts(), issued: documents.length } };
  await place.store.records.replace(summaryKey(folder, 0), JSON.stringify(summary));
  await place.store.records.replace(`${folder}/latest.json`, JSON.stringify({ edition: 0 }));
}

it('takes what was left half planned as a whole: nothing ever read it', async () => {
  const writer = new WorkWriter(place.store, 'works/certificate-batch/half', nameOf);
  const told = { kind: 'invalid', type: '', reference: '', code: 'x', message: '' } as const;
  for (let line = 2; line < 502; line += 1) await writer.add({ ...told, line, document: person });
  const taken = [
    { key: 'rows/works/certificate-batch/half', action: 'removed' },
    { key: 'holders/works/certificate-batch/half', action: 'removed' },
  ];
  expect((await planner().ofWork('certificate-batch/half')).changes).toMatchObject(taken);
  expect((await planner().ofDocument(person)).changes).toMatchObject([
    ...taken,
    { key: `subjects/${nameOf(person)}`, action: 'removed' },
  ]);
  await purgeUntil(Infinity);
  expect(await place.store.rows.works('')).toEqual([]);
});

function claimed(): Claim {
  const owner = { workflowId: 'certificate-batch/open/lane-0000', run: '1' };
  const times = { answerBy: Date.now() + 60_000, claimedAt: Date.now(), afterUnknown: false };
  return { owner, kind: 'send', nonce: 'n', ...times };
}

/** Another's request, which a person has given up with a note. */
async function abandoned(note: string): Promise<string> {
  const { attempts } = place.store;
  const subject = certificateSubject('cnpj', nameOf(cnpj(2)));
  await attempts.claim(subject, 1, claimed());
  const resolution = { action: 'abandon', externalId: null, by: 'x', note, at: 1 } as const;
  await attempts.resolve(subject, 1, resolution);
  return subject;
}

it('tells of works that have not ended, and of what may have been bought', async () => {
  await file('certificate-batch/open', { finishedAt: null });
  const { attempts } = place.store;
  const subject = certificateSubject('cnpj', nameOf(person));
  const claim = claimed();
  await attempts.claim(subject, 1, claim);
  const sent = await planner().ofDocument(person);
  expect(sent.works).toMatchObject([{ ended: false, whole: false }]);
  expect(sent.unsettled).toMatchObject([{ state: { kind: 'in_flight' } }]);
  await attempts.putReceipt(subject, { n: 1, claim }, { kind: 'unknown', reason: 'reset', at: 1 });
  const unknown = await planner().ofWork('certificate-batch/open');
  expect(unknown.unsettled).toMatchObject([{ state: { kind: 'unknown', owner: claim.owner } }]);
});

it('takes the words of a decision also from the resolutions of other rows', async () => {
  await file('certificate-batch/b');
  const note = `as for ${person}`;
  const row = { item: 1, line: 3, status: 'unknown_outcome', certidaoId: null, attempts: 1 };
  const key = 'works/certificate-batch/b/decisions/0001/decision.json';
  const decision = { number: 1, action: 'abandon', certidaoId: null, note, rows: [row] };
  await place.store.records.putIfAbsent(key, JSON.stringify(decision));
  const subject = await abandoned(note);
  const { changes } = await planner().ofDocument(person);
  const quoting = changes.find((one) => one.key === key);
  const body = await quoting?.rewrite?.((await place.store.records.get(key)) as Buffer);
  expect(body).toContain('as for [erased]');
  await changes.find((one) => one.key === `attempts/${subject}`)?.carryOut?.();
  expect(await place.store.attempts.notesOf(subject)).toEqual(['as for [erased]']);
});

it('takes the copies of rows in the lists that decisions made, and all lists with their work', async () => {
  await file('certificate-batch/b');
  await file('certificate-batch/bc', { documents: [cnpj(3)] });
  const list = 'works/certificate-batch/b/decisions/0001/list-1';
  const { rows } = place.store;
  const writer = rows.writer(list);
  const told = { type: 'cnpj', reference: '', note: '' } as const;
  const start = { kind: 'watch', certidaoId: `id-${person}`, attempts: 1 } as const;
  await writer.add({ ...told, kind: 'item', item: 0, line: 2, document: person, start });
  await writer.add({ ...told, kind: 'item', item: 1, line: 3, document: cnpj(2) });
  await writer.end();
  await purgeUntil(Infinity);
  expect(await everything()).not.toContain(person);
  expect(await rows.item(list, 0)).toMatchObject({ erased: true, start: { certidaoId: null } });
  expect(await rows.item(list, 1)).toMatchObject({ document: cnpj(2) });
  const { changes } = await planner().ofWork('certificate-batch/b');
  for (const { carryOut: doIt } of changes) await doIt?.();
  expect(await rows.works('')).toEqual(['works/certificate-batch/bc']);
});

it('leaves no quotation behind, whatever change a purge was cut short before', async () => {
  const id = `ID-${person}`.toLowerCase();
  const note = `${person} is Maria  da Silva's, ${id}`;
  const decided = { item: 1, line: 3, status: 'unknown_outcome', certidaoId: null, attempts: 1 };
  let cuts = 0;
  for (let allowed = 0; cuts === allowed; allowed += 1) {
    place.remove();
    place = new TemporaryStore();
    await file('certificate-batch/b', { officialName: 'MARIA DA SILVA', note });
    const decision = { number: 1, action: 'abandon', certidaoId: null, note, rows: [decided] };
    const key = 'works/certificate-batch/b/decisions/0001/decision.json';
    await place.store.records.putIfAbsent(key, JSON.stringify(decision));
    await abandoned(note);
    cuts += await purgeUntil(allowed).then(
      () => 0,
      () => 1,
    );
    await purgeUntil(Infinity);
    const left = await everything();
    expect([allowed, left.match(/maria\s+da\s+silva/i)]).toEqual([allowed, null]);
    expect([allowed, left.includes(person)]).toEqual([allowed, false]);
    expect(left.match(/"note":\s*"\[erased\]/g)).toHaveLength(3);
  }
  expect(cuts).toBeGreaterThan(8);
});

it('keeps no plain sum or key in its record by which erased rows could be guessed', async () => {
  const sum = 'ab'.repeat(32);
  const inputKey = `inputs/ab/${sum}`;
  await file('certificate-batch/b', { inputKey, inputSha256: sum });
  await place.store.records.putIfAbsent(inputKey, 'sheet');
  const { changes } = await planner().ofDocument(person);
  const { record, key } = await purgeUntil(Infinity);
  expect(await everything()).not.toContain(sum);
  const filed = String(await place.store.records.get(key));
  for (const { kind, key: was, sha256, hidesKey } of changes) {
    expect([kind, filed.includes(sha256)]).toEqual([kind, kind === 'pdf']);
    expect([kind, filed.includes(was)]).toEqual([kind, !hidesKey]);
  }
  expect(record.objects.find(({ kind }) => kind === 'rows')).toMatchObject({
    mac: idKey.macOf(changes.find(({ kind }) => kind === 'rows')?.sha256 ?? ''),
  });
});

type Change = (...args: unknown[]) => Promise<unknown>;

/** Purges the person, and is cut short once so many objects were changed; the intent is one. */
async function purgeUntil(allowed: number): ReturnType<typeof carryOut> {
  const store = new Store(place.database);
  let made = 0;
  const count = (): void => {
    if (made === allowed) throw new Error('cut short');
    made += 1;
  };
  const { records } = store;
  const remove = records.remove.bind(records);
  const replace = records.replace.bind(records);
  records.remove = async (...args) => {
    count();
    await remove(...args);
  };
  records.replace = async (...args) => {
    count();
    await replace(...args);
  };
  const { attempts, outcomes, rows, subjects } = store;
  for (const table of [outcomes, rows] as { rewrite: Change; remove: Change }[]) {
    for (const method of ['rewrite', 'remove'] as const) {
      const real = table[method].bind(table);
      table[method] = async (...args) => {
        count();
        return real(...args);
      };
    }
  }
  for (const method of ['removeHolder', 'removeSubject'] as const) {
    const real = subjects[method].bind(subjects);
    subjects[method] = async (...args) => {
      count();
      await real(...args);
    };
  }
  const removeAttempts = attempts.remove.bind(attempts);
  const rewordNotes = attempts.rewordNotes.bind(attempts);
  attempts.remove = async (...args) => {
    count();
    await removeAttempts(...args);
  };
  attempts.rewordNotes = async (...args) => {
    count();
    await rewordNotes(...args);
  };
  return carryOut(store, await new PurgePlanner(store, nameOf).ofDocument(person), {
    by: 'tester',
    reason: 'a test',
    startedAt: new Date().toISOString(),
    workflows: [],
    macOf: (text) => idKey.macOf(text),
    deleteWorkflows: async () => {},
    audit: async () => {},
  });
}

/** Keys and bodies of the store. */
async function everything(): Promise<string> {
  const told: string[] = [];
  for (const key of await place.store.records.list('')) {
    told.push(key, String(await place.store.records.get(key)));
  }
  told.push(...(await notesOf(place.store)));
  for await (const outcome of place.store.outcomes.all('works/certificate-batch/b')) {
    told.push(JSON.stringify(outcome));
  }
  for (const work of await place.store.rows.works(''))
    for await (const row of place.store.rows.all(work)) told.push(JSON.stringify(row));
  return told.join('\n');
}

it('takes one run of a batch and not another, whose id begins with its own', async () => {
  const later = 'certificate-batch/b/20260101T000000000Z';
  await file('certificate-batch/b', { inputKey: 'inputs/aa/aa' });
  await file(later, { documents: [person], inputKey: 'inputs/aa/aa' });
  await place.store.records.putIfAbsent('inputs/aa/aa', 'sheet');
  const keys = (await planner().ofWork('certificate-batch/b')).changes.map(({ key }) => key);
  expect(keys.filter((key) => key.includes(later))).toEqual([]);
  expect(keys).not.toContain('inputs/aa/aa');
  expect(keys.filter((key) => key.startsWith('pdf/'))).toEqual([
    expect.stringContaining(`id-${cnpj(2)}`),
  ]);
});

it('takes a class from works that ended before an instant, unless a later one shares it', async () => {
  await file('certificate-batch/old', { inputKey: 'inputs/aa/aa' });
  await file('certificate-batch/new', {
    documents: [person],
    finishedAt: '2026-06-01T00:00:00.000Z',
  });
  await place.store.records.putIfAbsent('inputs/aa/aa', 'sheet');
  const before = Date.parse('2026-03-01');
  const pdf = await planner().ofAge('pdf', before);
  expect(pdf.changes.map(({ kind, action }) => [kind, action])).toEqual([
    ['pdf', 'removed'],
    ['outcomes', 'rewritten'],
  ]);
  expect(pdf).toMatchObject({ rows: 1, works: [{ workId: 'certificate-batch/old' }] });
  const inputs = await planner().ofAge('inputs', before);
  expect(inputs.changes.map(({ key }) => key)).toEqual(['inputs/aa/aa']);
  expect((await planner().ofAge('pdf', 0)).changes).toEqual([]);
});

it('takes what was looked up about a person, and nothing about another one', async () => {
  const folders = [person, cnpj(2)].map((document) => `profiles/${nameOf(document)}/20260105T1Z`);
  for (const folder of folders) {
    await place.store.records.putIfAbsent(`${folder}/asked.json`, '{}');
    await place.store.records.putIfAbsent(`${folder}/answer-1.json`, '{}');
  }
  const { changes } = await planner().ofDocument(person);
  expect(changes.map(({ key }) => key).toSorted()).toEqual([
    `${folders[0]}/answer-1.json`,
    `${folders[0]}/asked.json`,
  ]);
});

it('takes dossiers that name a document, or by their id, and leaves what was asked for them', async () => {
  const [mine, other] = ['d1', 'd2'].map((id) => `dossiers/${id}/20260105T1Z`) as [string, string];
  for (const folder of [mine, other]) {
    const workId = folder.replace('dossiers/', 'dossier/');
    await place.store.records.putIfAbsent(
      `${folder}/asked.json`,
      JSON.stringify({ workId, createdAt: 't' }),
    );
    await place.store.records.putIfAbsent(`${folder}/artifacts/a1`, '%PDF-');
    const settledAt = '2026-01-06T00:00:00.000Z';
    await place.store.records.putIfAbsent(`${folder}/outcome.json`, JSON.stringify({ settledAt }));
  }
  await place.store.records.putIfAbsent('dossier-retries/d1/0001/0001.json', '{}');
  await indexDocuments(place.store, mine, nameOf, [person]);
  const keysOf = (folder: string): string[] =>
    ['artifacts/a1', 'asked.json', 'outcome.json'].map((name) => `${folder}/${name}`);
  const named = await planner().ofDocument(person);
  const taken = named.changes
    .map(({ key }) => key)
    .filter((key) => !/^(?:holders|subjects)\//.test(key));
  expect(taken.toSorted()).toEqual(keysOf(mine));
  expect(named.changes).toHaveLength(5);
  expect(named.works).toMatchObject([{ workId: 'dossier/d1/20260105T1Z', ended: true }]);
  const byId = await planner().ofWork('dossier/d2');
  expect(byId.changes.map(({ key }) => key).toSorted()).toEqual(keysOf(other));
  const files = await planner().ofAge('pdf', Date.parse('2026-03-01'));
  expect(files.changes.map(({ key }) => key).toSorted()).toEqual([
    `${mine}/artifacts/a1`,
    `${other}/artifacts/a1`,
  ]);
  // A purge that was cut short finds the rest again.
  await place.store.records.remove(`${mine}/asked.json`);
  expect((await planner().ofDocument(person)).changes).toHaveLength(4);
});

it('takes by age what was told of dossiers, also of one that failed and has no files', async () => {
  const folder = 'dossiers/d1/20260105T1Z';
  const workId = 'dossier/d1/20260105T1Z';
  const kept = { workId, dossierId: 'd1', status: 'failed', attempts: [{ number: 1 }] };
  const told = {
    ...kept,
    stale: true,
    coverage: { status: 'partial', completed: 3, eligible: 4 },
    risk: { form: 'classified', level: 'high', score: 91 },
    filed: [{ artifactId: 'a1', sha256: 'dd' }],
    error: { code: 'no_data', message: 'nothing is known of MARIA' },
    settledAt: '2026-01-06T00:00:00.000Z',
  };
  const put = (name: string, content: object) =>
    place.store.records.putIfAbsent(`${folder}/${name}`, JSON.stringify(content));
  await put('asked.json', { workId, createdAt: 't' });
  await put('outcome.json', told);
  const age = () => planner().ofAge('results', Date.parse('2026-03-01'));
  const plan = await age();
  expect(plan.changes.map(({ key }) => key)).toEqual([`${folder}/outcome.json`]);
  expect(plan.works).toMatchObject([{ workId, whole: false }]);
  const left = String(await plan.changes[0]?.rewrite?.(Buffer.from(JSON.stringify(told))));
  expect(JSON.parse(left)).toEqual({
    ...kept,
    stale: null,
    coverage: null,
    risk: null,
    filed: [],
    error: { code: 'no_data', message: '' },
    settledAt: told.settledAt,
  });
  await place.store.records.replace(`${folder}/outcome.json`, left);
  expect((await age()).changes).toEqual([]);
});
