import { readDocument } from '../../domain/core/documents/read-document';
import { checkPlan, readSubject } from '../../domain/investigations/check-plan';
import { emptySubject, type Plan, type Subject } from '../../domain/investigations/plan';
import type { FilledRow, RowReading } from '../../sheets/read/plan-rows';
import type { SubjectCell } from '../../sheets/read/subject-columns';

type Refusal = Extract<RowReading<string>, { code: string }>;

const type = 'investigation';

/**
 * Reads the rows of a sheet as subjects of a plan, one a row. A subject on two rows with different facts is
 * refused on the second row, since the two would be two reports.
 */
export function subjectReader(plan: Plan): (row: FilledRow) => RowReading<string> {
  const known = new Map<string, { line: number; requested: string | undefined }>();
  return (row) => {
    const reading = readRow(row, plan);
    if (reading.kind !== 'item') return reading;
    const { requested, document } = reading;
    const before = known.get(document);
    if (before === undefined) known.set(document, { line: row.line, requested });
    else if (before.requested !== requested) {
      const reported = `line ${before.line} says something else of the same subject: put all of it into one row`;
      return refusal('subject_twice', reported);
    }
    return reading;
  };
}

function readRow(row: FilledRow, plan: Plan): RowReading<string> {
  const { faults, notes, subject: written } = writtenSubject(row);
  const [first] = faults;
  if (first !== undefined) {
    // An alphanumeric CNPJ is valid, but the service does not accept it yet.
    const kind = faults.every((fault) => fault.kind === 'unsupported') ? 'unsupported' : 'invalid';
    return { ...first, kind, type, message: faults.map(({ message }) => message).join('; ') };
  }
  const { faults: odd, subject } = readSubject(written);
  if (odd.length > 0) {
    const reported = odd.map(({ message, path }) => {
      const word = /^subject\.(\w+)/.exec(path)?.[1];
      const cell = row.subject.find((one) => one.word === word)?.cell;
      return cell === undefined ? message : `${cell}: ${message}, or an empty cell`;
    });
    return refusal('unexpected_cell', reported.join('; '));
  }
  const [fault] = checkPlan(plan, subject);
  if (fault !== undefined) return refusal('plan', `${fault.path}: ${fault.message}`);
  const { cnpj, cpf, dossier, email, monitor, name, phone } = subject;
  const [document = name ?? ''] = [cnpj, cpf, email, phone, dossier, monitor].flat();
  return {
    kind: 'item',
    type,
    document,
    note: notes.join('; '),
    requested: JSON.stringify(subject),
  };
}

function writtenSubject({ cell: where, documents, subject: cells }: FilledRow) {
  const subject: Subject = emptySubject();
  const faults: Refusal[] = [];
  const notes: string[] = [];
  // An empty row is reported as one without a document.
  const read =
    documents.length === 0 && cells.length === 0 ? [{ text: '', cell: where }] : documents;
  for (const { cell, fault, length, text } of read) {
    const serves = ['cpf', 'cnpj'] as const;
    const reading = readDocument(text, { serves, ...(length !== undefined && { length }) });
    if (fault !== undefined) faults.push({ kind: 'invalid', type, ...fault });
    else if (reading.kind === 'document') {
      subject[reading.documentType].push(reading.document);
      if (reading.note !== '') notes.push(reading.note);
    } else faults.push({ ...reading, type, message: `${cell}: ${reading.message}` });
  }
  for (const { fault, text, word } of cells) {
    if (fault !== undefined) faults.push({ kind: 'invalid', type, ...fault });
    else if (word === 'name') subject.name = text;
    else subject[word] = severalIn(text, word);
  }
  return { subject, faults, notes };
}

/** Splits a cell, without repeats. Phone numbers contain blanks, so slashes separate them. */
function severalIn(text: string, word: SubjectCell['word']): string[] {
  const parts = text.split(word === 'phone' ? /[;,|/\n]/ : /[;,|\s]/);
  return [...new Set(parts.map((part) => part.trim()).filter((part) => part !== ''))];
}

function refusal(code: string, message: string): Refusal {
  return { kind: 'invalid', type, code, message };
}
