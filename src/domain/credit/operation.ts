/** An analysis operation of the credit service, as one read of it shows it. */
export interface AnalysisOperation {
  operationId: string;
  /** That it is done is not told here: the result is there or it is not. */
  state: 'unsettled' | 'failed';
  /** The service's own word, null when it tells none. */
  statusWord: string | null;
  /** Neither our lists nor the service's document have the word: to be warned of once. */
  isUnknownWord: boolean;
  /** What the service says of its failure; null when it says nothing. */
  failure: { code: string | null; message: string | null } | null;
}

/** `issues`: blocked and alerted entities alone; `all`: the complete tree (specification: "Rules"). */
export const resultFilters = ['issues', 'all'] as const;
export type ResultFilter = (typeof resultFilters)[number];
