import { jobBatchFolder } from '../core/job-batch';
import type { JobKind } from '../job';
import type { AnalysisRecord } from '../credit/job';
import type { LensRecord } from '../lens/analyze';
import type { InvestigationStatus } from './kinds';
import type { Plan, Subject } from './plan';

/** Files of the subject, as they were stored when it was asked for. */
export interface SubjectFiles {
  photo: Pick<LensRecord, 'file' | 'forced'> | null;
  receivables: SubjectReceivables | null;
}

export type SubjectReceivables = Pick<
  AnalysisRecord,
  'cnab' | 'xmls' | 'assignor' | 'receivables' | 'totalCents'
>;

/** One investigation, as it was asked for: the input of the job in `batches/investigation/<name>/<instant>`. */
export interface InvestigationRecord {
  /** `investigation/<name>/<instant>`. */
  jobId: string;
  /** Keyed name of plan and subject: the same name is the same investigation. */
  name: string;
  plan: Plan;
  subject: Subject;
  files: SubjectFiles;
  /** What ended within it is reused. */
  maxAgeMs: number;
  /** Everything is asked for anew, on purpose. */
  rerun: boolean;
  /** Requests that may be charged before a person must look; null: as many as there are. */
  budget: number | null;
  label: string | null;
  deadlineMs: number;
  createdAt: string;
  createdBy: string;
}

/** What workflow and activities hand each other about an investigation: nobody's data. */
export interface InvestigationRef {
  jobId: string;
  folder: string;
}

/** What the workflow knows of a step. */
export interface GraphStep {
  id: string;
  needs: readonly string[];
  required: boolean;
  deadlineMs: number | null;
}

export const stepStatuses = [
  /** All that was asked is answered. */
  'answered',
  /** Some of it. */
  'partial',
  /** None of it. */
  'missing',
  /** There was nothing to ask about, its condition did not hold, or what it needs brought nothing. */
  'not_asked',
  'cancelled',
] as const;
export type StepStatus = (typeof stepStatuses)[number];

/** A job that a step has asked for. */
export interface StepChild {
  jobId: string;
  kind: JobKind;
  /** Null: it has no end in the store. */
  status: string | null;
  /** It had ended before, and was reused. */
  before: boolean;
  /** Where what it is about came from: `profile: imoveis[0].proprietario.documento`; ''; the plan. */
  from: string;
  result: ChildResult;
}

export type ChildResult = 'answered' | 'refused' | 'undecided' | 'cancelled';

/** How a step ended. Holds no document. */
export interface StepEnd {
  id: string;
  status: StepStatus;
  /** Null: there is nothing to say of it. */
  why: string | null;
  /** Things left out, since there were too many. */
  cut: number;
  children: StepChild[];
}

/** How an investigation ended: the outcome of its job, and the result of its workflow. */
export interface InvestigationOutcome {
  jobId: string;
  status: InvestigationStatus;
  steps: StepEnd[];
  /** Which required step lacks its answer, and why. */
  error: { code: string | null; message: string } | null;
  startedAt: string;
  settledAt: string;
  erased?: true;
}

export function investigationWorkflowId(name: string): string {
  return `investigation/${name}`;
}

export const investigationFolder = jobBatchFolder;

/** A refused answer is an answer where the service says that it knows nothing. */
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

/** The status of a step by how its jobs ended. */
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

/** How it ended as a whole. */
export function statusOf(
  steps: readonly StepEnd[],
  graph: readonly Pick<GraphStep, 'id' | 'required'>[],
  cancelled: boolean,
): Pick<InvestigationOutcome, 'status' | 'error'> {
  if (cancelled) return { status: 'cancelled', error: null };
  const lacking = graph.flatMap(({ id, required }) => {
    const end = steps.find((step) => step.id === id);
    const isFine = end?.status === 'answered' || (end?.status === 'not_asked' && end.why === null);
    return required && !isFine ? [`${id}: ${end?.why ?? 'it was not asked'}`] : [];
  });
  if (lacking.length === 0) return { status: 'completed', error: null };
  return { status: 'incomplete', error: { code: 'required_step', message: lacking.join('; ') } };
}
