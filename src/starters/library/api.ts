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
import type { SweptChanges } from '../monitors/swept-changes';
import type { ProfileOutcome } from '../../domain/profiles/lookup';
import type { TraceOutcome } from '../../domain/traces/search';
import type { JobEnvelope } from '../jobs/envelope';
import type { Listed, ListedJob } from '../jobs/listed-jobs';
import type { Progress } from '../jobs/progress';
import type { RowSelection } from '../jobs/decide/resolve';
import type { startable } from './requests';

/** Begins: what `diligence` does on the command line, for a program. */

export interface ConnectOptions {
  /** In place of the variables of the process, by the same names. `.env` is not read. */
  env?: NodeJS.ProcessEnv;
  /** Who acts, for the record. Default: `DILIGENCE_ACTOR`, else the system user. */
  by?: string;
  /** Takes what a person should know beside the results, a line each. Default: nobody is told. */
  log?: (line: string) => void;
}

export interface Diligence {
  /**
   * Asks for a job. The same that runs is followed, and the same that has ended is the answer: only `rerun`
   * orders it anew. Without a Temporal address, a first job starts the background engine.
   *
   * @throws UsageError when the request is at fault: nothing was sent
   */
  start<Kind extends StartableKind>(kind: Kind, request: JobRequest<Kind>): Promise<Job<Kind>>;
  /** @throws CommandError when the store has none of this id */
  get(id: string): Promise<Job>;
  /** The newest first, without asking the engine. */
  list(filter?: ListFilter): Promise<Listed>;
  /**
   * A person's decision about what needs one, put on record and carried out.
   *
   * @returns the job that tells how it goes on: the same, or the next one
   * @throws CommandError when there is nothing to decide, or another decision stands
   */
  resolve(id: string, decision: Decision): Promise<Job>;
  /** Jobs go on; of this object nothing may be used after it. */
  close(): Promise<void>;
}

export interface Job<Kind extends JobKind = JobKind> {
  readonly id: string;
  readonly kind: Kind;
  /** How it stands. Starts no engine. */
  show(): Promise<JobView<Kind>>;
  /**
   * How it goes on, until its end: each news once.
   *
   * @throws CommandError when it does not go on by itself: `start` with the same request goes on with it
   */
  follow(): AsyncIterable<Progress>;
  /**
   * Waits for its end. Starts no engine.
   *
   * @param options `folder`: where its result folder is written, as `result --out` does
   * @throws CommandError as `follow` does
   */
  result(options?: { folder?: string }): Promise<JobResult<Kind>>;
  /**
   * Nothing more is requested; what is outstanding is still completed.
   *
   * @param options `now`: it is left at the service. `remote`: a dossier is cancelled at the service too
   * @returns what became of it, in words
   * @throws CommandError when it has ended
   */
  cancel(options?: { now?: boolean; remote?: boolean }): Promise<string>;
}

export type StartableKind = keyof typeof startable;

/** What is asked for: the fields of each kind stand below. */
export type JobRequest<Kind extends StartableKind> = z.input<(typeof startable)[Kind]['schema']>;

/** What `show --json` prints. */
export type JobView<Kind extends JobKind = JobKind> = Omit<JobEnvelope, 'kind' | 'outcome'> & {
  kind: Kind;
  /** Null before the end. */
  outcome: JobOutcome<Kind> | null;
};

/** What `result --json` prints: the same, of a job that has ended. */
export type JobResult<Kind extends JobKind = JobKind> = JobView<Kind> & {
  outcome: JobOutcome<Kind>;
};

export type JobOutcome<Kind extends JobKind> = Kind extends keyof Outcomes
  ? Outcomes[Kind]
  : Record<string, unknown>;

/** Those of batches that are not here are counts and problems, as in `summary.json`. */
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

/** `result`: the answer as it came; `findings`: the same as tables. Null: it is not in the store. */
export type Found = Pick<NonNullable<JobEnvelope['outcome']>, 'result' | 'findings'>;

export interface ListFilter {
  kind?: JobKind;
  /** How they ended, or `open`. */
  status?: string;
  /** Created then or later. */
  since?: Date;
  /** That hold something about a document, an e-mail, a phone. */
  subject?: string;
  label?: string;
  /** Default 50. */
  limit?: number;
  /** The page after the one that ends with this job. */
  after?: string;
}

export interface Decision {
  action: ResolveAction;
  /** Why: it is kept. */
  note: string;
  /** With `adopt`: the id that the service's support has named. */
  externalId?: string;
  /** Of a batch of certificates. */
  rows?: RowSelection;
  /** Milliseconds that what goes on may take. Default: a day. */
  deadlineMs?: number;
}

export type { Listed, ListedJob, Progress, RowSelection };
