import type { Payload, PayloadCodec } from '@temporalio/common';
import { temporal } from '@temporalio/proto';
import { BrokenSealError, type KeyRing } from '../../protection/key-ring';

const PayloadMessage = temporal.api.common.v1.Payload;

/** Changes with the form of what is sealed, and is sealed with it. */
const version = 'diligence payload 1';

export const encryptedEncoding = 'binary/encrypted';
const encodingField = 'encoding';
/** What the server itself writes as the details of an activity that was cancelled before it began. */
const notStarted = { encoding: 'json/plain', data: Buffer.from('"ACTIVITY_ID_NOT_STARTED"') };
const keyIdField = 'encryption-key-id';

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
    return payloads.map((payload) => this.#seal(payload));
  }

  /** @throws UnknownKeyError, BrokenSealError, ForeignPayloadError */
  async decode(payloads: Payload[]): Promise<Payload[]> {
    return payloads.map((payload) => this.#open(payload));
  }

  #seal(payload: Payload): Payload {
    const plain = PayloadMessage.encode(payload).finish();
    const { keyId, bytes } = this.#ring.seal('payload', plain, this.#about);
    return {
      metadata: {
        [encodingField]: Buffer.from(encryptedEncoding),
        [keyIdField]: Buffer.from(keyId),
      },
      data: bytes,
    };
  }

  #open(payload: Payload): Payload {
    const encoding = textOf(payload, encodingField);
    if (encoding !== encryptedEncoding) {
      if (isByTheServer(payload)) return payload;
      throw new ForeignPayloadError(
        'a payload is not encrypted, or not by us: whoever wrote it lacks our codec',
      );
    }
    const id = textOf(payload, keyIdField);
    if (
      id === null ||
      Object.keys(payload.metadata ?? {}).length !== 2 ||
      refersElsewhere(payload)
    ) {
      throw new ForeignPayloadError('an encrypted payload has other metadata than we give it');
    }
    return PayloadMessage.decode(this.#unseal(id, payload.data ?? new Uint8Array()));
  }

  #unseal(id: string, sealed: Uint8Array): Buffer {
    try {
      return this.#ring.open('payload', id, sealed, this.#about);
    } catch (error) {
      if (!(error instanceof BrokenSealError)) throw error;
      throw new BrokenSealError(
        'an encrypted payload has been altered, or was made in another namespace (`payloads.namespace` of diligence.config.json)',
      );
    }
  }
}

/** Null when there is no such field, or it is no ASCII text: two texts must never read as one. */
function textOf({ metadata }: Payload, field: string): string | null {
  if (metadata == null || !Object.hasOwn(metadata, field)) return null;
  const bytes = metadata[field];
  if (bytes == null || bytes.some((byte) => byte < 0x20 || byte > 0x7e)) return null;
  return Buffer.from(bytes).toString('latin1');
}

/** No worker wrote it, and it says nothing: if it were refused, its workflow could never continue. */
function isByTheServer(payload: Payload): boolean {
  return (
    textOf(payload, encodingField) === notStarted.encoding &&
    Object.keys(payload.metadata ?? {}).length === 1 &&
    !refersElsewhere(payload) &&
    notStarted.data.equals(payload.data ?? Buffer.alloc(0))
  );
}

/** A payload may point at data outside of it: ours never does. */
function refersElsewhere(payload: temporal.api.common.v1.IPayload): boolean {
  return (payload.externalPayloads ?? []).length > 0;
}
