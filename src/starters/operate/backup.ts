import { readdir, rm, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { Command, Option } from 'commander';
import type { AuditEntry } from '../../domain/core/audit';
import { ConfigError, readEnvironment, type Environment } from '../../environment';
import { backUp, type BackupFacts } from '../../store/backup/back-up';
import { beginAnew, restore } from '../../store/backup/restore';
import { noteBackup } from '../../store/backup/stored-backups';
import { doubtSince, endDoubt } from '../../store/epoch';
import { directoryOf, isPostgres, shownAddress, storeAsItIs } from '../../store/open-store';
import { findIdKey } from '../../store/sealed/find-id-key';
import { engineAddress } from '../../temporal/connection';
import { runningEngine } from '../../temporal/engine-record';
import { payloadKeysAtHand } from '../../temporal/payload/payload-keys';
import { refuseOtherKeys } from '../../temporal/payload/store-keys';
import { withActor } from '../cli/flags';
import { printAs, printNote } from '../cli/terminal';
import { openContext, type CommandContext } from '../jobs/context';
import { CommandError, UsageError } from '../jobs/errors';

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
      if ((dir === undefined) === (flags.daily === undefined))
        throw new UsageError('where to? expected one of DIR or --daily');
      const environment = readEnvironment();
      sqliteFolder(environment);
      if ((await storeAsItIs(environment)) === null)
        throw new CommandError('nothing is stored yet');
      const ctx = await openContext(printNote);
      if (dir === undefined) await keepDaily(ctx, flags);
      else await make(ctx, resolve(dir), null, flags);
    });
}

export function restoreCommand(): Command {
  return withActor(new Command('restore'))
    .description(
      'Bring a backup back where no store is; nothing that was bought since is bought again unseen.',
    )
    .argument('[dir]', 'what `backup` made')
    .addOption(
      new Option(
        '--in-place',
        'the store was brought back by other tools (PostgreSQL, a snapshot of the disk), or its standby was promoted',
      ).conflicts('settled'),
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
      if ((dir === undefined) === (flags.inPlace === undefined && flags.settled === undefined))
        throw new UsageError('expected one of DIR, --in-place or --settled');
      if (flags.settled === true) await settle(flags);
      else if (dir === undefined) await restoreInPlace(flags);
      else await restoreFrom(resolve(dir), flags);
    });
}

async function keepDaily(ctx: CommandContext, flags: BackupFlags): Promise<void> {
  const now = Date.now();
  const folder = join(ctx.environment.dataDir, 'backups');
  const names = (await readdir(folder).catch(() => []))
    .filter((name) => /^\d{4}-\d{2}-\d{2}T\d{6}Z$/.test(name))
    .toSorted();
  const newest = names.at(-1);
  if (newest !== undefined && now - (await stat(join(folder, newest))).mtimeMs < dayMs)
    return printAs(flags.json, { path: null }, [`the last one is of ${newest}: nothing to do`]);
  const until = new Date(now + daysRetained * dayMs).toISOString();
  await make(ctx, join(folder, dailyName(now)), until, flags);
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
  path: string,
  until: string | null,
  { json }: BackupFlags,
): Promise<void> {
  const facts = await backUp(sqliteFolder(environment), path);
  await noteBackup(store, { path, at: facts.at, until });
  await audit.append([entryOf('made', environment.actor, { files: facts.files })]);
  printAs(json, { path, ...facts }, [
    `${path}: the store as of ${facts.at}, ${facts.files} file(s) of evidence`,
  ]);
  if (json !== true) printNote(`keep the keys apart from it: ${keysOf(environment)}`);
}

async function restoreFrom(source: string, flags: RestoreFlags): Promise<void> {
  const environment = await environmentOf(flags);
  const { dataDir } = environment;
  const folder = sqliteFolder(environment);
  const keys = await payloadKeysAtHand(environment, engineAddress().kind);
  const hasIdKey = environment.idKey ?? (await stat(join(dataDir, 'id-key')).catch(() => null));
  if (hasIdKey === null || keys === null)
    throw new ConfigError(
      'DILIGENCE_DATA_DIR',
      `the keys of the store are not here, and nobody can read it without them: put back ${keysOf(environment)}`,
    );
  const { idKey } = await findIdKey(dataDir, environment.idKey);
  const restored = await restore(source, folder, {
    idKey,
    sealing: { keys, proveKeys: (store) => refuseOtherKeys(store, keys) },
    entry: entryOf('restored', environment.actor),
  });
  printRestored(folder, restored, flags);
}

async function restoreInPlace(flags: RestoreFlags): Promise<void> {
  const environment = await environmentOf(flags);
  if ((await storeAsItIs(environment)) === null) throw new CommandError('there is no store');
  const { store } = await openContext(printNote, flags.by);
  const started = await beginAnew(store, entryOf('restored', environment.actor));
  printRestored(shownAddress(environment.storeUrl), { ...started, erasures: 0 }, flags);
}

async function settle({ by, json, note = '' }: RestoreFlags): Promise<void> {
  if (note.trim() === '')
    throw new UsageError('--note is missing: how it was looked up, for the record');
  const { store, environment } = await openContext(printNote, by);
  const since = await doubtSince(store);
  if (since === null)
    throw new CommandError('nothing is in doubt: the store has records of all that was bought');
  const record = { by: environment.actor, note, since };
  await store.records.putJson(`restores/${new Date().toISOString()}.json`, record);
  await endDoubt(store, entryOf('settled', environment.actor));
  printAs(json, { settled: true }, [
    'on record: what the store does not know of is bought again from now on',
  ]);
}

function printRestored(
  address: string,
  { backup, openJobs, erasures }: { backup?: BackupFacts; openJobs: number; erasures: number },
  { json }: RestoreFlags,
): void {
  printAs(json, { at: backup?.at ?? null, openJobs, erasures }, [
    `${address}: restored${backup === undefined ? '' : `, as of ${backup.at}`}`,
    `${openJobs} job(s) under way then: the same command goes on with each (\`diligence inbox\`)`,
    `${erasures} erasure(s) since then: applied again`,
    'what it has no record of may have been bought since: such rows become unknown_outcome, until',
    '`diligence restore --settled --note ...` says that this was looked up at the service',
    'schedules of monitors in an embedded engine are not in it: `diligence monitor schedule` sets them again',
  ]);
}

async function environmentOf({ by }: RestoreFlags): Promise<Environment> {
  const environment = readEnvironment();
  if (engineAddress().kind === 'embedded' && (await runningEngine(environment.dataDir)) !== null)
    throw new CommandError('the engine of this data directory runs: `diligence stop` first');
  return by === undefined ? environment : { ...environment, actor: by };
}

function sqliteFolder({ storeUrl }: Environment): string {
  if (!isPostgres(storeUrl)) return directoryOf(storeUrl);
  throw new CommandError(
    'a store in PostgreSQL is backed up and brought back by its own tools (docs/operator.md), then: diligence restore --in-place',
  );
}

function keysOf({ dataDir, idKey, payloadKeys }: Environment): string {
  const id = idKey === null ? join(dataDir, 'id-key') : 'DILIGENCE_ID_KEY';
  const payload = payloadKeys === null ? join(dataDir, 'payload-keys') : 'DILIGENCE_PAYLOAD_KEYS';
  return `${id} and ${payload}`;
}

function entryOf(
  result: 'made' | 'restored' | 'settled',
  by: string,
  details: NonNullable<AuditEntry['details']> = {},
): AuditEntry {
  const happenedAt = new Date().toISOString();
  return { kind: 'backup', id: `backup/${happenedAt}`, result, by, happenedAt, details };
}
