import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigError } from '../../../src/environment';
import { KeyRing } from '../../../src/protection/key-ring';
import {
  findPayloadKeys,
  payloadKeysPath,
  remarksOn,
  writePayloadKeys,
} from '../../../src/temporal/payload-keys';

const configured = KeyRing.parse(`key-a:${'a1'.repeat(32)}`);
let dataDir: string;

beforeEach(async () => {
  dataDir = join(await mkdtemp(join(tmpdir(), 'diligence-keys-')), 'data');
});

afterEach(() => rm(join(dataDir, '..'), { recursive: true, force: true }));

const find = (engine: 'embedded' | 'server', payloadKeys: KeyRing | 'off' | null = null) =>
  findPayloadKeys({ payloadKeys, dataDir }, engine);
const idsOf = async (found: ReturnType<typeof find>) => ((await found).keys as KeyRing).ids;

describe('the payload keys of an installation', () => {
  it('are those that are configured, whatever lies in the data directory', async () => {
    await find('embedded');
    for (const engine of ['embedded', 'server'] as const) {
      expect(await find(engine, configured)).toEqual({
        keys: configured,
        from: 'configured',
        generated: false,
      });
      expect((await find(engine, 'off')).keys).toBe('off');
    }
  });

  it('are generated once for the embedded engine, for the eyes of the user alone', async () => {
    const first = await find('embedded');
    expect(first).toMatchObject({ from: 'file', generated: true });
    const again = await find('embedded');
    expect(again.generated).toBe(false);
    expect((again.keys as KeyRing).reveal()).toBe((first.keys as KeyRing).reveal());
    expect((await stat(payloadKeysPath(dataDir))).mode & 0o777).toBe(0o600);
  });

  it('are one and the same for processes that start at once', async () => {
    const found = await Promise.all(Array.from({ length: 8 }, () => find('embedded')));
    expect(new Set(found.map(({ keys }) => (keys as KeyRing).reveal())).size).toBe(1);
    expect(found.filter(({ generated }) => generated)).toHaveLength(1);
  });

  it('must be configured for a shared server: a file there is not taken', async () => {
    await find('embedded');
    await expect(find('server')).rejects.toThrow(ConfigError);
    await expect(find('server')).rejects.toThrow(/DILIGENCE_PAYLOAD_KEYS.*keys generate/);
  });

  it('may be changed in the data directory, and stay the user’s alone', async () => {
    await find('embedded');
    await writePayloadKeys(dataDir, configured.withLast(KeyRing.generateEntry()));
    expect((await idsOf(find('embedded')))[0]).toBe('key-a');
    expect((await stat(payloadKeysPath(dataDir))).mode & 0o777).toBe(0o600);
  });

  it('are refused when the file is damaged, without showing it', async () => {
    await find('embedded');
    const [, secret] = (await readFile(payloadKeysPath(dataDir), 'utf8')).trim().split(':');
    await writeFile(payloadKeysPath(dataDir), `k-1:${secret?.slice(2)}\n`);
    const message = await find('embedded').catch((error: Error) => error.message);
    expect(message).toContain(payloadKeysPath(dataDir));
    expect(message).not.toContain(secret?.slice(2, 20));
  });
});

describe('what is said of them at a start', () => {
  const settings = { dataDir: '/data', acceptPlaintext: false };
  const known = { keys: configured, from: 'configured', generated: false } as const;

  it('is nothing when all is as it should be', () => {
    expect(remarksOn(known, settings)).toEqual([]);
  });

  it('warns at every start while payloads may be in the clear', () => {
    expect(remarksOn({ ...known, keys: 'off' }, settings)).toEqual([
      expect.stringContaining('in the clear'),
    ]);
    expect(remarksOn(known, { ...settings, acceptPlaintext: true })).toEqual([
      expect.stringContaining('DILIGENCE_ACCEPT_PLAINTEXT'),
    ]);
  });

  it('tells of a key that was just made', () => {
    expect(remarksOn({ ...known, generated: true }, settings)).toEqual([
      expect.stringContaining('/data'),
    ]);
  });
});
