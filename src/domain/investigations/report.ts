import type { Validity } from '../certificates/validity';
import type { BillingTotal } from '../core/service/billing-totals';
import type { Cell } from '../core/findings';
import type { JobKind } from '../job';
import type { Divergence } from './divergences';
import type { ChildResult, StepStatus } from './investigation';
import type { InvestigationStatus } from './kinds';

/** The file on a subject, as data: `report.json`. Facts as the services state them. */
export interface InvestigationReport {
  version: 1;
  id: string;
  status: InvestigationStatus;
  /** Why it is incomplete. */
  error: string | null;
  plan: { name: string; title: string };
  subject: Readonly<Record<string, string | string[] | null>>;
  requested: { by: string; at: string; label: string | null };
  settledAt: string;
  /** One for each job, whatever became of it. */
  findings: Finding[];
  /** The graph of the plan, and what became of each step. */
  coverage: CoverageRow[];
  certificates: CertificateRow[];
  assets: { totals: AssetTotal[]; people: PersonAssets[] };
  /** Lists that the services reported, by what they are about. */
  occurrences: ReportTable[];
  pictures: ReportTable[];
  risk: ReportTable[];
  credit: ReportTable[];
  /** That were open when the sweep of this investigation began. */
  changes: ReportTable[];
  divergences: Divergence[];
  timeline: TimelineRow[];
  requests: SentRequests;
  cost: BillingTotal[];
  evidence: EvidenceRow[];
}

export interface Finding {
  step: string;
  kind: JobKind;
  job: string;
  status: string | null;
  /** In the order in which they are read. */
  facts: { what: string; value: Cell }[];
}

export interface CoverageRow {
  step: string;
  kind: string;
  needs: string[];
  required: boolean;
  status: StepStatus;
  /** Null: there is nothing to say of it. */
  why: string | null;
  requested: number;
  answered: number;
}

export interface CertificateRow {
  step: string;
  document: string;
  type: string;
  status: string;
  officialName: string | null;
  holderName: string | null;
  /** As the service had it on record. */
  baseName: string | null;
  sourceName: string | null;
  classification: string | null;
  /** As the service tells it: official data differ from those of its register. */
  divergent: boolean | null;
  capturedAt: string | null;
  validity: DerivedValidity | null;
  file: string | null;
}

/** By a rule of law, not as the service says. */
export interface DerivedValidity extends Validity {
  /** Of the rule. */
  source: string;
}

/** Over all people of the report. */
export interface AssetTotal {
  /** The list, in the word of the service. */
  name: string;
  count: number;
  /** BRL, of those that have one; null: none has. */
  value: number | null;
}

export interface PersonAssets {
  step: string;
  document: string;
  /** Null: the service did not answer with a profile. */
  rural: 'told' | 'failed' | null;
  tables: ReportTable[];
}

export interface ReportTable {
  step: string;
  /** The list, in the word of the service; '': single values. */
  name: string;
  /** File of the evidence that holds all of it. */
  file: string | null;
  columns: string[];
  rows: Cell[][];
  /** Of which the first are here. */
  total: number;
}

export interface TimelineRow {
  step: string;
  job: string;
  kind: JobKind;
  status: string | null;
  result: ChildResult;
  /** It had ended before, and was reused. */
  reused: boolean;
  /** Where what it is about came from. */
  from: string;
  startedAt: string | null;
  endedAt: string | null;
  /** Requests that it sent. */
  requested: number;
  /** Of those; as in `SentRequests`. */
  unanswered: number;
  cost: BillingTotal[];
}

export interface SentRequests {
  /** That left or may have left. */
  requested: number;
  /** Results that were there already. */
  reused: number;
  possibleDoubleCharges: number;
  /** Of those requested: their jobs ended before the answer, and the service may still charge for them. */
  unanswered: number;
}

/** A file of the evidence. */
export interface EvidenceRow {
  /** In the result folder. */
  path: string;
  bytes: number;
  sha256: string;
  step: string;
  job: string;
  /** Which service. */
  source: string;
  endpoint: string;
  requestId: string | null;
  capturedAt: string;
  requestedBy: string;
  validity: DerivedValidity | null;
}
