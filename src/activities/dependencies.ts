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
import type { SettlingTimes } from '../domain/core/service/settling-times';
import type { Sinks } from '../sinks/open-sinks';
import type { AcceptedRows } from './certificates/accepted-rows';
import type { FreedSlots } from './certificates/freed-slots';
import type { Count } from './counters';
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
  acceptedRows: AcceptedRows;
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

/** What a worker counts. */
export interface CertificateMetrics {
  count: Count;
  /**
   * A poll holds rows until the returned function is called.
   *
   * @param requestedAt returns the request instants (epoch milliseconds) of the rows it holds
   */
  pollStarted(requestedAt: () => readonly number[]): () => void;
}

/** What the activities of every job need. */
export interface JobDependencies extends PollDependencies {
  store: Store;
  /** `IdKey.nameOf('document', ...)`: indexes responses by subject, for erasure. */
  nameOf: (document: string) => string;
  audit: AuditTrail;
  metrics: { count: Count };
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
  metrics: { count: Count };
  now: () => number;
  random: () => number;
}
