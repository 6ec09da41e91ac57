import { walkPages } from '../apis/investigation/pages';
import { DossierBatchFile } from '../archive/dossier-batches';
import { dossierBatchEntry } from '../domain/dossiers/audit';
import type { Dossier } from '../domain/dossiers/dossier';
import type { DossierBatchOutcome, DossierBatchRef } from '../domain/dossiers/retry-batch';
import { RetryPlanner, type RetryPlan } from '../domain/dossiers/retry-plan';
import type { WaitOrder, Waited } from '../domain/settled-wait';
import type { DossierDependencies } from './dossiers';
import { archiveIncomplete } from './failures';
import { patiently } from './monitor-calls';
import { SettledWait } from './settled-wait';

const listCall = { method: 'GET', pathTemplate: '/dossies' } as const;

/** Failed dossiers that are tried again together: what is planned, filed, and told of them. */
export function createDossierBatchActivities(deps: DossierDependencies) {
  const { archive, audit, dossiers, now, random } = deps;
  const file = new DossierBatchFile(archive);
  const wait = new SettledWait(deps);

  async function asked({ folder }: DossierBatchRef) {
    const record = await file.record(folder);
    if (record === null) throw archiveIncomplete(`${folder}/asked.json`);
    return record;
  }

  /** Walks the list once; what it finds first stands, and is put on file before anything is sent. */
  async function planRetries(
    input: WaitOrder & { ref: DossierBatchRef },
  ): Promise<Waited<RetryPlan>> {
    const { ref } = input;
    const filed = await file.plan(ref.folder);
    if (filed !== null) return { kind: 'settled', value: filed };
    const { terms } = await asked(ref);
    return wait.until(
      async (signal) => {
        const planner = new RetryPlanner(terms);
        const pages = walkPages<Dossier>(listCall, (cursor) =>
          patiently(
            () =>
              dossiers.list(
                { status: 'failed', pageSize: 100, ...(cursor !== null && { cursor }) },
                'poll',
                signal,
              ),
            { random, signal },
          ),
        );
        for await (const { items } of pages) {
          for (const one of items) planner.consider(one.kind === 'item' ? one.item : null);
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
    const filed = await file.putOutcome(ref.folder, { ...outcome, workId: ref.workId, settledAt });
    const record = await file.record(ref.folder);
    await audit.append([dossierBatchEntry(filed, record?.createdBy ?? 'unknown')]);
    return filed;
  }

  return { planRetries, concludeRetries };
}
