import { Command } from 'commander';
import type { Words } from '../domain/job';
import { kindWord } from '../report/words';
import { withLanguage } from './cli/flags';
import { costWords } from './cli/print-job';
import { tableLines } from './cli/table';
import { oneOf, printAs, printNote, sinceOf } from './cli/terminal';
import { openContext } from './jobs/context';
import { spendingGroups, spendingSince, summed, type SpendingGroup } from './jobs/spending';
import { kindOf } from './kinds';

interface CostFlags {
  since?: { at: number };
  by: SpendingGroup;
  json?: true;
}

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

const groupWords: Record<SpendingGroup, Words> = {
  kind: ['kind', 'espécie'],
  label: ['label', 'rótulo'],
  actor: ['actor', 'autor'],
  month: ['month', 'mês'],
};

async function showCost({ since, by, json }: CostFlags): Promise<void> {
  const ctx = await openContext(printNote);
  const groups = await spendingSince(ctx, since?.at ?? 0, by, (job) => {
    return kindOf(job.kind).charges?.(job) ?? [];
  });
  const { group: _, ...total } = summed(groups);
  const { reader } = ctx;
  const { language, say } = reader;
  const heads = [
    say(...groupWords[by]),
    say('requested', 'solicitados'),
    say('refused', 'recusados'),
    say('unknown', 'desconhecidos'),
    say('twice?', 'em dobro?'),
    say('reused', 'reaproveitados'),
    say('billed', 'cobrança'),
  ];
  const rows = [...groups, { ...total, group: say('total', 'total') }].map((one) => [
    (by === 'kind' ? kindWord(one.group, language) : one.group) || '-',
    ...[one.requested, one.refused, one.unknown, one.possibleDoubleCharges, one.reused].map(String),
    one.billing.map((billed) => costWords(billed, reader)).join(', ') || '-',
  ]);
  const from = since === undefined ? null : new Date(since.at).toISOString();
  printAs(json, { since: from, by, groups, total }, [
    ...tableLines(heads, rows),
    say(
      'twice?: sent although an earlier request for the same may have been accepted',
      'em dobro?: enviado embora um pedido anterior do mesmo possa ter sido aceito',
    ),
    say(
      'reused: results that were there already, and were not requested again',
      'reaproveitados: resultados que já existiam, e não foram pedidos de novo',
    ),
  ]);
}
