import type { Payload, PayloadCodec } from '@temporalio/common';
import { temporal } from '@temporalio/proto';
import { BrokenSealError, type KeyRing } from '../../protection/key-ring';

const PayloadMessage = temporal.api.common.v1.Payload;

/** Changes with the form of what is sealed, and is sealed with it. */
const version = 'diligence payload 1';

export const encryptedEncoding = 'binary/encrypted';
/**
 * What the server itself writes as the details of an activity that was cancelled before it began. If it were refused,
 * its workflow could never continue.
 */
const notStarted: Payload = {
  metadata: { encoding: Buffer.from('json/plain') },
  data: Buffer.from('"ACTIVITY_ID_NOT_STARTED"'),
};

export interface EncryptionCodecOptions {
  ring: KeyRing;
  /** What payloads are bound to: one copied into another namespace does not open there. */
  namespace: string;
}

/** A payload that is not sealed, or whose outside is not as we make it. */
export class ForeignPayloadError extends Error {
  override readonly name = 'ForeignPayloadError';
}

/**
 * Seals whole payloads, metadata included (docs/protection.md). Outside they show
 * `encoding: binary/encrypted` and `encryption-key-id`, and nothing else.
 */
export class EncryptionCodec implements PayloadCodec {
  readonly #ring: KeyRing;
  readonly #about: string;

  constructor({ ring, namespace }: EncryptionCodecOptions) {
    this.#ring = ring;
    this.#about = `${version}\n${namespace}`;
  }

  async encode(payloads: Payload[]): Promise<Payload[]> {
    return payloads.map((payload) => {
      const plain = PayloadMessage.encode(payload).finish();
      const { keyId, bytes } = this.#ring.seal('payload', plain, this.#about);
      const metadata = {
        encoding: Buffer.from(encryptedEncoding),
        'encryption-key-id': Buffer.from(keyId),
      };
      return { metadata, data: bytes };
    });
  }

  /** @throws UnknownKeyError, BrokenSealError, ForeignPayloadError */
  async decode(payloads: Payload[]): Promise<Payload[]> {
    return payloads.map((payload) => this.#open(payload));
  }

  #open({ data, externalPayloads, metadata }: temporal.api.common.v1.IPayload): Payload {
    const shown = (field: string): string =>
      Buffer.from(metadata?.[field] ?? []).toString('latin1');
    const sealed = Buffer.from(data ?? []);
    const [encoding, id] = [shown('encoding'), shown('encryption-key-id')];
    // Nothing stands beside what we seal, nor beside what the server writes.
    const fields = (externalPayloads ?? []).length > 0 ? 0 : Object.keys(metadata ?? {}).length;
    const isPlain = fields === 1 && encoding === 'json/plain';
    if (isPlain && sealed.equals(notStarted.data as Buffer)) return notStarted;
    if (fields !== 2 || encoding !== encryptedEncoding || id === '')
      throw new ForeignPayloadError(
        'a payload is not encrypted, or not by us: whoever wrote it lacks our codec',
      );
    try {
      return PayloadMessage.decode(this.#ring.open('payload', id, sealed, this.#about));
    } catch (error) {
      if (!(error instanceof BrokenSealError)) throw error;
      throw new BrokenSealError(
        'an encrypted payload has been altered, or was made in another namespace (`payloads.namespace` of diligence.config.json)',
      );
    }
  }
}
