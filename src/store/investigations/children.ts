import { startEntry } from '../../domain/audit-entries';
import { certificateSubject, subjectState } from '../../domain/core/service/attempts';
import { engineKey } from '../../domain/credit/engine';
import { analysisText, type AnalysisOutcome } from '../../domain/credit/job';
import type { ChildJob } from '../../domain/core/job-batch';
import { isUuid } from '../../domain/core/documents/documents';
import { type DossierRecord } from '../../domain/dossiers/follow';
import type { InvestigationRecord } from '../../domain/investigations/investigation';
import type { PlanStep, StepKind } from '../../domain/investigations/plan';
import { jobIdAt } from '../../domain/job';
import { lensIsFinal } from '../../domain/lens/analyze';
import { plainTerms, sweepIdAt, type SweepRecord } from '../../domain/monitors/sweep';
import { profileIsFinal, type ProfileOutcome } from '../../domain/profiles/lookup';
import { isFinalSearch } from '../../domain/traces/search';
import type { AuditTrail } from '../audit/trail';
import { putIssuance } from '../certificates/jobs';
import type { Asker } from '../core/jobs/jobs-of-kind';
import type { JobWithOutcome } from '../core/jobs/job-rows';
import { AnalysisRepository } from '../credit/analyses';
import { lensName, newestLens, LensRepository } from '../lens/lens';
import { ProfileRepository } from '../profiles/profiles';
import { newestTrace, TraceRepository } from '../traces/traces';

export interface ChildRequest {
  record: InvestigationRecord;
  step: PlanStep;
  target: string;
  /** Instant of the step: a repetition names the same job. */
  at: Date;
  /** From the job's start to its outcome. */
  deadlineMs: number;
}

/** Finds a job of the same request, or stores a new one, for one kind of step. */
interface Maker {
  newest(request: ChildRequest): Promise<JobWithOutcome | null>;
  /** Whether its result still answers the request. */
  isAnswer(job: JobWithOutcome, request: ChildRequest): boolean | Promise<boolean>;
  /** Input of its workflow beyond the common terms. */
  terms(job: Pick<JobWithOutcome, 'input'>, request: ChildRequest): object | Promise<object>;
  /** @param before the newest; it does not answer. @returns its input */
  put(request: ChildRequest, before: JobWithOutcome | null): Promise<{ jobId: string }>;
}

export type ForeseenChild = 'request' | 'reuse' | 'underWay' | 'unknown';

/** Finds or stores the jobs of steps, under the investigation's actor. */
export function childMaker(deps: Omit<Asker, 'environment'> & { audit: AuditTrail }) {
  const { audit, store, idKey } = deps;
  const nameOf = (document: string): string => idKey.nameOf('document', document);
  const asker = ({ record }: ChildRequest) => ({
    ...deps,
    environment: { actor: record.createdBy },
  });
  const startOf = ({ at, record: { createdBy: by, rerun } }: ChildRequest, jobId: string) =>
    startEntry({ jobId, by }, { items: 1, onUnknown: 'report', rerun }, at.getTime());
  const maxAgeOf = ({ record, step }: ChildRequest): number =>
    record.rerun ? 0 : (step.maxAgeMs ?? record.maxAgeMs);

  const profile: Maker = {
    newest: async ({ target }) => (await store.jobs.about('profile', nameOf(target)))[0] ?? null,
    isAnswer: ({ outcome }, { step }) =>
      profileIsFinal(outcome as ProfileOutcome, step.options.retryRural === true),
    terms: (_, { step }) => ({ retryRural: step.options.retryRural === true }),
    async put(request) {
      const { at, deadlineMs, step, target } = request;
      const retryRural = step.options.retryRural === true;
      const about = { cpf: target, name: nameOf(target), retryRural, label: null, deadlineMs };
      return new ProfileRepository(store).put(asker(request), about, at);
    },
  };

  const certificateId = ({ step, target }: ChildRequest): string =>
    `certificate/${step.options.type ?? 'cnpj'}/${nameOf(target)}`;
  const reuseSince = (request: ChildRequest): number => request.at.getTime() - maxAgeOf(request);
  /** Earlier certificates are found by claims: each issuance is its own job. */
  const certificate: Maker = {
    newest: (request) => store.jobs.find(certificateId(request)),
    isAnswer: () => false,
    terms: (_, request) => ({ reuseSince: reuseSince(request), rowDeadlineMs: request.deadlineMs }),
    async put(request) {
      const { at, deadlineMs: rowDeadlineMs, step, target: document } = request;
      const jobId = jobIdAt(certificateId(request), at);
      const terms = {
        rowDeadlineMs,
        reuseSince: reuseSince(request),
        onUnknown: 'report',
      } as const;
      const about = { document, note: '', label: null };
      await putIssuance(asker(request), jobId, step.options.type ?? 'cnpj', about, terms);
      return { jobId };
    },
  };

  const trace: Maker = {
    newest: ({ step, target }) =>
      newestTrace(deps, { target, strategy: step.options.strategy ?? null }),
    isAnswer: ({ outcome }) => isFinalSearch(outcome as never),
    terms: () => ({}),
    async put(request, before) {
      const { at, deadlineMs, step, target } = request;
      const isAnew = before?.outcome != null && isFinalSearch(before.outcome as never);
      const order = {
        before: isAnew ? null : (before as never),
        anew: isAnew ? at.toISOString() : null,
      };
      const what = { target, strategy: step.options.strategy ?? null };
      return new TraceRepository(store).put(asker(request), what, {
        label: null,
        deadlineMs,
        now: at,
        ...order,
      });
    },
  };

  const dossier: Maker = {
    newest: ({ target }) => store.jobs.find(`dossier/${target}`),
    isAnswer: ({ status }) => status === 'completed',
    terms: ({ input: record }) => {
      const { maxAttempts, onReview, toCancel } = record as DossierRecord;
      return { maxAttempts, onReview, toCancel, atOnce: false, record };
    },
    async put(request) {
      const { at, deadlineMs, record, step, target: dossierId } = request;
      const jobId = jobIdAt(`dossier/${dossierId}`, at);
      const [createdAt, createdBy] = [at.toISOString(), record.createdBy];
      const { maxAttempts = 1, onReview = 'wait' } = step.options;
      const terms = { maxAttempts, onReview, toCancel: false, label: null, deadlineMs };
      return { jobId, dossierId, ...terms, createdAt, createdBy } satisfies DossierRecord;
    },
  };

  const modeOf = ({ step }: ChildRequest) => step.options.mode ?? null;
  const photoOf = ({ record: { files } }: ChildRequest) => {
    if (files.photo === null) throw new RangeError('an investigation without its photo');
    return files.photo;
  };
  const what = (request: ChildRequest) => ({
    sha256: photoOf(request).file.sha256,
    mode: modeOf(request),
  });
  const pictures = new LensRepository(store);
  const lens: Maker = {
    newest: (request) => newestLens(deps, what(request)),
    isAnswer: async ({ input, outcome }) => {
      const { expired } = await pictures.current((input as { name: string }).name);
      return lensIsFinal(outcome as never, expired);
    },
    terms: async ({ input }) => ({
      attempt: (await pictures.current((input as { name: string }).name)).attempt,
    }),
    async put(request, before) {
      const { at, deadlineMs } = request;
      const isAnew = before !== null && (await lens.isAnswer(before, request));
      const name = lensName(asker(request), what(request), isAnew ? at.toISOString() : null);
      const terms = { name, ...photoOf(request), mode: modeOf(request), label: null, deadlineMs };
      return pictures.put(asker(request), terms, at);
    },
  };

  const creditNames = ({ record: { files }, step }: ChildRequest) => {
    const { engine = null } = step.options;
    if (files.receivables === null) throw new RangeError('an investigation without its file');
    const { cnab, xmls } = files.receivables;
    const key = engine === null ? '' : engineKey(engine);
    const given = { cnab, xmls: { sha256: xmls?.sha256 ?? '' } };
    const name = idKey.nameOf('manifest', analysisText(given, key));
    const isNamed = engine !== null && !isUuid(engine);
    const engineId = engine === null || isNamed ? null : key;
    return { ...files.receivables, name, engine, engineId, fence: isNamed ? null : name };
  };
  const credit: Maker = {
    newest: (request) => store.jobs.find(`credit/${creditNames(request).name}`),
    isAnswer: ({ outcome }) => (outcome as AnalysisOutcome).status === 'completed',
    terms: (_, request) => (creditNames(request).fence === null ? { namesEngine: true } : {}),
    async put(request) {
      const { at, deadlineMs, record, step } = request;
      const filter = step.options.filter ?? 'all';
      const terms = { filter, forced: null, label: null, deadlineMs, rerun: record.rerun };
      const about = { ...creditNames(request), ...terms };
      return new AnalysisRepository(store).put(asker(request), about, at);
    },
  };

  /** Each sweep takes what is open now. */
  const monitor: Maker = {
    newest: ({ target }) => store.jobs.find(`monitor-sweep/${target}`),
    isAnswer: () => false,
    terms: ({ input: record }) => ({ record, carryover: null }),
    async put(request) {
      const { at, record, target: monitorId } = request;
      const [createdAt, createdBy] = [at.toISOString(), record.createdBy];
      const jobId = sweepIdAt(monitorId, createdAt);
      const about = { jobId, monitorId, terms: plainTerms, reconcile: false };
      return { ...about, createdAt, createdBy } satisfies SweepRecord;
    },
  };

  const makers: Readonly<Record<StepKind, Maker>> = {
    profile,
    certificate,
    trace,
    dossier,
    lens,
    credit,
    monitor,
  };

  /** Uses an earlier answer; waits for an open job. */
  async function childOf(request: ChildRequest): Promise<ChildJob> {
    const maker = makers[request.step.kind];
    const newest = await maker.newest(request);
    switch (await foreseen(newest, request)) {
      case 'underWay':
        if (newest === null) break;
        return {
          jobId: newest.id,
          before: false,
          terms: { ...(await maker.terms(newest, request)) },
        };
      case 'reuse':
      case 'unknown':
        if (newest === null || request.step.kind === 'certificate') break;
        return { jobId: newest.id, before: true, terms: {} };
      case 'request':
    }
    const input = await maker.put(request, newest);
    const { jobId } = input;
    // An analysis has an entry of its own.
    if (request.step.kind !== 'credit') await audit.append([startOf(request, jobId)]);
    return { jobId, before: false, terms: { ...(await maker.terms({ input }, request)) } };
  }

  /** What the step would do. `unknown`: a person must resolve the existing job. */
  async function foreseen(
    newest: JobWithOutcome | null,
    request: ChildRequest,
  ): Promise<ForeseenChild> {
    if (newest !== null && newest.outcome === null) return 'underWay';
    if (request.step.kind === 'certificate') return boughtBefore(request);
    if (newest === null) return 'request';
    if (newest.needsAttention) return 'unknown';
    const { erased } = newest.outcome as { erased?: true };
    const isYoung = request.at.getTime() - Date.parse(newest.endedAt ?? '') <= maxAgeOf(request);
    const mayStand = isYoung && erased !== true && maxAgeOf(request) > 0;
    return mayStand && (await makers[request.step.kind].isAnswer(newest, request))
      ? 'reuse'
      : 'request';
  }

  /** A certificate is found by its claims, for any job. */
  async function boughtBefore(request: ChildRequest): Promise<ForeseenChild> {
    const subject = certificateSubject(request.step.options.type ?? 'cnpj', nameOf(request.target));
    const state = subjectState(await store.attempts.of(subject), request.at.getTime());
    if (state.kind === 'unknown') return 'unknown';
    if (state.kind === 'in_flight') return 'underWay';
    const fact = state.kind === 'accepted' ? await store.facts.of(state.externalId) : null;
    const isAnswer = fact?.status === 'issued' && fact.erased !== true;
    return isAnswer && fact.settledAt >= reuseSince(request) ? 'reuse' : 'request';
  }

  return {
    childOf,
    foresee: async (request: ChildRequest) =>
      foreseen(await makers[request.step.kind].newest(request), request),
  };
}
