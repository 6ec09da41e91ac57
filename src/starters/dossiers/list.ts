import { Command } from 'commander';
import { DossiersApi } from '../../apis/investigation/dossiers';
import { dossierStates, type Dossier, type DossierState } from '../../domain/dossiers/dossier';
import type { Reader } from '../../report/reader';
import { stateWord } from '../../report/words';
import { eachListed, printServiceList, type ServiceList } from '../cli/service-list';
import { oneOf, sinceOf } from '../cli/terminal';
import { z } from 'zod';
import { reviewPolicies } from '../../domain/dossiers/follow';
import {
  RetryPlanner,
  type RetryPlan,
  type RetryPlanTerms,
} from '../../domain/dossiers/retry-plan';
import { withStart } from '../cli/start-flags';
import { inputTerms, startTerms } from '../jobs/begin/request';
import { startableBatch } from '../jobs/begin/startable';
import { retryBatch } from './batch';
import { dossierBatchKind } from './kind';

interface ListFlags {
  status?: DossierState;
  json?: true;
}

/** `diligence dossier list`. */
export function dossierListCommand(): Command {
  return new Command('list')
    .description('List the dossiers that the service holds, and what their attempts cost.')
    .option('--status <status>', dossierStates.join(', '), oneOf(dossierStates))
    .option('--json', 'one JSON document on standard output')
    .action(async ({ json, status }: ListFlags) => {
      const view = {
        name: 'dossiers',
        noun: [
          ['dossier', 'dossiers'],
          ['dossiê', 'dossiês'],
        ] as const,
        billing: ({ attempt }: Dossier) => attempt?.billing ?? null,
        view: viewOf,
        line: (_: unknown, dossier: Dossier, reader: Reader) => dossierLine(dossier, reader),
      };
      await printServiceList(dossiersListed(status), view, json === true);
    });
}

/** @returns how many entries could not be read */
export function eachDossier(
  status: DossierState | undefined,
  each: (dossier: Dossier) => void,
): Promise<number> {
  return eachListed(dossiersListed(status), each);
}

function dossiersListed(status: DossierState | undefined): ServiceList<Dossier> {
  const filter = { ...(status !== undefined && { status }), pageSize: 100 };
  return {
    pathTemplate: '/dossies',
    api: (service, { dossierNames }, timeoutMs) => {
      const api = new DossiersApi(service, dossierNames, timeoutMs);
      return (cursor) => api.list({ ...filter, ...(cursor !== null && { cursor }) }, 'interactive');
    },
    id: ({ dossierId }) => dossierId,
    isWanted: ({ state }) => status === undefined || state === status,
  };
}

function viewOf(dossier: Dossier) {
  const { attempt, coverage, createdAt, failure, kind, mode, risk, stale, updatedAt } = dossier;
  return {
    id: dossier.dossierId,
    status: dossier.statusWord,
    subjectType: dossier.subjectType,
    mode,
    kind,
    attempt: attempt?.number ?? null,
    billing: attempt?.billing ?? null,
    coverage: coverage && { completed: coverage.completed, eligible: coverage.eligible },
    risk: risk && { status: risk.status, level: risk.level, score: risk.score },
    failure: failure && { code: failure.code, retryable: failure.retryable },
    stale,
    createdAt,
    updatedAt,
  };
}

export function dossierLine(dossier: Dossier, { language, say }: Reader): string {
  const { attempt, dossierId, kind, mode, statusWord, updatedAt } = dossier;
  const { amount, status, unit } = attempt?.billing ?? { amount: null, status: null, unit: null };
  const charged =
    status === null
      ? say('billing not told', 'cobrança não informada')
      : stateWord(status, language);
  const cost = `${charged} ${amount ?? ''} ${unit ?? ''}`.trimEnd();
  const number = `${say('attempt', 'tentativa')} ${attempt?.number ?? '?'}`;
  const what = `${kind ?? '-'} ${mode ?? '-'}`;
  const state = statusWord === null ? '-' : stateWord(statusWord, language);
  return [dossierId, state.padEnd(12), number, what, cost, updatedAt ?? ''].join('  ');
}

const { deadline, label } = startTerms('7d');

const retryRequest = z.strictObject({
  since: z.string().optional().meta({
    value: 'when',
    description: 'changed since: a date (UTC), an instant, or a time ago (7d)',
  }),
  limit: z.int().min(1).max(10_000).default(20).describe('dossiers at most'),
  maxAttempts: z
    .int()
    .min(2)
    .max(20)
    .optional()
    .describe('leave those whose attempt has this number (default: one more of each)'),
  onReview: z.enum(reviewPolicies).default('leave').meta({
    value: 'policy',
    description: 'a dossier that needs a review then: leave it, wait, accept it, or fail',
  }),
  concurrency: inputTerms('', 10).concurrency,
  deadline,
  label,
});

/** `diligence dossier retry-failed`. */
export function retryFailedCommand(): Command {
  const command = new Command('retry-failed').description(
    'Try failed dossiers of the list again: each new attempt may be charged.',
  );
  const many = startableBatch(dossierBatchKind, retryRequest, (ctx, request) => {
    const { label: own = null, limit, maxAttempts = null, onReview } = request;
    const since = request.since === undefined ? null : sinceOf(request.since);
    const terms = { since: since?.at ?? null, limit, maxAttempts };
    // A relative time is another instant on every call.
    const words = [since?.words ?? null, limit, maxAttempts, onReview];
    return retryBatch(ctx, { label: own, onReview, words }, () => planRetries(terms));
  });
  return withStart(command, { many });
}

/** Reads the list once, and sends nothing. */
async function planRetries(terms: RetryPlanTerms): Promise<RetryPlan> {
  const planner = new RetryPlanner(terms);
  const unreadable = await eachDossier('failed', (one) => planner.consider(one));
  for (let left = unreadable; left > 0; left -= 1) planner.consider(null);
  return planner.plan;
}
