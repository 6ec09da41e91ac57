import { checkPlan } from '../../domain/investigations/check-plan';
import { readDocument } from '../../domain/core/documents/read-document';
import type { Plan, Subject } from '../../domain/investigations/plan';
import { onlyCell, planThings, type FilledRow, type RowReading } from '../../sheets/read/plan-rows';
import { readSheet } from '../../sheets/read/read-rows';
import { ofFile, type BatchRequest, type InputFile } from '../jobs/batches/ask';
import type { CommandContext } from '../jobs/context';
import { UsageError } from '../jobs/errors';
import { isWithin } from '../jobs/begin/start-job';
import {
  askedFor,
  newestInvestigation,
  putInvestigation,
  termsOf,
  type InvestigationTerms,
} from './recorded';
import { nobody, readPlan } from './plan-file';

/**
 * An investigation by one plan for each different subject of a sheet.
 *
 * @throws UsageError when the plan is at fault, or says itself whom it is about
 */
export async function investigationBatch(
  ctx: CommandContext,
  asked: InputFile & Omit<InvestigationTerms, 'label'> & { plan: string },
): Promise<BatchRequest> {
  const { budget = null, choice, path, rerun } = asked;
  const { plan, subject } = await readPlan(asked.plan);
  if (subject !== null)
    throw new UsageError(`--input: the plan ${asked.plan} names a subject of its own`);
  const of = (document: string) =>
    askedFor(ctx, plan, subjectOf(document), { ...asked, label: null });
  return {
    kind: 'investigation-batch',
    ...ofFile(asked),
    terms: [plan, budget],
    rows: (told) =>
      planThings(readSheet(path, { ...choice, ...told }), (row) => readRow(row, plan)),
    standing: async (document) => {
      const found = await newestInvestigation(ctx, of(document));
      if (found === null) return null;
      const { id: jobId, input, outcome } = found;
      if (outcome === null) return { jobId, ended: false, terms: { ...termsOf(input) } };
      const stands = found.status === 'completed' && isWithin(asked.maxAge, found);
      return stands ? { jobId, ended: true, terms: {} } : null;
    },
    put: async (document) => {
      const one = { ...of(document), rerun, files: { photo: null, receivables: null } };
      return { jobId: await putInvestigation(ctx, one), terms: { ...termsOf(one) } };
    },
  };
}

function subjectOf(document: string): Subject {
  return { ...nobody(), [document.length === 14 ? 'cnpj' : 'cpf']: [document] };
}

function readRow({ documents }: FilledRow, plan: Plan): RowReading<string> {
  const type = 'investigation';
  const cell = onlyCell(documents);
  if (cell !== null && 'code' in cell) return { kind: 'invalid', type, ...cell };
  const reading = readDocument(cell?.text ?? '', {
    serves: ['cpf', 'cnpj'],
    ...(cell?.length !== undefined && { length: cell.length }),
  });
  if (reading.kind !== 'document') return { ...reading, type };
  const { document, note } = reading;
  const [fault] = checkPlan(plan, subjectOf(document));
  if (fault === undefined) return { kind: 'thing', type, document, note };
  return { kind: 'invalid', type, code: 'plan', message: `${fault.path}: ${fault.message}` };
}
