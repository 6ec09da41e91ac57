import type { StoredResultRow } from '../../domain/certificates/certificates';
import type { StoredArtifact } from '../../domain/core/artifact';
import type { AnalysisOutcome } from '../../domain/credit/job';
import type { DossierOutcome } from '../../domain/dossiers/follow';
import type { JobKind } from '../../domain/job';
import type { LensOutcome } from '../../domain/lens/analyze';
import type { SweepRecord } from '../../domain/monitors/sweep';
import type { ProfileOutcome } from '../../domain/profiles/lookup';
import type { TraceOutcome } from '../../domain/traces/search';
import { CertificateJobs } from '../certificates/jobs';
import type { JobWithOutcome } from '../core/jobs/job-rows';
import { readLarge } from '../core/large-objects';
import { LensRepository } from '../lens/lens';
import { ProfileRepository } from '../profiles/profiles';
import type { Store } from '../store';
import { TraceRepository } from '../traces/traces';
import { openChanges } from './open-changes';

/** Raw bytes of a job, and their source. */
export interface EvidenceFile {
  /** With its extension. */
  name: string;
  body: Buffer | AsyncIterable<Uint8Array>;
  /** Method and path of the service. */
  endpoint: string;
  /** The service's request id; null: none. */
  requestId: string | null;
  /** ISO 8601 instant of the read, if known. */
  capturedAt: string;
}

/** Without erased or missing responses. */
export function evidenceOf(store: Store, job: JobWithOutcome): Promise<EvidenceFile[]> {
  const read = job.outcome === null ? undefined : readers[job.kind];
  return read?.(store, job) ?? Promise.resolve([]);
}

type Reader = (store: Store, job: JobWithOutcome) => Promise<EvidenceFile[]>;

const readers: Readonly<Partial<Record<JobKind, Reader>>> = {
  async certificate(store, { endedAt, folder }) {
    for await (const row of new CertificateJobs(store).rows(
      folder,
    ) as AsyncIterable<StoredResultRow>) {
      const body = row.pdfKey === null ? null : await store.records.get(row.pdfKey);
      if (body === null) return [];
      const endpoint = `POST /certidoes/${row.type}`;
      const capturedAt = row.capturedAt ?? row.completedAt ?? endedAt ?? '';
      return [{ name: `${row.type}.pdf`, body, endpoint, requestId: row.certidaoId, capturedAt }];
    }
    return [];
  },
  async profile(store, { folder, outcome }) {
    const { call, settledAt: capturedAt } = outcome as ProfileOutcome;
    const body = call === null ? null : await new ProfileRepository(store).answer(folder, call);
    const endpoint = 'GET /perfil/patrimonial/cpf/{cpf}';
    return body === null
      ? []
      : [{ name: 'profile.json', body, endpoint, requestId: null, capturedAt }];
  },
  async trace(store, { folder, outcome }) {
    const { settledAt: capturedAt, traceId: requestId } = outcome as TraceOutcome;
    const body = await new TraceRepository(store).answer(folder);
    return body === null
      ? []
      : [{ name: 'trace.json', body, endpoint: 'POST /rastro', requestId, capturedAt }];
  },
  async lens(store, { folder, outcome }) {
    const { files, seen, settledAt: capturedAt } = outcome as LensOutcome;
    const about = {
      endpoint: 'POST /lente/analyses',
      requestId: seen?.analysisId ?? null,
      capturedAt,
    };
    const body = await new LensRepository(store).answer(folder);
    const answer = body === null ? [] : [{ name: 'lens.json', body, ...about }];
    return [...answer, ...artifacts(store, files?.stored ?? [], 'picture', about)];
  },
  async dossier(store, { folder, outcome }) {
    const { dossierId: requestId, stored, settledAt: capturedAt } = outcome as DossierOutcome;
    const about = { endpoint: 'GET /dossies/{id}', requestId, capturedAt };
    const body = await store.records.get(`${folder}/answers.json`);
    const answers = body === null ? [] : [{ name: 'dossier.json', body, ...about }];
    return [...answers, ...artifacts(store, stored, 'dossier', about)];
  },
  async 'credit-analysis'(store, { outcome }) {
    const { operationId: requestId, result, settledAt: capturedAt } = outcome as AnalysisOutcome;
    if (result === null) return [];
    const about = { endpoint: 'POST /v1/operations', requestId, capturedAt };
    return [{ name: 'credit.json', body: readLarge(store, result.allKey), ...about }];
  },
  async 'monitor-sweep'(store, { createdAt, endedAt, input, outcome }) {
    const about = {
      endpoint: 'GET /monitors/{id}/changes',
      requestId: null,
      capturedAt: endedAt ?? '',
    };
    const { monitorId } = input as SweepRecord;
    const answers: unknown[] = [];
    const span = { monitorId, from: createdAt, to: endedAt ?? createdAt };
    for await (const { file } of openChanges(store, span)) answers.push(file.stored.answer);
    return [
      { name: 'changes.json', body: json(answers), ...about },
      { name: 'sweep.json', body: json(outcome), ...about },
    ];
  },
};

function json(value: unknown): Buffer {
  return Buffer.from(`${JSON.stringify(value, null, 2)}\n`);
}

function artifacts(
  store: Store,
  stored: readonly StoredArtifact[],
  name: string,
  about: Pick<EvidenceFile, 'endpoint' | 'requestId' | 'capturedAt'>,
): EvidenceFile[] {
  return stored.map(({ key, mediaType }, index) => {
    const extension = /^(?:application|image)\/(pdf|png|jpeg)$/.exec(mediaType)?.[1] ?? 'bin';
    return { name: `${name}-${index + 1}.${extension}`, body: readLarge(store, key), ...about };
  });
}
