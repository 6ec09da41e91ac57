import { Command } from 'commander';
import { costWords } from './cli/closing';
import { oneOf, print, printJson, sinceOf, tell } from './cli/terminal';
import { tableLines } from './cli/table';
import { kindOf } from './kind-of';
import { openContext } from './jobs/context';
import { spendingGroups, spendingSince, summed, type Spending } from './jobs/spending';

interface CostFlags {
  since?: { at: number; words: string };
  by: (typeof spendingGroups)[number];
  json?: true;
}

/** `cost`: what was requested and what it cost, from the store. */
export function costCommand(): Command {
  return new Command('cost')
    .description(
      'Show what was requested, what it cost as the services report, and what was reused.',
    )
    .option('--since <when>', 'since a date, an instant, or a time ago like 30d', sinceOf)
    .option('--by <what>', `one of ${spendingGroups.join(', ')}`, oneOf(spendingGroups), 'kind')
    .option('--json', 'one JSON document on standard output')
    .action(showCost);
}

async function showCost({ since, by, json }: CostFlags): Promise<void> {
  const ctx = await openContext(tell);
  const groups = await spendingSince(ctx, since?.at ?? 0, by, (job) => {
    return kindOf(job.kind).charges?.(job) ?? [];
  });
  const total = summed(groups);
  if (json === true) {
    const from = since === undefined ? null : new Date(since.at).toISOString();
    const { group: _, ...all } = total;
    printJson({ since: from, by, groups, total: all });
    return;
  }
  if (groups.length === 0) {
    tell('nothing was requested');
    return;
  }
  const heads = [by, 'requested', 'refused', 'unknown', 'twice?', 'reused', 'billed'];
  const rows = [...groups, { ...total, group: 'total' }].flatMap(cellsOf);
  for (const line of tableLines(heads, rows)) print(line);
  if (total.possibleDoubleCharges > 0) {
    print('twice?: sent although an earlier request for the same may have been accepted');
  }
  print('reused: results of batches that were there already, and were not requested again');
}

/** A line for each word of the service. */
function cellsOf(spending: Spending): string[][] {
  const { billing, group, possibleDoubleCharges, refused, requested, reused, unknown } = spending;
  const counts = [requested, refused, unknown, possibleDoubleCharges, reused].map(String);
  const words = billing.map(costWords);
  const [first = '-', ...more] = words;
  const rest = more.map((word) => [...Array.from({ length: counts.length + 1 }, () => ''), word]);
  return [[group === '' ? '-' : group, ...counts, first], ...rest];
}
