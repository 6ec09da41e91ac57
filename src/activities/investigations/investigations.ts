import type { JobRef } from '../../domain/core/job-record';
import { Context } from '@temporalio/activity';
import { attentionOf } from '../../domain/attention';
import type { ChildJob } from '../../domain/core/job-batch';
import { knownTargets, readTarget, tooMany } from '../../domain/investigations/check-plan';
import {
  childResult,
  endOfStep,
  investigationOutcomeEntry,
  statusOf,
  type InvestigationOutcome,
  type InvestigationRecord,
  type StepChild,
  type StepEnd,
} from '../../domain/investigations/investigation';
import {
  chargedFor,
  jobKindOf,
  mostYield,
  subjectFacts,
  type Condition,
  type PlanStep,
  type StepKind,
} from '../../domain/investigations/plan';
import {
  pathOf,
  readTemplate,
  valuesOf,
  type FoundValue,
} from '../../domain/investigations/template';
import type { IdKey } from '../../protection/id-key';
import type { AuditTrail } from '../../store/audit/trail';
import { factsOf } from '../../store/investigations/evidence';
import {
  InvestigationRepository,
  type ExistingChild,
} from '../../store/investigations/investigations';
import type { Store } from '../../store/store';
import { notSettledYet } from '../core/failures';
import { recordOf } from '../core/job-records';
import { childMaker } from '../../store/investigations/children';

export interface InvestigationDependencies {
  store: Store;
  idKey: IdKey;
  audit: AuditTrail;
  now: () => number;
}

/** A step, at an instant of the workflow. */
export interface StepInput {
  ref: JobRef;
  stepId: string;
  at: number;
  /** Epoch milliseconds. */
  deadlineAt: number;
  /** Requests that may be charged; null: no limit. */
  mayRequest: number | null;
}

/** A step before its jobs run. */
export type PreparedStep =
  | { kind: 'over'; end: StepEnd }
  | {
      kind: 'requested';
      /** To be started or awaited. */
      children: PreparedChild[];
      cut: number;
      /** What could not be requested. */
      left: string[];
      /** Charged requests, at most. */
      requests: number;
    }
  | {
      /** Nothing is requested: it would need this many requests. */
      kind: 'beyondBudget';
      requests: number;
      /** Upper bound for this step and all others not yet requested. */
      rest: number;
    };

export type PreparedChild = Pick<ChildJob, 'jobId' | 'terms'> & { kind: StepKind };

export interface SettleInput {
  ref: JobRef;
  stepId: string;
  cut: number;
  left: string[];
  /** Ids of jobs whose workflows failed: not awaited. */
  lost: string[];
  /** Epoch milliseconds until which a person is awaited; null: not awaited. */
  until: number | null;
  /** Nothing more is started. */
  isCancelled: boolean;
}

/** `waits`: a person must resolve one of its jobs, or a job started elsewhere has not ended. */
export type SettledStep = { end: StepEnd; waits: 'person' | 'job' | null };

const longestPauseMs = 30_000;

export function createInvestigationActivities(deps: InvestigationDependencies) {
  const { idKey, now, store } = deps;
  const file = new InvestigationRepository(store);
  const { childOf, foresee } = childMaker(deps);
  const nameOf = (document: string): string => idKey.nameOf('document', document);

  /** Finds the targets of a step, and finds or stores its jobs. Idempotent. */
  async function prepareStep(input: StepInput): Promise<PreparedStep> {
    const { at, deadlineAt, mayRequest, ref, stepId } = input;
    const record = await recordOf(file, ref);
    const [step, index] = stepOf(record, stepId);
    const over = (
      why: string | null,
      status: StepEnd['status'] = 'not_requested',
    ): PreparedStep => ({
      kind: 'over',
      end: { id: stepId, status, why, cut: 0, children: [] },
    });
    if (step.when !== null && !(await holds(record, ref, step.when))) return over(null);
    const reported = await targetsOf(record, ref, step);
    if (reported.length > mostYield) return over(`of: ${tooMany(reported.length)}`, 'missing');
    const targets: FoundValue[] = [];
    const left: string[] = [];
    for (const one of reported) {
      const reading = readTarget(step.kind, one.value, step);
      if ('message' in reading) left.push(`${one.from || 'of'}: ${reading.message}`);
      else if (!targets.some(({ value }) => value === reading.target))
        targets.push({ value: reading.target, from: one.from });
    }
    if (targets.length === 0) return over(['there is nothing to ask about', ...left].join('; '));
    const taken = targets.slice(0, step.most);
    const stored = await file.targets(ref.folder, index);
    const times = chargedFor(step)?.times ?? 0;
    const deadlineMs = Math.max(0, deadlineAt - at);
    const requestOf = (target: string) => ({ record, step, target, at: new Date(at), deadlineMs });
    let requests = stored.filter(({ child }) => !child.before).length * times;
    if (stored.length === 0) {
      if (mayRequest !== null && times > 0) {
        const foreseen = await Promise.all(taken.map(({ value }) => foresee(requestOf(value))));
        requests = foreseen.filter((word) => word === 'request').length * times;
        if (requests > mayRequest)
          return {
            kind: 'beyondBudget',
            requests,
            rest: requests + (await mostOfOthers(record, ref, stepId)),
          };
      }
      for (const { from, value: target } of taken)
        stored.push({ target, from, child: await childOf(requestOf(target)) });
      await file.putTargets(ref.folder, index, step, stored, nameOf);
    }
    const children = stored.flatMap(({ child: { before, jobId, terms } }) =>
      before ? [] : [{ jobId, terms, kind: step.kind }],
    );
    return { kind: 'requested', children, cut: targets.length - taken.length, left, requests };
  }

  /** Upper bound of requests of steps not yet requested. */
  async function mostOfOthers(
    { plan, subject }: InvestigationRecord,
    { folder }: JobRef,
    id: string,
  ): Promise<number> {
    let most = 0;
    for (const [index, step] of plan.steps.entries()) {
      const times = chargedFor(step)?.times ?? 0;
      if (step.id === id || times === 0) continue;
      if ((await file.targets(folder, index)).length > 0) continue;
      most += (knownTargets(step, subject)?.length ?? step.most) * times;
    }
    return most;
  }

  async function targetsOf(
    record: InvestigationRecord,
    ref: JobRef,
    step: PlanStep,
  ): Promise<FoundValue[]> {
    const found: FoundValue[] = [];
    for (const text of step.of) {
      const template = readTemplate(text);
      if (template === null || template === 'broken') found.push({ value: text, from: '' });
      else if (template.root === 'subject')
        found.push(...valuesOf(template, subjectFacts(record.subject)));
      else found.push(...valuesOf(template, await factsOfStep(record, ref, template.root)));
    }
    return found;
  }

  async function factsOfStep(
    record: InvestigationRecord,
    { folder }: JobRef,
    id: string,
  ): Promise<unknown> {
    const children = await file.existing(folder, stepOf(record, id)[1]);
    const facts = await Promise.all(children.map(async ({ job }) => job && factsOf(store, job)));
    return facts.length === 1 ? facts[0] : facts;
  }

  async function holds(
    record: InvestigationRecord,
    ref: JobRef,
    { has, status, step }: Condition,
  ): Promise<boolean> {
    const facts = await factsOfStep(record, ref, step);
    const isSo = (path: string, fits: (value: string) => boolean): boolean =>
      valuesOf({ root: step, path: pathOf(path) }, facts).some(({ value }) => fits(value));
    if (status !== null && !isSo('status', (word) => status.includes(word))) return false;
    return has === null || isSo(has, () => true);
  }

  /** Status of a step; with `until`, waits for pending resolutions. */
  async function settleStep(input: SettleInput): Promise<SettledStep> {
    const { cut, isCancelled, left, lost, ref, stepId, until } = input;
    const record = await recordOf(file, ref);
    const [step, index] = stepOf(record, stepId);
    const existing = await file.existing(ref.folder, index);
    const isOpen = ({ isUndecided, job }: ExistingChild): boolean =>
      isUndecided && !(job !== null && job.status === null && lost.includes(job.id));
    const open = existing.filter(isOpen);
    const isForPerson = open.some(({ job }) => job?.needsAttention === true);
    const waits = isForPerson ? 'person' : open.length > 0 ? 'job' : null;
    const leftMs = (until ?? 0) - now();
    if (waits !== null && leftMs > 2_000) {
      const pauseMs = Math.min(1_000 * Context.current().info.attempt, longestPauseMs);
      throw notSettledYet(Math.min(pauseMs, leftMs - 1_000));
    }
    const children = existing.map((child) => childEnd(child, step.kind, isCancelled));
    return { end: endOfStep(stepId, children, { cut, left }), waits };
  }

  async function finalizeInvestigation({
    ref,
    ended,
  }: {
    ref: JobRef;
    ended: { cancelled: boolean; steps: StepEnd[]; startedAt: string };
  }): Promise<InvestigationOutcome> {
    const record = await recordOf(file, ref);
    const { cancelled, startedAt, steps } = ended;
    const outcome: InvestigationOutcome = {
      jobId: ref.jobId,
      ...statusOf(steps, record.plan.steps, cancelled),
      steps,
      startedAt,
      settledAt: new Date(now()).toISOString(),
    };
    const entry = investigationOutcomeEntry(outcome, record);
    return file.putOutcome(ref.folder, outcome, [entry]);
  }

  return { prepareStep, settleStep, finalizeInvestigation };
}

function stepOf({ plan }: InvestigationRecord, id: string): [PlanStep, number] {
  const index = plan.steps.findIndex((step) => step.id === id);
  const step = plan.steps[index];
  if (step === undefined) throw new RangeError(`the plan has no step ${id}`);
  return [step, index];
}

function childEnd(
  { child, from, isUndecided, job }: ExistingChild,
  kind: StepKind,
  isCancelled: boolean,
): StepChild {
  const status = job?.status ?? (isCancelled ? 'cancelled' : null);
  const jobKind = jobKindOf[kind];
  const exitCode = status === null ? 3 : attentionOf(jobKind, status).exitCode;
  return {
    jobId: job?.id ?? child.jobId,
    kind: jobKind,
    status,
    before: child.before,
    from,
    result: childResult(status, {
      exitCode,
      undecided: isUndecided && job?.status !== null && !isCancelled,
    }),
  };
}
