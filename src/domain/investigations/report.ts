import type { BillingTotal } from '../core/billing-totals';
import type { Cell } from '../core/findings';
import type { Divergence } from './divergences';
import type { InvestigationStatus } from './kinds';
import type { ChildResult, StepStatus } from './investigation';
import type { Validity } from './validity';

/** The file on a subject, as data: `report.json`. Facts as the services state them. */
export interface InvestigationReport {
  version: 1;
  id: string;
  status: InvestigationStatus;
  /** Why it is incomplete. */
  error: string | null;
  plan: { name: string; title: string };
  subject: Readonly<Record<string, string | string[] | null>>;
  asked: { by: string; at: string; label: string | null };
  settledAt: string;
  /** A sentence for each job that was answered. */
  findings: { step: string; text: string }[];
  coverage: CoverageRow[];
  certificates: CertificateRow[];
  /** Lists that the services told, by what they are about. */
  assets: ReportTable[];
  occurrences: ReportTable[];
  pictures: ReportTable[];
  risk: ReportTable[];
  credit: ReportTable[];
  changes: ReportTable[];
  divergences: Divergence[];
  timeline: TimelineRow[];
  cost: BillingTotal[];
  evidence: EvidenceRow[];
}

export interface CoverageRow {
  step: string;
  kind: string;
  required: boolean;
  status: StepStatus;
  /** Null: there is nothing to say of it. */
  why: string | null;
  asked: number;
  answered: number;
}

export interface CertificateRow {
  step: string;
  document: string;
  type: string;
  status: string;
  officialName: string | null;
  classification: string | null;
  capturedAt: string | null;
  /** Derived by a rule, not told by the service. */
  validity: Validity | null;
  file: string | null;
}

export interface ReportTable {
  title: string;
  /** File of the evidence that holds all of it. */
  file: string | null;
  columns: string[];
  rows: Cell[][];
  /** Of which the first are shown. */
  total: number;
}

export interface TimelineRow {
  step: string;
  job: string;
  status: string | null;
  result: ChildResult;
  /** It had ended before, and was reused. */
  reused: boolean;
  /** Where what it is about came from. */
  from: string;
  startedAt: string | null;
  endedAt: string | null;
  cost: BillingTotal[];
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
  askedBy: string;
  validity: Validity | null;
}
