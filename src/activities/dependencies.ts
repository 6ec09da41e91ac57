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
import type { Receipt } from '../domain/core/service/attempts';
import type { DossierStatus } from '../domain/dossiers/follow';
import type { LensStatus } from '../domain/lens/analyze';
import type { AnalysisStatus } from '../domain/credit/job';
import type { OutcomeRecord } from '../domain/certificates/outcomes';
import type { SettlingTimes } from '../domain/core/service/settling-times';
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

/** The same for the credit service. */
export interface CreditDependencies {
  credit: CreditApi;
  store: Store;
  /** `IdKey.nameOf('document', ...)`: indexes results by subject, for erasure. */
  nameOf: (document: string) => string;
  /** `IdKey.nameOf('manifest', ...)`: names the purchase subject. */
  purchaseName: (text: string) => string;
  audit: AuditTrail;
  stopping: AbortSignal;
  warn: CertificateDependencies['warn'];
  metrics: CreditMetrics;
  /** Between two tries and between two reads; default: real time. */
  pause?: Pause;
  now: () => number;
  random: () => number;
}

/** As `CertificateMetrics`. */
export interface CreditMetrics {
  /** An outcome was stored. */
  analysisEnded(status: AnalysisStatus): void;
  /** An upload was sent, and its outcome is unknown. */
  answerLost(how: LostAnswer): void;
  /** A try to upload has ended; `bytes`: size of file and ZIP. */
  uploadEnded(upload: { result: Receipt['kind']; bytes: number; durationMs: number }): void;
}

/** The same for dossiers. */
export interface DossierDependencies extends PollDependencies {
  dossiers: DossiersApi;
  store: Store;
  /** `IdKey.nameOf('document', ...)`: indexes responses by subject, for erasure. */
  nameOf: (document: string) => string;
  metrics: DossierMetrics;
}

/** As `CertificateMetrics`. */
export interface DossierMetrics {
  /** An outcome was stored. */
  dossierEnded(status: DossierStatus): void;
  /** A request for another attempt has ended; `unknown`: it may have started one. */
  retryEnded(result: 'accepted' | 'refused' | 'read_back' | 'not_sent' | 'unknown'): void;
}

/** The same for pictures. */
export interface LensDependencies extends PollDependencies {
  lens: LensApi;
  store: Store;
  audit: AuditTrail;
  /** `IdKey.nameOf('document', ...)`: indexes responses by subject, for erasure. */
  nameOf: (document: string) => string;
  metrics: LensMetrics;
}

/** As `CertificateMetrics`. */
export interface LensMetrics {
  /** An outcome was stored. */
  lensEnded(status: LensStatus): void;
  /** An upload has ended. */
  uploadEnded(result: 'taken' | 'refused' | 'expired'): void;
}

/** The same for monitors. */
export interface MonitorDependencies {
  monitors: MonitorsApi;
  store: Store;
  /** As of `CreditDependencies`. */
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
