import type { StoredResultRow } from '../../domain/certificates/certificates';
import type { StoredArtifact } from '../../domain/core/artifact';
import { fieldsOf, type Fields } from '../../domain/core/findings';
import { jsonOfBytes } from '../../domain/core/json-text';
import type { AnalysisOutcome } from '../../domain/credit/job';
import type { DossierOutcome } from '../../domain/dossiers/follow';
import type { JobKind } from '../../domain/job';
import type { LensOutcome } from '../../domain/lens/analyze';
import type { SweepRecord } from '../../domain/monitors/sweep';
import type { ProfileOutcome } from '../../domain/profiles/lookup';
import type { TraceOutcome } from '../../domain/traces/search';
import { CertificateJobs } from '../certificates/jobs';
import type { JobWithOutcome } from '../core/jobs/job-rows';
import { answerOf } from '../core/jobs/jobs-of-kind';
import { readLarge } from '../core/large-objects';
import { DossierRepository } from '../dossiers/dossiers';
import { ChangeQueries, type ReviewedFile } from '../monitors/change-queries';
import type { Store } from '../store';

export interface EvidenceFile {
  name: string;
  body: Buffer | AsyncIterable<Uint8Array>;
  endpoint: string;
  /** The service's request id; null: none. */
  requestId: string | null;
  /** ISO 8601 instant of the read, if known. */
  capturedAt: string;
}

type Source = Pick<EvidenceFile, 'endpoint' | 'requestId' | 'capturedAt'>;

interface Reader {
  facts?: (store: Store, job: JobWithOutcome) => Promise<unknown>;
  evidence?: (store: Store, job: JobWithOutcome) => Promise<EvidenceFile[]>;
}

/** A job's result in the words of its service, with its status, for templates. */
export async function factsOf(store: Store, job: JobWithOutcome): Promise<Fields> {
  if (job.outcome === null) return {};
  const { facts } = readers[job.kind] ?? {};
  return { ...fieldsOf(facts ? await facts(store, job) : job.outcome), status: job.status };
}

/** Without erased or missing responses. */
export async function evidenceOf(store: Store, job: JobWithOutcome): Promise<EvidenceFile[]> {
  return job.outcome === null ? [] : ((await readers[job.kind]?.evidence?.(store, job)) ?? []);
}

const readers: Readonly<Partial<Record<JobKind, Reader>>> = {
  certificate: {
    facts: rowOf,
    async evidence(store, job) {
      const row = await rowOf(store, job);
      if (row === null || row.pdfKey === null) return [];
      const body = await store.records.get(row.pdfKey);
      const capturedAt = row.capturedAt ?? row.completedAt ?? job.endedAt ?? '';
      const endpoint = `POST /certidoes/${row.type}`;
      return file(`${row.type}.pdf`, body, { endpoint, requestId: row.certidaoId, capturedAt });
    },
  },
  profile: {
    async facts(store, { folder, outcome }) {
      const { call } = outcome as ProfileOutcome;
      return call === null ? null : json(await answerOf(store, folder, call));
    },
    async evidence(store, { folder, outcome }) {
      const { call, settledAt: capturedAt } = outcome as ProfileOutcome;
      const body = call === null ? null : await answerOf(store, folder, call);
      const endpoint = 'GET /perfil/patrimonial/cpf/{cpf}';
      return file('profile.json', body, { endpoint, requestId: null, capturedAt });
    },
  },
  trace: {
    facts: async (store, { folder }) => json(await answerOf(store, folder)),
    async evidence(store, { folder, outcome }) {
      const { settledAt: capturedAt, traceId: requestId } = outcome as TraceOutcome;
      const body = await answerOf(store, folder);
      return file('trace.json', body, { endpoint: 'POST /rastro', requestId, capturedAt });
    },
  },
  lens: {
    facts: async (store, { folder }) => json(await answerOf(store, folder)),
    async evidence(store, { folder, outcome }) {
      const { files, seen, settledAt: capturedAt } = outcome as LensOutcome;
      const requestId = seen?.analysisId ?? null;
      const source = { endpoint: 'POST /lente/analyses', requestId, capturedAt };
      const answer = file('lens.json', await answerOf(store, folder), source);
      return [...answer, ...artifacts(store, files?.stored ?? [], 'picture', source)];
    },
  },
  dossier: {
    async facts(store, { folder }) {
      const answers = await new DossierRepository(store).answers(folder);
      return answers && { ...answers.whole, ...answers.status };
    },
    async evidence(store, { folder, outcome }) {
      const { dossierId: requestId, stored, settledAt: capturedAt } = outcome as DossierOutcome;
      const source = { endpoint: 'GET /dossies/{id}', requestId, capturedAt };
      const body = await store.records.get(`${folder}/answers.json`);
      return [
        ...file('dossier.json', body, source),
        ...artifacts(store, stored, 'dossier', source),
      ];
    },
  },
  'credit-analysis': {
    async facts(_, { outcome }) {
      const { operationId, result } = outcome as AnalysisOutcome;
      return { operationId, ...result?.summary };
    },
    async evidence(store, { outcome }) {
      const { operationId: requestId, result, settledAt: capturedAt } = outcome as AnalysisOutcome;
      const body = result && readLarge(store, result.allKey);
      return file('credit.json', body, { endpoint: 'POST /v1/operations', requestId, capturedAt });
    },
  },
  'monitor-sweep': {
    async evidence(store, { createdAt, endedAt, input, outcome }) {
      const { monitorId } = input as SweepRecord;
      const answers: unknown[] = [];
      const span = { monitorId, from: createdAt, to: endedAt ?? createdAt };
      for await (const { file: one } of openChanges(store, span)) answers.push(one.stored.answer);
      const endpoint = 'GET /monitors/{id}/changes';
      const source = { endpoint, requestId: null, capturedAt: endedAt ?? '' };
      return [
        ...file('changes.json', indented(answers), source),
        ...file('sweep.json', indented(outcome), source),
      ];
    },
  },
};

/** A change, and whether it was still open at the end of the range. */
export interface OpenChange {
  file: ReviewedFile;
  isOpen: boolean;
}

/** Changes that were open within a range (ISO 8601), in order of first observation. */
export async function* openChanges(
  store: Store,
  { from, monitorId, to }: { monitorId: string; from: string; to: string },
): AsyncGenerator<OpenChange> {
  const every = new ChangeQueries(store).files({ since: null, monitors: [monitorId] });
  for await (const one of every) {
    const closedAt = one.acknowledged?.at ?? null;
    if (one.stored.seenAt > to || (closedAt !== null && closedAt < from)) continue;
    yield { file: one, isOpen: closedAt === null || closedAt > to };
  }
}

async function rowOf(store: Store, { folder }: JobWithOutcome): Promise<StoredResultRow | null> {
  for await (const row of new CertificateJobs(store).rows(folder)) return row;
  return null;
}

function json(body: Buffer | null): unknown {
  return body && jsonOfBytes(body);
}

function indented(value: unknown): Buffer {
  return Buffer.from(`${JSON.stringify(value, null, 2)}\n`);
}

function file(name: string, body: EvidenceFile['body'] | null, source: Source): EvidenceFile[] {
  return body === null ? [] : [{ name, body, ...source }];
}

function artifacts(
  store: Store,
  stored: readonly StoredArtifact[],
  name: string,
  source: Source,
): EvidenceFile[] {
  return stored.map(({ key, mediaType }, index) => {
    const extension = /^(?:application|image)\/(pdf|png|jpeg)$/.exec(mediaType)?.[1] ?? 'bin';
    return { name: `${name}-${index + 1}.${extension}`, body: readLarge(store, key), ...source };
  });
}
