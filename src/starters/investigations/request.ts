import { z } from 'zod';
import { checkPlan, readSubject } from '../../domain/investigations/check-plan';
import type {
  InvestigationOutcome,
  InvestigationRecord,
} from '../../domain/investigations/investigation';
import { emptySubject, type Subject } from '../../domain/investigations/plan';
import { JobBatchRepository } from '../../store/core/jobs/job-batches';
import type { InvestigateInput } from '../../workflows/inputs';
import type { CommandContext } from '../jobs/context';
import { budgetTerm, inputTerms, maxAgeTerm, startTerms } from '../jobs/begin/request';
import { isWithin, type StartPlan } from '../jobs/begin/start-job';
import { readFiles } from './files';
import { PlanForesight } from './foresee';
import { planError, readPlan, type WrittenPlan } from './plan-file';
import { requestedFor, newestInvestigation, putInvestigation, termsOf } from './recorded';

const oneOrMore = z.array(z.string()).optional();

const planTerms = {
  plan: z.string().describe('supplier, assignor, individual, or the path of a file (YAML or JSON)'),
  ...budgetTerm,
};

export const investigationRequest = z.strictObject({
  ...planTerms,
  cnpj: oneOrMore.describe('of the subject'),
  cpf: oneOrMore.describe('of the subject, or of its owner'),
  name: z
    .string()
    .optional()
    .describe('as you know the subject: compared with what the sources say'),
  email: oneOrMore.describe('to be searched for'),
  phone: oneOrMore.describe('to be searched for'),
  dossier: oneOrMore.describe('ids of dossiers at the service, followed to their end'),
  monitor: oneOrMore.describe('ids of monitors whose open changes are taken'),
  photo: z.string().optional().describe('path of a picture to be analysed'),
  receivables: z.string().optional().describe('path of a CNAB 400 or 444 file (remessa)'),
  xmls: z.string().optional().describe('path of a ZIP of NF-e XML documents beside it'),
  ...startTerms('7d'),
  ...maxAgeTerm('7d'),
});

/** Subject columns of a batch input, after "with a column of". */
export const subjectColumns =
  'documents (CPF or CNPJ) of subjects; columns of names, e-mail addresses, phone numbers, dossiers and monitors are used too';

/** Each input line is a subject. */
export const investigationBatchRequest = z.strictObject({
  ...planTerms,
  ...inputTerms(subjectColumns, 20),
  ...startTerms('7d'),
  ...maxAgeTerm('7d'),
});

type Request = z.output<typeof investigationRequest>;

/** What is asked for goes before what the file says. @throws UsageError with the path of each fault */
function subjectOf({ lineOf, plan, subject: written }: WrittenPlan, request: Request): Subject {
  const known = written ?? emptySubject();
  const given = Object.fromEntries(
    Object.keys(known).flatMap((word) => {
      const value = request[word as keyof Subject];
      return value === undefined ? [] : [[word, value]];
    }),
  );
  const { faults, subject } = readSubject({ ...known, ...given });
  const all = faults.length > 0 ? faults : checkPlan(plan, subject);
  // The subject of flags has no line in the file.
  const isGiven = (path: string): boolean => (path.split(/[.[]/)[1] ?? '') in given;
  if (all.length > 0)
    throw planError(request.plan, all, (path) =>
      path.startsWith('subject') && (written === null || isGiven(path)) ? null : lineOf(path),
    );
  return subject;
}

/** @throws UsageError when the plan or its subject is invalid */
export async function planInvestigation(
  ctx: CommandContext,
  request: Request,
): Promise<StartPlan<InvestigationRecord, InvestigationOutcome>> {
  const written = await readPlan(request.plan);
  const { maxAge: maxAgeMs, rerun = false } = request;
  const files = await readFiles(ctx, subjectOf(written, request));
  const wanted = requestedFor(ctx, written.plan, files.subject, request);
  const existing = await newestInvestigation(ctx, wanted);
  return {
    existing,
    isAnswer: existing?.status === 'completed' && isWithin(maxAgeMs, existing) && !rerun,
    foresee: async () => {
      const foresight = new PlanForesight(ctx, written);
      await foresight.add({ ...wanted, files: files.read });
      return { ...foresight.total(), problems: [], lines: foresight.lines() };
    },
    record: async () => putInvestigation(ctx, { ...wanted, files: await files.store() }),
    release: ({ folder }) => new JobBatchRepository(ctx.store).releaseChildren(folder),
    workflow: 'investigateSubject',
    workflowInput: ({ id: jobId, folder, input }): InvestigateInput => ({
      ref: { jobId, folder },
      ...termsOf(input),
      deadlineAt: Date.now() + request.deadline,
      interactive: true,
      queueSuffix: ctx.queueSuffix,
    }),
  };
}
