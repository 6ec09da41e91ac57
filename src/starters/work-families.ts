import type { BatchKind } from './jobs/batch-kind';
import type { WorkFamily } from './cli/work-family';

function batches(kind: BatchKind): WorkFamily {
  const { batchFamily } = require('./cli/batch') as typeof import('./cli/batch');
  return batchFamily(kind);
}

/** What is shown by code of its own yet: batches of jobs, and sweeps of monitors. */
const families: readonly [RegExp, () => WorkFamily][] = [
  [
    /^dossier-batch\//,
    () =>
      batches((require('./dossiers/batch') as typeof import('./dossiers/batch')).dossierBatches),
  ],
  [
    /^trace-batch\//,
    () => batches((require('./traces/batch') as typeof import('./traces/batch')).traceBatches),
  ],
  [
    /^profile-batch\//,
    () =>
      batches((require('./profiles/batch') as typeof import('./profiles/batch')).profileBatches),
  ],
  [
    /^credit-batch\//,
    () => batches((require('./credit/batch') as typeof import('./credit/batch')).analysisBatches),
  ],
  [
    /^(monitor-|[\da-f]{8}-)/i,
    () => (require('./monitors/works') as typeof import('./monitors/works')).monitorWorks,
  ],
];

export function familyOf(id: string): WorkFamily | undefined {
  const found = families.find(([ids]) => ids.test(id));
  const family = found?.[1]();
  return family?.owns(id) === true ? family : undefined;
}
