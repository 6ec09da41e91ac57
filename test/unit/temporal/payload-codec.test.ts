import { defaultPayloadConverter, type Payload } from '@temporalio/common';
import { temporal } from '@temporalio/proto';
import { BrokenSealError, KeyRing, UnknownKeyError } from '../../../src/protection/key-ring';
import { dataConverterOf } from '../../../src/temporal/payload/data-converter';
import { EncryptionCodec, ForeignPayloadError } from '../../../src/temporal/payload/payload-codec';

const entryA = `key-a:${'a1'.repeat(32)}`;
const entryB = `key-b:${'b2'.repeat(32)}`;
const namespace = 'default';
const codecOf = (keys: string, more: { namespace?: string } = {}) =>
  new EncryptionCodec({ ring: KeyRing.parse(keys), namespace, ...more });
const plain = defaultPayloadConverter.toPayload({ document: '12.345.678/0001-95' });
const sealedBy = async (codec: EncryptionCodec, payload: Payload = plain): Promise<Payload> =>
  (await codec.encode([payload])).at(0) as Payload;
const opened = (codec: EncryptionCodec, payload: Payload) => codec.decode([payload]);
const bytes = (text: string) => Buffer.from(text);

describe('the payload codec', () => {
  it.each([
    ['a document', { document: '12.345.678/0001-95', note: 'ação' }],
    ['bytes', new Uint8Array([0, 1, 255])],
    ['nothing', undefined],
    ['null', null],
  ])('gives back %s', async (_, value) => {
    const codec = codecOf(entryA);
    const sealed = await codec.encode([defaultPayloadConverter.toPayload(value)]);
    const payload = (await codec.decode(sealed)).at(0) as Payload;
    expect(defaultPayloadConverter.fromPayload(payload)).toEqual(value);
  });

  it('gives back all payloads, in order, and none for none', async () => {
    const codec = codecOf(entryA);
    const values = Array.from({ length: 20 }, (_, n) => defaultPayloadConverter.toPayload(n));
    const back = await codec.decode(await codec.encode(values));
    expect(back.map((one) => defaultPayloadConverter.fromPayload(one))).toEqual([
      ...Array(20).keys(),
    ]);
    expect(await codec.decode(await codec.encode([]))).toEqual([]);
  });

  it('shows the encoding and the id of the key, and nothing else', async () => {
    const { metadata, data } = await sealedBy(codecOf(entryA));
    const shown = Object.entries(metadata ?? {}).map(([name, value]) => [name, String(value)]);
    expect(Object.fromEntries(shown)).toEqual({
      encoding: 'binary/encrypted',
      'encryption-key-id': 'key-a',
    });
    expect(Buffer.from(data ?? []).toString('latin1')).not.toMatch(/12\.345|json|document/);
  });

  it('goes unharmed over the wire of Temporal', async () => {
    const { Payload: Message } = temporal.api.common.v1;
    const codec = codecOf(entryA);
    const arrived = Message.decode(Message.encode(await sealedBy(codec)).finish());
    const payload = (await opened(codec, arrived)).at(0) as Payload;
    expect(defaultPayloadConverter.fromPayload(payload)).toEqual({
      document: '12.345.678/0001-95',
    });
  });

  it('reads with any key of its list, and names the one that it lacks', async () => {
    const sealed = await sealedBy(codecOf(entryA));
    await expect(opened(codecOf(`${entryB},${entryA}`), sealed)).resolves.toHaveLength(1);
    await expect(opened(codecOf(entryB), sealed)).rejects.toThrow(UnknownKeyError);
    await expect(opened(codecOf(entryB), sealed)).rejects.toThrow('key-a');
  });

  it('refuses what was made in another namespace', async () => {
    const sealed = await sealedBy(codecOf(entryA));
    const elsewhere = opened(codecOf(entryA, { namespace: 'other' }), sealed);
    await expect(elsewhere).rejects.toThrow(BrokenSealError);
    await expect(elsewhere).rejects.toThrow('payloads.namespace');
  });

  it('refuses every altered byte', async () => {
    const codec = codecOf(entryA);
    const sealed = await sealedBy(codec);
    const data = Buffer.from(sealed.data ?? []);
    for (let at = 0; at < data.length; at += 1) {
      const altered = Buffer.from(data);
      altered.writeUInt8(altered.readUInt8(at) ^ 0x80, at);
      await expect(opened(codec, { ...sealed, data: altered })).rejects.toThrow(BrokenSealError);
    }
  });

  const encrypted = { encoding: bytes('binary/encrypted'), 'encryption-key-id': bytes('key-a') };
  it.each<[string, Record<string, Uint8Array> | null]>([
    ['no metadata', null],
    ['no encoding', { 'encryption-key-id': bytes('key-a') }],
    ['no id of a key', { encoding: encrypted.encoding }],
    ['one field more', { ...encrypted, version: bytes('2') }],
    ['one field by another name', { encoding: encrypted.encoding, 'key-id': bytes('key-a') }],
    ['another encoding', { ...encrypted, encoding: bytes('json/plain') }],
    ['another case', { ...encrypted, encoding: bytes('Binary/Encrypted') }],
  ])('refuses a payload with %s', async (_, metadata) => {
    const codec = codecOf(entryA);
    const { data = null } = await sealedBy(codec);
    await expect(opened(codec, { metadata, data })).rejects.toThrow(ForeignPayloadError);
  });

  it('takes what the server itself says of an activity that never began, and nothing like it', async () => {
    const codec = codecOf(entryA);
    const metadata = { encoding: bytes('json/plain') };
    const data = bytes('"ACTIVITY_ID_NOT_STARTED"');
    expect(await opened(codec, { metadata, data })).toEqual([{ metadata, data }]);
    for (const altered of [
      { metadata, data: bytes('"ACTIVITY_ID_NOT_STARTED" ') },
      { metadata, data: bytes('"ACTIVITY_ID_UNKNOWN"') },
      { metadata },
      { metadata: { ...metadata, note: bytes('x') }, data },
      { metadata: { encoding: bytes('binary/plain') }, data },
      { metadata, data, externalPayloads: [{}] },
    ]) {
      await expect(opened(codec, altered)).rejects.toThrow(ForeignPayloadError);
    }
  });

  it('refuses the id of another key that it holds', async () => {
    const codec = codecOf(`${entryA},${entryB}`);
    const sealed = await sealedBy(codec);
    const metadata = { ...sealed.metadata, 'encryption-key-id': bytes('key-b') };
    await expect(opened(codec, { ...sealed, metadata })).rejects.toThrow(BrokenSealError);
  });

  it('refuses a payload that points at data elsewhere', async () => {
    const codec = codecOf(entryA);
    const sealed = { ...(await sealedBy(codec)), externalPayloads: [{}] };
    await expect(opened(codec, sealed)).rejects.toThrow(ForeignPayloadError);
  });

  it('takes nothing that is in the clear', async () => {
    await expect(opened(codecOf(entryA), plain)).rejects.toThrow(ForeignPayloadError);
  });

  it('quotes no value when it refuses', async () => {
    const refused = await opened(codecOf(entryA), plain).catch((error: Error) => error.message);
    expect(refused).not.toMatch(/12\.?345/);
  });
});

describe('what clients and workers are given', () => {
  it('seals for the namespace in use, or for the one that is named for a move', async () => {
    const ring = KeyRing.parse(entryA);
    const codecIn = (used: string, bound: string | null = null) =>
      dataConverterOf(ring, used, bound).payloadCodecs?.[0];
    const sealed = (await codecIn('old')?.encode([plain])) as Payload[];
    await expect(codecIn('new')?.decode(sealed)).rejects.toThrow(BrokenSealError);
    await expect(codecIn('new', 'old')?.decode(sealed)).resolves.toHaveLength(1);
  });
});
