import { rowStatuses, type RowStatus, type StatusCounts } from '../certificates/certificates';

/**
 * What operators look for work by in the engine. Search attributes are in the clear there: no document,
 * no name, no reason of a person. A namespace on SQL has room for ten Keyword in all.
 */
export const searchAttributes = {
  /** What kind of workflow it is. */
  DiligenceKind: 'KEYWORD',
  /** How it ended: a row status, or that of an analysis. Absent until then. */
  DiligenceOutcome: 'KEYWORD',
  /** Id of the batch or single issuance that it belongs to. */
  DiligenceBatch: 'KEYWORD',
  /** The service that it drives. */
  DiligenceService: 'KEYWORD',
  /** It waits for a person, or ended with something that a person must decide. */
  DiligenceNeedsAttention: 'BOOL',
} as const;

export type SearchAttributeName = keyof typeof searchAttributes;

export const searchAttributeNames = Object.keys(searchAttributes) as SearchAttributeName[];

export type WorkflowKind =
  | 'certificate-batch'
  | 'certificate'
  | 'certificate-decision'
  | 'certificate-lane'
  | 'credit-analysis'
  | 'credit-batch'
  | 'credit-engine'
  | 'dossier'
  | 'dossier-batch'
  | 'lens'
  | 'monitor-sweep'
  | 'monitor-watch'
  | 'profile'
  | 'profile-batch'
  | 'trace'
  | 'trace-batch';

/** How much a row of a status needs a person; above `cancelled` something is left to decide. */
const gravity: Record<RowStatus, number> = {
  issued: 0,
  duplicate: 0,
  erased: 0,
  cancelled: 1,
  unsupported: 2,
  invalid: 3,
  expired: 4,
  failed: 5,
  unknown_outcome: 6,
};

/** One word for how a work ended: the status of the row that needs a person most. */
export function gravestStatus(counts: StatusCounts): RowStatus {
  const [gravest] = rowStatuses
    .filter((status) => counts[status] > 0)
    .sort((a, b) => gravity[b] - gravity[a]);
  return gravest ?? 'issued';
}

/** Some row is left to decide about. */
export function needsAPerson(counts: StatusCounts): boolean {
  return gravity[gravestStatus(counts)] > gravity.cancelled;
}
