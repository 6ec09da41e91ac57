import { SubsetCheck, TreeCheck } from '../../../src/domain/credit/tree-check';
import type { Analysis, AnalysedReceivable } from '../../../src/domain/credit/analysis';

const receivable = (id: string, status: string): AnalysedReceivable => ({
  id,
  number: id,
  value: 10,
  dueOn: null,
  invoiceKey: null,
  status,
  issues: [],
});
const summary = { receivables: 2, approved: 1, blocked: 1, approvedValue: 10, blockedValue: 10 };

test('statuses in capitals are the same words', () => {
  const all = new TreeCheck();
  all.receivable(receivable('1', 'APPROVED'));
  all.receivable(receivable('2', 'Blocked'));
  const told = Object.fromEntries(
    ['alerted', 'totalValue', 'alertedValue', 'payers'].map((name) => [name, null]),
  );
  const analysis = { summary: { ...told, ...summary } } as unknown as Analysis;
  expect(all.contradictions(analysis)).toEqual([]);
  const issues = new SubsetCheck(all);
  issues.receivable(receivable('2', 'BLOCKED'));
  expect(issues.contradictions()).toEqual([]);
  issues.receivable(receivable('1', 'blocked'));
  expect(issues.contradictions()).toEqual([expect.stringContaining('titulo 1 is blocked')]);
});
