import { healthNotes } from '../../domain/monitors/health';
import { noteLine } from '../../report/monitors/sweep-words';
import type { ScanOutcome, ScanRecord } from '../../domain/monitors/scan';
import { sweepWorkflowId, type SweepOutcome, type SweepRecord } from '../../domain/monitors/sweep';
import { ChangeQueries } from '../../store/monitors/change-queries';
import { scanProgressQuery, sweepProgressQuery } from '../../workflows/messages';
import type { CommandContext } from '../jobs/context';
import type { JobKind } from '../jobs/job-kind';
import { progressOfStage, queried } from '../jobs/progress';
import { firstOf } from '../jobs/text';
import { changeForms, recordsOf, requiredSinks } from './stored-changes';
import {
  monitorForms,
  mostListed,
  mostNamed,
  mostShown,
  noteLines,
  scanLines,
  scannedBetween,
  scannedBy,
  sweepLines,
  sweptBy,
  sweptLines,
} from './outcome-lines';

const pass = {
  service: 'monitors',
  heeds: [],
  orders: ['cancel', 'cancel_now'],
  claimsNothing: true,
  terms: ({ terms: { cooldownMs, severities } }: Pick<SweepRecord, 'terms'>) => ({
    cooldown: cooldownMs ?? undefined,
    severity: severities ?? undefined,
  }),
} as const;

export const sweepKind: JobKind<SweepRecord, SweepOutcome> = {
  ...pass,
  kind: 'monitor-sweep',
  noun: ['sweep of', 'varredura de'],
  workflowId: ({ monitorId }) => sweepWorkflowId(monitorId),
  describe: ({ monitorId }) => monitorId,
  readProgress: async (engine, workflowId) => {
    const progress = await queried(engine, workflowId, sweepProgressQuery);
    if (progress === null) return null;
    const { acknowledged, delivered, elsewhere, stored } = progress.counts;
    const counts = { new: stored, delivered, acknowledged, elsewhere };
    return { ...progressOfStage(progress.stage), counts, cancelling: progress.cancelling };
  },
  lines: async ({ outcome }, ctx) => [
    ...sweepLines(outcome, ctx.reader),
    ...(await storedOf(ctx, outcome.monitorId)).lines.map((line) => `  ${line}`),
    ...sweptLines(
      await sweptBy(ctx, outcome, mostShown),
      `--monitor ${outcome.monitorId} --since ${outcome.startedAt}`,
      ctx.reader,
    ),
  ],
  report: async (ctx, { outcome }) => {
    const { view: monitor } = await storedOf(ctx, outcome.monitorId);
    return { ...outcome, monitor, changes: await sweptBy(ctx, outcome, mostListed) };
  },
};

export const scanKind: JobKind<ScanRecord, ScanOutcome> = {
  ...pass,
  kind: 'monitor-scan',
  noun: ['scan of', 'consulta de'],
  workflowId: ({ workflowId }) => workflowId,
  describe: ({ list: { monitors, name } }, say) =>
    `${monitors} ${monitors === 1 ? 'monitor' : say('monitors', 'monitores')} (${name === 'by-hand' ? say(name, 'avulsa') : name})`,
  readProgress: async (engine, workflowId, { count, say }) => {
    const progress = await queried(engine, workflowId, scanProgressQuery);
    if (progress === null) return null;
    const { cancelling, counts, monitors, underWay } = progress;
    const { acknowledged, failing, probed } = counts;
    return {
      ...progressOfStage('probing'),
      total: monitors,
      counts: { probed },
      outstanding: underWay,
      cancelling,
      details: [
        `${count(acknowledged, ...changeForms)} ${say('acknowledged', 'sem pendência')}`,
        `${failing} ${say('failing', 'com falha')}`,
      ],
    };
  },
  lines: async ({ input, outcome }, ctx) => {
    const { notes, open } = await scannedBy(ctx, outcome.list, outcome.scan);
    const { count, say } = ctx.reader;
    const monitors = count(open.length, ...monitorForms);
    const had = say('had open changes', 'com alterações em aberto');
    const found = [`${monitors} ${had}`, ...noteLines(notes, ctx.reader)];
    const changes = await scannedBetween(ctx, input, outcome, mostShown);
    return [
      ...scanLines(outcome, ctx.reader),
      ...found.map((line) => `  ${line}`),
      ...sweptLines(changes, `--since ${outcome.startedAt}`, ctx.reader),
    ];
  },
  report: async (ctx, { input, outcome }) => ({
    ...outcome,
    ...(await scannedBy(ctx, outcome.list, outcome.scan)),
    changes: await scannedBetween(ctx, input, outcome, mostListed),
  }),
};

/** What the store has of a monitor, from all its sweeps. */
async function storedOf(
  ctx: CommandContext,
  monitorId: string,
): Promise<{ view: object; lines: string[] }> {
  const { environment, reader, store } = ctx;
  const records = recordsOf(ctx);
  const sinks = requiredSinks(environment);
  const changes = await new ChangeQueries(store).backlog(monitorId, mostNamed, sinks);
  const unreadable = await records.unreadable.of(monitorId);
  const health = (await records.monitors.get(monitorId))?.health ?? null;
  const { stored, open, stuck, named } = changes;
  const { count: counted, formats, say } = reader;
  const all = counted(stored, ...changeForms);
  const undelivered = say('undelivered', 'não entregue');
  const swept = say('sweeps', 'varreduras');
  const lines = [
    say(
      `in the store: ${all}, ${open} of them not acknowledged, ${stuck} undelivered`,
      `armazenado: ${all}; sem confirmação: ${open}, não entregues: ${stuck}`,
    ),
    ...firstOf(
      named.map(({ changeId, failure: { step, why, count } }) => {
        const at = say(step, step === 'deliver' ? 'entrega' : 'confirmação');
        return `${undelivered}: ${changeId}: ${at}: ${reader.stored(why)} (${swept}: ${count})`;
      }),
      mostNamed,
      reader,
      stuck,
    ),
    ...firstOf(
      unreadable.map(({ sum, why, count, at }) => {
        return say(
          `cannot be read: item ${sum} of the list: ${why} (since ${at}, sweeps: ${count})`,
          `ilegível: item ${sum} da lista: ${why} (desde ${formats.instant(at)}, varreduras: ${count})`,
        );
      }),
      mostNamed,
      reader,
    ),
    ...healthNotes(health).map((note) => noteLine(note, reader)),
  ];
  return { view: { changes, unreadable, health }, lines };
}
