import type { CertificateType } from '../certificates/certificates';
import type { ResultFilter } from '../credit/operation';
import type { ReviewPolicy } from '../dossiers/follow';
import type { LensMode } from '../lens/lens-analysis';
import type { TraceStrategy } from '../traces/trace';

/** What is asked about a subject: steps, each a job of its kind, in the order of what they need. */

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

/** Things that one step asks about; more are left out, and said. */
export const mostItems = 20;
/** A template that yields more than this was not meant. */
export const mostYield = 1_000;

/** What a plan says of whom it is about; files by their paths. */
export interface Subject {
  cpf: string[];
  cnpj: string[];
  name: string | null;
  email: string[];
  phone: string[];
  /** Ids of dossiers at the service. */
  dossier: string[];
  /** Ids of monitors at the service. */
  monitor: string[];
  photo: string | null;
  receivables: string | null;
  /** A ZIP of NF-e XML documents beside the receivables. */
  xmls: string | null;
}

/** A step waits for what it names; with a condition that does not hold nothing is asked. */
export interface Condition {
  step: string;
  /** It ended in one of these. */
  status: string[] | null;
  /** Path in what it told that has a value. */
  has: string | null;
}

/** A subject of whom nothing is said; in the order of a plan file, since subjects are named by their JSON. */
export function nobody(): Subject {
  return {
    cpf: [],
    cnpj: [],
    name: null,
    email: [],
    phone: [],
    dossier: [],
    monitor: [],
    photo: null,
    receivables: null,
    xmls: null,
  };
}

export interface PlanStep {
  id: string;
  kind: StepKind;
  /** What it asks about: as written, or one template. */
  of: string[];
  needs: string[];
  when: Condition | null;
  required: boolean;
  /** From its start; null: that of the investigation. */
  deadlineMs: number | null;
  /** What ended within it is reused; null: as the command says. */
  maxAgeMs: number | null;
  /** Things that it asks about at most. */
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
  /** Requests that may be charged before a person must look; null: as the command says. */
  budget: number | null;
  steps: PlanStep[];
}

/** What a step asks about where the plan does not say. */
export const usualTargets: Readonly<Record<StepKind, string>> = {
  profile: '{{subject.cpf[]}}',
  certificate: '{{subject.cnpj[]}}',
  trace: '{{subject.targets[]}}',
  dossier: '{{subject.dossier[]}}',
  lens: '{{subject.photo}}',
  credit: '{{subject.receivables}}',
  monitor: '{{subject.monitor[]}}',
};

/** The job kind of a step. */
export const jobKindOf = {
  profile: 'profile',
  certificate: 'certificate',
  trace: 'trace',
  dossier: 'dossier',
  lens: 'lens',
  credit: 'credit-analysis',
  monitor: 'monitor-sweep',
} as const satisfies Record<StepKind, string>;

/** What each thing that a step asks about may be charged as, and how often; null: nothing is charged. */
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

/** What templates read of the subject. */
export function subjectFacts(subject: Subject): Readonly<Record<string, unknown>> {
  const { cpf, cnpj, email, phone } = subject;
  return { ...subject, documents: [...cnpj, ...cpf], targets: [...email, ...phone] };
}

/** All steps that must have ended before one, at any distance; ends where the plan goes round. */
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
