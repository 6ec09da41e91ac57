import { defaultPayloadConverter, type Payload } from '@temporalio/common';
import { temporal } from '@temporalio/proto';
import * as fc from 'fast-check';
import { BrokenSealError, KeyRing, UnknownKeyError } from '../../src/protection/key-ring';
import { EncryptionCodec, ForeignPayloadError } from '../../src/temporal/payload/payload-codec';
import { sized } from '../support/full-size';

const runs = sized(4_000, 100_000);
const { Payload: Message } = temporal.api.common.v1;
const keys = [`key-a:${'a1'.repeat(32)}`, `key-b:${'b2'.repeat(32)}`];
const codecWith = (list: string[], namespace = 'default') =>
  new EncryptionCodec({ ring: KeyRing.parse(list.join(',')), namespace });
const codec = codecWith(keys);
const refusals = [ForeignPayloadError, BrokenSealError, UnknownKeyError];

/** Payloads as a server holds them: of both keys, and of another namespace. */
let sealed: Payload[];
let elsewhere: Payload[];

beforeAll(async () => {
  const values = [
    undefined,
    null,
    'x',
    { document: '12345678000195' },
    new Uint8Array(300),
    [1, 2],
  ];
  const payloads = values.map((value) => defaultPayloadConverter.toPayload(value));
  const swapped = codecWith([...keys].reverse());
  sealed = [...(await codec.encode(payloads)), ...(await swapped.encode(payloads))];
  elsewhere = await codecWith(keys, 'other').encode(payloads);
});

type Change = (payload: Payload, others: readonly Payload[]) => Payload;

const bytesOf = ({ data }: Payload): Buffer => Buffer.from(data ?? []);
const at = (length: number, place: number): number => (length === 0 ? 0 : place % length);
const place = fc.nat(10_000);
const word = fc.oneof(
  fc.constantFrom('encoding', 'encryption-key-id', 'messageType', '__proto__', 'constructor'),
  fc.string({ maxLength: 20 }),
);
const value = fc
  .oneof(
    fc.constantFrom(
      'binary/encrypted',
      'binary/plain',
      'json/plain',
      'binary/null',
      'key-a',
      'key-b',
    ),
    fc.constantFrom('', 'key-c', 'KEY-A', ' key-a', 'k'.repeat(500)),
    fc.string({ maxLength: 20 }),
  )
  .map((text) => Buffer.from(text));
const anyValue = fc.oneof(value, fc.uint8Array({ maxLength: 20 }));

/** `__proto__` becomes a field like any other, as it is in what comes over the wire. */
function withField(payload: Payload, name: string, bytes: Uint8Array | null): Payload {
  const fields = Object.entries(payload.metadata ?? {}).filter(([known]) => known !== name);
  if (bytes !== null) fields.push([name, bytes]);
  return { ...payload, metadata: Object.fromEntries(fields) };
}

function flipIn(bytes: Buffer, where: number, mask: number): void {
  bytes.writeUInt8(bytes.readUInt8(where) ^ mask, where);
}

const flip = fc.tuple(place, fc.integer({ min: 1, max: 255 })).map<Change>(([where, mask]) => {
  return (payload) => {
    const data = bytesOf(payload);
    if (data.length > 0) flipIn(data, at(data.length, where), mask);
    return { ...payload, data };
  };
});
const cut = fc.tuple(place, fc.boolean()).map<Change>(([where, fromStart]) => (payload) => {
  const data = bytesOf(payload);
  const middle = at(data.length, where);
  return { ...payload, data: fromStart ? data.subarray(middle) : data.subarray(0, middle) };
});
const insert = fc
  .tuple(place, fc.uint8Array({ minLength: 1, maxLength: 30 }))
  .map<Change>(([where, more]) => (payload) => {
    const data = bytesOf(payload);
    const middle = at(data.length + 1, where);
    const parts = [data.subarray(0, middle), more, data.subarray(middle)];
    return { ...payload, data: Buffer.concat(parts) };
  });
/** The beginning of one and the rest of another: nonces and tags of ours, in wrong company. */
const mix = fc.tuple(place, place).map<Change>(([which, where]) => (payload, others) => {
  const data = bytesOf(payload);
  const other = bytesOf(others.at(at(others.length, which)) as Payload);
  const middle = at(data.length, where);
  return { ...payload, data: Buffer.concat([data.subarray(0, middle), other.subarray(middle)]) };
});
const setField = fc.tuple(word, fc.option(anyValue)).map<Change>(
  ([name, bytes]) =>
    (payload) =>
      withField(payload, name, bytes),
);
const setOurs = fc
  .tuple(fc.constantFrom('encoding', 'encryption-key-id'), fc.option(anyValue))
  .map<Change>(
    ([name, bytes]) =>
      (payload) =>
        withField(payload, name, bytes),
  );
const strip = fc
  .constantFrom('data', 'metadata')
  .map<Change>((part) => (payload) => ({ ...payload, [part]: undefined }));
const pointElsewhere = fc.integer({ min: 1, max: 3 }).map<Change>((count) => (payload) => ({
  ...payload,
  externalPayloads: Array.from({ length: count }, () => ({})),
}));
/** As it lies on a disk or goes over the wire. */
const spoilWire = fc.tuple(place, fc.integer({ min: 1, max: 255 })).map<Change>(([where, mask]) => {
  return (payload) => {
    const wire = Buffer.from(Message.encode(payload).finish());
    if (wire.length > 0) flipIn(wire, at(wire.length, where), mask);
    try {
      return Message.decode(wire);
    } catch {
      // It is not even a payload any more.
      return {};
    }
  };
});
const change = fc.oneof(
  flip,
  cut,
  insert,
  mix,
  setField,
  setOurs,
  strip,
  pointElsewhere,
  spoilWire,
);

/** What the codec is given, by content. */
function contentOf(payload: Payload): string {
  return JSON.stringify([
    Object.entries(payload.metadata ?? {})
      .map(([name, bytes]) => `${name}=${Buffer.from(bytes ?? []).toString('hex')}`)
      .sort(),
    bytesOf(payload).toString('hex'),
    (payload as { externalPayloads?: unknown[] }).externalPayloads ?? [],
  ]);
}

it(`refuses ${runs} altered payloads, each with an error of ours`, async () => {
  const genuine = new Set(sealed.map(contentOf));
  const seen = new Map<string, number>();
  await fc.assert(
    fc.asyncProperty(
      place,
      fc.array(change, { minLength: 1, maxLength: 3 }),
      async (which, changes) => {
        const start = sealed.at(at(sealed.length, which)) as Payload;
        const changed = changes.reduce((payload, one) => one(payload, sealed), start);
        // What took nothing away, or was taken back, is no altered payload yet.
        const altered = genuine.has(contentOf(changed))
          ? { ...changed, data: Buffer.concat([bytesOf(changed), Buffer.of(0)]) }
          : changed;
        const result = await codec.decode([altered]).then(
          () => 'opened',
          (error: unknown) => error,
        );
        const kind = refusals.find((known) => result instanceof known);
        if (kind === undefined) throw new Error(`not refused as it should be: ${String(result)}`);
        expect((result as Error).message).not.toContain('12345678000195');
        seen.set(kind.name, (seen.get(kind.name) ?? 0) + 1);
      },
    ),
    { numRuns: runs },
  );
  // Every way to be refused has had its share: the changes reach all of them.
  for (const { name } of refusals) expect(seen.get(name)).toBeGreaterThan(runs / 1_000);
}, 240_000);

it('opens what is not altered, whatever else it is given', async () => {
  await fc.assert(
    fc.asyncProperty(fc.jsonValue(), async (json) => {
      const payloads = await codec.encode([defaultPayloadConverter.toPayload(json)]);
      const payload = (await codec.decode(payloads)).at(0) as Payload;
      expect(defaultPayloadConverter.fromPayload(payload)).toEqual(
        JSON.parse(JSON.stringify(json)),
      );
    }),
    { numRuns: 1_000 },
  );
});

it('refuses what was sealed for another namespace', async () => {
  for (const payload of elsewhere) {
    await expect(codec.decode([payload])).rejects.toThrow(BrokenSealError);
  }
});
