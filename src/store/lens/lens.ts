import { documentsIn } from '../../domain/core/documents/held-documents';
import { lensSubject, reissueByPolicy, type Attempt } from '../../domain/core/service/attempts';
import { jobFolder, jobIdAt } from '../../domain/job';
import {
  lensIsFinal,
  lensManifest,
  mostAfterExpiry,
  type CreatedLens,
  type LensInput,
  type LensOutcome,
  type LensRecord,
  type LensMode,
} from '../../domain/lens/analyze';
import { lensEnd } from '../../domain/job-ends';
import { JobsOfKind, type Asker, type JobFolders, type JobShape } from '../core/jobs/jobs-of-kind';
import type { Found, SameRequest } from '../core/jobs/same-request';
import { indexDocuments } from '../core/subject-index';

export const lensJobs: JobFolders & JobShape<LensOutcome> = {
  kind: 'lens',
  root: 'lens',
  word: 'lens',
  goesWhole: true,
  end: (outcome) => ({ endedAt: outcome.settledAt, ...lensEnd(outcome) }),
};

/**
 * Stored analyses. Uploads belong to the request (`lens/<name>/attempts/<number>/`), shared by its jobs; responses
 * belong to the job (`lens/<name>/<instant>/`).
 */
export class LensRepository extends JobsOfKind<LensRecord, LensOutcome> {
  protected override readonly shape = lensJobs;

  /** Stores the request, whose file is stored; afterwards it can be started. */
  async put(
    asker: Asker,
    request: Omit<LensRecord, 'jobId' | 'createdAt' | 'createdBy'> & { mode: LensMode | null },
    at = new Date(),
  ): Promise<LensRecord> {
    const { file, forced, label, mode, name } = request;
    const jobId = jobIdAt(`lens/${name}`, at);
    const nameOf = (text: string): string => asker.idKey.nameOf('document', text);
    const quoted = documentsIn(`${file.fileName} ${label ?? ''} ${forced ?? ''}`);
    await indexDocuments(this.store, lensIndexes(jobFolder(jobId)).requested, nameOf, quoted);
    const held = [lensName(asker, { sha256: file.sha256, mode }, null)];
    return this.request(asker, { jobId, ...request }, held, at);
  }

  /** Analyses that the service created for one attempt, in order: one, if it honours keys. */
  async made(name: string, attempt: number): Promise<CreatedLens[]> {
    const all = await this.store.attempts.of(lensSubject(name, attempt));
    return all.flatMap(({ receipt, resolution }) => {
      if (resolution?.action === 'adopt' && resolution.externalId !== null)
        return [{ analysisId: resolution.externalId, at: resolution.at, billing: null }];
      if (receipt?.kind !== 'accepted') return [];
      const { externalId: analysisId, at, reported } = receipt;
      return [{ analysisId, at, ...(reported as Pick<CreatedLens, 'billing'>) }];
    });
  }

  /** Gives an analysis up: a repeated request creates another one. */
  async giveUp(
    name: string,
    attempt: number,
    why: 'upload_expired' | 'expired',
    at: number,
  ): Promise<void> {
    const made = await this.#made(name, attempt);
    if (made === null || made.resolution !== null) return;
    const subject = lensSubject(name, attempt);
    await this.store.attempts.resolve(subject, made.n, reissueByPolicy(why, at));
  }

  /** The current attempt or the next one, from 1; and how many the service let expire. */
  async current(name: string): Promise<{ attempt: number; expired: number }> {
    let expired = 0;
    for (let attempt = 1; ; attempt += 1) {
      const all = await this.store.attempts.of(lensSubject(name, attempt));
      const over = all.findLast(({ resolution }) => resolution?.action === 'reissue')?.resolution;
      if (over?.by === 'policy' && over.note === 'expired') expired += 1;
      if (over === undefined || over === null) return { attempt, expired };
      if (over.by === 'policy' && expired > mostAfterExpiry) return { attempt, expired };
    }
  }

  async #made(name: string, attempt: number): Promise<Attempt | null> {
    const all = await this.store.attempts.of(lensSubject(name, attempt));
    return all.find(({ receipt }) => receipt?.kind === 'accepted') ?? null;
  }
}

/** Keyed name of file and mode. @param order another paid order; null: the first */
export function lensName(
  { idKey }: Pick<Asker, 'idKey'>,
  { sha256, mode }: { sha256: string; mode: LensMode | null },
  order: string | null,
): string {
  return idKey.nameOf('manifest', lensManifest(sha256, mode, order));
}

/** The same file and mode are the same analysis. @param stored stores a copy of the file */
export function pictures(
  asker: Asker,
  { sha256, mode, forced }: Pick<LensRecord, 'mode' | 'forced'> & Pick<LensInput, 'sha256'>,
  stored: () => LensInput | Promise<LensInput>,
): SameRequest<unknown, LensRecord, LensOutcome> {
  const file = new LensRepository(asker.store);
  const nameOf = (order: string | null): string => lensName(asker, { sha256, mode }, order);
  return {
    newest: async () => {
      const [newest = null] = await asker.store.jobs.about('lens', nameOf(null));
      return newest as Found<LensRecord, LensOutcome> | null;
    },
    isFinal: async (outcome, { input }) =>
      lensIsFinal(outcome, (await file.current(input.name)).expired),
    put: async (_, { anew, at, before, terms }) => {
      const name = before?.input.name ?? nameOf(anew);
      return file.put(asker, { ...terms, name, file: await stored(), mode, forced }, at);
    },
  };
}

/** Key of a file as a large object: by the hash of its bytes, for all jobs. */
export function lensInputKey(sha256: string): string {
  return `inputs/lens/${sha256.slice(0, 2)}/${sha256}`;
}

/** Names of request and response in the subject index. */
export function lensIndexes(folder: string): { requested: string; answer: string } {
  return { requested: `${folder}/asked`, answer: `${folder}/answer` };
}

/** Notes about the upload of one analysis. */
export function lensUploads(name: string, attempt: number): string {
  return `lens/${name}/attempts/${String(attempt).padStart(4, '0')}`;
}
