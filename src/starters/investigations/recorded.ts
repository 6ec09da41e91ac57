import {
  type InvestigationOutcome,
  type InvestigationRecord,
} from '../../domain/investigations/investigation';
import type { Plan, Subject } from '../../domain/investigations/plan';
import { jobIdAt, jobFolder } from '../../domain/job';
import { indexDocuments } from '../../store/core/subject-index';
import { InvestigationRepository } from '../../store/investigations/investigations';
import type { CommandContext } from '../jobs/context';
import type { Job } from '../jobs/job-kind';
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

export async function newestInvestigation(
  { store }: CommandContext,
  { name }: Pick<InvestigationRequest, 'name'>,
): Promise<Job<InvestigationRecord, InvestigationOutcome> | null> {
  const found = await store.jobs.find(`investigation/${name}`);
  return found as Job<InvestigationRecord, InvestigationOutcome> | null;
}

export async function putInvestigation(
  ctx: CommandContext,
  request: Omit<InvestigationRecord, 'jobId' | 'createdAt' | 'createdBy'>,
): Promise<string> {
  const { environment, idKey, store } = ctx;
  const { label, name, plan, rerun, subject } = request;
  const now = new Date();
  const jobId = jobIdAt(`investigation/${name}`, now);
  const [createdAt, createdBy] = [now.toISOString(), environment.actor];
  const folder = jobFolder(jobId);
  const nameOf = (text: string): string => idKey.nameOf('document', text);
  const { cnpj, cpf, email, phone } = subject;
  await indexDocuments(store, folder, nameOf, [...cnpj, ...cpf, ...email, ...phone]);
  const keyed = label == null ? null : nameOf(label);
  const record = { jobId, ...request, createdAt, createdBy };
  await new InvestigationRepository(store).putRecord(folder, record, keyed);
  await auditStart(ctx, jobId, { items: plan.steps.length, rerun }, now.getTime());
  return jobId;
}
