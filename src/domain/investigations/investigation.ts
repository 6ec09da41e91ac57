import { jobOutcomeEntry, type AuditEntry } from '../core/audit';
import type { JobInput, OutcomeFields } from '../core/job-record';
import type { JobKind } from '../job';
import type { AnalysisRecord } from '../credit/job';
import type { LensRecord } from '../lens/analyze';
import type { InvestigationStatus } from './kinds';
import type { Plan, Subject } from './plan';

export interface SubjectFiles {
  photo: Pick<LensRecord, 'file' | 'forced'> | null;
  receivables: SubjectReceivables | null;
}

export type SubjectReceivables = Pick<
  AnalysisRecord,
  'cnab' | 'xmls' | 'assignor' | 'receivables' | 'totalCents'
>;

export interface InvestigationRecord extends JobInput {
  /** Keyed name of plan and subject: the same name is the same investigation. */
  name: string;
  plan: Plan;
  subject: Subject;
  files: SubjectFiles;
  maxAgeMs: number;
  rerun: boolean;
  /** Chargeable requests before a person must decide; null: no bound. */
  budget: number | null;
  deadlineMs: number;
}

export interface GraphStep {
  id: string;
  needs: readonly string[];
  required: boolean;
  deadlineMs: number | null;
}

export const stepStatuses = [
  'answered',
  'partial',
  'missing',
  /** It had no targets, its condition did not hold, or a step that it needs has no result. */
  'not_requested',
  'cancelled',
] as const;
export type StepStatus = (typeof stepStatuses)[number];

export interface StepChild {
  jobId: string;
  kind: JobKind;
  /** Null: its end is not stored. */
  status: string | null;
  /** Reused: it had ended before. */
  before: boolean;
  /** Origin of its target: `profile: imoveis[0].proprietario.documento`; '': the plan. */
  from: string;
  result: ChildResult;
}

export type ChildResult = 'answered' | 'refused' | 'undecided' | 'cancelled';

export interface StepEnd {
  id: string;
  status: StepStatus;
  /** Null: nothing to explain. */
  why: string | null;
  /** Targets left out because there were too many. */
  cut: number;
  children: StepChild[];
}

/** How an investigation ended; `error`: required steps without an answer, and why. */
export interface InvestigationOutcome extends OutcomeFields<InvestigationStatus> {
  steps: StepEnd[];
}

/** Failure statuses that are answers: the service states that it knows nothing. */
const answers: ReadonlySet<string> = new Set(['not_found']);

export function childResult(
  status: string | null,
  { exitCode, undecided }: { exitCode: number; undecided: boolean },
): ChildResult {
  if (status === null || undecided) return 'undecided';
  if (status === 'cancelled') return 'cancelled';
  return exitCode === 0 || answers.has(status)
    ? 'answered'
    : exitCode === 1
      ? 'refused'
      : 'undecided';
}

export function endOfStep(
  id: string,
  children: StepChild[],
  { cut, left }: { cut: number; left: readonly string[] },
): StepEnd {
  const good = children.filter(({ result }) => result === 'answered').length;
  const bad = children.filter(({ result }) => result !== 'answered');
  const whys = [
    ...bad.map(({ from, result, status }) => {
      const how = result === 'cancelled' ? 'stopped before its answer' : status;
      return `${how ?? 'without an end'}${from && ` (${from})`}`;
    }),
    ...left,
  ];
  if (cut > 0) whys.push(`${cut} more things were left out`);
  const isCancelled =
    good === 0 && bad.length > 0 && bad.every(({ result }) => result === 'cancelled');
  const status =
    bad.length === 0 ? 'answered' : isCancelled ? 'cancelled' : good > 0 ? 'partial' : 'missing';
  return { id, status, why: whys.length === 0 ? null : whys.join('; '), cut, children };
}

export function statusOf(
  steps: readonly StepEnd[],
  graph: readonly Pick<GraphStep, 'id' | 'required'>[],
  cancelled: boolean,
): Pick<InvestigationOutcome, 'status' | 'error'> {
  if (cancelled) return { status: 'cancelled', error: null };
  const lacking = graph.flatMap(({ id, required }) => {
    const end = steps.find((step) => step.id === id);
    const isFine =
      end?.status === 'answered' || (end?.status === 'not_requested' && end.why === null);
    return required && !isFine ? [`${id}: ${end?.why ?? 'it was not requested'}`] : [];
  });
  if (lacking.length === 0) return { status: 'completed', error: null };
  return { status: 'incomplete', error: { code: 'required_step', message: lacking.join('; ') } };
}

export function investigationOutcomeEntry(
  outcome: InvestigationOutcome,
  record: InvestigationRecord,
): AuditEntry {
  const { steps } = outcome;
  const answered = steps.filter(({ status }) => status === 'answered').length;
  return jobOutcomeEntry(outcome, record, null, { details: { steps: steps.length, answered } });
}
