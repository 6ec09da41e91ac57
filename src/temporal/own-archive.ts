import { stat } from 'node:fs/promises';
import type { Archive } from '../archive/archive';
import type { IdKey } from '../protection/id-key';
import { openArchive } from '../archive/open-archive';
import type { SealedArchive } from '../archive/sealed-archive';
import type { Environment } from '../environment';
import type { KeyRing } from '../protection/key-ring';
import { proveKeys, refuseOtherKeys } from './key-checks';
import { findPayloadKeys, payloadKeysPath, remarksOn } from './payload-keys';

type Settings = Pick<Environment, 'archiveUrl' | 'payloadKeys' | 'dataDir' | 'acceptPlaintext'>;

/**
 * The archive of this installation, sealed with its payload keys. Before anything is sealed they are proven
 * to be those of the archive: what another key sealed, nobody else could read.
 *
 * @param say gets one line when keys were generated
 * @throws ArchiveError, and ConfigError when there are no keys for it
 */
export async function openOwnArchive(
  settings: Settings,
  idKey: IdKey,
  engine: 'embedded' | 'server',
  say: (line: string) => void,
): Promise<SealedArchive> {
  const found = await findPayloadKeys(settings, engine);
  const { keys } = found;
  if (keys !== 'off') {
    for (const remark of remarksOn(found, { ...settings, acceptPlaintext: false })) say(remark);
  }
  const proof = (archive: Archive): Promise<void> => proveKeys(archive, keys);
  const sealing = keys === 'off' ? null : { keys, proveKeys: proof };
  const archive = await openArchive(settings.archiveUrl, idKey, sealing);
  // With another list, what is sealed would look as if somebody had altered it.
  await refuseOtherKeys(archive, keys);
  return archive;
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
