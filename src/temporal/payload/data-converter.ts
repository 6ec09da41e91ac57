import type { DataConverter } from '@temporalio/common';
import type { KeyRing } from '../../protection/key-ring';
import { EncryptionCodec } from './payload-codec';

export const failureConverterPath = require.resolve('./failure-converter');

/**
 * What every client and worker of ours is given: payloads sealed for a namespace, failures included.
 *
 * @param bound namespace that they are bound to, when it is not the one in use: after a move
 */
export function dataConverterOf(
  ring: KeyRing,
  namespace: string,
  bound: string | null = null,
): DataConverter {
  const codec = new EncryptionCodec({ ring, namespace: bound ?? namespace });
  return { failureConverterPath, payloadCodecs: [codec] };
}
