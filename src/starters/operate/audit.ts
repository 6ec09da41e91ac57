import { basename, dirname } from 'node:path';
import { PassThrough, Readable, type Duplex } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Command, InvalidArgumentError } from 'commander';
import { auditCells, auditColumns } from '../../sheets/write/audit-sheet';
import { csvStream } from '../../sheets/write/csv-file';
import { anchorChain, parseHead } from '../../store/audit/anchors';
import { readAudit, type StoredAuditRecord } from '../../store/audit/read';
import { verifyAudit, type AuditFinding } from '../../store/audit/verify';
import { exitCodes, oneOf, print, printJson, printNote, sinceOf } from '../cli/terminal';
import { openContext } from '../jobs/context';
import { writeWhole } from '../jobs/written-file';

interface ExportFlags {
  from?: number;
  to?: number;
  format: 'csv' | 'json';
  excel?: true;
  out?: string;
}

const dayMs = 86_400_000;

export function auditCommand(): Command {
  const command = new Command('audit').description(
    'Read and verify the record of every request, outcome, decision and erasure.',
  );
  command
    .command('export')
    .description('Write the records out, in the order in which they were written.')
    .option(
      '--from <date>',
      'written since: a date (UTC) or an instant',
      (text) => sinceOf(text).at,
    )
    .option('--to <date>', 'written until: a date (its last moment) or an instant', endOf)
    .option('--format <format>', 'csv or json', oneOf(['csv', 'json']), 'csv')
    .option('--excel', 'csv for a spreadsheet program in Portuguese: `;` and BOM')
    .option('--out <file>', 'where to (default: standard output)')
    .action(exportAudit);
  command
    .command('verify')
    .description(
      'Name every record that was changed or removed, or written without the id key. Exit code 1 when there is one.',
    )
    .option('--head <head>', 'what `audit head` printed, or a summary holds: finds a cut end', head)
    .option('--json', 'one JSON document on standard output')
    .action(verify);
  command
    .command('head')
    .description(
      'Print the head of the trail, to be kept elsewhere: `audit verify --head` takes it.',
    )
    .action(async () => print(await (await openContext(printNote)).audit.anchor()));
  return command;
}

async function exportAudit({ from, to, format, excel, out }: ExportFlags): Promise<void> {
  const { store, idKey } = await openContext(printNote);
  let [records, spoilt] = [0, 0];
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
  if (format === 'json') await writeOut(out, Readable.from(jsonText(counted())), new PassThrough());
  else {
    const rows = Readable.from(counted()).map((record: StoredAuditRecord) => auditCells(record));
    await writeOut(out, rows, csvStream(auditColumns, { excel: excel === true }));
  }
  if (out !== undefined) printNote(`${records} record(s) in ${out}`);
  if (spoilt === 0) return;
  printNote(
    `${spoilt} record(s) are not as they were written: \`diligence audit verify\` names them`,
  );
  process.exitCode = exitCodes.failed;
}

/** Writes a file atomically; without a path, standard output. */
async function writeOut(out: string | undefined, text: Readable, form: Duplex): Promise<void> {
  if (out === undefined) return pipeline([text, form, process.stdout], { end: false });
  await pipeline(text, form, (bytes: AsyncIterable<Buffer>) =>
    writeWhole(dirname(out), basename(out), bytes),
  );
}

async function* jsonText(records: AsyncIterable<StoredAuditRecord>): AsyncGenerator<string> {
  let before = '[\n';
  for await (const record of records) {
    yield `${before}${JSON.stringify(record)}`;
    before = ',\n';
  }
  yield before === '[\n' ? '[]\n' : '\n]\n';
}

/** Findings listed in a JSON document; all are counted. */
const mostFindings = 10_000;

async function verify(flags: { head?: string; json?: true }): Promise<void> {
  const { store, idKey } = await openContext(printNote);
  const findings: AuditFinding[] = [];
  const totals = await verifyAudit(store, idKey, {
    ...(flags.head !== undefined && { head: flags.head }),
    onFinding: (finding) => {
      if (flags.json !== true) print(findingLine(finding));
      else if (findings.length < mostFindings) findings.push(finding);
    },
  });
  const { records, chains, anchors } = totals;
  const intact = totals.findings === 0;
  const sum = `${records} record(s) in ${chains} chain(s) and ${anchors} anchor(s)`;
  if (flags.json === true) printJson({ intact, ...totals, named: findings });
  else if (!intact) print(`NOT INTACT: ${totals.findings} finding(s); ${sum} are intact`);
  else {
    print(`intact: ${sum}`);
    if (flags.head === undefined)
      printNote(
        'an end that was cut off shows with --head: `audit head` prints it, and summaries hold it',
      );
  }
  process.exitCode = intact ? exitCodes.done : exitCodes.failed;
}

function findingLine({ problem, chain, record, toRecord, message }: AuditFinding): string {
  const what = chain === anchorChain ? 'anchor' : `${chain} record`;
  const which = record === toRecord ? `${what} ${record}` : `${what}s ${record} to ${toRecord}`;
  return `${problem.padEnd(9)}  ${which}: ${message}`;
}

function head(text: string): string {
  if (parseHead(text) !== null) return text;
  throw new InvalidArgumentError('Expected <number>-<32 hex digits>, as `audit head` prints it.');
}

function endOf(text: string): number {
  return sinceOf(text).at + (/^\d{4}-\d{2}-\d{2}$/.test(text) ? dayMs : 0);
}
