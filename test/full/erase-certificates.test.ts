import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { AuditEntry } from '../../src/domain/core/audit';
import {
  certificateSubject,
  reissueByPolicy,
  type Claim,
} from '../../src/domain/core/service/attempts';
import { verifyAudit } from '../../src/store/audit/verify';
import { Store } from '../../src/store/store';
import { indexDocuments } from '../../src/store/core/subject-index';
import { plansOf } from '../../src/store/erasure/plans';
import { erase, finishErasure, openErasures } from '../../src/store/erasure/erasures';
import { ErasurePlanner } from '../../src/store/erasure/planner';
import { CertificateRowWriter } from '../support/certificate-rows';
import { noCounts } from '../../src/domain/certificates/certificates';
import { nothingReported } from '../../src/domain/certificates/outcomes';
import { certificateFolder, type CertificateRecord } from '../../src/domain/certificates/job';
import { entry, readAll } from '../support/audit-entries';
import { cnpj } from '../support/documents';
import {
  changedKeys,
  cutShortAnywhere,
  erased,
  keysThat,
  nameOf,
  ofAge,
  type Planning,
} from '../support/erasures';
import { bodyAt, bodyKeys, bodyOf, putBody } from '../support/stored-bodies';
import { accepted, putAttempt } from '../support/stored-attempts';
import { TemporaryStore, notesAbout, notesOf, testIdKey } from '../support/temporary-store';

const person = cnpj(1);
let place: TemporaryStore;

beforeEach(() => {
  place = new TemporaryStore();
});
afterEach(() => place.remove());

const planner = (): ErasurePlanner => new ErasurePlanner(place.store, nameOf);
const ofPerson: Planning = (one) => one.ofDocument(person);

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
async function file(jobId: string, sample: Sample = {}): Promise<void> {
  const { documents = [person, cnpj(2)], inputKey = null } = sample;
  const { finishedAt = '2026-01-02T00:00:00.000Z', inputSha256 = null } = sample;
  const { officialName = null, note = '' } = sample;
  const folder = certificateFolder(jobId);
  const createdAt = '2026-01-01T00:00:00.000Z';
  const writer = new CertificateRowWriter(place.store, folder, nameOf);
  for (const [item, document] of documents.entries()) {
    const line = item + 2;
    const certidaoId = `id-${document}`;
    const pdfKey = `pdf/cnpj/2026/01/${nameOf(document).slice(0, 8)}_${certidaoId}_0a1b2c3d.pdf`;
    const told = item === 0 ? { officialName } : { note };
    const asked = { attempts: 1, requestedAt: null, possibleDoubleCharge: false, note: '' };
    const settled = { ...nothingReported, item, certidaoId, pdfKey, settledAt: createdAt } as const;
    await place.store.outcomes.file(folder, 'lane-0000/a', [
      { ...asked, ...settled, ...told, status: 'issued' },
    ]);
    await writer.add({ kind: 'item', item, line, type: 'cnpj', document, reference: '', note: '' });
    await place.store.records.putIfAbsent(pdfKey, '%PDF-');
    const subject = certificateSubject('cnpj', nameOf(document));
    if ((await place.store.attempts.of(subject)).length === 0)
      await putAttempt(place.store, subject, { receipt: accepted(certidaoId) });
    const issued = { type: 'cnpj', status: 'issued', retryAfterMs: null, answer: {} } as const;
    await place.store.facts.put([
      {
        fact: { ...nothingReported, ...issued, certidaoId, pdfKey, settledAt: 1, note, ...told },
        pdf: null,
      },
    ]);
  }
  const record = { jobId, kind: 'certificate-batch', createdAt, inputKey, inputSha256 };
  await writer.finish({ ...record, items: documents.length } as CertificateRecord);
  if (finishedAt === null) return;
  const summary = { finishedAt, counts: { ...noCounts(), issued: documents.length } };
  await putBody(place.store, `${folder}/outcome`, { edition: 0, summary });
}

it('takes what was left half planned as a whole: nothing ever read it', async () => {
  const writer = new CertificateRowWriter(place.store, 'works/certificate-batch/half', nameOf);
  const told = { kind: 'invalid', type: '', reference: '', code: 'x', message: '' } as const;
  for (let line = 2; line < 502; line += 1) await writer.add({ ...told, line, document: person });
  const taken = ['batch_row', 'subject'].map((table) => `${table}/works/certificate-batch/half`);
  const number = `subject_number/${nameOf(person)}`;
  const ofJob = await planner().ofJob('certificate-batch/half');
  expect(keysThat('removed', ofJob)).toEqual([...taken, number]);
  expect(ofJob).toMatchObject({ rows: 500, jobs: [{ whole: true }] });
  expect(keysThat('removed', await planner().ofDocument(person))).toEqual([
    taken[0],
    `subject/${nameOf(person)}`,
    taken[1],
    number,
  ]);
  await erased(place.store, ofPerson);
  expect(await place.store.rows.lists('')).toEqual([]);
});

function claimed(): Claim {
  const owner = { workflowId: 'certificate-batch/open/lane-0000', chunk: '1' };
  const times = { answerBy: Date.now() + 60_000, claimedAt: Date.now(), afterUnknown: false };
  return { owner, kind: 'send', nonce: 'n', ...times };
}

/** Another's request, which a person has given up with a note. */
async function abandoned(note: string): Promise<string> {
  const { attempts } = place.store;
  const subject = certificateSubject('cnpj', nameOf(cnpj(2)));
  await attempts.claim(subject, 1, claimed(), 'job');
  const resolution = { action: 'abandon', externalId: null, by: 'x', note, at: 1 } as const;
  await attempts.resolve(subject, 1, resolution);
  return subject;
}

it('tells of works that have not ended, and of what may have been bought', async () => {
  await file('certificate-batch/open', { finishedAt: null });
  const { attempts } = place.store;
  const subject = certificateSubject('cnpj', nameOf(person));
  const claim = claimed();
  await attempts.claim(subject, 2, claim, 'job');
  const sent = await planner().ofDocument(person);
  expect(sent.jobs).toMatchObject([{ ended: false, whole: false }]);
  expect(sent.undecided).toMatchObject([{ subject, answerBy: claim.answerBy }]);
  await attempts.putReceipt(subject, { n: 2, claim }, { kind: 'unknown', reason: 'reset', at: 1 });
  const unknown = await planner().ofJob('certificate-batch/open');
  const { workflowId } = claim.owner;
  expect(unknown.undecided).toEqual([{ subject, workflowId, answerBy: null }]);
});

it('takes the words of a decision also from the resolutions of other rows', async () => {
  await file('certificate-batch/b');
  const note = `as for ${person}`;
  const row = { item: 1, line: 3, status: 'unknown_outcome', certidaoId: null, attempts: 1 };
  const key = 'works/certificate-batch/b/decisions/0001/input';
  const decision = { number: 1, action: 'abandon', certidaoId: null, note, rows: [row] };
  await putBody(place.store, key, decision);
  const subject = await abandoned(note);
  await erased(place.store, ofPerson);
  expect(JSON.stringify(await bodyAt(place.store, key))).toContain('as for [erased]');
  expect(await notesAbout(place.store, subject)).toEqual(['as for [erased]']);
});

it('takes the copies of rows in the lists that decisions made, and all lists with their list', async () => {
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
  await erased(place.store, ofPerson);
  expect(await everything()).not.toContain(person);
  expect(await rows.item(list, 0)).toMatchObject({ erased: true, start: { certidaoId: null } });
  expect(await rows.item(list, 1)).toMatchObject({ document: cnpj(2) });
  await putBody(place.store, 'works/certificate-batch/b/decisions/0001/input', { rows: [] });
  await erased(place.store, (one) => one.ofJob('certificate-batch/b'));
  expect(await rows.lists('')).toEqual(['works/certificate-batch/bc']);
  const holders = place.tamper('SELECT DISTINCT holder FROM subject');
  expect(holders).toEqual([{ holder: 'works/certificate-batch/bc' }]);
});

/** Whoever is asked for, and another row that quotes the person, as a decision about it does. */
async function fileQuoting(): Promise<void> {
  const id = `ID-${person}`.toLowerCase();
  const note = `${person} is Maria  da Silva's, ${id}`;
  const decided = { item: 1, line: 3, status: 'unknown_outcome', certidaoId: null, attempts: 1 };
  await file('certificate-batch/b', { officialName: 'MARIA DA SILVA', note });
  const decision = { number: 1, action: 'abandon', certidaoId: null, note, rows: [decided] };
  const key = 'works/certificate-batch/b/decisions/0001/input';
  await putBody(place.store, key, decision);
  await abandoned(note);
}

it.each([
  ['in one transaction', 800, ['commit', 'removeBlobs', 'forget', 'commit']],
  ['in parts', 5, [...Array<string>(4).fill('commit'), 'removeBlobs', 'forget', 'commit']],
])('leaves no quotation behind, wherever it was cut short: %s', async (_, most, expected) => {
  const blobs = (): string[] => {
    const root = join(place.root, 'blobs');
    const names = readdirSync(root, { recursive: true, withFileTypes: true });
    return names.filter((one) => one.isFile()).map(({ name }) => name);
  };
  const open = async (): Promise<Store> => {
    place.remove();
    place = new TemporaryStore();
    await fileQuoting();
    return new Store(place.database);
  };
  const steps = await cutShortAnywhere(
    open,
    ofPerson,
    async (store, cut) => {
      const left = await everything();
      expect([cut.step, left.match(/maria\s+da\s+silva/i)]).toEqual([cut.step, null]);
      expect([cut.step, left.includes(person)]).toEqual([cut.step, false]);
      expect(left.match(/"note":\s*"\[erased\]/g)).toHaveLength(3);
      expect(await openErasures(store)).toEqual([]);
      // What was stored for a transaction that did not come is swept, as always.
      if (cut.step === 'commit') await store.records.removeOrphans(Date.now() + 4 * 86_400_000);
      expect(blobs()).toEqual(['store-id']);
    },
    most,
  );
  expect(steps).toEqual(expected);
});

/** Subjects and works of the lines of requests, as they are read. */
async function trail(): Promise<[subject: string, list: string][]> {
  const lines = (await readAll(place.store)).filter(({ kind }) => kind === 'request');
  return lines.map(({ subject = '', job = '' }) => [subject, job]);
}

it('leaves nobody on the audit trail who could be asked for by a name, and every chain as it was', async () => {
  const [job, other] = [`certificate-batch/${'0a'.repeat(16)}`, 'certificate-batch/other'];
  await file(job, { documents: [person, cnpj(2), cnpj(3)] });
  await file(other, { documents: [cnpj(2)] });
  const names = [person, cnpj(2), cnpj(3)].map(nameOf);
  const told = names.map((subject, n) => ({ ...entry(n), subject, job }));
  await place.store.commit([], told);
  expect(await trail()).toEqual(names.map((name) => [name, job]));
  await erased(place.store, ofPerson);
  const [first, second, third] = await trail();
  expect(first?.[0]).toMatch(/^[0-9a-f]{32}$/);
  expect(first?.[0]).not.toBe(names[0]);
  expect([second, third]).toEqual([
    [names[1], job],
    [names[2], job],
  ]);
  await erased(place.store, (one) => one.ofJob(job));
  const left = await trail();
  // Another job holds the second.
  expect(left.map(([subject]) => names.includes(subject))).toEqual([false, true, false]);
  expect(left.filter(([, list]) => list === job)).toEqual([]);
  const findings: unknown[] = [];
  await verifyAudit(place.store, testIdKey, { onFinding: (one) => findings.push(one) });
  expect(findings).toEqual([]);
});

it('takes a class by age in parts, each by itself, and what a later job shares in none of them', async () => {
  const many = Array.from({ length: 450 }, (_, n) => cnpj(n + 1));
  await file('certificate-batch/many', { documents: many });
  await file('certificate-batch/small', { documents: [cnpj(900), cnpj(2)] });
  await file('certificate-batch/later', {
    documents: [cnpj(3)],
    finishedAt: '2026-09-01T00:00:00.000Z',
  });
  const order = { kind: 'age', class: 'pdf', endedBefore: '2026-06-01' } as const;
  const rows: number[] = [];
  for await (const plan of plansOf(place.store, nameOf, order, 150)) {
    rows.push(plan.rows);
    const { record } = await erased(place.store, async () => plan);
    expect(record).toMatchObject({ rows: plan.rows, finishedAt: expect.any(String) });
  }
  expect(rows).toEqual([199, 200, 52]);
  expect(await place.store.records.list('pdf/')).toHaveLength(1);
  for await (const { draft } of plansOf(place.store, nameOf, order)) expect(draft.size).toBe(0);
});

it('leaves attempts as numbers and ids of the service, that lead to nobody', async () => {
  await file('certificate-batch/b');
  const { attempts } = place.store;
  const [mine, other] = [person, cnpj(2)].map((one) => certificateSubject('cnpj', nameOf(one)));
  await attempts.resolve(mine ?? '', 1, reissueByPolicy(`for ${person}`, 1));
  await attempts.claim(mine ?? '', 2, claimed(), 'job');
  const lost = { kind: 'unknown', reason: 'reset', at: 1 } as const;
  await attempts.putReceipt(mine ?? '', { n: 2, claim: claimed() }, lost);
  const adopted = { action: 'adopt', externalId: 'id-adopted', by: 'x', note: 'n', at: 2 } as const;
  await attempts.resolve(mine ?? '', 2, adopted);
  await erased(place.store, ofPerson);
  const [left, ...subjects] = (await attempts.subjects('')).toSorted((a, b) => b.localeCompare(a));
  expect(subjects).toEqual([other]);
  expect(left).toMatch(/^erased\/[0-9a-f]{32}$/);
  const nobody = { workflow_id: '', nonce: '', claimed_at: 0, answer_by: 0, why: null };
  expect(place.tamper('SELECT * FROM attempt WHERE subject = ? ORDER BY n', left)).toMatchObject([
    { n: 1, external_id: `id-${person}`, ...nobody },
    { n: 2, external_id: 'id-adopted', ...nobody },
  ]);
  expect(place.tamper('SELECT * FROM resolution')).toEqual([]);
  // What was erased fences nothing: asked for again, it is bought again.
  expect(await attempts.claim(mine ?? '', 1, claimed(), 'job')).toBe('ours');
});

it('names the histories that are left to delete until the engine has done so', async () => {
  await file('certificate-batch/b');
  const runs = [{ workflowId: 'certificate-batch/b', runId: 'run-1' }];
  const order = { by: 'tester', reason: 'a test', runs };
  const gone = async (): Promise<never> => Promise.reject(new Error('the engine is gone'));
  const plan = await planner().ofDocument(person);
  await expect(erase(place.store, plan, { ...order, deleteRuns: gone })).rejects.toThrow('gone');
  expect(await everything()).not.toContain(person);
  const [open] = await openErasures(place.store);
  expect(open?.record).toMatchObject({ finishedAt: null, workflows: ['certificate-batch/b'] });
  const deleted: unknown[] = [];
  const deleteRuns = async (its: unknown): Promise<void> => void deleted.push(its);
  if (open !== undefined) await finishErasure(place.store, open, deleteRuns);
  expect(deleted).toEqual([runs]);
  expect(await openErasures(place.store)).toEqual([]);
  const events = place.tamper('SELECT body FROM event') as { body: Uint8Array }[];
  const kinds = events.map(
    ({ body }) => (JSON.parse(String(Buffer.from(body))) as AuditEntry).kind,
  );
  expect(kinds).toEqual(['erasure']);
});

it('changes nothing until its transaction, and all of it there', async () => {
  await fileQuoting();
  const before = await everything();
  const store = new Store(place.database);
  store.commit = async () => {
    throw new Error('cut short');
  };
  await expect(erased(store, ofPerson)).rejects.toThrow('cut short');
  expect(await everything()).toBe(before);
});

it('keeps no sum or key in its record by which erased rows could be guessed', async () => {
  const sum = 'ab'.repeat(32);
  const inputKey = `inputs/ab/${sum}`;
  await file('certificate-batch/b', { inputKey, inputSha256: sum });
  await place.store.records.putIfAbsent(inputKey, 'sheet');
  const was = changedKeys(await planner().ofDocument(person));
  const { record, key } = await erased(place.store, ofPerson);
  expect(await everything()).not.toContain(sum);
  const stored = await bodyOf(place.store, key);
  const hidden = was.filter((one) => /^(?:pdf|inputs|fact)\//.test(one));
  expect(hidden).toHaveLength(3);
  for (const one of hidden) expect(stored).not.toContain(one);
  expect(record.objects).toEqual(
    expect.arrayContaining([
      { kind: 'pdf', removed: 1, emptied: 0 },
      { kind: 'input', removed: 1, emptied: 0 },
      { kind: 'rows', removed: 0, emptied: 1 },
      { kind: 'attempts', removed: 0, emptied: 1 },
    ]),
  );
});

/** Keys and bodies of the store. */
async function everything(): Promise<string> {
  const told: string[] = [];
  for (const key of await bodyKeys(place.store)) {
    told.push(key, String(await bodyOf(place.store, key)));
  }
  told.push(...(await notesOf(place.store)));
  for await (const outcome of place.store.outcomes.all('works/certificate-batch/b')) {
    told.push(JSON.stringify(outcome));
  }
  for (const list of await place.store.rows.lists(''))
    for await (const row of place.store.rows.all(list)) told.push(JSON.stringify(row));
  return told.join('\n');
}

it('knows what was reported of those whose rows go: no reason on record may quote it', async () => {
  await file('certificate-batch/b', { officialName: 'MARIA DA SILVA' });
  const ofJob = await planner().ofJob('certificate-batch/b');
  for (const { quoted } of [ofJob, await planner().ofDocument(person)])
    expect(quoted).toMatchObject({
      ids: expect.arrayContaining([`id-${person}`]),
      officialNames: ['MARIA DA SILVA'],
    });
});

it('takes one run of a batch and not another, whose id begins with its own', async () => {
  const later = 'certificate-batch/b/20260101T000000000Z';
  await file('certificate-batch/b', { inputKey: 'inputs/aa/aa' });
  await file(later, { documents: [person], inputKey: 'inputs/aa/aa' });
  await place.store.records.putIfAbsent('inputs/aa/aa', 'sheet');
  const keys = changedKeys(await planner().ofJob('certificate-batch/b'));
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
  const pdf = await ofAge(place.store, 'pdf', before);
  expect(keysThat('removed', pdf)).toEqual([expect.stringMatching(/^pdf\//)]);
  expect(keysThat('emptied', pdf)).toEqual([
    `fact/id-${cnpj(2)}`,
    'outcome/works/certificate-batch/old',
  ]);
  expect(pdf).toMatchObject({ rows: 1, jobs: [{ id: 'certificate-batch/old', whole: false }] });
  const inputs = await ofAge(place.store, 'inputs', before);
  expect(keysThat('removed', inputs)).toEqual(['inputs/aa/aa', 'subject/inputs/aa/aa']);
  expect(keysThat('emptied', inputs)).toEqual(['job/works/certificate-batch/old']);
  expect(changedKeys(await ofAge(place.store, 'pdf', 0))).toEqual([]);
});

it('takes what was looked up about a person, and nothing about another one', async () => {
  const folders = [person, cnpj(2)].map((document) => `profiles/${nameOf(document)}/20260105T1Z`);
  for (const folder of folders) {
    await putBody(place.store, `${folder}/input`, {});
    await place.store.records.putIfAbsent(`${folder}/answer-1.json`, '{}');
  }
  expect(changedKeys(await planner().ofDocument(person))).toEqual([
    `job/${folders[0]}`,
    `${folders[0]}/answer-1.json`,
    `subject/${folders[0]}`,
  ]);
});

it('takes dossiers that name a document, or by their id, and leaves what was asked for them', async () => {
  const [mine, other] = ['d1', 'd2'].map((id) => `dossiers/${id}/20260105T1Z`) as [string, string];
  for (const folder of [mine, other]) {
    const jobId = folder.replace('dossiers/', 'dossier/');
    await putBody(place.store, `${folder}/input`, { jobId, createdAt: 't' });
    await place.store.records.putIfAbsent(`${folder}/artifacts/a1`, '%PDF-');
    const settledAt = '2026-01-06T00:00:00.000Z';
    await putBody(place.store, `${folder}/outcome`, { settledAt });
  }
  await place.store.records.putIfAbsent('dossier-retries/d1/0001/0001.json', '{}');
  await indexDocuments(place.store, mine, nameOf, [person]);
  const keysOf = (folder: string): string[] => [`${folder}/artifacts/a1`, `job/${folder}`];
  const named = await planner().ofDocument(person);
  const index = [`subject/${nameOf(person)}`, `subject/${mine}`];
  expect(keysThat('removed', named)).toEqual([...keysOf(mine), ...index]);
  expect(named.jobs).toMatchObject([{ id: 'dossier/d1/20260105T1Z', whole: true, ended: true }]);
  const byId = await planner().ofJob('dossier/d2');
  expect(keysThat('removed', byId)).toEqual([...keysOf(other), `subject/${other}`]);
  const files = await ofAge(place.store, 'pdf', Date.parse('2026-03-01'));
  expect(changedKeys(files)).toEqual([`${mine}/artifacts/a1`, `${other}/artifacts/a1`]);
});

it('takes by age what was told of dossiers, also of one that failed and has no files', async () => {
  const folder = 'dossiers/d1/20260105T1Z';
  const jobId = 'dossier/d1/20260105T1Z';
  const kept = { jobId, dossierId: 'd1', status: 'failed', attempts: [{ number: 1 }] };
  const told = {
    ...kept,
    stale: true,
    coverage: { status: 'partial', completed: 3, eligible: 4 },
    risk: { form: 'classified', level: 'high', score: 91 },
    stored: [{ artifactId: 'a1', sha256: 'dd' }],
    error: { code: 'no_data', message: 'nothing is known of MARIA' },
    settledAt: '2026-01-06T00:00:00.000Z',
  };
  const put = (name: string, content: object) => putBody(place.store, `${folder}/${name}`, content);
  await put('input', { jobId, createdAt: 't' });
  await put('outcome', told);
  const age = () => ofAge(place.store, 'results', Date.parse('2026-03-01'));
  const plan = await age();
  expect(changedKeys(plan)).toEqual([`job/${folder}`]);
  expect(plan.jobs).toMatchObject([{ id: jobId, whole: false }]);
  await erased(place.store, () => ofAge(place.store, 'results', Date.parse('2026-03-01')));
  expect(await bodyAt(place.store, `${folder}/outcome`)).toEqual({
    ...kept,
    stale: null,
    coverage: null,
    risk: null,
    stored: [],
    error: { code: 'no_data', message: '' },
    settledAt: told.settledAt,
    erased: true,
  });
  expect(changedKeys(await age())).toEqual([]);
});
