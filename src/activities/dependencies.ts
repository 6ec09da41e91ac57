import type { CertificatesApi } from '../apis/investigation/certificates';
import type { CertificateAssumptions } from '../apis/assumptions';
import type { Archive } from '../archive/archive';
import type { IdKey } from '../archive/open-archive';

/** What activities close over: made once per worker, in `workers/`. */
export interface CertificateDependencies {
  certificates: CertificatesApi;
  archive: Archive;
  idKey: IdKey;
  assumptions: CertificateAssumptions;
  /** Aborted when the worker was told to stop: runs end between rows. */
  stopping: AbortSignal;
  /** One line for the log of the worker. Never holds a document, a token or a body. */
  warn: (message: string, about?: Record<string, string | number | null>) => void;
  now: () => number;
  random: () => number;
}
