import { jsonOfBytes } from '../../domain/core/json-text';
import { CertificateJobs } from '../certificates/jobs';
import { DossierRepository } from '../dossiers/dossiers';
import { LensRepository } from '../lens/lens';
import { ProfileRepository } from '../profiles/profiles';
import { TraceRepository } from '../traces/traces';
import type { AnalysisOutcome } from '../../domain/credit/job';
import { fieldsOf, type Fields } from '../../domain/core/findings';
import type { JobKind } from '../../domain/job';
import type { ProfileOutcome } from '../../domain/profiles/lookup';
import type { JobWithOutcome } from '../core/jobs/job-rows';
import type { Store } from '../store';

/** A job's result in the words of its service, with its status, for templates. */
export async function factsOf(store: Store, job: JobWithOutcome): Promise<Fields> {
  if (job.outcome === null) return {};
  const reported = await (readers[job.kind] ?? outcomeOf)(store, job);
  return { ...fieldsOf(reported), status: job.status };
}

type Reader = (store: Store, job: JobWithOutcome) => Promise<unknown>;

const outcomeOf: Reader = async (_, { outcome }) => outcome;

const readers: Readonly<Partial<Record<JobKind, Reader>>> = {
  async certificate(store, { folder }) {
    for await (const row of new CertificateJobs(store).rows(folder)) return row;
    return null;
  },
  async profile(store, { folder, outcome }) {
    const { call } = outcome as ProfileOutcome;
    return call === null ? null : json(await new ProfileRepository(store).answer(folder, call));
  },
  trace: async (store, { folder }) => json(await new TraceRepository(store).answer(folder)),
  lens: async (store, { folder }) => json(await new LensRepository(store).answer(folder)),
  async dossier(store, { folder }) {
    const answers = await new DossierRepository(store).answers(folder);
    return answers && { ...answers.whole, ...answers.status };
  },
  async 'credit-analysis'(_, { outcome }) {
    const { operationId, result } = outcome as AnalysisOutcome;
    return { operationId, ...result?.summary };
  },
};

function json(body: Buffer | null): unknown {
  return body && jsonOfBytes(body);
}
