/** An analysis operation of the credit service, as one read of it shows it. */
export interface AnalysisOperation {
  operationId: string;
  /** Never `completed`: only the presence of the result shows that. */
  state: 'unsettled' | 'failed';
  statusWord: string | null;
  /** Neither our lists nor the specification have the word: logged once as a warning. */
  isUnknownWord: boolean;
  failure: { code: string | null; message: string | null } | null;
}

/** `issues`: only blocked and alerted entities; `all`: the complete tree (specification: "Rules"). */
export const resultFilters = ['issues', 'all'] as const;
export type ResultFilter = (typeof resultFilters)[number];
