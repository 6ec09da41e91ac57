import { createHash } from 'node:crypto';
import { Command } from 'commander';
import {
  expiringOf,
  renewalRows,
  type ExpiringCertificate,
} from '../../domain/certificates/validity';
import { maskDocument } from '../../domain/core/documents';
import { heldCertificates } from '../../store/certificates/held';
import { withSheets, withStart, type StartFlags } from '../cli/flags';
import { start } from '../cli/start-command';
import { durationMs, exitCodes, print, printJson, tell, wholeNumber } from '../cli/terminal';
import { openContext, type CommandContext } from '../jobs/context';
import { counted, printable } from '../jobs/text';
import { prepareBatch } from './commands';
import { certificateBatchKind } from './kind';
import type { PlannedBatch } from './work';

interface WithinFlags {
  within: number;
  json?: true;
}

interface RenewFlags extends StartFlags {
  within: number;
  maxAge: number;
  concurrency: number;
}

/** `expiring`, `renew`: certificates whose term in law runs out. */
export function validityCommands(): Command[] {
  return [
    withTerm(new Command('expiring'))
      .description('Certificates that run out, or have run out, the first to do so first.')
      .option('--json', 'one JSON document on standard output')
      .action(async ({ within, json }: WithinFlags) => {
        const found = await expiring(await openContext(tell), within);
        if (json === true) printJson({ certificates: found });
        else if (found.length === 0) tell('none runs out in that time');
        else for (const one of found) print(printable(lineOf(one)));
      }),
    withSheets(withStart(withTerm(new Command('renew')), { deadline: '24h', maxAge: '0s' }))
      .description('Issue again what `expiring` lists: each is a certificate that may be charged.')
      .option('--concurrency <n>', 'certificates in flight at once', wholeNumber(1, 10_000), 100)
      .action(async (flags: RenewFlags, command: Command) => {
        const ctx = await openContext(tell, flags.by);
        const plan = planOf(await expiring(ctx, flags.within));
        if (plan.counts.items === 0) {
          tell('none runs out in that time: nothing to renew');
          process.exitCode = exitCodes.done;
          return;
        }
        tell(`${counted(plan.counts.items, 'certificate')} to renew`);
        await start(command, certificateBatchKind, (own) =>
          prepareBatch(own, { ...flags, onUnknown: 'report' }, plan),
        );
      }),
  ];
}

function withTerm(command: Command): Command {
  return command.option(
    '--within <duration>',
    'that have at most so long to go',
    durationMs,
    15 * dayMs,
  );
}

const dayMs = 86_400_000;

async function expiring(
  { store }: CommandContext,
  withinMs: number,
): Promise<ExpiringCertificate[]> {
  return expiringOf(await heldCertificates(store), withinMs, Date.now());
}

function lineOf({
  daysLeft: days,
  document,
  job,
  line,
  reference,
  rule,
  type,
  validUntil,
}: ExpiringCertificate): string {
  const left = days < 0 ? `ran out ${counted(-days, 'day')} ago` : `${counted(days, 'day')} left`;
  const whose = `${maskDocument(document)}${reference === '' ? '' : ` (${reference})`}`;
  return `${validUntil}  ${left.padEnd(20)}  ${type}  ${whose}  ${rule}  ${job} line ${line}`;
}

/** The same certificates that run out are the same renewal. */
function planOf(found: readonly ExpiringCertificate[]): PlannedBatch {
  const rows = renewalRows(found);
  const items = rows.length;
  return {
    rows: () => rows,
    counts: { lines: items, blank: 0, items, duplicates: 0, invalid: 0, unsupported: 0 },
    manifest: `renewal\n${createHash('sha256').update(JSON.stringify(rows)).digest('hex')}`,
    file: null,
    type: null,
  };
}
