import { constants } from 'node:fs';
import { access, stat, statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { doubtSince } from '../store/epoch';
import { findIdKey } from '../store/sealed/find-id-key';
import { openStore, shownAddress } from '../store/open-store';
import type { Loss, Store } from '../store/store';
import { ConfigError, type Environment, type TokenSetting } from '../environment';
import { engineAddress } from '../temporal/connection';
import { payloadKeysAtHand } from '../temporal/payload/payload-keys';
import { refuseSandboxStore } from '../temporal/sandbox-store';
import { knownTemporalCli } from '../temporal/temporal-cli';
import { fail, messageOf, ok, warn, type Finding } from './finding';

const mebibyte = 1024 * 1024;
const gibibyte = 1024 * mebibyte;

/** Data directory: exists, writable, private, with free space. Creates nothing. */
export async function examineDataDir({ dataDir }: Environment): Promise<Finding[]> {
  const check = 'data directory';
  const found = await stat(dataDir).catch(() => null);
  if (found === null) {
    const parent = await nearestFolder(dataDir);
    if (!(await isWritable(parent))) {
      return [fail(check, `${dataDir} cannot be made: ${parent} is not writable`, chooseDataDir)];
    }
    return [ok(check, `${dataDir} is made at the first use`), await examineSpace(parent)];
  }
  if (!found.isDirectory()) return [fail(check, `${dataDir} is not a directory`, chooseDataDir)];
  if (!(await isWritable(dataDir))) {
    return [fail(check, `${dataDir} cannot be written`, chooseDataDir)];
  }
  const mode = found.mode & 0o777;
  const finding =
    (mode & 0o077) === 0
      ? ok(check, `${dataDir} can be written, and nobody else reads it`)
      : warn(
          check,
          `${dataDir} is open to other users (mode ${mode.toString(8)})`,
          `chmod 700 ${dataDir}`,
        );
  return [finding, await examineSpace(dataDir)];
}

const chooseDataDir = 'set DILIGENCE_DATA_DIR to a directory that this user can write';

async function examineSpace(folder: string): Promise<Finding> {
  const check = 'disk';
  try {
    const { bavail, bsize } = await statfs(folder);
    const free = bavail * bsize;
    const detail = `${free >= gibibyte ? `${(free / gibibyte).toFixed(1)} GiB` : `${Math.floor(free / mebibyte)} MiB`} free in ${folder}`;
    const fix = 'free some: without room no claim can be put on file, and nothing is requested';
    if (free < 100 * mebibyte) return fail(check, detail, fix);
    return free < gibibyte ? warn(check, detail, fix) : ok(check, detail);
  } catch (error) {
    return warn(check, `free space is not known (${messageOf(error)})`, 'look yourself: `df -h`');
  }
}

/** The key that names documents: as configured, or its file, which must be private. */
export async function examineIdKey({ dataDir, idKey }: Environment): Promise<Finding> {
  const check = 'id key';
  if (idKey !== null) return ok(check, 'DILIGENCE_ID_KEY; keep it apart from the store');
  const path = join(dataDir, 'id-key');
  const found = await stat(path).catch(() => null);
  if (found === null) return ok(check, `${path} is generated at the first use`);
  return fileFinding(check, path, found.mode, 'keep a copy apart from the store');
}

/** Files with tokens: readable by the user only. */
export async function examineTokenFiles({
  investigation,
  credit,
}: Environment): Promise<Finding[]> {
  const settings: [string, TokenSetting | null | undefined][] = [
    ['INVESTIGATION_TOKEN_FILE', investigation?.token],
    ['CERTIFICATES_TOKEN_FILE', investigation?.certificatesToken],
    ['CREDIT_TOKEN_FILE', credit?.token],
  ];
  const findings: Finding[] = [];
  for (const [variable, setting] of settings) {
    if (setting == null || !('file' in setting)) continue;
    const found = await stat(setting.file).catch(() => null);
    const isReadable = await access(setting.file, constants.R_OK).then(
      () => true,
      () => false,
    );
    if (found === null || !isReadable) {
      const fix = `set ${variable} to a file that this user can read`;
      findings.push(fail(variable, `${setting.file} cannot be read`, fix));
    } else findings.push(fileFinding(variable, setting.file, found.mode, 'read again on a 401'));
  }
  return findings;
}

function fileFinding(check: string, path: string, mode: number, remark: string): Finding {
  const bits = (mode & 0o777).toString(8).padStart(4, '0');
  if ((mode & 0o077) === 0) return ok(check, `${path} (${bits}); ${remark}`);
  return warn(check, `${path} can be read by others (mode ${bits})`, `chmod 600 ${path}`);
}

/**
 * Opens the store and writes one small object, always the same. Creates no store.
 *
 * @returns the store, if it exists and is usable
 */
export async function examineStore(environment: Environment): Promise<{
  findings: Finding[];
  store?: Store;
}> {
  const check = 'store';
  const { storeUrl, dataDir, idKey: configured } = environment;
  const isDefault = storeUrl === join(dataDir, 'store');
  const isFolder = !/^[a-z][a-z0-9+.-]+:/i.test(storeUrl);
  const isThere = !isFolder || (await stat(join(storeUrl, 'store.db')).catch(() => null));
  if (isThere === null) {
    const finding = isDefault
      ? ok(check, `${storeUrl} is made at the first use`)
      : warn(
          check,
          `${storeUrl} holds no store yet: one is made there at the first use`,
          'if there should be one: mount it, or fix DILIGENCE_STORE_URL',
        );
    return { findings: [finding] };
  }
  const keyPath = join(dataDir, 'id-key');
  if (configured === null && (await stat(keyPath).catch(() => null)) === null) {
    const fix = `restore ${keyPath} from a backup, or set DILIGENCE_ID_KEY`;
    return { findings: [fail(check, `the key of ${shownAddress(storeUrl)} is not here`, fix)] };
  }
  try {
    const { idKey } = await findIdKey(dataDir, configured);
    const keys = await payloadKeysAtHand(environment, engineAddress().kind);
    const store = await openStore(environment, idKey, keys && { keys });
    await refuseSandboxStore(environment, store);
    const { engine, mayLose } = await store.prove();
    const detail = `${shownAddress(storeUrl)} can be written (id ${store.id.slice(0, 8)}, ${engine})`;
    const losses = mayLose.map((loss) => warn(check, ...lossWords[loss]));
    const doubts = (await doubtSince(store)) === null ? [] : [warn(check, ...doubtWords)];
    const { publicKey } = idKey.signingKey;
    const signs = ok('public key', `${publicKey}; \`report verify --public-key\` takes it`);
    return { findings: [ok(check, detail), ...losses, ...doubts, signs], store };
  } catch (error) {
    const fix =
      error instanceof ConfigError
        ? `fix ${error.variable}`
        : 'fix DILIGENCE_STORE_URL or DILIGENCE_ID_KEY, or the rights of the store';
    return { findings: [fail(check, messageOf(error), fix)] };
  }
}

const doubtWords = [
  'it was restored: what it has no record of may have been bought, and ends as unknown_outcome',
  'look it up at the service, then `diligence restore --settled --note "..."`',
] as const;

/** What it means, and the fix. */
const lossWords: Readonly<Record<Loss, readonly [detail: string, fix: string]>> = {
  unflushed: [
    'a power cut loses what was stored last: what that had bought may be bought again',
    'choose a disk that keeps what it is given',
  ],
  'fsync-off': [
    'PostgreSQL does not flush (fsync = off): a power cut loses what was stored last, or all of it; what that had bought may be bought again',
    'set fsync = on in postgresql.conf',
  ],
  'standby-not-awaited': [
    'PostgreSQL has a standby and does not wait for it: when that is promoted, what was stored last is lost, and what that had bought may be bought again',
    'set synchronous_standby_names in postgresql.conf, or promote none by itself',
  ],
};

/** The binary of the embedded server; neither downloads nor builds. */
export async function examineTemporalCli(): Promise<Finding> {
  const check = 'Temporal CLI';
  try {
    const known = await knownTemporalCli(process.env);
    if (known !== null) return ok(check, `${known.path} (server ${known.serverVersion})`);
    return warn(
      check,
      'none is there: the first start of the embedded engine downloads one, or builds it in 2 to 3 minutes',
      'install the Temporal CLI, or set TEMPORAL_CLI_PATH, to have it at once',
    );
  } catch (error) {
    return fail(
      check,
      messageOf(error),
      'set TEMPORAL_CLI_PATH to a CLI with server 1.29 or newer',
    );
  }
}

async function nearestFolder(path: string): Promise<string> {
  const parent = dirname(path);
  if (parent === path || (await stat(parent).catch(() => null)) !== null) return parent;
  return nearestFolder(parent);
}

async function isWritable(folder: string): Promise<boolean> {
  return access(folder, constants.W_OK | constants.X_OK).then(
    () => true,
    () => false,
  );
}
