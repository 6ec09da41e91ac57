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

/** What activities close over: made once per worker, in `workers/`. */
export interface CertificateDependencies {
  certificates: CertificatesApi;
  store: Store;
  certificateJobs: CertificateJobs;
  audit: AuditTrail;
  idKey: IdKey;
  assumptions: CertificateAssumptions;
  /** Learned by this worker from what it watched. */
  settlingTimes: Record<CertificateType, SettlingTimes>;
  freedSlots: FreedSlots;
  /** Aborted when the worker is to stop: runs end between rows. */
  stopping: AbortSignal;
  /** One line for the log of the worker. Never holds a document, a token or a body. */
  warn: (message: string, about?: Record<string, string | number | null>) => void;
  metrics: CertificateMetrics;
  /** Between two fetches of a PDF; default: on the clock. */
  pause?: Pause;
  now: () => number;
  random: () => number;
}

/** What activities report to whoever counts. Cheap; throws nothing. */
export interface CertificateMetrics {
  outcomesStored(records: readonly Pick<OutcomeRecord, 'status'>[]): void;
  /** A request left, and nobody knows whether it was accepted. */
  answerLost(how: LostAnswer): void;
  /**
   * A watch holds rows from now on, until what is returned is called.
   *
   * @param requestedAt instants (epoch milliseconds) of the rows it holds when asked
   */
  pollStarted(requestedAt: () => readonly number[]): () => void;
}

/** `no_answer`: nothing or half of it; `unreadable`: a 2xx without an id; `status`: 500, 3xx... */
export type LostAnswer = 'no_answer' | 'unreadable' | 'status';

/** The same for the credit service. */
export interface CreditDependencies {
  credit: CreditApi;
  store: Store;
  /** `IdKey.nameOf('document', ...)`: results are put in the index by which an erasure finds them. */
  nameOf: (document: string) => string;
  /** `IdKey.nameOf('manifest', ...)`: names what is bought. */
  purchaseName: (text: string) => string;
  audit: AuditTrail;
  stopping: AbortSignal;
  warn: CertificateDependencies['warn'];
  metrics: CreditMetrics;
  /** Between two tries and between two reads; default: on the clock. */
  pause?: Pause;
  now: () => number;
  random: () => number;
}

/** As `CertificateMetrics`. */
export interface CreditMetrics {
  /** An outcome was put on file. */
  analysisEnded(status: AnalysisStatus): void;
  /** An upload left, and nobody knows whether it was accepted. */
  answerLost(how: LostAnswer): void;
  /** A try to upload has ended; `bytes` is what file and ZIP have. */
  uploadEnded(upload: { result: Receipt['kind']; bytes: number; durationMs: number }): void;
}

/** The same for dossiers. */
export interface DossierDependencies extends PollDependencies {
  dossiers: DossiersApi;
  store: Store;
  /** `IdKey.nameOf('document', ...)`: answers are put in the index by which an erasure finds them. */
  nameOf: (document: string) => string;
  metrics: DossierMetrics;
}

/** As `CertificateMetrics`. */
export interface DossierMetrics {
  /** An outcome was put on file. */
  dossierEnded(status: DossierStatus): void;
  /** A request for another attempt has come to its end; `unknown`: it may have begun one. */
  retryEnded(result: 'accepted' | 'refused' | 'read_back' | 'not_sent' | 'unknown'): void;
}

/** The same for pictures. */
export interface LensDependencies extends PollDependencies {
  lens: LensApi;
  store: Store;
  audit: AuditTrail;
  /** `IdKey.nameOf('document', ...)`: answers are put in the index by which an erasure finds them. */
  nameOf: (document: string) => string;
  metrics: LensMetrics;
}

/** As `CertificateMetrics`. */
export interface LensMetrics {
  /** An outcome was put on file. */
  lensEnded(status: LensStatus): void;
  /** A file was handed in, or was not. */
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
  /** Sweeps that could not bring a change through after which a person must look. */
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
  /** A change was not brought through; `escalated`: a person must look. */
  changeStuck(step: 'deliver' | 'acknowledge', escalated: boolean): void;
  changesUnreadable(count: number): void;
  monitorsLooked(how: 'idle' | 'due' | 'failing', count: number): void;
}
