import {
  ScheduleNotFoundError,
  type ScheduleDescription,
  type ScheduleHandle,
} from '@temporalio/client';
import { Command, InvalidArgumentError, Option } from 'commander';
import { decisionEntry } from '../../domain/core/audit';
import { listNamePattern, scheduleIdOf } from '../../domain/monitors/scan';
import type { Words } from '../../domain/job';
import { queueName } from '../../domain/core/queues';
import { MonitorListRepository } from '../../store/monitors/lists';
import { putSchedule } from '../../temporal/schedules';
import { refuseMissingSearchAttributes } from '../../temporal/search-attributes';
import type { MonitorScanInput } from '../../workflows/inputs';
import { attributesAtStart } from '../../workflows/core/search-attributes';
import { withActor } from '../cli/flags';
import { printAs, printNote, screenReader } from '../cli/terminal';
import { openContext, warnWithoutPollers, withEngine } from '../jobs/context';
import { CommandError } from '../jobs/errors';
import { durationWithin, monitorIdsOf, monitorsOption, withTerms, type SweepFlags } from './ids';
import { monitorForms } from './outcome-lines';
import { termsOf } from './request';

interface ScheduleFlags extends SweepFlags {
  every: number;
  monitors: string;
  name: string;
  by?: string;
  json?: true;
}

export function scheduleCommand(): Command {
  return withTerms(withActor(new Command('schedule')))
    .description('Sweep monitors day and night; asked for again, the schedule is changed.')
    .addOption(
      new Option('--every <duration>', 'between two scans, like 15m')
        .argParser(durationWithin)
        .makeOptionMandatory(),
    )
    .addOption(monitorsOption())
    .addOption(
      new Option('--name <name>', 'of the schedule').argParser(listName).default('default'),
    )
    .option('--json', 'one JSON document on standard output')
    .action(async (flags: ScheduleFlags) => {
      const ids = await monitorIdsOf(flags.monitors);
      await schedule(ids, flags);
    });
}

const orders: Readonly<
  Record<string, { does: string; done: Words; give: (handle: ScheduleHandle) => Promise<unknown> }>
> = {
  unschedule: {
    does: 'End a schedule; what is stored stays.',
    done: [
      'is scheduled no more; a scan under way runs to its end',
      'não está mais agendado; uma consulta em andamento segue até o fim',
    ],
    give: (handle) => handle.delete(),
  },
  pause: {
    does: 'Start no new scan until `resume`.',
    done: [
      'is paused; a scan under way runs to its end',
      'está pausado; uma consulta em andamento segue até o fim',
    ],
    give: (handle) => handle.pause(),
  },
  resume: {
    does: 'Continue after `pause`.',
    done: ['resumes', 'foi retomado'],
    give: (handle) => handle.unpause(),
  },
};

async function schedule(ids: readonly string[], flags: ScheduleFlags): Promise<void> {
  const ctx = await openContext(printNote, flags.by);
  const { name, every } = flags;
  await withEngine(ctx, async (engine) => {
    await refuseMissingSearchAttributes(engine);
    const list = await new MonitorListRepository(ctx.store).put(name, ids);
    const { queueSuffix } = ctx;
    const by = ctx.environment.actor;
    const id = scheduleIdOf(name);
    const { monitors, edition } = list;
    await ctx.audit.append([
      decisionEntry('schedule', { jobId: id, by }, { everyMs: every, monitors, edition }),
    ]);
    const terms = termsOf(flags);
    const input = { list, by, terms, reconcileAll: false, interactive: false, queueSuffix };
    const created = await putSchedule(engine.client, {
      scheduleId: id,
      workflowType: 'monitorScan',
      input: { ...input, jobId: null, carryover: null } satisfies MonitorScanInput,
      taskQueue: queueName('workflows', queueSuffix),
      typedSearchAttributes: attributesAtStart('monitor-scan', id),
      every,
      jitter: Math.min(Math.round(every / 10), 5 * 60_000),
      catchupWindow: Math.max(10_000, 2 * every),
      atOnce: true,
    });
    await warnWithoutPollers(engine, ctx, 'monitors');
    const { count, say } = ctx.reader;
    const what = `${count(monitors, ...monitorForms)} ${say('every', 'a cada')} ${durationWords(every)}`;
    const told = created
      ? say(
          `created, ${what}; the first scan starts now`,
          `criado, ${what}; a primeira consulta começa agora`,
        )
      : `${say('now', 'agora')} ${what}`;
    printAs(flags.json, { id, created, monitors }, [`${id}: ${told}`]);
  });
}

/** Arguments with which a schedule starts its scans; null for a foreign schedule. */
export function scanInputOf({ action }: ScheduleDescription): MonitorScanInput | null {
  const [input] = (action.args ?? []) as (MonitorScanInput | undefined)[];
  return input?.list === undefined ? null : input;
}

export function scheduleOrders(): Command[] {
  return Object.entries(orders).map(([order, { does, done, give }]) => {
    return withActor(new Command(order))
      .description(does)
      .argument('[name]', 'of the schedule (default: default)', listName)
      .option('--json', 'one JSON document on standard output')
      .action(async (name = 'default', { by, json }: { by?: string; json?: true }) => {
        const ctx = await openContext(printNote, by);
        await withEngine(ctx, async ({ client }) => {
          const id = scheduleIdOf(name);
          const handle = client.schedule.getHandle(id);
          await handle.describe().catch((error: unknown) => {
            if (!(error instanceof ScheduleNotFoundError)) throw error;
            throw new CommandError([
              `there is no schedule ${name} (\`diligence monitor list\` shows them)`,
              `não há agendamento ${name} (\`diligence monitor list\` mostra todos)`,
            ]);
          });
          const who = { jobId: id, by: ctx.environment.actor };
          await ctx.audit.append([decisionEntry(order, who)]);
          await give(handle);
          printAs(json, { id, message: done[0] }, [`${id} ${ctx.reader.say(...done)}`]);
        });
      });
  });
}

function listName(text: string): string {
  if (listNamePattern.test(text) && text !== 'by-hand') return text;
  throw new InvalidArgumentError(
    screenReader().say(
      'Expected a name of small letters, digits and hyphens, at most 40, other than by-hand.',
      'Informe um nome de letras minúsculas, dígitos e hifens, de no máximo 40, que não seja by-hand.',
    ),
  );
}

export function durationWords(ms: number): string {
  const units = { d: 86_400_000, h: 3_600_000, m: 60_000 };
  const whole = Object.entries(units).find(([, size]) => ms >= size && ms % size === 0);
  return whole === undefined ? `${ms / 1_000}s` : `${ms / whole[1]}${whole[0]}`;
}
