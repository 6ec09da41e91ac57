import {
  erasedOutcome,
  erasedRow,
  withoutClass,
  withoutUploads,
} from '../../src/store/erasure/tombstones';
import { erasableTables, impersonalKeys, kindOf } from '../../src/store/erasure/catalog';
import { ErasureSubject } from '../../src/store/erasure/erasure-subject';
import { withoutSubject } from '../../src/store/erasure/rewriting';
import type { StoredResultRow, ManifestRow } from '../../src/domain/certificates/certificates';
import { erasedResult } from '../../src/domain/certificates/result-rows';
import type { IssuanceFact, OutcomeRecord } from '../../src/domain/certificates/outcomes';
import type { CertificateRecord } from '../../src/domain/certificates/job';
import type { DecisionRecord } from '../../src/domain/core/decision';
import { cnpj } from '../support/documents';
import { TemporaryStore } from '../support/temporary-store';

const personal = {
  document: cnpj(1),
  reference: 'ref-of-hers',
  certidaoId: 'id-of-hers',
  officialName: 'NAME OF HERS',
  baseName: 'OLD NAME OF HERS',
  holderName: 'HOLDER OF HERS',
  note: 'note-of-hers',
  pdfKey: 'pdf/key-of-hers',
  sha256: 'sum-of-hers',
  errorMessage: 'message-of-hers',
};
const hers = new RegExp(`${cnpj(1)}|of-hers|OF HERS`);

const told = {
  officialName: personal.officialName,
  baseName: personal.baseName,
  holderName: personal.holderName,
  sourceName: 'Receita',
  pdfKey: personal.pdfKey,
  sha256: personal.sha256,
  errorMessage: personal.errorMessage,
  completedAt: '2026-01-01T00:00:00.000Z',
  classification: 'positiva',
  divergent: false,
  capturedAt: '2026-01-01T00:00:00.000Z',
  errorCode: null,
  errorCategory: null,
  retryable: null,
};
const outcome: OutcomeRecord = {
  ...told,
  item: 4,
  status: 'issued',
  certidaoId: personal.certidaoId,
  attempts: 2,
  requestedAt: '2026-01-01T00:00:00.000Z',
  settledAt: '2026-01-01T00:00:01.000Z',
  note: personal.note,
  possibleDoubleCharge: true,
};
const { settledAt: _, ...shown } = outcome;
const row: StoredResultRow = {
  ...shown,
  issuances: [personal.certidaoId],
  line: 7,
  document: personal.document,
  type: 'cnpj',
  reference: personal.reference,
  duplicateOf: null,
};
const item = {
  kind: 'item' as const,
  item: 4,
  line: 7,
  type: 'cnpj' as const,
  document: personal.document,
  reference: personal.reference,
  note: personal.note,
  own: ['cell-of-hers'],
  start: { kind: 'watch' as const, certidaoId: personal.certidaoId, attempts: 1 },
};
const typed = {
  document: personal.document,
  reference: personal.reference,
  own: ['cell-of-hers'],
};
const lines: ManifestRow[] = [
  {
    line: 8,
    kind: 'duplicate',
    item: 4,
    duplicateOf: 7,
    type: 'cnpj',
    ...typed,
    note: personal.note,
  },
  { line: 9, kind: 'invalid', type: '', code: 'wrong_digits', message: 'of-hers', ...typed },
];
const decision: DecisionRecord = {
  number: 1,
  action: 'adopt',
  externalId: personal.certidaoId,
  note: 'why',
  by: 'x',
  at: '2026-01-01T00:00:00.000Z',
  rows: [{ item: 4, line: 7, status: 'failed', certidaoId: personal.certidaoId, attempts: 1 }],
};
const subject = new ErasureSubject(personal.document);
subject.takeQuoted({ ids: [personal.certidaoId], officialNames: [personal.officialName] });

it.each([
  ['an item', item, erasedRow],
  ['a repeated line', lines[0], erasedRow],
  ['an invalid line', lines[1], erasedRow],
  ['an outcome', outcome, erasedOutcome],
  ['a result row', row, erasedResult],
  ['a decision', decision, (record: DecisionRecord) => withoutSubject(record, subject)],
])('%s tells nothing of the person once it is erased, and stays so', (_what, record, erase) => {
  const erased = (erase as (record: unknown) => unknown)(record);
  expect(JSON.stringify(record)).toMatch(hers);
  expect(JSON.stringify(erased)).not.toMatch(hers);
  expect((erase as (record: unknown) => unknown)(erased)).toEqual(erased);
});

it('keeps what the books need: attempts, double charges, lines and duplicates', () => {
  const kept = { attempts: 2, possibleDoubleCharge: true };
  expect(erasedOutcome(outcome)).toMatchObject({ ...kept, item: 4, status: 'issued' });
  expect(erasedResult(row)).toMatchObject({ ...kept, line: 7, item: 4, status: 'erased' });
  expect(erasedRow(item)).toMatchObject({ line: 7, item: 4, start: { attempts: 1 } });
  expect(lines.map(erasedRow)[0]).toMatchObject({ line: 8, item: 4, duplicateOf: 7 });
});

it('takes the sum of the upload from a work: what it held could be guessed', () => {
  const record = { jobId: 'w', inputSha256: 'a', inputKey: 'inputs/a/a' } as CertificateRecord;
  expect(withoutUploads(record, new Set(['inputs/a/a']))).toEqual({
    jobId: 'w',
    inputSha256: null,
    inputKey: null,
  });
});

it('leaves a decision alone that is about others', () => {
  const other = new ErasureSubject(cnpj(2));
  other.takeQuoted({ ids: ['id-of-theirs'], officialNames: [] });
  expect(withoutSubject(decision, other)).toEqual(decision);
});

it('takes the PDF from a row and says so once, and keeps its sum', () => {
  const without = withoutClass(row, 'pdf');
  expect(without).toEqual({ ...row, pdfKey: null, note: `${personal.note}; PDF erased` });
  expect(withoutClass(without, 'pdf')).toEqual(without);
});

it('takes what was told, answer and all, and keeps how it ended and its id', () => {
  const fact: IssuanceFact = {
    ...told,
    certidaoId: 'id',
    type: 'cnpj',
    status: 'issued',
    settledAt: 1,
    retryAfterMs: null,
    note: '',
    answer: { nome: personal.officialName },
  };
  const without = withoutClass(fact, 'results');
  expect(JSON.stringify(without)).not.toMatch(hers);
  const says = { certidaoId: 'id', status: 'issued', note: 'results erased' };
  expect(without).toMatchObject(says);
  expect(withoutClass(without, 'results')).toEqual(without);
  expect(withoutClass(fact, 'pdf')).toMatchObject({ classification: 'positiva', pdfKey: null });
  const plain = { ...fact, pdfKey: null };
  expect(withoutClass(plain, 'pdf')).toBe(plain);
});

it('knows every object by its kind', () => {
  const work = 'works/certificate-batch/ab/20260101T000000000Z';
  const keys = {
    'pdf/cnpj/2026/01/0a1b2c3d_id_0a1b2c3d.pdf': 'pdf',
    'aside/id/00.bin': 'aside',
    'inputs/0a/0a1b': 'input',
    'operations/0a/id/all.json': 'analysis results',
    'operations/0a/id/all/2f1c/00000': 'analysis results',
    'analyses/0a1b/20260101T000000000Z/unreadable/0a1b': 'analysis',
    'analyses/0a1b/20260101T000000000Z/outcome': 'analysis',
    'analyses/0a1b/20260101T000000000Z/input': 'analysis',
    'profiles/0a1b/20260101T000000000Z/answer-1.json': 'profile',
    'traces/0a1b/20260101T000000000Z/answer.json': 'trace',
    'dossiers/0a1b/20260101T000000000Z/artifacts/a1': 'dossier',
    'dossiers/0a1b/20260101T000000000Z/answers.json': 'dossier',
    'lens/0a1b/20260101T000000000Z/artifacts/a1': 'lens',
    'lens/0a1b/attempts/0001/notes/taken/0001.json': 'lens',
    'batches/trace-batch/0a1b/20260101T000000000Z/input': 'batch',
    [`${work}/outcome`]: 'certificates',
    [`${work}/decisions/0001/input`]: 'certificates',
    [`${work}/input`]: 'certificates',
    'changes/2026-05-04/m-1-0123456789abcdef.ndjson': 'change files',
  };
  for (const [key, kind] of Object.entries(keys)) {
    expect([key, kindOf('record', key)]).toEqual([key, kind]);
    expect(impersonalKeys.test(key)).toBe(false);
  }
  const impersonal = ['dossier-retries/0a1b/0001/0001.json', 'erasures/x.json', 'probe/x'];
  for (const key of impersonal) {
    expect([kindOf('record', key), impersonalKeys.test(key)]).toEqual([null, true]);
  }
});

it('knows every table with sealed bodies about people', () => {
  const place = new TemporaryStore();
  const columns = place.tamper(
    `SELECT m.name AS name, c.name AS column FROM sqlite_schema m JOIN pragma_table_info(m.name) c
     WHERE m.type = 'table' AND c.type = 'BLOB'`,
  ) as { name: string; column: string }[];
  place.remove();
  // What is said of troubles, of the service and of monitors' health is in words of ours; events are for good.
  const impersonal = ['event', 'monitor', 'trouble', 'monitor_left'];
  const known = [...Object.keys(erasableTables), ...impersonal];
  expect(columns.filter(({ name }) => !known.includes(name))).toEqual([]);
});
