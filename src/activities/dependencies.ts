import type { LensApi } from '../apis/investigation/lens';
import type { DossiersApi } from '../apis/investigation/dossiers';
import type { CreditApi } from '../apis/credit/credit';
import type { CertificatesApi } from '../apis/investigation/certificates';
import type { MonitorsApi } from '../apis/investigation/monitors';
import type { CertificateAssumptions } from '../apis/assumptions';
import type { Store } from '../store/store';
import type { CertificateJobs } from '../store/certificates/jobs';
import type { AuditTrail } from '../store/audit/trail';
import type { IdKey } from '../protection/id-key';
import type { CertificateType } from '../domain/certificates/certificates';
import type { OutcomeFields } from '../domain/core/job-record';
import type { Receipt } from '../domain/core/service/attempts';
import type { OutcomeRecord } from '../domain/certificates/outcomes';
import type { SettlingTimes } from '../domain/core/service/settling-times';
import type { JobKind } from '../domain/job';
import type { Sinks } from '../sinks/open-sinks';
import type { FreedSlots } from './certificates/freed-slots';
import type { Pause } from './core/pause';
import type { PollDependencies } from './core/poll-until-settled';

/** Dependencies of the activities, created once per worker in `workers/`. */
export interface CertificateDependencies {
  certificates: CertificatesApi;
  store: Store;
  certificateJobs: CertificateJobs;
  audit: AuditTrail;
  idKey: IdKey;
  assumptions: CertificateAssumptions;
  /** Settling times that this worker has measured. */
  settlingTimes: Record<CertificateType, SettlingTimes>;
  freedSlots: FreedSlots;
  /** Aborted at shutdown: chunks end between rows. */
  stopping: AbortSignal;
  /** One line for the worker's log. Never holds a document, a token or a body. */
  warn: (message: string, about?: Record<string, string | number | null>) => void;
  metrics: CertificateMetrics;
  /** Between two fetches of a PDF; default: real time. */
  pause?: Pause;
  now: () => number;
  random: () => number;
}

/** Metrics that activities report. Cheap; throws nothing. */
export interface CertificateMetrics {
  outcomesStored(records: readonly Pick<OutcomeRecord, 'status'>[]): void;
  /** A request was sent, and its outcome is unknown. */
  answerLost(how: LostAnswer): void;
  /**
   * A poll holds rows until the returned function is called.
   *
   * @param requestedAt returns the request instants (epoch milliseconds) of the rows it holds
   */
  pollStarted(requestedAt: () => readonly number[]): () => void;
}

/** `no_answer`: nothing or half of it; `unreadable`: a 2xx without an id; `status`: 500, 3xx... */
export type LostAnswer = 'no_answer' | 'unreadable' | 'status';

/** What the activities of every job need. */
export interface JobDependencies extends PollDependencies {
  store: Store;
  /** `IdKey.nameOf('document', ...)`: indexes responses by subject, for erasure. */
  nameOf: (document: string) => string;
  audit: AuditTrail;
  metrics: JobMetrics;
}

/** As `CertificateMetrics`. */
export interface JobMetrics {
  /** An outcome was stored. */
  ended(kind: JobKind, outcome: OutcomeFields): void;
  /** A file was sent, and its outcome is unknown. */
  answerLost(kind: JobKind, how: LostAnswer): void;
  /** A try to upload has ended. */
  uploaded(kind: JobKind, result: Receipt['kind'] | 'expired'): void;
  /** A request for another attempt at a dossier has ended; `unknown`: it may have started one. */
  retried(result: 'accepted' | 'refused' | 'read_back' | 'not_sent' | 'unknown'): void;
}

export interface CreditDependencies extends JobDependencies {
  credit: CreditApi;
  /** `IdKey.nameOf('manifest', ...)`: names the purchase subject. */
  purchaseName: (text: string) => string;
}

export interface DossierDependencies extends JobDependencies {
  dossiers: DossiersApi;
}

export interface LensDependencies extends JobDependencies {
  lens: LensApi;
}

/** The same for monitors. */
export interface MonitorDependencies {
  monitors: MonitorsApi;
  store: Store;
  /** As of `JobDependencies`. */
  nameOf: (document: string) => string;
  audit: AuditTrail;
  sinks: Sinks;
  /** Sweeps that fail to settle a change before it needs attention. */
  escalateAfter: number;
  warn: CertificateDependencies['warn'];
  metrics: MonitorMetrics;
  now: () => number;
  random: () => number;
}

/** As `CertificateMetrics`. */
export interface MonitorMetrics {
  /** Changes stored for the first time. */
  changesStored(count: number): void;
  changesDelivered(sink: string, count: number): void;
  changesAcknowledged(by: 'us' | 'elsewhere' | 'gone', count: number): void;
  /** A change was not settled; `escalated`: it needs attention. */
  changeStuck(step: 'deliver' | 'acknowledge', escalated: boolean): void;
  changesUnreadable(count: number): void;
  monitorsLooked(how: 'idle' | 'due' | 'failing', count: number): void;
}
