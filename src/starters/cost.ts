import { Command } from 'commander';
import { withLanguage } from './cli/flags';
import { costWords } from './cli/print-job';
import { oneOf, print, printJson, sinceOf, printNote } from './cli/terminal';
import { tableLines } from './cli/table';
import { kindOf } from './kind-of';
import type { Reader } from '../report/reader';
import { kindWord } from '../report/words';
import { openContext } from './jobs/context';
import { spendingGroups, spendingSince, summed, type Spending } from './jobs/spending';

interface CostFlags {
  since?: { at: number; words: string };
  by: (typeof spendingGroups)[number];
  json?: true;
}

/** `cost`: requests and their cost, from the store. */
export function costCommand(): Command {
  return withLanguage(new Command('cost'))
    .description(
      'Show what was requested, what it cost as the services report, and what was reused.',
    )
    .option('--since <when>', 'since a date, an instant, or a time ago like 30d', sinceOf)
    .option('--by <what>', `one of ${spendingGroups.join(', ')}`, oneOf(spendingGroups), 'kind')
    .option('--json', 'one JSON document on standard output')
    .action(showCost);
}

async function showCost({ since, by, json }: CostFlags): Promise<void> {
  const ctx = await openContext(printNote);
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
  const { reader } = ctx;
  const { language, say } = reader;
  if (groups.length === 0) {
    printNote(say('nothing was requested', 'nada foi solicitado'));
    return;
  }
  const heads = [
    say(by, portugueseGroups[by]),
    say('requested', 'solicitados'),
    say('refused', 'recusados'),
    say('unknown', 'desconhecidos'),
    say('twice?', 'em dobro?'),
    say('reused', 'reaproveitados'),
    say('billed', 'cobrança'),
  ];
  const named = groups.map((one) => {
    return by === 'kind' ? { ...one, group: kindWord(one.group, language) } : one;
  });
  const all = { ...total, group: say('total', 'total') };
  const rows = [...named, all].flatMap((one) => cellsOf(one, reader));
  for (const line of tableLines(heads, rows)) print(line);
  if (total.possibleDoubleCharges > 0) {
    print(
      say(
        'twice?: sent although an earlier request for the same may have been accepted',
        'em dobro?: enviado embora um pedido anterior do mesmo possa ter sido aceito',
      ),
    );
  }
  print(
    say(
      'reused: results of batches that were there already, and were not requested again',
      'reaproveitados: resultados de lotes que já existiam, e não foram pedidos de novo',
    ),
  );
}

const portugueseGroups: Record<(typeof spendingGroups)[number], string> = {
  kind: 'espécie',
  label: 'rótulo',
  actor: 'autor',
  month: 'mês',
};

/** A line for each billing status of the service. */
function cellsOf(spending: Spending, reader: Reader): string[][] {
  const { billing, group, possibleDoubleCharges, refused, requested, reused, unknown } = spending;
  const counts = [requested, refused, unknown, possibleDoubleCharges, reused].map(String);
  const words = billing.map((one) => costWords(one, reader));
  const [first = '-', ...more] = words;
  const rest = more.map((word) => [...Array.from({ length: counts.length + 1 }, () => ''), word]);
  return [[group === '' ? '-' : group, ...counts, first], ...rest];
}
