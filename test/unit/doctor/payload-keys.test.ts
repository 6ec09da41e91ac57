import { examinePayloadKeys } from '../../../src/doctor/machine';
import { readEnvironment } from '../../../src/environment';
import { proveKeys } from '../../../src/temporal/payload/store-keys';
import { KeyRing } from '../../../src/protection/key-ring';
import { TemporaryStore } from '../../support/temporary-store';

const [a, b] = [`key-a:${'a1'.repeat(32)}`, `key-b:${'b2'.repeat(32)}`];

describe('doctor, asked about payload keys', () => {
  let place: TemporaryStore;
  const address = process.env.TEMPORAL_ADDRESS;

  beforeEach(() => {
    place = new TemporaryStore();
    delete process.env.TEMPORAL_ADDRESS;
  });

  afterEach(() => {
    place.remove();
    if (address === undefined) delete process.env.TEMPORAL_ADDRESS;
    else process.env.TEMPORAL_ADDRESS = address;
  });

  const examine = (env: Record<string, string>) =>
    examinePayloadKeys(readEnvironment({ ...env, DILIGENCE_DATA_DIR: place.folder }), place.store);

  it('makes none', async () => {
    expect(await examine({})).toMatchObject({ state: 'ok' });
    expect(await examine({})).toMatchObject({ detail: expect.stringContaining('is generated') });
  });

  it('fails where a shared server has none, and says how to have one', async () => {
    process.env.TEMPORAL_ADDRESS = '127.0.0.1:7233';
    const finding = await examine({});
    expect(finding).toMatchObject({ state: 'fail', detail: expect.stringContaining('generate') });
  });

  it('tells which key encrypts, and shows none', async () => {
    const finding = await examine({ DILIGENCE_PAYLOAD_KEYS: `${a},${b}` });
    expect(finding).toMatchObject({
      state: 'ok',
      detail: expect.stringContaining('key-a encrypts'),
    });
    expect(JSON.stringify(finding)).not.toMatch(/a1a1|b2b2/);
  });

  it('fails when the store asks for another, and names it', async () => {
    await proveKeys(place.store, KeyRing.parse(a));
    expect(await examine({ DILIGENCE_PAYLOAD_KEYS: b })).toMatchObject({
      state: 'fail',
      detail: expect.stringContaining('key-a'),
    });
  });
});
