import { startEntry } from '../../domain/audit-entries';
import type { ChildJob } from '../../domain/core/job-batch';
import { certificateSubject } from '../../domain/core/service/attempts';
import type { AnalysisOutcome } from '../../domain/credit/job';
import type { DossierOutcome, DossierRecord } from '../../domain/dossiers/follow';
import type { InvestigationRecord } from '../../domain/investigations/investigation';
import type { PlanStep, StepKind } from '../../domain/investigations/plan';
import { jobIdAt } from '../../domain/job';
import type { LensRecord } from '../../domain/lens/analyze';
import { plainTerms, sweepWorkflowId, type SweepRecord } from '../../domain/monitors/sweep';
import type { AuditTrail } from '../audit/trail';
import { foreseenIssuance, issuances, type ForeseenRequest } from '../certificates/jobs';
import type { Asker } from '../core/jobs/jobs-of-kind';
import { isOver, putSame, type SameRequest } from '../core/jobs/same-request';
import { analysisNames, AnalysisRepository } from '../credit/analyses';
import { LensRepository, pictures } from '../lens/lens';
import { lookups } from '../profiles/profiles';
import { searches } from '../traces/traces';

export interface ChildRequest {
  record: InvestigationRecord;
  step: PlanStep;
  target: string;
  /** Instant of the step: a repetition names the same job. */
  at: Date;
  /** From the job's start to its outcome. */
  deadlineMs: number;
}

/** How a step finds or stores the job of a target, and the workflow input beyond the common terms. */
interface Maker extends SameRequest<string, { jobId: string }, unknown> {
  args(input: unknown): object | Promise<object>;
}

/** Finds or stores the jobs of steps, under the investigation's actor. */
export function childMaker(deps: Omit<Asker, 'environment'> & { audit: AuditTrail }) {
  const { audit, store, idKey } = deps;
  const nameOf = (document: string): string => idKey.nameOf('document', document);
  const startOf = ({ at, record: { createdBy: by, rerun } }: ChildRequest, jobId: string) =>
    startEntry({ jobId, by }, { items: 1, onUnknown: 'report', rerun }, at.getTime());
  const maxAgeOf = ({ record, step }: ChildRequest): number =>
    record.rerun ? 0 : (step.maxAgeMs ?? record.maxAgeMs);
  const reuseSince = (request: ChildRequest): number => request.at.getTime() - maxAgeOf(request);
  const newest = async (workflowId: string) => (await store.jobs.find(workflowId)) as never;

  const makerOf = (request: ChildRequest): Maker => {
    const { at, deadlineMs, record, step } = request;
    const { createdBy, files } = record;
    const stamp = { createdAt: at.toISOString(), createdBy };
    const asker = { ...deps, environment: { actor: createdBy } };
    const { options } = step;
    const makers: Record<StepKind, () => Maker> = {
      profile: () => ({
        ...lookups(asker, options.retryRural),
        args: () => ({ retryRural: options.retryRural === true }),
      }),
      trace: () => ({ ...searches(asker, options.strategy ?? null), args: () => ({}) }),
      lens: () => {
        if (files.photo === null) throw new RangeError('an investigation without its photo');
        const { file, forced } = files.photo;
        const what = { sha256: file.sha256, mode: options.mode ?? null, forced };
        const args = async (input: LensRecord) => {
          return { attempt: (await new LensRepository(store).current(input.name)).attempt };
        };
        return { ...pictures(asker, what, () => file), args };
      },
      /** Earlier certificates are found by claims: each issuance is its own job. */
      certificate: () => {
        const { type = 'cnpj' } = options;
        const terms = { reuseSince: reuseSince(request), rowDeadlineMs: deadlineMs };
        const same = issuances(asker, type, { ...terms, onUnknown: 'report' });
        return { ...same, args: () => terms };
      },
      credit: () => {
        const { receivables } = files;
        if (receivables === null) throw new RangeError('an investigation without its file');
        const { cnab, xmls } = receivables;
        const given = { cnab, xmls: { sha256: xmls?.sha256 ?? '' } };
        const names = analysisNames(deps, given, options.engine ?? null);
        return {
          newest: async () => newest(`credit/${names.name}`),
          isFinal: (outcome) => (outcome as AnalysisOutcome).status === 'completed',
          args: () => (names.fence === null ? { namesEngine: true } : {}),
          async put(_, { terms }) {
            const how = { filter: options.filter ?? ('all' as const), forced: null, ...terms };
            const about = { ...receivables, ...names, ...how };
            return new AnalysisRepository(store).put(asker, about, at);
          },
        };
      },
      dossier: () => ({
        newest: async (id) => newest(`dossier/${id}`),
        isFinal: (outcome) => (outcome as DossierOutcome).status === 'completed',
        args: (input) => {
          const { maxAttempts, onReview, toCancel } = input as DossierRecord;
          return { maxAttempts, onReview, toCancel, atOnce: false, record: input };
        },
        async put(dossierId, { terms: { label } }) {
          const jobId = jobIdAt(`dossier/${dossierId}`, at);
          const { maxAttempts = 1, onReview = 'wait' } = options;
          const terms = { maxAttempts, onReview, toCancel: false, label, deadlineMs };
          return { jobId, dossierId, ...terms, ...stamp } satisfies DossierRecord;
        },
      }),
      /** Each sweep takes what is open now. */
      monitor: () => ({
        newest: async (id) => newest(sweepWorkflowId(id)),
        isFinal: () => false,
        args: (input) => ({ record: input, carryover: null }),
        async put(monitorId) {
          const jobId = jobIdAt(sweepWorkflowId(monitorId), at);
          const about = { jobId, monitorId, terms: plainTerms, reconcile: false };
          return { ...about, ...stamp } satisfies SweepRecord;
        },
      }),
    };
    return makers[step.kind]();
  };

  /** Uses an earlier answer; waits for an open job. */
  async function childOf(request: ChildRequest): Promise<ChildJob> {
    const { at, deadlineMs, record, step, target } = request;
    const maker = makerOf(request);
    const found = await maker.newest(target);
    const word = await foreseen(maker, found, request);
    if (found !== null && word === 'underWay')
      return { jobId: found.id, before: false, terms: { ...(await maker.args(found.input)) } };
    if (found !== null && word !== 'request' && step.kind !== 'certificate')
      return { jobId: found.id, before: true, terms: {} };
    const terms = { label: null, deadlineMs, rerun: record.rerun };
    const input = await putSame(maker, target, found, { terms, at, again: null });
    const { jobId } = input;
    // An analysis has an entry of its own.
    if (step.kind !== 'credit') await audit.append([startOf(request, jobId)]);
    return { jobId, before: false, terms: { ...(await maker.args(input)) } };
  }

  /** What the step would do. `unknown`: a person must resolve the existing job. */
  async function foreseen(
    maker: Maker,
    found: Awaited<ReturnType<Maker['newest']>>,
    request: ChildRequest,
  ): Promise<ForeseenRequest> {
    if (found !== null && found.outcome === null) return 'underWay';
    const { at, step, target } = request;
    if (step.kind === 'certificate') {
      const subject = certificateSubject(step.options.type ?? 'cnpj', nameOf(target));
      const since = { at: at.getTime(), reuseSince: reuseSince(request) };
      return foreseenIssuance(store, subject, since);
    }
    if (found === null) return 'request';
    if (found.needsAttention) return 'unknown';
    const { erased } = found.outcome as { erased?: true };
    const isYoung = Date.parse(found.endedAt ?? '') >= reuseSince(request);
    const mayStand = isYoung && erased !== true && maxAgeOf(request) > 0;
    return mayStand && (await isOver(maker, found)) ? 'reuse' : 'request';
  }

  return {
    childOf,
    foresee: async (request: ChildRequest) => {
      const maker = makerOf(request);
      return foreseen(maker, await maker.newest(request.target), request);
    },
  };
}
