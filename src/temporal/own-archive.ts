import { stat } from 'node:fs/promises';
import { openArchive, type IdKey } from '../archive/open-archive';
import type { ArchiveSealing, SealedArchive } from '../archive/sealed-archive';
import { ConfigError, type Environment } from '../environment';
import type { KeyRing } from '../protection/key-ring';
import { proveKeys, refuseOtherKeys } from './key-checks';
import { findPayloadKeys, payloadKeysPath, remarksOn } from './payload-keys';

type Settings = Pick<
  Environment,
  'archiveUrl' | 'archiveEncryption' | 'payloadKeys' | 'dataDir' | 'acceptPlaintext'
>;

/**
 * The archive of this installation, sealed when it is to be. Before anything is sealed the keys are
 * proven to be those of the archive: what another key sealed, nobody else could read.
 *
 * @param say gets one line when keys were generated
 * @throws ArchiveError, and ConfigError when it is to be sealed and there are no keys for it
 */
export async function openOwnArchive(
  settings: Settings,
  idKey: IdKey,
  engine: 'embedded' | 'server',
  say: (line: string) => void,
): Promise<SealedArchive> {
  const sealing = await sealingOf(settings, engine, say);
  const archive = await openArchive(settings.archiveUrl, idKey, sealing);
  // With another list, what is sealed would look as if somebody had altered it.
  if (sealing.keys !== null) await refuseOtherKeys(archive, sealing.keys);
  return archive;
}

async function sealingOf(
  settings: Settings,
  engine: 'embedded' | 'server',
  say: (line: string) => void,
): Promise<ArchiveSealing> {
  if (!settings.archiveEncryption) {
    return { keys: await archiveKeys(settings, engine), seals: false };
  }
  const isWithoutKeys = settings.payloadKeys === null && engine === 'server';
  if (settings.payloadKeys === 'off' || isWithoutKeys) {
    const state = isWithoutKeys ? 'is not set' : 'is off';
    throw new ConfigError(
      'DILIGENCE_ARCHIVE_ENCRYPTION',
      `is on, and DILIGENCE_PAYLOAD_KEYS ${state}: set it to what \`diligence keys generate\` prints, the same for every worker and command`,
    );
  }
  const found = await findPayloadKeys(settings, engine);
  for (const remark of remarksOn(found, { ...settings, acceptPlaintext: false })) say(remark);
  const { keys } = found;
  if (keys === 'off') return { keys: null, seals: false };
  return { keys, seals: true, proveKeys: (archive) => proveKeys(archive, keys) };
}

/** Keys for what is sealed already; null when none are at hand. Makes none. */
export async function archiveKeys(
  { payloadKeys, dataDir }: Pick<Environment, 'payloadKeys' | 'dataDir'>,
  engine: 'embedded' | 'server',
): Promise<KeyRing | null> {
  if (payloadKeys !== null) return payloadKeys === 'off' ? null : payloadKeys;
  const isThere = await stat(payloadKeysPath(dataDir)).then(
    () => true,
    () => false,
  );
  if (engine === 'server' || !isThere) return null;
  const { keys } = await findPayloadKeys({ payloadKeys, dataDir }, engine);
  return keys === 'off' ? null : keys;
}
