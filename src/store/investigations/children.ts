import { startEntry } from '../../domain/audit-entries';
import { certificateSubject, subjectState } from '../../domain/core/service/attempts';
import { engineKey } from '../../domain/credit/engine';
import { analysisText, type AnalysisOutcome } from '../../domain/credit/work';
import type { ChildJob } from '../../domain/core/job-batch';
import { isUuid } from '../../domain/core/uuid';
import { dossierWorkflowId, type DossierRecord } from '../../domain/dossiers/follow';
import type { InvestigationRecord } from '../../domain/investigations/investigation';
import type { PlanStep, StepKind } from '../../domain/investigations/plan';
import { jobIdAt } from '../../domain/job';
import { lensStandsForGood } from '../../domain/lens/analyze';
import { plainTerms, sweepIdAt, type SweepRecord } from '../../domain/monitors/sweep';
import { profileStands, type ProfileOutcome } from '../../domain/profiles/lookup';
import { standsForGood } from '../../domain/traces/search';
import type { AuditTrail } from '../audit/trail';
import { putIssuance } from '../certificates/asks';
import type { Asker } from '../core/asker';
import type { JobWithOutcome } from '../core/jobs/job-rows';
import { putAnalysis } from '../credit/asks';
import { lensName, newestLens, putLens } from '../lens/asks';
import { LensRepository } from '../lens/lens';
import { putLookup } from '../profiles/asks';
import { newestTrace, putTrace } from '../traces/asks';

/** What is asked about one thing of a step. */
export interface ChildAsk {
  record: InvestigationRecord;
  step: PlanStep;
  thing: string;
  /** Of the step: a repetition names the same job. */
  at: Date;
  /** From the start of the job to its outcome. */
  deadlineMs: number;
}

/** How a kind of step finds a job that was asked for alike, and records another. */
interface Maker {
  /** The newest; null: there is none. */
  newest(ask: ChildAsk): Promise<JobWithOutcome | null>;
  /** Whether what it told answers what is asked now. */
  stands(job: JobWithOutcome, ask: ChildAsk): boolean | Promise<boolean>;
  /** What the workflow of the job takes beside what all take. */
  terms(job: Pick<JobWithOutcome, 'input'>, ask: ChildAsk): object | Promise<object>;
  /** @param before the newest; it does not answer */
  put(ask: ChildAsk, before: JobWithOutcome | null): Promise<{ workId: string; input: unknown }>;
}

export type ForeseenChild = 'request' | 'reuse' | 'underWay' | 'unknown';

/** Finds or records the jobs of steps, in the name of who asked for the investigation. */
export function childMaker(deps: Omit<Asker, 'environment'> & { audit: AuditTrail }) {
  const { audit, store, idKey } = deps;
  const nameOf = (document: string): string => idKey.nameOf('document', document);
  const asker = ({ record }: ChildAsk) => ({ ...deps, environment: { actor: record.createdBy } });
  const begun = async (ask: ChildAsk, workId: string): Promise<void> => {
    const { at, record } = ask;
    const terms = { items: 1, onUnknown: 'report', rerun: record.rerun };
    await audit.append([startEntry({ workId, by: record.createdBy }, terms, at.getTime())]);
  };
  const maxAgeOf = ({ record, step }: ChildAsk): number =>
    record.rerun ? 0 : (step.maxAgeMs ?? record.maxAgeMs);

  const profile: Maker = {
    newest: async ({ thing }) => (await store.jobs.about('profile', nameOf(thing)))[0] ?? null,
    stands: ({ outcome }, { step }) =>
      profileStands(outcome as ProfileOutcome, step.options.retryRural === true),
    terms: (_, { step }) => ({ retryRural: step.options.retryRural === true }),
    async put(ask) {
      const { at, deadlineMs, step, thing } = ask;
      const retryRural = step.options.retryRural === true;
      const about = { cpf: thing, name: nameOf(thing), retryRural, label: null, deadlineMs };
      const input = await putLookup(asker(ask), about, at);
      await begun(ask, input.workId);
      return { workId: input.workId, input };
    },
  };

  const certificateId = ({ step, thing }: ChildAsk): string =>
    `certificate/${step.options.type ?? 'cnpj'}/${nameOf(thing)}`;
  const reuseSince = (ask: ChildAsk): number => ask.at.getTime() - maxAgeOf(ask);
  /** What was issued before is found by its claims: each issuance is a job of its own. */
  const certificate: Maker = {
    newest: (ask) => store.jobs.find(certificateId(ask)),
    stands: () => false,
    terms: (_, ask) => ({ reuseSince: reuseSince(ask), rowDeadlineMs: ask.deadlineMs }),
    async put(ask) {
      const { at, deadlineMs: rowDeadlineMs, step, thing: document } = ask;
      const workId = jobIdAt(certificateId(ask), at);
      const terms = { rowDeadlineMs, reuseSince: reuseSince(ask), onUnknown: 'report' } as const;
      const about = { document, note: '', label: null };
      await putIssuance(asker(ask), workId, step.options.type ?? 'cnpj', about, terms);
      await begun(ask, workId);
      return { workId, input: null };
    },
  };

  const trace: Maker = {
    newest: ({ step, thing: target }) =>
      newestTrace(deps, { target, strategy: step.options.strategy ?? null }),
    stands: ({ outcome }) => standsForGood(outcome as never),
    terms: () => ({}),
    async put(ask, before) {
      const { at, deadlineMs, step, thing: target } = ask;
      const isAnew = before?.outcome != null && standsForGood(before.outcome as never);
      const order = {
        before: isAnew ? null : (before as never),
        rerun: isAnew ? at.toISOString() : null,
      };
      const what = { target, strategy: step.options.strategy ?? null };
      const input = await putTrace(asker(ask), what, {
        label: null,
        deadlineMs,
        now: at,
        ...order,
      });
      await begun(ask, input.workId);
      return { workId: input.workId, input };
    },
  };

  const dossierTerms = ({ options: { maxAttempts = 1, onReview = 'wait' } }: PlanStep) => ({
    maxAttempts,
    onReview,
    toCancel: false,
  });
  const dossier: Maker = {
    newest: ({ thing }) => store.jobs.find(dossierWorkflowId(thing)),
    stands: ({ status }) => status === 'completed',
    terms: ({ input }, { step }) => ({ ...dossierTerms(step), atOnce: false, record: input }),
    async put(ask) {
      const { at, deadlineMs, record, step, thing: dossierId } = ask;
      const workId = jobIdAt(dossierWorkflowId(dossierId), at);
      const [createdAt, createdBy] = [at.toISOString(), record.createdBy];
      const terms = { ...dossierTerms(step), label: null, deadlineMs };
      const input: DossierRecord = { workId, dossierId, ...terms, createdAt, createdBy };
      await begun(ask, workId);
      return { workId, input };
    },
  };

  const modeOf = ({ step }: ChildAsk) => step.options.mode ?? null;
  const photoOf = ({ record: { files } }: ChildAsk) => {
    if (files.photo === null) throw new RangeError('an investigation without its photo');
    return files.photo;
  };
  const what = (ask: ChildAsk) => ({ sha256: photoOf(ask).file.sha256, mode: modeOf(ask) });
  const pictures = new LensRepository(store);
  const lens: Maker = {
    newest: (ask) => newestLens(deps, what(ask)),
    stands: async ({ input, outcome }) => {
      const { expired } = await pictures.current((input as { name: string }).name);
      return lensStandsForGood(outcome as never, expired);
    },
    terms: async ({ input }) => ({
      attempt: (await pictures.current((input as { name: string }).name)).attempt,
    }),
    async put(ask, before) {
      const { at, deadlineMs } = ask;
      const isAnew = before !== null && (await lens.stands(before, ask));
      const name = lensName(asker(ask), what(ask), isAnew ? at.toISOString() : null);
      const asked = { name, ...photoOf(ask), mode: modeOf(ask), label: null, deadlineMs };
      const input = await putLens(asker(ask), asked, at);
      await begun(ask, input.workId);
      return { workId: input.workId, input };
    },
  };

  const creditNames = ({ record: { files }, step }: ChildAsk) => {
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
    newest: (ask) => store.jobs.find(`credit/${creditNames(ask).name}`),
    stands: ({ outcome }) => (outcome as AnalysisOutcome).status === 'completed',
    terms: (_, ask) => (creditNames(ask).fence === null ? { namesEngine: true } : {}),
    async put(ask) {
      const { at, deadlineMs, record, step } = ask;
      const filter = step.options.filter ?? 'all';
      const terms = { filter, forced: null, label: null, deadlineMs, rerun: record.rerun };
      const input = await putAnalysis(asker(ask), { ...creditNames(ask), ...terms }, at);
      return { workId: input.workId, input };
    },
  };

  /** Each sweep takes what is open now. */
  const monitor: Maker = {
    newest: ({ thing }) => store.jobs.find(`monitor-sweep/${thing}`),
    stands: () => false,
    terms: ({ input: record }) => ({ record, carryover: null }),
    async put(ask) {
      const { at, record, thing: monitorId } = ask;
      const [createdAt, createdBy] = [at.toISOString(), record.createdBy];
      const workId = sweepIdAt(monitorId, createdAt);
      const about = { workId, monitorId, terms: plainTerms, reconcile: false };
      const input: SweepRecord = { ...about, createdAt, createdBy };
      await begun(ask, workId);
      return { workId, input };
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

  /** What answers already is taken; what runs, or waits for a person, is waited for. */
  async function childOf(ask: ChildAsk): Promise<ChildJob> {
    const maker = makers[ask.step.kind];
    const newest = await maker.newest(ask);
    switch (await foreseen(newest, ask)) {
      case 'underWay':
        if (newest === null) break;
        return { jobId: newest.id, before: false, terms: { ...(await maker.terms(newest, ask)) } };
      case 'reuse':
      case 'unknown':
        if (newest === null || ask.step.kind === 'certificate') break;
        return { jobId: newest.id, before: true, terms: {} };
      case 'request':
    }
    const { input, workId } = await maker.put(ask, newest);
    return { jobId: workId, before: false, terms: { ...(await maker.terms({ input }, ask)) } };
  }

  /** What would become of it. `unknown`: a person is to decide about the one that stands. */
  async function foreseen(newest: JobWithOutcome | null, ask: ChildAsk): Promise<ForeseenChild> {
    if (newest !== null && newest.outcome === null) return 'underWay';
    if (ask.step.kind === 'certificate') return boughtBefore(ask);
    if (newest === null) return 'request';
    if (newest.needsAttention) return 'unknown';
    const { erased } = newest.outcome as { erased?: true };
    const isYoung = ask.at.getTime() - Date.parse(newest.endedAt ?? '') <= maxAgeOf(ask);
    const mayStand = isYoung && erased !== true && maxAgeOf(ask) > 0;
    return mayStand && (await makers[ask.step.kind].stands(newest, ask)) ? 'reuse' : 'request';
  }

  /** A certificate is found by its claims, whichever job bought it. */
  async function boughtBefore(ask: ChildAsk): Promise<ForeseenChild> {
    const subject = certificateSubject(ask.step.options.type ?? 'cnpj', nameOf(ask.thing));
    const state = subjectState(await store.attempts.of(subject), ask.at.getTime());
    if (state.kind === 'unknown') return 'unknown';
    if (state.kind === 'in_flight') return 'underWay';
    const fact = state.kind === 'accepted' ? await store.facts.of(state.externalId) : null;
    const stands = fact?.status === 'issued' && fact.erased !== true;
    return stands && fact.settledAt >= reuseSince(ask) ? 'reuse' : 'request';
  }

  return {
    childOf,
    foresee: async (ask: ChildAsk) => foreseen(await makers[ask.step.kind].newest(ask), ask),
  };
}
