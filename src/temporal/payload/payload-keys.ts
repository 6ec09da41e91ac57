import type { Tell } from '../../domain/job';
import { chmod, mkdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ConfigError, type Environment } from '../../environment';
import { KeyRing } from '../../protection/key-ring';
import { replaceFile, writeOnce } from '../../store/files';

type Settings = Pick<Environment, 'payloadKeys' | 'dataDir'>;

export type EngineKind = 'embedded' | 'server';

/**
 * The keys as configured, else those in the data directory, generated there (0600) at the first use.
 * Several machines may share a server, and none of them would know the keys of another's directory.
 *
 * @param say gets one line when a key was generated
 * @throws ConfigError at a shared server without configured keys, or when the file cannot be read
 */
export async function findPayloadKeys(
  { payloadKeys, dataDir }: Settings,
  engine: EngineKind,
  say: Tell = () => undefined,
): Promise<KeyRing> {
  if (payloadKeys !== null) return payloadKeys;
  if (engine === 'server') {
    throw new ConfigError(
      'DILIGENCE_PAYLOAD_KEYS',
      'is not set, and a shared Temporal server (TEMPORAL_ADDRESS or a profile) must not hold payloads in the clear: ' +
        'set it to what `diligence keys generate` prints, the same for every worker and command',
    );
  }
  // Two processes that start at once must end with one key: the first one stays.
  const path = payloadKeysPath(dataDir);
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  if (await writeOnce(path, `${KeyRing.generateEntry()}\n`)) {
    say(
      `a key for payloads was generated in ${dataDir} (0600): keep a copy of it, apart from your backups`,
      `uma chave para os dados foi gerada em ${dataDir} (0600): guarde uma cópia dela, longe das cópias de segurança`,
    );
  }
  await chmod(path, 0o600);
  return parseFile(path, await readFile(path, 'utf8'));
}

/** As `findPayloadKeys`, but null where it would generate or ask for some. */
export async function payloadKeysAtHand(
  settings: Settings,
  engine: EngineKind,
): Promise<KeyRing | null> {
  if (settings.payloadKeys !== null) return settings.payloadKeys;
  const file = await stat(payloadKeysPath(settings.dataDir)).catch(() => null);
  return engine === 'server' || file === null ? null : findPayloadKeys(settings, engine);
}

export function payloadKeysPath(dataDir: string): string {
  return join(dataDir, 'payload-keys');
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
