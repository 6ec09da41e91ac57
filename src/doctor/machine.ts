import { constants } from 'node:fs';
import { access, stat, statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ConfigError, type Environment } from '../environment';
import { doubtSince } from '../store/epoch';
import { openStore, shownAddress } from '../store/open-store';
import { findIdKey } from '../store/sealed/find-id-key';
import { otherAddresses } from '../store/core/service-addresses';
import type { Loss, Store } from '../store/store';
import { StoreConfigError } from '../store/store-error';
import { engineAddress } from '../temporal/connection';
import {
  findPayloadKeys,
  payloadKeysAtHand,
  payloadKeysPath,
} from '../temporal/payload/payload-keys';
import { keyChecks, keyFault } from '../temporal/payload/store-keys';
import { refuseSandboxStore } from '../temporal/sandbox-store';
import { knownTemporalCli } from '../temporal/temporal-cli';
import { fail, messageOf, ok, warn, type Finding } from './finding';

const mebibyte = 1024 * 1024;

/** Data directory: exists, writable, private, with free space. Creates nothing. */
export async function examineDataDir({ dataDir }: Environment): Promise<Finding[]> {
  const check = 'data directory';
  const fix = 'set DILIGENCE_DATA_DIR to a directory that this user can write';
  const found = await statOf(dataDir);
  const folder = found === null ? await nearestFolder(dataDir) : dataDir;
  if (found?.isDirectory() === false) return [fail(check, `${dataDir} is not a directory`, fix)];
  if (!(await can(folder, constants.W_OK | constants.X_OK)))
    return [fail(check, `${dataDir}: ${folder} cannot be written`, fix)];
  const space = await examineSpace(folder);
  if (found === null) return [ok(check, `${dataDir} is made at the first use`), space];
  if ((found.mode & 0o077) === 0)
    return [ok(check, `${dataDir} can be written, and nobody else reads it`), space];
  const detail = `${dataDir} is open to other users (mode ${(found.mode & 0o777).toString(8)})`;
  return [warn(check, detail, `chmod 700 ${dataDir}`), space];
}

async function examineSpace(folder: string): Promise<Finding> {
  const check = 'disk';
  try {
    const { bavail, bsize } = await statfs(folder);
    const free = Math.floor((bavail * bsize) / mebibyte);
    const detail = `${free} MiB free in ${folder}`;
    const fix = 'free some: without room no claim can be put on file, and nothing is requested';
    if (free < 100) return fail(check, detail, fix);
    return free < 1024 ? warn(check, detail, fix) : ok(check, detail);
  } catch (error) {
    return warn(check, `free space is not known (${messageOf(error)})`, 'look yourself: `df -h`');
  }
}

/** The key that names documents, and files with tokens: readable by this user only. */
export async function examineFiles(environment: Environment): Promise<Finding[]> {
  const { credit, dataDir, idKey, investigation } = environment;
  const keyPath = join(dataDir, 'id-key');
  const tokens = [
    ['INVESTIGATION_TOKEN_FILE', investigation?.token],
    ['CERTIFICATES_TOKEN_FILE', investigation?.certificatesToken],
    ['CREDIT_TOKEN_FILE', credit?.token],
  ] as const;
  const key =
    idKey !== null
      ? ok('id key', 'DILIGENCE_ID_KEY; keep it apart from the store')
      : (await statOf(keyPath)) === null
        ? ok('id key', `${keyPath} is generated at the first use`)
        : await fileFinding('id key', keyPath, 'keep a copy apart from the store');
  const files = tokens.map(async ([variable, token]) => {
    if (token == null || !('file' in token)) return [];
    return [await fileFinding(variable, token.file, 'read again on a 401')];
  });
  return [key, ...(await Promise.all(files)).flat()];
}

async function fileFinding(check: string, path: string, remark: string): Promise<Finding> {
  const found = await statOf(path);
  if (found === null || !(await can(path, constants.R_OK)))
    return fail(check, `${path} cannot be read`, 'name a file that this user can read');
  const bits = (found.mode & 0o777).toString(8).padStart(4, '0');
  if ((found.mode & 0o077) === 0) return ok(check, `${path} (${bits}); ${remark}`);
  return warn(check, `${path} can be read by others (mode ${bits})`, `chmod 600 ${path}`);
}

/**
 * Opens the store and writes one small object, always the same. Creates no store.
 *
 * @returns the store, if it exists and is usable
 */
export async function examineStore(
  environment: Environment,
): Promise<{ findings: Finding[]; store: Store | null }> {
  const check = 'store';
  const { storeUrl, dataDir, idKey: configured } = environment;
  const isFolder = !/^[a-z][a-z0-9+.-]+:/i.test(storeUrl);
  const without = (finding: Finding) => ({ findings: [finding], store: null });
  if (isFolder && (await statOf(join(storeUrl, 'store.db'))) === null) {
    const made = `${storeUrl} is made at the first use`;
    if (storeUrl === join(dataDir, 'store')) return without(ok(check, made));
    const fix = 'if there should be one: mount it, or fix DILIGENCE_STORE_URL';
    return without(warn(check, `${made}: it holds no store yet`, fix));
  }
  const keyPath = join(dataDir, 'id-key');
  if (configured === null && (await statOf(keyPath)) === null) {
    const fix = `restore ${keyPath} from a backup, or set DILIGENCE_ID_KEY`;
    return without(fail(check, `the key of ${shownAddress(storeUrl)} is not here`, fix));
  }
  try {
    const { idKey } = await findIdKey(dataDir, configured);
    const keys = await payloadKeysAtHand(environment, engineAddress().kind);
    const store = await openStore(environment, idKey, keys && { keys });
    await refuseSandboxStore(environment, store);
    const { engine, mayLose } = await store.prove();
    const detail = `${shownAddress(storeUrl)} can be written (id ${store.id.slice(0, 8)}, ${engine})`;
    const findings = [ok(check, detail), ...mayLose.map((loss) => warn(check, ...lossWords[loss]))];
    for (const other of await otherAddresses(store, environment))
      findings.push(warn('service address', other, 'give all workers of a store the same'));
    if ((await doubtSince(store)) !== null) findings.push(warn(check, ...doubtWords));
    const { publicKey } = idKey.signingKey;
    findings.push(ok('public key', `${publicKey}; \`report verify --public-key\` takes it`));
    return { findings, store };
  } catch (error) {
    const fix =
      error instanceof ConfigError
        ? `fix ${error.variable}`
        : error instanceof StoreConfigError
          ? 'as it says'
          : 'fix DILIGENCE_STORE_URL or DILIGENCE_ID_KEY, or the rights of the store';
    return without(fail(check, messageOf(error), fix));
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

/** The payload keys: present, private, and those of the store. Generates and registers none. */
export async function examinePayloadKeys(
  environment: Environment,
  store: Store | null,
): Promise<Finding> {
  const check = 'payload keys';
  const engine = engineAddress().kind;
  const path = payloadKeysPath(environment.dataDir);
  const isOfFile = environment.payloadKeys === null;
  if (isOfFile && engine === 'embedded' && (await statOf(path)) === null)
    return ok(check, `${path} is generated at the first use`);
  try {
    const keys = await findPayloadKeys(environment, engine);
    const fault = store && keyFault(keys, await keyChecks(store));
    if (fault !== null)
      return fail(check, `the list ${fault}`, '`diligence keys check` shows what is asked for');
    const [first, ...others] = keys.ids;
    const decrypts = others.length === 0 ? '' : `, ${others.join(' and ')} can only decrypt`;
    const where = isOfFile ? `${path}; keep a copy apart from the store` : 'configured';
    return ok(check, `${first} encrypts${decrypts} (${where})`);
  } catch (error) {
    return fail(check, messageOf(error), 'as it says');
  }
}

/** The binary of the embedded server; neither downloads nor builds. */
export async function examineTemporalCli(): Promise<Finding> {
  const check = 'Temporal CLI';
  try {
    const known = await knownTemporalCli(process.env);
    if (known !== null) return ok(check, `${known.path} (server ${known.serverVersion})`);
    const detail =
      'none is there: the first start of the embedded engine downloads one, or builds it in 2 to 3 minutes';
    const fix = 'install the Temporal CLI, or set TEMPORAL_CLI_PATH, to have it at once';
    return warn(check, detail, fix);
  } catch (error) {
    const fix = 'set TEMPORAL_CLI_PATH to a CLI with server 1.29 or newer';
    return fail(check, messageOf(error), fix);
  }
}

async function nearestFolder(path: string): Promise<string> {
  const parent = dirname(path);
  return parent === path || (await statOf(parent)) !== null ? parent : nearestFolder(parent);
}

function statOf(path: string) {
  return stat(path).catch(() => null);
}

function can(path: string, mode: number): Promise<boolean> {
  return access(path, mode).then(
    () => true,
    () => false,
  );
}
