import { createHash } from 'node:crypto';
import { Command, Option } from 'commander';
import {
  expiringOf,
  renewalRows,
  renewalScheduleId,
  type ExpiringCertificate,
} from '../../domain/certificates/validity';
import { decisionEntry } from '../../domain/core/audit';
import { maskDocument } from '../../domain/core/documents/documents';
import { queueName } from '../../domain/core/queues';
import { heldCertificates } from '../../store/certificates/held';
import { deleteSchedule, putSchedule } from '../../temporal/schedules';
import { z } from 'zod';
import { type StartFlags } from '../cli/flags';
import { withFlags } from '../cli/start-flags';
import { duration, maxAgeTerm, startTerms } from '../jobs/begin/request';
import { readRequest, startable } from '../jobs/begin/startable';
import { start } from '../cli/start-command';
import { durationMs, print, printAs, printNote } from '../cli/terminal';
import { openContext, withEngine, type CommandContext } from '../jobs/context';
import type { Reader } from '../../report/reader';
import { printable } from '../jobs/text';
import { planBatchStart } from './request';
import { certificateBatchKind } from './kind';
import type { PlannedBatch } from './input';

const within = duration.prefault('15d').describe('that have at most so long to go');

const renewalRequest = z.strictObject({
  within,
  ...startTerms('24h'),
  ...maxAgeTerm('0s'),
  concurrency: z.int().min(1).max(10_000).default(100).describe('certificates in flight at once'),
  schedule: duration.optional().describe('so often, day and night'),
  unschedule: z.boolean().optional().describe('end that; a renewal under way runs to its end'),
});
type RenewalRequest = z.output<typeof renewalRequest>;

const renewal = startable(certificateBatchKind, renewalRequest, async (ctx, request) =>
  planBatchStart(
    ctx,
    { ...request, onUnknown: 'report' },
    planOf(await expiring(ctx, request.within)),
  ),
);

/** `expiring`, `renew`: certificates whose legal validity ends soon. */
export function validityCommands(): Command[] {
  return [
    new Command('expiring')
      .description('Certificates that run out, or have run out, the first to do so first.')
      .addOption(
        new Option('--within <duration>', within.description)
          .argParser(durationMs)
          .default(durationMs('15d'), '15d'),
      )
      .option('--json', 'one JSON document on standard output')
      .action(async (flags: { within: number; json?: true }) => {
        const ctx = await openContext(printNote);
        const found = await expiring(ctx, flags.within);
        const lines = found.map((one) => printable(lineOf(one, ctx.reader)));
        printAs(flags.json, { certificates: found }, lines);
        if (found.length === 0) printNote(noneWords(ctx.reader));
      }),
    withFlags(new Command('renew'), { many: renewal })
      .description('Issue again what `expiring` lists: each is a certificate that may be charged.')
      .action(async (_flags: object, command: Command) => {
        const flags: StartFlags = command.opts();
        const fields = Object.entries(flags).filter(([name]) => name in renewalRequest.shape);
        const request = readRequest(renewal, Object.fromEntries(fields));
        if (request.schedule !== undefined || request.unschedule === true)
          await schedule(request, flags);
        else if (await isAnyExpiring(request, flags))
          await start(command, certificateBatchKind, (own) => renewal.plan(own, request), request);
      }),
  ];
}

async function isAnyExpiring(request: RenewalRequest, flags: StartFlags): Promise<boolean> {
  const ctx = await openContext(printNote, flags.by);
  const { count, say } = ctx.reader;
  const { length } = await expiring(ctx, request.within);
  const found = count(length, ['certificate', 'certificates'], ['certidão', 'certidões']);
  printNote(
    length === 0
      ? `${noneWords(ctx.reader)}: ${say('nothing to renew', 'nada a renovar')}`
      : `${found} ${say('to renew', 'a renovar')}`,
  );
  return length > 0;
}

async function schedule(request: RenewalRequest, flags: StartFlags): Promise<void> {
  const { concurrency, deadline: deadlineMs, label = null, schedule: every } = request;
  const { within: withinMs } = request;
  const ctx = await openContext(printNote, flags.by);
  const { audit, environment, queueSuffix } = ctx;
  const by = environment.actor;
  await withEngine(ctx, async ({ client }) => {
    const result = every === undefined ? 'unschedule' : 'schedule';
    const details = { everyMs: every ?? null, withinMs };
    await audit.append([decisionEntry(result, { jobId: renewalScheduleId, by }, details)]);
    if (every === undefined) {
      const wasThere = await deleteSchedule(client, renewalScheduleId);
      print(wasThere ? 'renewals are scheduled no more' : 'no renewals were scheduled');
      return;
    }
    const created = await putSchedule(client, {
      scheduleId: renewalScheduleId,
      workflowType: 'renewCertificates',
      input: { by, concurrency, deadlineMs, label, queueSuffix, withinMs },
      taskQueue: queueName('workflows', queueSuffix),
      every,
      catchupWindow: every,
      atOnce: true,
    });
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
