import { nothingReported } from '../../domain/certificates/outcomes';

/**
 * What stands in the place of a body about a person: the same shape, so that every reader goes on, without
 * the fields that tell of the person. Counts, attempts and what may have been charged twice stay: they are
 * the installation's books. Each is its own tombstone again.
 */
const fields = {
  row: words('document reference note message certidaoId own'),
  outcome: new Set([...Object.keys(nothingReported), 'certidaoId', 'requestedAt', 'note']),
  /** Instants, severity and who stored it stay: a sweep knows by them that it was stored. */
  change: words('answer type statusWord severityWord'),
  /** What the service reported, in the outcome of a job. */
  answer: words('stale coverage risk counts rural result sha256 stored'),
  pdf: words('pdfKey'),
  /** Codes, and when it may be asked again, tell of the request, and stay. */
  results: words(
    'completedAt classification divergent officialName baseName holderName sourceName capturedAt pdfKey sha256 errorMessage answer',
  ),
};

export const erasedRow = <T extends object>(row: T): T & { erased: true } => ({
  ...blanked(row, fields.row),
  erased: true,
});

export const erasedOutcome = <T extends object>(outcome: T): T => blanked(outcome, fields.outcome);

export const erasedChange = <T extends object>(change: T): T & { erased: true } => ({
  ...blanked(change, fields.change),
  erased: true,
});

/** How a job ended, its ids and what it cost stay; that there was an answer is said. */
export function withoutAnswer<T extends object>(outcome: T): T {
  const left = blanked(outcome, fields.answer);
  return blanked(left === outcome ? outcome : { ...left, erased: true }, words('message'));
}

/** Its answer has changed: the sum would tell what it was. */
export const withoutSum = <T extends object>(outcome: T): T => blanked(outcome, words('sha256'));

/** A row's outcome, or a fact, without what is of a class; its note says so when there was any. */
export function withoutClass<T extends { note: string }>(record: T, what: 'pdf' | 'results'): T {
  const left = blanked(record, fields[what]);
  if (left === record) return record;
  const said = what === 'pdf' ? 'PDF erased' : 'results erased';
  const notes = record.note.split('; ').filter((one) => one !== '' && one !== said);
  return { ...left, note: [...notes, said].join('; ') };
}

/** The job forgets the upload, and its sum, by which a guess of what it held could be proven. */
export function withoutUploads<T>(job: T, gone: ReadonlySet<string>): T {
  const left = Object.entries(job as object).map(([name, value]: [string, unknown]) => {
    const { key } = (value ?? {}) as { key?: string };
    return [name, gone.has(key ?? '') ? { ...(value as object), sha256: '', key: '' } : value];
  });
  const record = Object.fromEntries(left) as T & { inputKey?: string | null };
  if (!gone.has(record.inputKey ?? '')) return record;
  return { ...record, inputKey: null, inputSha256: null };
}

/** The same body when there is nothing in the fields, wherever in it they stand. */
function blanked<T>(body: T, names: ReadonlySet<string>): T {
  const left = JSON.parse(JSON.stringify(body), (name, value: unknown) => {
    if (!names.has(name)) return value;
    if (Array.isArray(value)) return [];
    return required.has(name) ? '' : null;
  }) as T;
  return JSON.stringify(left) === JSON.stringify(body) ? body : left;
}

/** Texts that a reader relies on. */
const required = words('document reference note message');

function words(text: string): ReadonlySet<string> {
  return new Set(text.split(' '));
}
