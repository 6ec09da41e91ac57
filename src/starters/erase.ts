import { createInterface } from 'node:readline/promises';
import { Command } from 'commander';
import { allKinds, erasureClasses, type ErasureClass } from '../store/erasure/catalog';
import { ErasureSubject, reasonOnRecord } from '../store/erasure/erasure-subject';
import {
  erase,
  finishErasure,
  isSameTarget,
  openErasures,
  type ErasureRecord,
  type ErasureTools,
} from '../store/erasure/erasures';
import { ErasurePlanner, type ErasurePlan } from '../store/erasure/plan';
import { targetForms } from '../store/traces/target-forms';
import { documentLengths, isValidCnpj, normaliseDocument } from '../domain/documents';
import { readTarget } from '../domain/traces/target';
import type { EngineClient } from '../temporal/connection';
import { deleteRuns, refusalsOf, runsOf, type RunsFound } from './erase-workflows';
import {
  CommandError,
  UsageError,
  durationMs,
  exitCodes,
  oneOf,
  print,
  printJson,
  tell,
} from './terminal';
import { openWorkplace, withEngine, type Workplace } from './workplace';

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

/** `diligence erase`: removes for good, and leaves a record of having done so. */
export function eraseCommand(): Command {
  return new Command('erase')
    .description('Erase personal data from the store and the engine, for good, on record.')
    .option('--document <number>', 'everything of one CPF or CNPJ, in every job')
    .option(
      '--target <text>',
      'every search for an e-mail address, phone number, user name or wallet',
    )
    .option('--job <id>', 'a job of any kind or a monitor, and what no other job shares with it')
    .option('--older-than <duration>', 'of jobs that ended before: with --class', durationMs)
    .option(
      '--class <class>',
      'pdf; results (what the service reported, PDFs too); inputs (uploaded files and pictures)',
      oneOf(erasureClasses),
    )
    .option('--reason <text>', 'why, for the record (needed unless --dry-run)')
    .option('--by <name>', 'who decides (default: DILIGENCE_ACTOR, else the system user)')
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

What is about the document alone goes as a whole: single issuances, its profile, searches for it, analyses whose
assignor it is, its monitors; so do dossiers and pictures that name it. In other jobs its lines become tombstones,
uploaded files that hold it go, entries of answers that name it go, and quotations become [erased]. Values and
statuses of receivables, attempts and double charges stay, so that sums still agree.
A user name (--target) is erased where it was searched for alone: elsewhere it may be anybody's word.

What still runs, or may have been bought without anybody knowing, is refused, with what to do first.
Result folders, backups and copies are outside the store: this command cannot reach them.
An erasure that was cut short is finished by the same command.`,
    )
    .action(async (flags: EraseFlags) => {
      process.exitCode = await runErase(flags);
    });
}

async function runErase(flags: EraseFlags): Promise<number> {
  const sought = refuseWrongUsage(flags);
  const place = await openWorkplace(flags.by);
  const { store, idKey, environment } = place;
  const unfinished = await openErasures(store);
  for (const { record } of unfinished) {
    tell(
      `an erasure (${record.target.kind}) that ${record.by} began at ${record.startedAt} was not finished: the same command finishes it`,
    );
  }
  return withEngine(place, async (engine) => {
    const found = await makePlan(place, engine, flags, sought);
    const { plan, runs, refusals } = found;
    if (flags.dryRun === true) return showDryRun(found, flags.json === true);
    if (refusals.length > 0) throw new CommandError(`nothing was changed: ${refusals.join('; ')}`);
    const begun = unfinished.filter(({ record }) => isSameTarget(record.target, plan.target));
    const isEmpty = plan.draft.size === 0 && runs.closed.length === 0;
    if (isEmpty && begun.length === 0) return nothingFound(flags);
    if (flags.yes !== true) {
      for (const line of planLines(found)) tell(line);
      if (!(await isConfirmed())) return exitCodes.failed;
    }
    const tools: ErasureTools = {
      macOf: (text) => idKey.macOf(text),
      deleteRuns: (its) => deleteRuns(engine, its),
    };
    const done: { record: ErasureRecord; key: string }[] = [];
    for (const open of begun) done.push(await finishErasure(store, open, tools));
    // What was cut short has changed what there is to do.
    const rest = begun.length === 0 ? found : await makePlan(place, engine, flags, sought);
    if (rest.plan.draft.size > 0 || rest.runs.closed.length > 0) {
      const reason = reasonOnRecord(flags.reason ?? '', subjectOf(sought), rest.plan.quoted);
      const startedAt = new Date().toISOString();
      const order = { by: environment.actor, reason, startedAt, runs: rest.runs.closed, ...tools };
      done.push(await erase(store, rest.plan, order));
    }
    const auditHead = await place.audit.anchor();
    const left = await makePlan(place, engine, flags, sought);
    return showDone(done, auditHead, left.plan.draft.size, flags.json === true);
  });
}

/** Whom an erasure is about; null when it is about a job, or about an age. */
type Sought = { kind: 'document' | 'target'; text: string } | null;

function soughtBy({ document, target }: EraseFlags): Sought {
  if (document !== undefined) return { kind: 'document', text: documentToErase(document) };
  return target === undefined ? null : { kind: 'target', text: targetToErase(target) };
}

function refuseWrongUsage(flags: EraseFlags): Sought {
  const { job, document, target, olderThan } = flags;
  const given = [job, document, target, olderThan].filter((one) => one !== undefined);
  if (given.length !== 1) {
    throw new UsageError(
      'what is to go? expected one of --document, --target, --job or --older-than',
    );
  }
  if ((olderThan === undefined) !== (flags.class === undefined)) {
    throw new UsageError('--older-than goes with --class, and --class with --older-than');
  }
  const sought = soughtBy(flags);
  if (flags.dryRun === true) return sought;
  if ((flags.reason ?? '').trim() === '') {
    throw new UsageError('--reason is missing: why, for the record (--dry-run needs none)');
  }
  if (flags.yes !== true && !process.stdin.isTTY) {
    throw new UsageError('nothing was removed: add --yes, or --dry-run to see what would go');
  }
  return sought;
}

/** The reason stays for ever: it must not quote whom it is about. */
function subjectOf(sought: Sought): ErasureSubject | null {
  if (sought === null) return null;
  const { kind, text } = sought;
  return kind === 'document'
    ? new ErasureSubject(text)
    : new ErasureSubject(text, targetForms(text));
}

/** As a search reads it. */
function targetToErase(text: string): string {
  const reading = readTarget(text);
  if (reading.kind === 'target') return reading.target;
  throw new UsageError('--target: expected what was searched for, on one line');
}

/** Check digits are not asked for: a mistyped number is somebody's number, too. */
function documentToErase(text: string): string {
  const bare = normaliseDocument(text);
  const lengths: number[] = Object.values(documentLengths);
  if (isValidCnpj(bare) || (/^\d+$/.test(bare) && lengths.includes(bare.length))) return bare;
  throw new UsageError(
    '--document: expected the 11 digits of a CPF or the 14 places of a CNPJ, with its zeros in front',
  );
}

interface FoundPlan {
  plan: ErasurePlan;
  runs: RunsFound;
  /** Sentences that say what is in the way, and what to do about it. */
  refusals: string[];
}

async function makePlan(
  { store, idKey }: Workplace,
  engine: EngineClient,
  flags: EraseFlags,
  sought: Sought,
): Promise<FoundPlan> {
  const planner = new ErasurePlanner(store, (text) => idKey.nameOf('document', text));
  const plan =
    sought?.kind === 'document'
      ? await planner.ofDocument(sought.text)
      : sought?.kind === 'target'
        ? await planner.ofTarget(sought.text)
        : flags.job !== undefined
          ? await planner.ofJob(flags.job)
          : await planner.ofAge(flags.class ?? 'pdf', Date.now() - (flags.olderThan ?? 0));
  // Histories hold nothing of a class, and stay.
  const isOfAge = plan.target.kind === 'age';
  const ids = isOfAge ? [] : plan.jobs.map(({ id }) => id);
  const runs = await runsOf(engine, ids);
  return { plan, runs, refusals: await refusalsOf(engine, plan, runs) };
}

function showDryRun(found: FoundPlan, json: boolean): number {
  const { refusals } = found;
  const exitCode = refusals.length === 0 ? exitCodes.done : exitCodes.failed;
  if (json) {
    printJson({ dryRun: true, exitCode, ...planDocument(found), refusals });
    return exitCode;
  }
  for (const line of planLines(found)) print(line);
  for (const refusal of refusals) print(`refused: ${refusal}`);
  print('nothing was changed');
  return exitCode;
}

function planDocument({ plan, runs }: FoundPlan) {
  const all = plan.draft.objects((text) => text);
  const objects = allKinds().flatMap(({ kind, holds }) => {
    const its = all.filter((object) => object.kind === kind);
    const sum = (of: 'removed' | 'emptied' | 'bytes'): number =>
      its.reduce((total, object) => total + object[of], 0);
    const counts = { removed: sum('removed'), emptied: sum('emptied'), bytes: sum('bytes') };
    return its.length === 0 ? [] : [{ kind, holds, ...counts }];
  });
  return {
    target: plan.target,
    jobs: plan.jobs.map(({ id, whole }) => ({ id, whole })),
    rows: plan.rows,
    workflows: new Set(runs.closed.map(({ workflowId }) => workflowId)).size,
    bytes: objects.reduce((total, { bytes }) => total + bytes, 0),
    objects,
  };
}

function planLines(found: FoundPlan): string[] {
  const { jobs, rows, workflows, bytes, objects } = planDocument(found);
  const lines = [
    `would erase ${rows} row(s) in ${jobs.length} job(s), ${workflows} workflow(s), ${bytes} bytes`,
    ...jobs.slice(0, 20).map(({ id, whole }) => `  ${whole ? 'whole ' : 'in part'}  ${id}`),
  ];
  if (jobs.length > 20) lines.push(`  and ${jobs.length - 20} more`);
  const cell = (value: number | string): string => String(value).padStart(9);
  const head = `  ${'what'.padEnd(17)}${['removed', 'emptied', 'bytes'].map(cell).join(' ')}`;
  const table = objects.map(
    ({ kind, holds, removed, emptied, bytes: its }) =>
      `  ${kind.padEnd(17)}${[removed, emptied, its].map(cell).join(' ')}  ${holds}`,
  );
  return objects.length === 0 ? lines : [...lines, head, ...table];
}

function nothingFound({ job, json }: EraseFlags): number {
  if (job !== undefined) throw new CommandError(`no job ${job} in this store`);
  if (json === true) printJson({ exitCode: exitCodes.done, found: false });
  else print('nothing is there to erase');
  return exitCodes.done;
}

/** What another job stored meanwhile is still there: the command says so, and fails. */
function showDone(
  done: readonly { record: ErasureRecord; key: string }[],
  auditHead: string,
  left: number,
  json: boolean,
): number {
  const exitCode = left === 0 ? exitCodes.done : exitCodes.failed;
  for (const { record, key } of done) {
    const { objects, ...rest } = record;
    if (json && record === done.at(-1)?.record) {
      printJson({ exitCode, found: true, key, ...rest, objects: objects.length, auditHead });
    }
    if (json) continue;
    print(
      `erased ${rest.rows} row(s), ${objects.length} object(s), ${rest.workflows.length} workflow(s)`,
    );
    print(`record: ${key}`);
  }
  if (!json) {
    print(`audit head: ${auditHead}`);
    print('        result folders, backups and copies are outside the store: not reached');
  }
  if (left > 0) tell(`${left} object(s) came meanwhile: run the same command again`);
  return exitCode;
}

async function isConfirmed(): Promise<boolean> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const answer = await terminal.question('This cannot be undone. Type erase to go on: ');
    if (answer.trim() === 'erase') return true;
    tell('nothing was changed');
    return false;
  } finally {
    terminal.close();
  }
}
