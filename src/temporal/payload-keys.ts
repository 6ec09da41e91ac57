import { chmod, mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ConfigError, type Environment } from '../environment';
import { KeyRing } from '../protection/key-ring';
import { replaceFile, writeOnce } from '../store/files';

const fileName = 'payload-keys';

/** The payload keys of this installation, and where they come from. */
export interface PayloadKeys {
  keys: KeyRing | 'off';
  /** `file`: of the data directory, for its embedded engine alone. */
  from: 'configured' | 'file';
  /** Made just now: to be said once. */
  generated: boolean;
}

/**
 * The keys as configured, else those in the data directory, generated there (0600) at the first use.
 * Several machines may share a server, and none of them would know the keys of another's directory.
 *
 * @throws ConfigError at a shared server without configured keys, or when the file cannot be read
 */
export async function findPayloadKeys(
  { payloadKeys, dataDir }: Pick<Environment, 'payloadKeys' | 'dataDir'>,
  engine: 'embedded' | 'server',
): Promise<PayloadKeys> {
  if (payloadKeys !== null) return { keys: payloadKeys, from: 'configured', generated: false };
  if (engine === 'server') {
    throw new ConfigError(
      'DILIGENCE_PAYLOAD_KEYS',
      'is not set, and a shared Temporal server (TEMPORAL_ADDRESS or a profile) must not hold payloads in the clear: ' +
        'set it to what `diligence keys generate` prints, the same for every worker and command',
    );
  }
  const entry = `${KeyRing.generateEntry()}\n`;
  // Two processes that start at once must end with one key: the first one stays.
  const path = payloadKeysPath(dataDir);
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const generated = await writeOnce(path, entry);
  await chmod(path, 0o600);
  return {
    keys: parseFile(path, await readFile(path, 'utf8')),
    from: 'file',
    generated,
  };
}

/** What has to be said of them at a start, a sentence each. */
export function remarksOn(
  { keys, generated }: PayloadKeys,
  { dataDir, acceptPlaintext }: Pick<Environment, 'dataDir' | 'acceptPlaintext'>,
): string[] {
  const remarks = [];
  if (generated) {
    remarks.push(
      `a key for payloads was generated in ${dataDir} (0600): keep a copy of it, apart from your backups`,
    );
  }
  if (keys === 'off') {
    remarks.push(
      'DILIGENCE_PAYLOAD_KEYS=off: documents and results lie in the clear, in the store and on the Temporal server',
    );
  } else if (acceptPlaintext) {
    remarks.push(
      'DILIGENCE_ACCEPT_PLAINTEXT=on: payloads that we did not encrypt are taken as they are; unset it when the migration is over',
    );
  }
  return remarks;
}

export function payloadKeysPath(dataDir: string): string {
  return join(dataDir, fileName);
}

/** Puts another list in the place of the one in the data directory, all or nothing, 0600. */
export async function writePayloadKeys(dataDir: string, ring: KeyRing): Promise<void> {
  await replaceFile(payloadKeysPath(dataDir), `${ring.reveal()}\n`);
}

function parseFile(path: string, text: string): KeyRing {
  try {
    return KeyRing.parse(text.trim());
  } catch (error) {
    throw new ConfigError(
      'DILIGENCE_DATA_DIR',
      `${path} does not hold payload keys (${(error as Error).message}): restore it from a backup`,
    );
  }
}
