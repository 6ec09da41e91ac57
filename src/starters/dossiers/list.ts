import { Command } from 'commander';
import { z } from 'zod';
import { DossiersApi } from '../../apis/investigation/dossiers';
import { dossierStates, type Dossier } from '../../domain/dossiers/dossier';
import { reviewPolicies } from '../../domain/dossiers/follow';
import { RetryPlanner, type PlannedRetry } from '../../domain/dossiers/retry-plan';
import { eachListed, listCommand, type ServiceList } from '../cli/service-list';
import { withStart } from '../cli/start-flags';
import { sinceOf } from '../cli/terminal';
import { listedRows } from '../jobs/batches/listed-rows';
import { inputTerms, startTerms } from '../jobs/begin/request';
import { startableBatch } from '../jobs/begin/startable';
import { dossierBatchKind } from './kind';
import { dossierRows } from './request';

const list: ServiceList<Dossier> = {
  name: 'dossiers',
  noun: [
    ['dossier', 'dossiers'],
    ['dossiê', 'dossiês'],
  ],
  pathTemplate: '/dossies',
  api: (service, { dossierNames }, timeoutMs) => new DossiersApi(service, dossierNames, timeoutMs),
  filters: { status: { words: dossierStates, of: ({ state }) => state } },
  id: ({ dossierId }) => dossierId,
  view: (dossier) => {
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
  },
  columns: ['id', 'status', 'attempt', 'kind', 'mode', 'billing', 'updatedAt'],
};

export function dossierListCommand(): Command {
  return listCommand(
    list,
    'List the dossiers that the service holds, and what their attempts cost.',
  );
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

/** `diligence dossier retry-failed`: an open batch of the same request is resumed, whatever failed since. */
export function retryFailedCommand(): Command {
  const command = new Command('retry-failed').description(
    'Try failed dossiers of the list again: each new attempt may be charged.',
  );
  const many = startableBatch(dossierBatchKind, retryRequest, (ctx, request) => {
    const { limit, maxAttempts = null, onReview } = request;
    const since = request.since === undefined ? null : sinceOf(request.since);
    const planned = new Map<string, PlannedRetry>();
    const boundOf = (dossierId: string) => {
      return { maxAttempts: (planned.get(dossierId)?.from ?? 1) + 1, onReview };
    };
    return {
      ...dossierRows(ctx, boundOf, { atOnce: true }),
      label: request.label ?? null,
      rerun: true,
      // A relative time is another instant on every call.
      terms: ['retry-failed', since?.words ?? null, limit, maxAttempts, onReview],
      inputName: 'failed dossiers',
      inputPath: null,
      isListed: true,
      rows: () => {
        const planner = new RetryPlanner({ since: since?.at ?? null, limit, maxAttempts });
        const rows = listedRows('dossier', async () => {
          const unreadable = await eachListed(list, { status: 'failed' }, (one) =>
            planner.consider(one),
          );
          for (let left = unreadable; left > 0; left -= 1) planner.consider(null);
          return planner.plan.dossiers.map((one) => {
            planned.set(one.dossierId, one);
            return { document: one.dossierId, key: one.dossierId };
          });
        });
        return { ...rows, left: planner.plan.left };
      },
      foresight: () => ({
        add: async () => undefined,
        lines: () =>
          [...planned.values()].map((one) => `  ${one.dossierId}  attempt ${one.from + 1}`),
      }),
    };
  });
  return withStart(command, { many });
}
