import type { PayloadCodec } from '@temporalio/common';
import { ConfigError, type Environment } from '../environment';
import type { KeyRing } from '../protection/key-ring';
import { EncryptionCodec } from '../temporal/payload-codec';

/**
 * A codec for each namespace that is served.
 *
 * @throws ConfigError when payloads are not encrypted at all
 */
export function codecsFor(
  keys: KeyRing | 'off',
  namespaces: readonly string[],
  { acceptPlaintext, aadNamespace }: Pick<Environment, 'acceptPlaintext' | 'aadNamespace'>,
): Map<string, PayloadCodec> {
  if (keys === 'off') {
    throw new ConfigError('DILIGENCE_PAYLOAD_KEYS', 'is off: there is nothing to decode');
  }
  return new Map(
    namespaces.map((name) => [
      name,
      new EncryptionCodec({ ring: keys, namespace: aadNamespace ?? name, acceptPlaintext }),
    ]),
  );
}
