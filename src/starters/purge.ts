import { createInterface } from 'node:readline/promises';
import { Command } from 'commander';
import { ErasureSubject, reasonOnRecord } from '../store/erasure/erasure-subject';
import { Erasures, isSame, type ErasureRecord } from '../store/erasure/erasures';
import { keptKinds, purgeClasses, type PurgeClass } from '../store/erasure/kept-kinds';
import { carryOut } from '../store/erasure/purge';
import type { UnsettledThing } from '../store/erasure/purge-draft';
import { PurgePlanner, type PurgePlan } from '../store/erasure/purge-plan';
import { targetForms } from '../store/traces/target-forms';
import { documentLengths, isValidCnpj, normaliseDocument } from '../domain/documents';
import { readTarget } from '../domain/traces/target';
import type { EngineClient } from '../temporal/connection';
import { deleteRuns, runningIds, runsOf, workflowIdOf, type RunsFound } from './purge-workflows';
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

interface PurgeFlags {
  batch?: string;
  document?: string;
  target?: string;
  olderThan?: number;
  class?: PurgeClass;
  reason?: string;
  by?: string;
  dryRun?: true;
  yes?: true;
  json?: true;
}

/** `diligence purge`: removes for good, and keeps a record of having done so. */
export function purgeCommand(): Command {
  return new Command('purge')
    .description('Remove personal data from the store and the engine, for good, on record.')
    .option(
      '--batch <id>',
      'a batch, issuance, analysis, search, lookup, dossier, picture or monitor, and what no other work shares with it',
    )
    .option('--document <number>', 'everything of one CPF or CNPJ, in every work')
    .option(
      '--target <text>',
      'every search for an e-mail address, phone number, user name or wallet',
    )
    .option('--older-than <duration>', 'of works that ended before: with --class', durationMs)
    .option(
      '--class <class>',
      'pdf; results (what the service told, PDFs too); inputs (uploaded files and pictures)',
      oneOf(purgeClasses),
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
  diligence purge --document 12.345.678/0001-90 --dry-run
  diligence purge --document 12.345.678/0001-90 --reason "request of the owner, 2026-114" --yes
  diligence purge --batch certificate-batch/318eb6ed... --reason "contract ended" --yes
  diligence purge --older-than 180d --class pdf --reason "retention rule 7" --yes

An analysis goes as a whole when the document is its assignor's. Of any other that names it, the
uploaded files that hold it go (nothing in them stands alone), and the results stay without it: status
and value of its receivables are left, so that sums still agree. What was bought stays known.
By age: --class results takes the results of analyses, --class inputs their files; pdf nothing.

Changes of monitors lose what they tell, when the monitor is of the document or the change names it; that
they were filed, delivered and acknowledged stays known. A monitor that the service never told about is
purged by its id: --batch monitor/ID. By age: --class results takes acknowledged changes.

A profile goes as a whole with its person, a search with a target that is the document. Of any other, the
entries that name the document go; a line of a batch becomes a tombstone, and its file goes. A search, lookup
or batch goes by its id: --batch trace/ID. What was searched for and is no document goes by --target: its
searches as a whole, its lines of batches, and, unless it is a user name (which may be anybody's word), the
entries that quote it in the answers of other searches and lookups; dossiers, analyses and changes that name
it go by their ids. By age: --class results takes answers, --class inputs files.

A dossier whose answer names the document goes as a whole, and so does the analysis of a picture whose
answer, label or file name does; the copy of the picture stays while other analyses are of it. By their ids:
--batch dossier/ID, --batch lens/ID. By age: --class pdf takes the files of dossiers, --class results what was
told of both, with their files, --class inputs the copies of pictures.

What still runs, or may have been bought without anybody knowing, is refused, with what to do
first. Result folders, backups and copies are outside the store: this command cannot reach them.
A purge that was cut short is finished by the same command.`,
    )
    .action(async (flags: PurgeFlags) => {
      process.exitCode = await purge(flags);
    });
}

async function purge(flags: PurgeFlags): Promise<number> {
  const sought = refuseWrongUsage(flags);
  const place = await openWorkplace(flags.by);
  const erasures = new Erasures(place.store);
  for (const { by, startedAt, target } of await erasures.open()) {
    tell(
      `a purge (${target.kind}) that ${by} began at ${startedAt} was not finished: the same command finishes it`,
    );
  }
  return withEngine(place, async (engine) => {
    const found = await makePlan(place, engine, flags, sought);
    const { plan, runs, refusals } = found;
    if (flags.dryRun === true) return showDryRun(found, flags.json === true);
    if (refusals.length > 0) throw new CommandError(`nothing was changed: ${refusals.join('; ')}`);
    const unfinished = await erasures.open();
    const goesOn = unfinished.some(({ target }) => isSame(target, plan.target));
    if (plan.changes.length === 0 && runs.closed.length === 0 && !goesOn) {
      return nothingFound(flags);
    }
    if (flags.yes !== true) {
      for (const line of planLines(found)) tell(line);
      if (!(await isConfirmed())) return exitCodes.failed;
    }
    let auditHead = '';
    const done = await carryOut(place.store, plan, {
      by: place.environment.actor,
      reason: reasonOnRecord(flags.reason ?? '', subjectOf(sought), plan.quoted),
      startedAt: new Date().toISOString(),
      workflows: [...new Set(runs.closed.map(({ workflowId }) => workflowId))],
      macOf: (text) => place.idKey.macOf(text),
      deleteWorkflows: () => deleteRuns(engine, runs.closed),
      audit: async (record) => {
        auditHead = await putOnTrail(place, record);
      },
    });
    const left = await makePlan(place, engine, flags, sought);
    return showDone({ ...done, auditHead }, left.plan, flags.json === true);
  });
}

/** Whom a purge is about; null when it is about a work, or about an age. */
type Sought = { kind: 'document' | 'target'; text: string } | null;

function soughtBy({ document, target }: PurgeFlags): Sought {
  if (document !== undefined) return { kind: 'document', text: documentToErase(document) };
  return target === undefined ? null : { kind: 'target', text: targetToErase(target) };
}

function refuseWrongUsage(flags: PurgeFlags): Sought {
  const { batch, document, target, olderThan } = flags;
  const given = [batch, document, target, olderThan].filter((one) => one !== undefined);
  if (given.length !== 1) {
    throw new UsageError(
      'what is to go? expected one of --batch, --document, --target or --older-than',
    );
  }
  if ((flags.olderThan === undefined) !== (flags.class === undefined)) {
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

/** The reason is kept for ever: it must not quote whom it is about. */
function subjectOf(sought: Sought): ErasureSubject | null {
  if (sought === null) return null;
  const { kind, text } = sought;
  return kind === 'document'
    ? new ErasureSubject(text, '')
    : new ErasureSubject(text, '', targetForms(text));
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
  plan: PurgePlan;
  runs: RunsFound;
  /** Sentences that say what is in the way, and what to do about it. */
  refusals: string[];
}

async function makePlan(
  place: Workplace,
  engine: EngineClient,
  flags: PurgeFlags,
  sought: Sought,
): Promise<FoundPlan> {
  const { store, idKey } = place;
  const planner = new PurgePlanner(store, (text) => idKey.nameOf('document', text));
  if (sought?.kind === 'document') return judged(engine, await planner.ofDocument(sought.text));
  if (sought?.kind === 'target') return judged(engine, await planner.ofTarget(sought.text));
  if (flags.batch !== undefined) {
    return judged(engine, await planner.ofWork(flags.batch));
  }
  const before = Date.now() - (flags.olderThan as number);
  const plan = await planner.ofAge(flags.class as PurgeClass, before);
  return { plan, runs: { closed: [], running: [] }, refusals: await runningAmong(engine, plan) };
}

/** A decision about an old work may be under way. Histories hold nothing of a class, and stay. */
async function runningAmong(engine: EngineClient, plan: PurgePlan): Promise<string[]> {
  const running = [...(await runningIds(engine))];
  return plan.works
    .map(({ workId }) => workflowIdOf(workId))
    .filter((id) => running.some((one) => one === id || one.startsWith(`${id}/`)))
    .map(runningSentence);
}

async function judged(engine: EngineClient, plan: PurgePlan): Promise<FoundPlan> {
  const runs = await runsOf(
    engine,
    plan.works.map(({ workId }) => workId),
  );
  const running = [...new Set(runs.running.map(workOf))].map(runningSentence);
  const unended = plan.works
    .filter(
      ({ whole, ended, workId }) =>
        !whole && !ended && !runs.running.some((id) => workOf(id) === workflowIdOf(workId)),
    )
    .map(
      ({ workId }) =>
        `${workId} was broken off and has rows of it: start it again and let it end, or purge it as a whole first (\`diligence purge --batch ${workId}\`)`,
    );
  const unsettled = plan.unsettled.map((thing) => unsettledSentence(thing, plan));
  return { plan, runs, refusals: [...running, ...unended, ...new Set(unsettled)] };
}

function runningSentence(id: string): string {
  return `${id} is still running: wait until it has ended, or \`diligence cancel ${id}\` first`;
}

/** The batch or issuance that a lane or decision belongs to. */
function workOf(workflowId: string): string {
  return workflowId.replace(/(?:\/decision-\d+)?(?:\/(?:decision-\d+-)?lane-\d+)?$/, '');
}

function unsettledSentence({ state, folders }: UnsettledThing, plan: PurgePlan): string {
  if (state.kind === 'in_flight') {
    return `a request is on its way: try again after ${new Date(state.answerBy).toISOString()}`;
  }
  const analysis = folders.find((folder) => folder.startsWith('analyses/'));
  if (analysis !== undefined) {
    return `an upload has an unknown outcome, and what fences it off would be lost: decide first (\`diligence credit resolve ${analysis.replace('analyses/', 'credit/')} --action abandon --note "..."\`, or watch, adopt)`;
  }
  const ids = folders.map((folder) => workflowIdOf(folder.slice('works/'.length)));
  const owner = state.owner === null ? null : workOf(state.owner.workflowId);
  const known = plan.works.map(({ workId }) => workflowIdOf(workId));
  const id = owner !== null && known.includes(owner) ? owner : (ids[0] ?? 'ID');
  return `a request has an unknown outcome, and what fences it off would be lost: decide first (\`diligence certificate resolve --batch ${id} --status unknown_outcome --action abandon --note "..."\`, or watch, adopt)`;
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

interface KindCounts {
  kind: string;
  removed: number;
  rewritten: number;
  bytes: number;
}

function countsByKind({ changes }: PurgePlan): KindCounts[] {
  const kinds = [...keptKinds.map(({ kind }) => kind), 'other'];
  return kinds
    .map((kind) => {
      const its = changes.filter((change) => change.kind === kind);
      const removed = its.filter(({ action }) => action === 'removed');
      return {
        kind,
        removed: removed.length,
        rewritten: its.length - removed.length,
        bytes: removed.reduce((sum, { bytes }) => sum + bytes, 0),
      };
    })
    .filter(({ removed, rewritten }) => removed + rewritten > 0);
}

/** `bytes`: of objects that go; those that are rewritten lose a part that is not counted. */
function planDocument({ plan, runs }: FoundPlan) {
  const objects = countsByKind(plan);
  return {
    target: plan.target,
    works: plan.works.map(({ workId, whole }) => ({ id: workId, whole })),
    rows: plan.rows,
    workflows: new Set(runs.closed.map(({ workflowId }) => workflowId)).size,
    bytes: objects.reduce((sum, { bytes }) => sum + bytes, 0),
    objects,
  };
}

function planLines(found: FoundPlan): string[] {
  const { works, rows, workflows, bytes, objects } = planDocument(found);
  const lines = [
    `would purge ${rows} row(s) in ${works.length} work(s), ${workflows} workflow(s), ${bytes} bytes`,
    ...works.slice(0, 20).map(({ id, whole }) => `  ${whole ? 'whole ' : 'in part'}  ${id}`),
  ];
  if (works.length > 20) lines.push(`  and ${works.length - 20} more`);
  for (const { kind, removed, rewritten } of objects) {
    const holds = keptKinds.find((known) => known.kind === kind)?.holds ?? '';
    lines.push(
      `  ${kind.padEnd(12)} ${String(removed).padStart(6)} removed ${String(rewritten).padStart(6)} rewritten  ${holds}`,
    );
  }
  return lines;
}

function nothingFound({ batch, json }: PurgeFlags): number {
  if (batch !== undefined) throw new CommandError(`no work ${batch} in this store`);
  if (json === true) printJson({ exitCode: exitCodes.done, found: false });
  else print('nothing is there to remove');
  return exitCodes.done;
}

/** What another work put there meanwhile is still there: the command says so, and fails. */
function showDone(
  { record, key, auditHead }: { record: ErasureRecord; key: string; auditHead: string },
  left: PurgePlan,
  json: boolean,
): number {
  const exitCode = left.changes.length === 0 ? exitCodes.done : exitCodes.failed;
  if (json) {
    const { objects, ...rest } = record;
    printJson({ exitCode, found: true, key, ...rest, objects: objects.length, auditHead });
    return exitCode;
  }
  print(
    `purged ${record.rows} row(s), ${record.objects.length} object(s), ${record.workflows.length} workflow(s)`,
  );
  print(`record: ${key}`);
  print(`audit head: ${auditHead}`);
  print('        result folders, backups and copies are outside the store: not reached');
  if (exitCode !== exitCodes.done) {
    tell(`${left.changes.length} object(s) came meanwhile: run the same command again`);
  }
  return exitCode;
}

async function isConfirmed(): Promise<boolean> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const answer = await terminal.question('This cannot be undone. Type purge to go on: ');
    if (answer.trim() === 'purge') return true;
    tell('nothing was changed');
    return false;
  } finally {
    terminal.close();
  }
}

/** @returns the head of the trail, which holds the record to its place */
async function putOnTrail({ audit }: Workplace, record: ErasureRecord): Promise<string> {
  const { id, target, by, startedAt, rows, workflows, objects } = record;
  return audit.appendAndAnchor([
    {
      kind: 'purge',
      id: `purge/${id}`,
      result: 'erased',
      by,
      happenedAt: startedAt,
      ...(target.kind === 'work' && { work: target.workId }),
      ...((target.kind === 'document' || target.kind === 'target') && { subject: target.name }),
      details: {
        target: target.kind,
        ...(target.kind === 'age' && { class: target.class, endedBefore: target.endedBefore }),
        rows,
        objects: objects.length,
        workflows: workflows.length,
      },
    },
  ]);
}
