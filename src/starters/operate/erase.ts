import { Command, Option } from 'commander';
import { documentLengths, isValidCnpj } from '../../domain/core/documents/documents';
import { normaliseDocument } from '../../domain/core/documents/read-document';
import { readTarget } from '../../domain/traces/target';
import { erasureClasses, type ErasureClass } from '../../store/erasure/catalog';
import {
  erase,
  finishErasure,
  isSameTarget,
  objectsOf,
  openErasures,
  type ErasureRecord,
} from '../../store/erasure/erasures';
import { reasonOnRecord, targetOf, type ErasureRequest } from '../../store/erasure/plan';
import { plansOf } from '../../store/erasure/plans';
import { deleteRuns } from '../../temporal/job-runs';
import { withActor } from '../cli/flags';
import { ask, durationMs, exitCodes, oneOf, printAs, printNote, say } from '../cli/terminal';
import { openContext, withEngine } from '../jobs/context';
import { CommandError, UsageError, joined, noJob } from '../jobs/errors';
import { itemOf } from '../jobs/text';
import {
  backupLines,
  planLines,
  refusalsOf,
  runsOfPlan,
  summaryOf,
  type PlanSummary,
} from './erase-plan';

interface EraseFlags {
  job?: string;
  document?: string;
  target?: string;
  olderThan?: number;
  class?: ErasureClass;
  reason?: string;
  by?: string;
  dryRun?: true;
  yes?: true;
  json?: true;
}

export function eraseCommand(): Command {
  const ways = [
    new Option('--document <number>', 'everything of one CPF or CNPJ, in every job'),
    new Option(
      '--target <text>',
      'every search for an e-mail address, phone number, user name or wallet',
    ),
    new Option('--job <id>', 'a job of any kind or a monitor, and what no other job shares'),
    new Option('--older-than <duration>', 'of jobs that ended before: with --class').argParser(
      durationMs,
    ),
  ];
  const names = ways.map((way) => way.attributeName());
  const command = new Command('erase').description(
    'Erase personal data from the store and the Temporal server, for good, on record.',
  );
  for (const way of ways)
    command.addOption(way.conflicts(names.filter((name) => name !== way.attributeName())));
  return withActor(
    command.addOption(
      new Option(
        '--class <class>',
        'pdf; results (what the service reported, PDFs too); inputs (uploaded files and pictures)',
      )
        .argParser(oneOf(erasureClasses))
        .conflicts(['document', 'target', 'job']),
    ),
  )
    .option('--reason <text>', 'why, for the record (needed unless --dry-run)')
    .option('--dry-run', 'show exactly what would go, change nothing')
    .option('--yes', 'do not ask')
    .option('--json', 'one JSON document on standard output')
    .addHelpText(
      'after',
      `
Examples:
  diligence erase --document 12.345.678/0001-90 --dry-run
  diligence erase --document 12.345.678/0001-90 --reason "request of the owner, 2026-114" --yes
  diligence erase --target person@example.com --reason "request of the owner, 2026-115" --yes
  diligence erase --job certificate-batch/318eb6ed... --reason "contract ended" --yes
  diligence erase --older-than 180d --class pdf --reason "retention rule 7" --yes

What is about the document alone goes as a whole, and so do dossiers and pictures that name it. In other jobs its
lines become tombstones, uploads that hold it go, entries of answers that name it go, and quotations become [erased].
Values and statuses of receivables, attempts and double charges stay, so that sums still agree. A user name (--target)
is erased where it was searched for alone: elsewhere it may be anybody's word.

What still runs, or may have been bought without anybody knowing, is refused, with what to do first.
Result folders and copies are outside the store: this command cannot reach them. Backups (\`diligence backup\`) hold it until
they are removed: a restore erases it again.
An erasure that was cut short is finished by the same command.`,
    )
    .action(async (flags: EraseFlags) => {
      process.exitCode = await runErase(flags);
    });
}

async function runErase(flags: EraseFlags): Promise<number> {
  const json = flags.json === true;
  const request = requestOf(flags);
  const ctx = await openContext(printNote, flags.by);
  const { store, idKey, environment } = ctx;
  const unfinished = await openErasures(store);
  for (const { record } of unfinished)
    printNote(
      `an erasure (${record.target.kind}) that ${record.by} began at ${record.startedAt} was not finished: the same command finishes it`,
    );
  return withEngine(ctx, async ({ client }) => {
    const nameOf = (text: string): string => idKey.nameOf('document', text);
    const plans = () => plansOf(store, nameOf, request);
    const target = targetOf(request, nameOf);
    const summary = await summaryOf(client, target, plans());
    const { refusals } = summary;
    if (flags.dryRun === true) return showDryRun(summary, json);
    if (refusals.length > 0)
      throw new CommandError(joined(refusals, ['nothing was changed: ', 'nada foi alterado: ']));
    const started = unfinished.filter(({ record }) => isSameTarget(record.target, target));
    const isEmpty = summary.objects.length === 0 && summary.workflows.size === 0;
    if (isEmpty && started.length === 0) return nothingFound(flags);
    if (flags.yes !== true) {
      for (const line of planLines(summary)) printNote(line);
      if ((await ask('This cannot be undone. Type erase to go on: ')) !== 'erase')
        throw new CommandError(['nothing was changed', 'nada foi alterado']);
    }
    const remove = (runs: Parameters<typeof deleteRuns>[1]) => deleteRuns(client, runs);
    const done: Done[] = [];
    for (const open of started) done.push(await finishErasure(store, open, remove));
    // Each plan is made when it is due: an interrupted erasure has changed what there is to do.
    for await (const plan of plans()) {
      const found = await runsOfPlan(client, plan);
      const inTheWay = refusalsOf(plan, found);
      if (inTheWay.length > 0) throw new CommandError(joined(inTheWay));
      const runs = found.closed;
      if (plan.draft.size === 0 && runs.length === 0) continue;
      const reason = reasonOnRecord(flags.reason ?? '', request, plan.quoted);
      const by = environment.actor;
      done.push(await erase(store, plan, { by, reason, runs, deleteRuns: remove }));
    }
    const auditHead = await ctx.audit.anchor();
    let left = 0;
    for await (const { draft } of plans()) left += draft.size;
    return showDone(done, auditHead, left, json);
  });
}

function requestOf(flags: EraseFlags): ErasureRequest {
  const { document, target, job, olderThan } = flags;
  if ([document, target, job, olderThan].every((one) => one === undefined))
    throw new UsageError([
      'what is to be erased? expected one of --document, --target, --job or --older-than',
      'o que deve ser eliminado? informe --document, --target, --job ou --older-than',
    ]);
  const request = (): ErasureRequest => {
    if (document !== undefined) return { kind: 'document', document: documentToErase(document) };
    if (target !== undefined)
      return { kind: 'target', target: itemOf('--target', readTarget(target)) };
    if (job !== undefined) return { kind: 'job', id: job };
    if (flags.class === undefined)
      throw new UsageError(['--older-than goes with --class', '--older-than vale com --class']);
    const endedBefore = new Date(Date.now() - (olderThan ?? 0)).toISOString();
    return { kind: 'age', class: flags.class, endedBefore };
  };
  const requested = request();
  if (flags.dryRun === true) return requested;
  if ((flags.reason ?? '').trim() === '')
    throw new UsageError([
      '--reason is missing: why, for the record (--dry-run needs none)',
      '--reason: informe o motivo, que fica registrado (--dry-run não precisa)',
    ]);
  if (flags.yes !== true && !process.stdin.isTTY)
    throw new UsageError([
      'nothing was erased: add --yes, or --dry-run to see what would be erased',
      'nada foi eliminado: acrescente --yes, ou --dry-run para ver o que seria eliminado',
    ]);
  return requested;
}

/** Check digits are not verified: a mistyped number may be stored, too. */
function documentToErase(text: string): string {
  const bare = normaliseDocument(text);
  const lengths: number[] = Object.values(documentLengths);
  if (isValidCnpj(bare) || (/^\d+$/.test(bare) && lengths.includes(bare.length))) return bare;
  throw new UsageError([
    '--document: expected the 11 digits of a CPF or the 14 characters of a CNPJ, with leading zeros',
    '--document: espera-se os 11 dígitos de um CPF ou os 14 caracteres de um CNPJ, com os zeros à esquerda',
  ]);
}

function nothingFound({ job, json }: EraseFlags): number {
  if (job !== undefined) throw new CommandError(noJob(job));
  const none = say('there is nothing to erase', 'não há nada a eliminar');
  printAs(json, { exitCode: exitCodes.done, found: false }, [none]);
  return exitCodes.done;
}

function showDryRun(summary: PlanSummary, json: boolean): number {
  const { refusals, workflows } = summary;
  const exitCode = refusals.length === 0 ? exitCodes.done : exitCodes.failed;
  const told = { refusals: refusals.map(([en]) => en), workflows: workflows.size };
  printAs(json, { dryRun: true, exitCode, ...summary, ...told }, [
    ...planLines(summary),
    ...refusals.map((refusal) => `${say('refused', 'recusado')}: ${say(...refusal)}`),
    say('nothing was changed', 'nada foi alterado'),
  ]);
  return exitCode;
}

interface Done {
  key: string;
  record: ErasureRecord;
}

/** Another job may have stored something meanwhile, which is not erased: the command says so, and fails. */
function showDone(done: readonly Done[], auditHead: string, left: number, json: boolean): number {
  const exitCode = left === 0 ? exitCodes.done : exitCodes.failed;
  const last = done.at(-1);
  const rows = done.reduce((sum, { record }) => sum + record.rows, 0);
  const objects = objectsOf(done.flatMap(({ record }) => record.objects));
  const keys = done.map(({ key }) => key);
  const sums = { key: last?.key, keys, rows, objects, auditHead };
  printAs(json, { exitCode, found: true, ...last?.record, ...sums }, [
    say(
      `erased: rows ${rows}, objects ${objects}`,
      `eliminados: linhas ${rows}, objetos ${objects}`,
    ),
    `${say('record', 'registro')}: ${keys.join(', ')}`,
    ...(last === undefined ? [] : backupLines(last.record)),
    `${say('audit head', 'último registro de auditoria')}: ${auditHead}`,
    say(
      'result folders and copies are outside the store: not reached',
      'pastas de resultado e cópias ficam fora do armazenamento: não são alcançadas',
    ),
  ]);
  if (left > 0)
    printNote(
      say(
        `${left} objects came meanwhile: run the same command again`,
        `objetos que chegaram nesse meio-tempo: ${left}; execute o mesmo comando de novo`,
      ),
    );
  return exitCode;
}
