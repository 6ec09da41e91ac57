import { readdir, rm, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { Command } from 'commander';
import type { AuditEntry } from '../../domain/core/audit';
import { ConfigError, readEnvironment, type Environment } from '../../environment';
import { backUp, type BackupFacts } from '../../store/backup/back-up';
import { noteBackup } from '../../store/backup/stored-backups';
import { beginAnew, restore } from '../../store/backup/restore';
import { doubtSince, endDoubt } from '../../store/epoch';
import { findIdKey } from '../../store/sealed/find-id-key';
import { directoryOf, isPostgres, shownAddress, storeAsItIs } from '../../store/open-store';
import { engineAddress } from '../../temporal/connection';
import { runningEngine } from '../../temporal/engine-record';
import { payloadKeysAtHand } from '../../temporal/payload/payload-keys';
import { refuseOtherKeys } from '../../temporal/payload/store-keys';
import { withActor } from '../cli/flags';
import { CommandError, UsageError } from '../jobs/errors';
import { counted } from '../jobs/text';
import { print, printJson, printNote } from '../cli/terminal';
import { openContext, type CommandContext } from '../jobs/context';

const dayMs = 86_400_000;
const daysRetained = 7;

interface BackupFlags {
  daily?: true;
  json?: true;
}

interface RestoreFlags {
  inPlace?: true;
  settled?: true;
  note?: string;
  by?: string;
  json?: true;
}

/** `diligence backup DIR`. */
export function backupCommand(): Command {
  return new Command('backup')
    .description('Copy the store, records and evidence, while everything runs.')
    .argument('[dir]', 'a folder that is to be made')
    .option('--daily', `in the data directory, once a day; the last ${daysRetained} are kept`)
    .option('--json', 'one JSON document on standard output')
    .addHelpText(
      'after',
      `
The keys are not in it. Whoever restores it needs the id key and the payload keys of this installation: keep copies
of them apart from it. Of a store in PostgreSQL its own tools make the backup (docs/operator.md).`,
    )
    .action(async (dir: string | undefined, flags: BackupFlags) => {
      if ((dir === undefined) === (flags.daily === undefined)) {
        throw new UsageError('where to? expected one of DIR or --daily');
      }
      const environment = readEnvironment();
      const root = sqliteFolder(environment);
      if ((await storeAsItIs(environment)) === null)
        throw new CommandError('nothing is stored yet');
      const ctx = await openContext(printNote);
      if (dir === undefined) await keepDaily(ctx, root, flags.json === true);
      else await make(ctx, { root, path: resolve(dir), until: null }, flags.json === true);
    });
}

/** `diligence restore DIR`. */
export function restoreCommand(): Command {
  return withActor(new Command('restore'))
    .description(
      'Bring a backup back where no store is; nothing that was bought since is bought again unseen.',
    )
    .argument('[dir]', 'what `backup` made')
    .option(
      '--in-place',
      'the store was brought back by other tools (PostgreSQL, a snapshot of the disk), or its standby was promoted',
    )
    .option(
      '--settled',
      'what was bought between backup and restore has been looked up: with --note',
    )
    .option('--note <text>', 'how it was looked up, for the record')
    .option('--json', 'one JSON document on standard output')
    .addHelpText(
      'after',
      `
Jobs that were under way at the backup wait for a person: the same command goes on with them. Whatever the store has no
record of may have been bought after the backup: such rows end as unknown_outcome, and \`resolve\` decides about them, until
\`diligence restore --settled\` says that this was looked up. What was erased since the backup is erased again.`,
    )
    .action(async (dir: string | undefined, flags: RestoreFlags) => {
      const ways = [dir, flags.inPlace, flags.settled].filter((way) => way !== undefined);
      if (ways.length !== 1) {
        throw new UsageError('expected one of DIR, --in-place or --settled');
      }
      if (flags.settled === true) await settle(flags);
      else if (dir === undefined) await restoreInPlace(flags);
      else await restoreFrom(resolve(dir), flags);
    });
}

async function keepDaily(ctx: CommandContext, root: string, json: boolean): Promise<void> {
  const now = Date.now();
  const folder = join(ctx.environment.dataDir, 'backups');
  const names = (await readdir(folder).catch(() => []))
    .filter((name) => /^\d{4}-\d{2}-\d{2}T\d{6}Z$/.test(name))
    .toSorted();
  const newest = names.at(-1);
  const madeAt = newest === undefined ? 0 : (await stat(join(folder, newest))).mtimeMs;
  if (now - madeAt < dayMs) {
    if (json) printJson({ path: null });
    else print(`the last one is of ${newest}: nothing to do`);
    return;
  }
  const until = new Date(now + daysRetained * dayMs).toISOString();
  await make(ctx, { root, path: join(folder, dailyName(now)), until }, json);
  const oldest = dailyName(now - daysRetained * dayMs);
  for (const name of names.filter((one) => one < oldest))
    await rm(join(folder, name), { recursive: true, force: true });
}

/** Name of a daily backup by its instant; names sort in order. */
function dailyName(at: number): string {
  return new Date(at).toISOString().replaceAll(/:|\.\d+/g, '');
}

async function make(
  { store, audit, environment }: CommandContext,
  { root, path, until }: { root: string; path: string; until: string | null },
  json: boolean,
): Promise<void> {
  const facts = await backUp(root, path);
  await noteBackup(store, { path, at: facts.at, until });
  await audit.append([entryOf('made', environment.actor, { files: facts.files })]);
  if (json) printJson({ path, ...facts });
  else {
    print(`${path}: the store as of ${facts.at}, ${counted(facts.files, 'file')} of evidence`);
    printNote(`keep the keys apart from it: ${keysOf(environment)}`);
  }
}

async function restoreFrom(source: string, flags: RestoreFlags): Promise<void> {
  const environment = withActorOf(flags);
  const folder = sqliteFolder(environment);
  await refuseRunning(environment);
  const keys = await payloadKeysAtHand(environment, engineAddress().kind);
  const hasIdKey =
    environment.idKey ?? (await stat(join(environment.dataDir, 'id-key')).catch(() => null));
  if (hasIdKey === null || keys === null) {
    throw new ConfigError(
      'DILIGENCE_DATA_DIR',
      `the keys of the store are not here, and nobody can read it without them: put back ${keysOf(environment)}`,
    );
  }
  const { idKey } = await findIdKey(environment.dataDir, environment.idKey);
  const entry = entryOf('restored', environment.actor, {});
  const restored = await restore(source, folder, {
    idKey,
    sealing: { keys, proveKeys: (store) => refuseOtherKeys(store, keys) },
    entry,
  });
  printRestored(folder, restored, flags);
}

async function restoreInPlace(flags: RestoreFlags): Promise<void> {
  const environment = withActorOf(flags);
  await refuseRunning(environment);
  if ((await storeAsItIs(environment)) === null) throw new CommandError('there is no store');
  const { store } = await openContext(printNote, flags.by);
  const started = await beginAnew(store, entryOf('restored', environment.actor, {}));
  printRestored(shownAddress(environment.storeUrl), { ...started, erasures: 0 }, flags);
}

async function settle(flags: RestoreFlags): Promise<void> {
  const note = (flags.note ?? '').trim();
  if (note === '') throw new UsageError('--note is missing: how it was looked up, for the record');
  const { store, environment } = await openContext(printNote, flags.by);
  const since = await doubtSince(store);
  if (since === null)
    throw new CommandError('nothing is in doubt: the store has records of all that was bought');
  await store.records.putJson(`restores/${new Date().toISOString()}.json`, {
    by: environment.actor,
    note,
    since,
  });
  await endDoubt(store, entryOf('settled', environment.actor, {}));
  if (flags.json === true) printJson({ settled: true });
  else print('on record: what the store does not know of is bought again from now on');
}

function printRestored(
  address: string,
  restored: { backup?: BackupFacts; openJobs: number; erasures: number },
  { json }: RestoreFlags,
): void {
  const { backup, openJobs, erasures } = restored;
  if (json === true) {
    printJson({ at: backup?.at ?? null, openJobs, erasures });
    return;
  }
  print(`${address}: restored${backup === undefined ? '' : `, as of ${backup.at}`}`);
  print(
    `${counted(openJobs, 'job')} under way then: the same command goes on with each (\`diligence inbox\`)`,
  );
  if (erasures > 0) print(`${counted(erasures, 'erasure')} since then: applied again`);
  print(
    'what it has no record of may have been bought since: such rows become unknown_outcome, until',
  );
  print('`diligence restore --settled --note ...` says that this was looked up at the service');
  if (engineAddress().kind === 'embedded') {
    print(
      'schedules of monitors are not in a backup: `diligence monitor schedule` sets them again',
    );
  }
}

async function refuseRunning({ dataDir }: Environment): Promise<void> {
  if (engineAddress().kind === 'server' || (await runningEngine(dataDir)) === null) return;
  throw new CommandError('the engine of this data directory runs: `diligence stop` first');
}

function sqliteFolder({ storeUrl }: Environment): string {
  if (!isPostgres(storeUrl)) return directoryOf(storeUrl);
  throw new CommandError(
    'a store in PostgreSQL is backed up and brought back by its own tools (docs/operator.md), then: diligence restore --in-place',
  );
}

function withActorOf({ by }: RestoreFlags): Environment {
  const environment = readEnvironment();
  return by === undefined ? environment : { ...environment, actor: by };
}

function keysOf({ dataDir, idKey, payloadKeys }: Environment): string {
  const id = idKey === null ? join(dataDir, 'id-key') : 'DILIGENCE_ID_KEY';
  const payload = payloadKeys === null ? join(dataDir, 'payload-keys') : 'DILIGENCE_PAYLOAD_KEYS';
  return `${id} and ${payload}`;
}

function entryOf(
  result: 'made' | 'restored' | 'settled',
  by: string,
  details: NonNullable<AuditEntry['details']>,
): AuditEntry {
  const happenedAt = new Date().toISOString();
  return { kind: 'backup', id: `backup/${happenedAt}`, result, by, happenedAt, details };
}
