import type {
  InvestigationOutcome,
  InvestigationRecord,
  SubjectFiles,
} from '../../domain/investigations/investigation';
import type { Plan, Subject } from '../../domain/investigations/plan';
import { jobIdAt, jobFolder } from '../../domain/job';
import type { SameRequest } from '../../store/core/jobs/same-request';
import { indexDocuments } from '../../store/core/subject-index';
import { InvestigationRepository } from '../../store/investigations/investigations';
import type { CommandContext } from '../jobs/context';
import { auditStart } from '../jobs/begin/start-job';

export type InvestigationRequest = Omit<
  InvestigationRecord,
  'jobId' | 'files' | 'createdAt' | 'createdBy'
>;

export interface InvestigationTerms {
  deadline: number;
  maxAge: number;
  budget?: number | undefined;
  label?: string | null | undefined;
  rerun?: boolean | undefined;
}

/** Plan and subject name it: the same request is the same investigation. */
export function requestedFor(
  { idKey }: CommandContext,
  plan: Plan,
  subject: Subject,
  {
    budget,
    deadline: deadlineMs,
    label = null,
    maxAge: maxAgeMs,
    rerun = false,
  }: InvestigationTerms,
): InvestigationRequest {
  const name = idKey.nameOf('manifest', JSON.stringify(['investigation', plan, subject]));
  const bound = budget ?? plan.budget;
  return { name, plan, subject, maxAgeMs, rerun, budget: bound, label, deadlineMs };
}

/** @param filesOf stores copies */
export function investigationsBy<Item>(
  ctx: CommandContext,
  requestOf: (item: Item) => InvestigationRequest,
  filesOf: () => SubjectFiles | Promise<SubjectFiles>,
): SameRequest<Item, InvestigationRecord, InvestigationOutcome> {
  const { environment, idKey, store } = ctx;
  const nameOf = (text: string): string => idKey.nameOf('document', text);
  return {
    newest: async (item) => (await store.jobs.find(workflowId(requestOf(item)))) as never,
    isFinal: ({ status }) => status === 'completed',
    async put(item, { terms: { label, rerun } }) {
      const request = { ...requestOf(item), label, rerun, files: await filesOf() };
      const { plan, subject } = request;
      const now = new Date();
      const jobId = jobIdAt(workflowId(request), now);
      const folder = jobFolder(jobId);
      const { cnpj, cpf, email, phone } = subject;
      await indexDocuments(store, folder, nameOf, [...cnpj, ...cpf, ...email, ...phone]);
      const stamp = { createdAt: now.toISOString(), createdBy: environment.actor };
      const record = { jobId, ...request, ...stamp };
      await new InvestigationRepository(store).putRecord(folder, record, label && nameOf(label));
      await auditStart(ctx, jobId, { items: plan.steps.length, rerun }, now.getTime());
      return record;
    },
  };
}

function workflowId({ name }: Pick<InvestigationRequest, 'name'>): string {
  return `investigation/${name}`;
}
