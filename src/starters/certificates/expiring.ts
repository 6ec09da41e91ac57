import { createHash } from 'node:crypto';
import { ScheduleOverlapPolicy } from '@temporalio/client';
import { Command, Option } from 'commander';
import {
  expiringOf,
  renewalRows,
  renewalScheduleId,
  type ExpiringCertificate,
} from '../../domain/certificates/validity';
import { maskDocument } from '../../domain/core/documents/documents';
import { queueName } from '../../domain/core/queues';
import { heldCertificates } from '../../store/certificates/held';
import { deleteSchedule, putSchedule } from '../../temporal/schedules';
import { withSheets, withStart, type OutputFlags, type StartFlags } from '../cli/flags';
import { start } from '../cli/start-command';
import { durationMs, exitCodes, print, printJson, printNote, wholeNumber } from '../cli/terminal';
import { inLanguage, openContext, withEngine, type CommandContext } from '../jobs/context';
import type { Reader } from '../../report/reader';
import { printable } from '../jobs/text';
import { planBatchStart } from './request';
import { certificateBatchKind } from './kind';
import type { PlannedBatch } from './input';

interface WithinFlags {
  within: number;
  json?: true;
}

interface RenewFlags extends StartFlags, Pick<OutputFlags, 'lang'> {
  within: number;
  maxAge: number;
  concurrency: number;
  schedule?: number;
  unschedule?: true;
}

/** `expiring`, `renew`: certificates whose legal validity ends soon. */
export function validityCommands(): Command[] {
  return [
    withTerm(new Command('expiring'))
      .description('Certificates that run out, or have run out, the first to do so first.')
      .option('--json', 'one JSON document on standard output')
      .action(async ({ within, json }: WithinFlags) => {
        const ctx = await openContext(printNote);
        const found = await expiring(ctx, within);
        if (json === true) printJson({ certificates: found });
        else if (found.length === 0) printNote(noneWords(ctx.reader));
        else for (const one of found) print(printable(lineOf(one, ctx.reader)));
      }),
    withSheets(withStart(withTerm(new Command('renew')), { deadline: '24h', maxAge: '0s' }))
      .description('Issue again what `expiring` lists: each is a certificate that may be charged.')
      .option('--concurrency <n>', 'certificates in flight at once', wholeNumber(1, 10_000), 100)
      .addOption(
        new Option('--schedule <duration>', 'so often, day and night').argParser(durationMs),
      )
      .option('--unschedule', 'end that; a renewal under way runs to its end')
      .action(async (flags: RenewFlags, command: Command) => {
        if (flags.schedule !== undefined || flags.unschedule === true) {
          await schedule(flags);
          return;
        }
        const opened = await openContext(printNote, flags.by);
        const ctx = flags.lang === undefined ? opened : inLanguage(opened, flags.lang);
        const { count, say } = ctx.reader;
        const plan = planOf(await expiring(ctx, flags.within));
        if (plan.counts.items === 0) {
          printNote(`${noneWords(ctx.reader)}: ${say('nothing to renew', 'nada a renovar')}`);
          process.exitCode = exitCodes.done;
          return;
        }
        const found = count(
          plan.counts.items,
          ['certificate', 'certificates'],
          ['certidão', 'certidões'],
        );
        printNote(`${found} ${say('to renew', 'a renovar')}`);
        await start(command, certificateBatchKind, (own) =>
          planBatchStart(own, { ...flags, onUnknown: 'report' }, plan),
        );
      }),
  ];
}

function withTerm(command: Command): Command {
  return command.addOption(
    new Option('--within <duration>', 'that have at most so long to go')
      .argParser(durationMs)
      .default(15 * dayMs, '15d'),
  );
}

const dayMs = 86_400_000;

async function schedule(flags: RenewFlags): Promise<void> {
  const { concurrency, deadline, label = null, schedule: every, within } = flags;
  const ctx = await openContext(printNote, flags.by);
  const { audit, environment, queueSuffix } = ctx;
  const by = environment.actor;
  await withEngine(ctx, async ({ client }) => {
    const happenedAt = new Date().toISOString();
    const result = every === undefined ? 'unschedule' : 'schedule';
    const details = { everyMs: every ?? null, withinMs: within };
    const id = `decision/${renewalScheduleId}/${result}/${happenedAt}`;
    await audit.append([
      { kind: 'decision', id, result, by, happenedAt, job: renewalScheduleId, details },
    ]);
    if (every === undefined) {
      const wasThere = await deleteSchedule(client, renewalScheduleId);
      print(wasThere ? 'renewals are scheduled no more' : 'no renewals were scheduled');
      return;
    }
    const created = await putSchedule(client, {
      scheduleId: renewalScheduleId,
      spec: { intervals: [{ every }] },
      action: {
        type: 'startWorkflow',
        workflowType: 'renewCertificates',
        workflowId: renewalScheduleId,
        taskQueue: queueName('workflows', queueSuffix),
        args: [{ by, concurrency, deadlineMs: deadline, label, queueSuffix, withinMs: within }],
      },
      policies: {
        overlap: ScheduleOverlapPolicy.SKIP,
        catchupWindow: every,
        pauseOnFailure: false,
      },
    });
    if (created)
      await client.schedule.getHandle(renewalScheduleId).trigger(ScheduleOverlapPolicy.SKIP);
    print(`renewals: ${created ? 'created; the first starts now' : 'changed'}`);
  });
}

async function expiring(
  { store }: CommandContext,
  withinMs: number,
): Promise<ExpiringCertificate[]> {
  return expiringOf(await heldCertificates(store), withinMs, Date.now());
}

function noneWords({ say }: Reader): string {
  return say('none runs out in that time', 'nenhuma vence nesse prazo');
}

function lineOf(one: ExpiringCertificate, reader: Reader): string {
  const { daysLeft, document, job, line, reference, rule, type } = one;
  const { formats, say } = reader;
  const days = reader.count(Math.abs(daysLeft), ['day', 'days'], ['dia', 'dias']);
  const left =
    daysLeft < 0
      ? say(`ran out ${days} ago`, `venceu há ${days}`)
      : say(`${days} left`, `vence em ${days}`);
  const validUntil = say(one.validUntil, formats.day(one.validUntil));
  const whose = `${maskDocument(document)}${reference === '' ? '' : ` (${reference})`}`;
  return `${validUntil}  ${left.padEnd(20)}  ${type}  ${whose}  ${rule}  ${job} ${say('line', 'linha')} ${line}`;
}

/** The same expiring certificates give the same batch. */
function planOf(found: readonly ExpiringCertificate[]): PlannedBatch {
  const rows = renewalRows(found);
  const items = rows.length;
  return {
    rows: () => rows,
    problems: [],
    counts: { lines: items, blank: 0, items, duplicates: 0, invalid: 0, unsupported: 0 },
    manifest: `renewal\n${createHash('sha256').update(JSON.stringify(rows)).digest('hex')}`,
    file: null,
    type: null,
  };
}
