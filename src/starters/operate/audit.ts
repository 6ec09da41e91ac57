import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { Readable, type Duplex } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Command, InvalidArgumentError } from 'commander';
import { readAudit, type StoredAuditRecord } from '../../store/audit/read';
import { anchorChain, parseHead } from '../../store/audit/anchors';
import { verifyAudit, type AuditFinding } from '../../store/audit/verify';
import { auditCells, auditColumns } from '../../sheets/write/audit-sheet';
import { csvStream } from '../../sheets/write/csv-file';
import { exitCodes, oneOf, print, printJson, printNote } from '../cli/terminal';
import { refuseUnwritableFile } from '../cli/unwritable-folder';
import { openContext, type CommandContext } from '../jobs/context';

interface ExportFlags {
  from?: number;
  to?: number;
  format: 'csv' | 'json';
  excel?: true;
  out?: string;
}

/** `diligence audit export|verify|head`: who did what, and when. */
export function auditCommand(): Command {
  const command = new Command('audit').description(
    'Read and verify the record of every request, outcome, decision and erasure.',
  );
  command
    .command('export')
    .description('Write the records out, in the order in which they were written.')
    .option('--from <date>', 'written since: a date (UTC) or an instant', startOf)
    .option('--to <date>', 'written until: a date (its last moment) or an instant', endOf)
    .option('--format <format>', 'csv or json', oneOf(['csv', 'json']), 'csv')
    .option('--excel', 'csv for a spreadsheet program in Portuguese: `;` and BOM')
    .option('--out <file>', 'where to (default: standard output)')
    .action(async (flags: ExportFlags) => {
      process.exitCode = await exportAudit(await openContext(printNote), flags);
    });
  command
    .command('verify')
    .description(
      'Name every record that was changed or removed, or written without the id key. Exit code 1 when there is one.',
    )
    .option('--head <head>', 'what `audit head` printed, or a summary holds: finds a cut end', head)
    .option('--json', 'one JSON document on standard output')
    .action(async (flags: { head?: string; json?: true }) => {
      process.exitCode = await verify(await openContext(printNote), flags);
    });
  command
    .command('head')
    .description(
      'Print the head of the trail, to be kept elsewhere: `audit verify --head` takes it.',
    )
    .action(async () => {
      print(await (await openContext(printNote)).audit.anchor());
    });
  return command;
}

async function exportAudit(
  { store, idKey }: CommandContext,
  { from, to, format, excel, out }: ExportFlags,
): Promise<number> {
  if (out !== undefined) await refuseUnwritableFile(out);
  let records = 0;
  let spoilt = 0;
  const span = {
    ...(from !== undefined && { from }),
    ...(to !== undefined && { to }),
    onUnreadable: () => (spoilt += 1),
  };
  async function* counted(): AsyncGenerator<StoredAuditRecord> {
    for await (const record of readAudit(store, idKey, span)) {
      records += 1;
      if (!record.intact) spoilt += 1;
      yield record;
    }
  }
  await writeOut(out, format === 'csv' ? csv(counted(), excel === true) : json(counted()));
  if (out !== undefined) printNote(`${records} record(s) in ${out}`);
  if (spoilt === 0) return exitCodes.done;
  printNote(
    `${spoilt} record(s) are not as they were written: \`diligence audit verify\` names them`,
  );
  return exitCodes.failed;
}

/** A source and its transforms. */
type Steps = readonly [Readable, ...Duplex[]];

/** Writes a file atomically; without a path, standard output. */
async function writeOut(out: string | undefined, text: Steps): Promise<void> {
  if (out === undefined) {
    await pipeline([...text, process.stdout], { end: false });
    return;
  }
  const aside = join(dirname(out), `.${basename(out)}.partial`);
  try {
    await pipeline([...text, createWriteStream(aside, { flush: true, mode: 0o600 })]);
    await rename(aside, out);
  } catch (error) {
    await rm(aside, { force: true });
    throw error;
  }
}

function csv(records: AsyncIterable<StoredAuditRecord>, excel: boolean): Steps {
  async function* rows(): AsyncGenerator<string[]> {
    for await (const record of records) yield auditCells(record);
  }
  return [Readable.from(rows()), csvStream(auditColumns, { excel })];
}

/** One JSON document: a list of records. */
function json(records: AsyncIterable<StoredAuditRecord>): Steps {
  async function* text(): AsyncGenerator<string> {
    let before = '[\n';
    for await (const record of records) {
      yield `${before}${JSON.stringify(record)}`;
      before = ',\n';
    }
    yield before === '[\n' ? '[]\n' : '\n]\n';
  }
  return [Readable.from(text())];
}

/** Findings listed in a JSON document; all are counted. */
const mostFindings = 10_000;

async function verify(
  { store, idKey }: CommandContext,
  { head: wanted, json: asJson }: { head?: string; json?: true },
): Promise<number> {
  const findings: AuditFinding[] = [];
  const totals = await verifyAudit(store, idKey, {
    ...(wanted !== undefined && { head: wanted }),
    onFinding: (finding) => {
      if (asJson !== true) print(findingLine(finding));
      else if (findings.length < mostFindings) findings.push(finding);
    },
  });
  const intact = totals.findings === 0;
  if (asJson === true) printJson({ intact, ...totals, named: findings });
  else {
    const { records, chains, anchors } = totals;
    const sum = `${records} record(s) in ${chains} chain(s) and ${anchors} anchor(s)`;
    print(
      intact ? `intact: ${sum}` : `NOT INTACT: ${totals.findings} finding(s); ${sum} are intact`,
    );
    if (intact && wanted === undefined) {
      printNote(
        'an end that was cut off shows with --head: `audit head` prints it, and summaries hold it',
      );
    }
  }
  return intact ? exitCodes.done : exitCodes.failed;
}

function findingLine({ problem, chain, record, toRecord, message }: AuditFinding): string {
  const what = chain === anchorChain ? 'anchor' : `${chain} record`;
  const which = record === toRecord ? `${what} ${record}` : `${what}s ${record} to ${toRecord}`;
  return `${problem.padEnd(9)}  ${which}: ${message}`;
}

function head(text: string): string {
  if (parseHead(text) === null) {
    throw new InvalidArgumentError('Expected <number>-<32 hex digits>, as `audit head` prints it.');
  }
  return text;
}

function startOf(text: string): number {
  return instantOf(text, 0);
}

function endOf(text: string): number {
  return instantOf(text, 86_400_000);
}

/** Epoch milliseconds; for a date, its beginning plus `ofDateMs`. */
function instantOf(text: string, ofDateMs: number): number {
  const isDate = /^\d{4}-\d{2}-\d{2}$/.test(text);
  const at = Date.parse(text);
  if (
    Number.isNaN(at) ||
    !/^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2}))?$/.test(text)
  ) {
    throw new InvalidArgumentError('Expected 2026-11-30, or 2026-11-30T18:00:00Z.');
  }
  return isDate ? at + ofDateMs : at;
}
