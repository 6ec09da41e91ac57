import { nothingReported } from '../../domain/certificates/outcomes';

/**
 * Emptied bodies: the same shape, so that readers work, without personal fields. Counts, attempts and possible double
 * charges stay: they are the installation's books. Idempotent.
 */
const fields = {
  row: words('document reference note message certidaoId own'),
  outcome: new Set([...Object.keys(nothingReported), 'certidaoId', 'requestedAt', 'note']),
  /** Instants, severity and sweep stay: they show later sweeps that it is stored. */
  change: words('answer type statusWord severityWord'),
  /** What the service reported, in the outcome of a job. */
  answer: words('stale coverage risk counts rural result sha256 stored'),
  pdf: words('pdfKey'),
  /** Codes and retry instants concern the request, and stay. */
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

/** Outcome, ids and cost stay; that there was a response is kept too. */
export function withoutAnswer<T extends object>(outcome: T): T {
  const left = blanked(outcome, fields.answer);
  return blanked(left === outcome ? outcome : { ...left, erased: true }, words('message'));
}

/** The response has changed: its old hash would reveal the content. */
export const withoutSum = <T extends object>(outcome: T): T => blanked(outcome, words('sha256'));

/** A row's outcome or a fact without the data of a class; the note says so. */
export function withoutClass<T extends { note: string }>(record: T, what: 'pdf' | 'results'): T {
  const left = blanked(record, fields[what]);
  if (left === record) return record;
  const said = what === 'pdf' ? 'PDF erased' : 'results erased';
  const notes = record.note.split('; ').filter((one) => one !== '' && one !== said);
  return { ...left, note: [...notes, said].join('; ') };
}

/** Removes the upload and its hash, which could prove a guess of the content. */
export function withoutUploads<T>(job: T, gone: ReadonlySet<string>): T {
  const left = Object.entries(job as object).map(([name, value]: [string, unknown]) => {
    const { key } = (value ?? {}) as { key?: string };
    return [name, gone.has(key ?? '') ? { ...(value as object), sha256: '', key: '' } : value];
  });
  const record = Object.fromEntries(left) as T & { inputKey?: string | null };
  if (!gone.has(record.inputKey ?? '')) return record;
  return { ...record, inputKey: null, inputSha256: null };
}

/** Returns the same body when the fields are empty. */
function blanked<T>(body: T, names: ReadonlySet<string>): T {
  const left = JSON.parse(JSON.stringify(body), (name, value: unknown) => {
    if (!names.has(name)) return value;
    if (Array.isArray(value)) return [];
    return required.has(name) ? '' : null;
  }) as T;
  return JSON.stringify(left) === JSON.stringify(body) ? body : left;
}

const required = words('document reference note message');

function words(text: string): ReadonlySet<string> {
  return new Set(text.split(' '));
}
