import type { JobKind } from '../job';

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

/** Jobs, and what runs for them. */
export type WorkflowKind =
  Exclude<JobKind, 'decision'> | 'certificate-decision' | 'certificate-lane';
