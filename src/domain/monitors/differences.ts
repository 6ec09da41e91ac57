import { fieldsOf, flatRow, isFields, type Cell, type FlatRow } from '../core/findings';

export interface Difference {
  field: string;
  before: Cell | undefined;
  after: Cell | undefined;
}

export function differencesIn(change: unknown): Difference[] {
  const { after, before } = fieldsOf(change);
  const [was, is] = [cellsOf(before), cellsOf(after)];
  return [...new Set([...Object.keys(was), ...Object.keys(is)])]
    .map((field) => ({ field, before: was[field], after: is[field] }))
    .filter((one) => one.before !== one.after);
}

function cellsOf(reported: unknown): FlatRow {
  if (reported === null || reported === undefined) return {};
  return isFields(reported) ? flatRow(reported) : { valor: JSON.stringify(reported) };
}
