import { ContractError } from '../../apis/http/errors';
import { walkPages } from '../../apis/investigation/pages';
import { DossierBatchRepository } from '../../store/dossiers/dossier-batches';
import { dossierBatchEntry } from '../../domain/dossiers/audit';
import type { Dossier } from '../../domain/dossiers/dossier';
import type { DossierBatchOutcome, DossierBatchRef } from '../../domain/dossiers/retry-batch';
import { RetryPlanner, type ListAtFault, type RetryPlan } from '../../domain/dossiers/retry-plan';
import { endlessWords } from '../../domain/core/list-walk';
import type { PollRequest, Polled } from '../../domain/core/poll-request';
import type { DossierDependencies } from '../dependencies';
import { storeIncomplete } from '../core/failures';
import { withRetries } from '../core/with-retries';
import { createPolling, type Reading } from '../core/poll-until-settled';

const listCall = { method: 'GET', pathTemplate: '/dossies' } as const;

/** Failed dossiers that are tried again together: what is planned, filed, and told of them. */
export function createDossierBatchActivities(deps: DossierDependencies) {
  const { store, dossiers, now, random } = deps;
  const file = new DossierBatchRepository(store);
  const pollUntilSettled = createPolling(deps);

  async function asked({ folder }: DossierBatchRef) {
    const record = await file.record(folder);
    if (record === null) throw storeIncomplete(folder);
    return record;
  }

  /** Walks the list once; what it finds first stands, and is put on file before anything is sent. */
  async function planRetries(
    input: PollRequest & { ref: DossierBatchRef },
  ): Promise<Polled<RetryPlan | ListAtFault>> {
    const { ref } = input;
    const filed = await file.plan(ref.folder);
    if (filed !== null) return { kind: 'settled', value: filed };
    const { terms } = await asked(ref);
    return pollUntilSettled(
      async (signal): Promise<Reading<RetryPlan | ListAtFault>> => {
        const planner = new RetryPlanner(terms);
        const pages = walkPages<Dossier>(listCall, (cursor) =>
          withRetries(
            () =>
              dossiers.list(
                { status: 'failed', pageSize: 100, ...(cursor !== null && { cursor }) },
                'poll',
                signal,
              ),
            { random, signal },
          ),
        );
        try {
          for await (const { items } of pages) {
            for (const one of items) planner.consider(one.kind === 'item' ? one.item : null);
          }
        } catch (error) {
          const fault = faultOfWalk(error);
          if (fault === null) throw error;
          return { kind: 'settled', value: { fault } };
        }
        return { kind: 'settled', value: await file.putPlan(ref.folder, planner.plan) };
      },
      { ...input, what: 'the list of dossiers' },
    );
  }

  async function concludeRetries(input: {
    ref: DossierBatchRef;
    outcome: Omit<DossierBatchOutcome, 'workId' | 'settledAt'>;
  }): Promise<DossierBatchOutcome> {
    const { outcome, ref } = input;
    const settledAt = new Date(now()).toISOString();
    const end = { ...outcome, workId: ref.workId, settledAt };
    const record = await file.record(ref.folder);
    if (record === null) throw storeIncomplete('the job that has ended');
    const entries = [dossierBatchEntry(end, record.createdBy)];
    return file.putOutcome(ref.folder, end, entries);
  }

  return { planRetries, concludeRetries };
}

const words = new Map<string, string>([
  ...Object.entries(endlessWords),
  ['no_cursor', 'the list says that there is more, and not where'],
]);

/** Null: it may pass. */
function faultOfWalk(error: unknown): ListAtFault['fault'] | null {
  const code = error instanceof ContractError ? (error.issues[0]?.code ?? '') : '';
  const message = words.get(code);
  return message === undefined ? null : { code, message };
}
