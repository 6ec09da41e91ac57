import type { DataConverter } from '@temporalio/common';
import type { Environment } from '../environment';
import type { KeyRing } from '../protection/key-ring';
import { EncryptionCodec } from './payload-codec';

export const failureConverterPath = require.resolve('./failure-converter');

/**
 * What every client and worker of ours is given: payloads sealed for a namespace, failures included.
 * With the keys `off` nothing is sealed, and only what is in the clear is read.
 */
export function dataConverterOf(
  keys: KeyRing | 'off',
  namespace: string,
  { acceptPlaintext, aadNamespace }: Pick<Environment, 'acceptPlaintext' | 'aadNamespace'>,
): DataConverter {
  if (keys === 'off') return { failureConverterPath };
  const boundTo = aadNamespace ?? namespace;
  const codec = new EncryptionCodec({ ring: keys, namespace: boundTo, acceptPlaintext });
  return { failureConverterPath, payloadCodecs: [codec] };
}
