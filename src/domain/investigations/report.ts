import type { Validity } from '../certificates/validity';
import type { BillingTotal } from '../core/service/billing-totals';
import type { Cell } from '../core/findings';
import type { JobKind } from '../job';
import type { Divergence } from './divergences';
import type { ChildResult, StepStatus } from './investigation';
import type { InvestigationStatus } from './kinds';

/** `report.json`: the file on a subject, with facts as the services state them. */
export interface InvestigationReport {
  version: 1;
  id: string;
  status: InvestigationStatus;
  /** Why it is incomplete; null: it is not. */
  error: string | null;
  plan: { name: string; title: string };
  subject: Readonly<Record<string, string | string[] | null>>;
  requested: { by: string; at: string; label: string | null };
  settledAt: string;
  /** One for each job, whatever its end. */
  findings: Finding[];
  coverage: CoverageRow[];
  certificates: CertificateRow[];
  assets: { totals: AssetTotal[]; people: PersonAssets[] };
  /** Other lists of the services. */
  occurrences: ReportTable[];
  pictures: ReportTable[];
  risk: ReportTable[];
  credit: ReportTable[];
  /** Open when the sweep of this investigation started. */
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
  facts: { what: string; value: Cell }[];
}

export interface CoverageRow {
  step: string;
  kind: string;
  needs: string[];
  required: boolean;
  status: StepStatus;
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
  baseName: string | null;
  sourceName: string | null;
  classification: string | null;
  /** The service's statement that official data differ from its records. */
  divergent: boolean | null;
  capturedAt: string | null;
  validity: DerivedValidity | null;
  file: string | null;
}

/** Derived from a rule of law, not reported by the service. */
export interface DerivedValidity extends Validity {
  source: string;
}

/** Over all people of the report. */
export interface AssetTotal {
  name: string;
  count: number;
  /** Sum in BRL of those that have a value; null: none has. */
  value: number | null;
}

export interface PersonAssets {
  step: string;
  document: string;
  /** Null: the service did not answer with a profile. */
  rural: 'reported' | 'failed' | null;
  tables: ReportTable[];
}

export interface ReportTable {
  step: string;
  /** The service's name of the list; '': single values. */
  name: string;
  file: string | null;
  columns: string[];
  rows: Cell[][];
  /** Number of rows, of which the first are here. */
  total: number;
}

export interface TimelineRow {
  step: string;
  job: string;
  kind: JobKind;
  status: string | null;
  result: ChildResult;
  reused: boolean;
  from: string;
  startedAt: string | null;
  endedAt: string | null;
  requested: number;
  /** As in `SentRequests`. */
  unanswered: number;
  cost: BillingTotal[];
}

export interface SentRequests {
  /** That left or may have left. */
  requested: number;
  reused: number;
  possibleDoubleCharges: number;
  /** Of those requested: the job ended before the response, and the service may still charge. */
  unanswered: number;
}

export interface EvidenceRow {
  path: string;
  bytes: number;
  sha256: string;
  step: string;
  job: string;
  source: string;
  endpoint: string;
  requestId: string | null;
  capturedAt: string;
  requestedBy: string;
  validity: DerivedValidity | null;
}
