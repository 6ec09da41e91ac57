import type { PayloadCodec } from '@temporalio/common';
import type { KeyRing } from '../protection/key-ring';
import { EncryptionCodec } from '../temporal/payload/payload-codec';

/**
 * One codec for each served namespace.
 *
 * @param bound same as in `dataConverterOf`
 */
export function codecsFor(
  ring: KeyRing,
  namespaces: readonly string[],
  bound: string | null,
): Map<string, PayloadCodec> {
  return new Map(
    namespaces.map((name) => [name, new EncryptionCodec({ ring, namespace: bound ?? name })]),
  );
}
