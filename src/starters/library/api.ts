import type { z } from 'zod';
import type { AnalysisOutcome } from '../../domain/credit/job';
import type { BatchSummary, StoredResultRow } from '../../domain/certificates/certificates';
import type { ResolveAction } from '../../domain/core/kind';
import type { DossierOutcome } from '../../domain/dossiers/follow';
import type { InvestigationOutcome } from '../../domain/investigations/investigation';
import type { JobKind } from '../../domain/job';
import type { LensOutcome } from '../../domain/lens/analyze';
import type { ScanOutcome } from '../../domain/monitors/scan';
import type { SweepOutcome } from '../../domain/monitors/sweep';
import type { StepResult } from '../investigations/kind';
import type { SweptChanges } from '../monitors/outcome-lines';
import type { ProfileOutcome } from '../../domain/profiles/lookup';
import type { TraceOutcome } from '../../domain/traces/search';
import type { JobEnvelope } from '../jobs/envelope';
import type { Listed, ListedJob } from '../jobs/listed-jobs';
import type { Progress } from '../jobs/progress';
import type { RowSelection } from '../jobs/decide/resolve';
import type { startables } from './requests';

export interface ConnectOptions {
  /** Replaces the process's variables, under the same names. `.env` is not read. */
  env?: NodeJS.ProcessEnv;
  /** The actor, for the audit trail. Default: `DILIGENCE_ACTOR`, else the system user. */
  by?: string;
  /** Receives warnings and notes, a line each. Default: none. */
  log?: (line: string) => void;
}

export interface Diligence {
  /**
   * Starts a job. A running job of the same request is followed, and an ended one is the answer: only `rerun`
   * requests it again. Without a Temporal address, the first job starts the background server.
   *
   * @throws UsageError when the request is invalid: nothing was sent
   */
  start<Kind extends StartableKind>(kind: Kind, request: JobRequest<Kind>): Promise<Job<Kind>>;
  /** @throws CommandError when the store has no such job */
  get(id: string): Promise<Job>;
  /** The newest first, from the store alone. */
  list(filter?: ListFilter): Promise<Listed>;
  /**
   * Stores a person's resolution, and carries it out.
   *
   * @returns the job that continues: the same, or the next one
   * @throws CommandError when there is nothing to resolve, or another resolution exists
   */
  resolve(id: string, decision: Decision): Promise<Job>;
  /** Jobs continue; this object must not be used afterwards. */
  close(): Promise<void>;
}

export interface Job<Kind extends JobKind = JobKind> {
  readonly id: string;
  readonly kind: Kind;
  /** Current state. Starts no server. */
  show(): Promise<JobView<Kind>>;
  /**
   * Progress until its end: each update once.
   *
   * @throws CommandError when it does not continue by itself: `start` with the same request resumes it
   */
  follow(): AsyncIterable<Progress>;
  /**
   * Waits for its end. Starts no server.
   *
   * @param options `folder`: where its result folder is written, like `result --out`
   * @throws CommandError as `follow` does
   */
  result(options?: { folder?: string }): Promise<JobResult<Kind>>;
  /**
   * Sends no more requests; requests already sent are still completed.
   *
   * @param options `now`: leaves them at the service. `remote`: cancels a dossier at the service too
   * @returns what was done, as a sentence
   * @throws CommandError when it has ended
   */
  cancel(options?: { now?: boolean; remote?: boolean }): Promise<string>;
}

export type StartableKind = keyof typeof startables;

/** Fields of a request, by kind. */
export type JobRequest<Kind extends StartableKind> = z.input<(typeof startables)[Kind]['schema']>;

/** What `show --json` prints. */
export type JobView<Kind extends JobKind = JobKind> = Omit<JobEnvelope, 'kind' | 'outcome'> & {
  kind: Kind;
  /** Null while it is open. */
  outcome: JobOutcome<Kind> | null;
};

/** What `result --json` prints: the same, of a job that has ended. */
export type JobResult<Kind extends JobKind = JobKind> = JobView<Kind> & {
  outcome: JobOutcome<Kind>;
};

export type JobOutcome<Kind extends JobKind> = Kind extends keyof Outcomes
  ? Outcomes[Kind]
  : Record<string, unknown>;

/** Batches that are not here have counts and problems, as in `summary.json`. */
export interface Outcomes {
  certificate: Omit<StoredResultRow, 'pdfKey'> &
    Pick<Found, 'result'> & { auditHead: string | null };
  'certificate-batch': BatchSummary &
    Pick<Found, 'findings'> & { results: string | null; openDecisionIds: string[] };
  'credit-analysis': AnalysisOutcome & Pick<Found, 'findings'>;
  profile: ProfileOutcome & Found;
  trace: TraceOutcome & Found;
  lens: LensOutcome & Found;
  dossier: DossierOutcome & Found;
  'monitor-sweep': SweepOutcome & { changes: SweptChanges };
  'monitor-scan': ScanOutcome & { changes: SweptChanges };
  investigation: InvestigationOutcome & { jobs: StepResult[] };
}

/** `result`: the response as received; `findings`: the same as tables. Null: not in the store. */
export type Found = Pick<NonNullable<JobEnvelope['outcome']>, 'result' | 'findings'>;

export interface ListFilter {
  kind?: JobKind;
  /** Final status, or `open`. */
  status?: string;
  /** Created then or later. */
  since?: Date;
  /** Jobs that hold a document, an e-mail, a phone. */
  subject?: string;
  label?: string;
  /** Default 50. */
  limit?: number;
  /** Continues after this job. */
  after?: string;
}

export interface Decision {
  action: ResolveAction;
  /** The reason, stored with the resolution. */
  note: string;
  /** With `adopt`: the id that the service's support gave. */
  externalId?: string;
  /** For a batch of certificates. */
  rows?: RowSelection;
  /** Deadline of the continuation in milliseconds. Default: a day. */
  deadlineMs?: number;
}

export type { Listed, ListedJob, Progress, RowSelection };
