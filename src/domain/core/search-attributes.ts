import type { JobKind } from '../job';

/**
 * Search attributes by which operators find workflows in Temporal. They are in the clear: no document, no name, no
 * reason of a person. A namespace on SQL has room for ten Keyword attributes.
 */
export const searchAttributes = {
  DiligenceKind: 'KEYWORD',
  /** Its outcome: status of a row or an analysis. Absent before. */
  DiligenceOutcome: 'KEYWORD',
  DiligenceBatch: 'KEYWORD',
  /** The service that it calls. */
  DiligenceService: 'KEYWORD',
  /** It waits for a person, or ended with something to resolve. */
  DiligenceNeedsAttention: 'BOOL',
} as const;

export type SearchAttributeName = keyof typeof searchAttributes;

export const searchAttributeNames = Object.keys(searchAttributes) as SearchAttributeName[];

export type WorkflowKind =
  Exclude<JobKind, 'decision'> | 'certificate-decision' | 'certificate-lane';
