import type { CertificateType } from '../certificates/certificates';
import type { ResultFilter } from '../credit/job';
import type { ReviewPolicy } from '../dossiers/follow';
import type { LensMode } from '../lens/analyze';
import type { TraceStrategy } from '../traces/search';

/** The plan of an investigation: steps, each with jobs of one kind, in the order of their needs. */

export const stepKinds = [
  'profile',
  'certificate',
  'trace',
  'dossier',
  'lens',
  'credit',
  'monitor',
] as const;
export type StepKind = (typeof stepKinds)[number];

/** Targets of one step; the number left out is reported. */
export const mostItems = 20;
/** A template that yields more is taken for a mistake. */
export const mostYield = 1_000;

/** An empty subject; in the order of a plan file, since subjects are named by their JSON. */
export function emptySubject() {
  return {
    cpf: [] as string[],
    cnpj: [] as string[],
    name: null as string | null,
    email: [] as string[],
    phone: [] as string[],
    /** Ids of dossiers and monitors at the service. */
    dossier: [] as string[],
    monitor: [] as string[],
    /** Files by their paths. */
    photo: null as string | null,
    receivables: null as string | null,
    /** A ZIP of NF-e XML documents beside the receivables. */
    xmls: null as string | null,
  };
}
export type Subject = ReturnType<typeof emptySubject>;

/** The step waits for the named one, and requests nothing unless the condition holds. */
export interface Condition {
  step: string;
  /** Statuses that it may have ended in; null: any. */
  status: string[] | null;
  /** Path in its result that must have a value; null: none. */
  has: string | null;
}

export interface PlanStep {
  id: string;
  kind: StepKind;
  of: string[];
  needs: string[];
  when: Condition | null;
  required: boolean;
  /** From its start; null: the investigation's. */
  deadlineMs: number | null;
  /** Results at most this old are reused; null: as the command says. */
  maxAgeMs: number | null;
  most: number;
  options: StepOptions;
}

export interface StepOptions {
  type?: CertificateType;
  strategy?: TraceStrategy;
  mode?: LensMode;
  engine?: string;
  filter?: ResultFilter;
  maxAttempts?: number;
  onReview?: ReviewPolicy;
  retryRural?: boolean;
}

export interface Plan {
  name: string;
  title: string;
  /** Chargeable requests before a person must decide; null: as the command says. */
  budget: number | null;
  steps: PlanStep[];
}

export const usualTargets: Readonly<Record<StepKind, string>> = {
  profile: '{{subject.cpf[]}}',
  certificate: '{{subject.cnpj[]}}',
  trace: '{{subject.targets[]}}',
  dossier: '{{subject.dossier[]}}',
  lens: '{{subject.photo}}',
  credit: '{{subject.receivables}}',
  monitor: '{{subject.monitor[]}}',
};

export const jobKindOf = {
  profile: 'profile',
  certificate: 'certificate',
  trace: 'trace',
  dossier: 'dossier',
  lens: 'lens',
  credit: 'credit-analysis',
  monitor: 'monitor-sweep',
} as const satisfies Record<StepKind, string>;

/** How each target of a step may be charged, and how often; null: free of charge. */
export function chargedFor({ kind, options }: PlanStep): { unit: string; times: number } | null {
  // Following costs nothing; a retry does.
  if (kind === 'dossier') {
    const times = (options.maxAttempts ?? 1) - 1;
    return times > 0 ? { unit: 'dossier retry', times } : null;
  }
  const unit = chargedUnits[kind];
  return unit === null ? null : { unit, times: 1 };
}

const chargedUnits: Readonly<Record<Exclude<StepKind, 'dossier'>, string | null>> = {
  profile: 'profile',
  certificate: 'certificate',
  trace: 'search',
  lens: 'picture analysis',
  credit: 'credit analysis',
  monitor: null,
};

export function subjectFacts(subject: Subject): Readonly<Record<string, unknown>> {
  const { cpf, cnpj, email, phone } = subject;
  return { ...subject, documents: [...cnpj, ...cpf], targets: [...email, ...phone] };
}

/** All steps that must end before one, direct or not; terminates on cycles. */
export function neededBy(steps: readonly PlanStep[], id: string): Set<string> {
  const found = new Set<string>();
  const open = [id];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    for (const need of steps.find((step) => step.id === next)?.needs ?? []) {
      if (found.has(need)) continue;
      found.add(need);
      open.push(need);
    }
  }
  return found;
}
