import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigError } from '../../../src/environment';
import { KeyRing } from '../../../src/protection/key-ring';
import {
  findPayloadKeys,
  payloadKeysPath,
  writePayloadKeys,
} from '../../../src/temporal/payload/payload-keys';

const configured = KeyRing.parse(`key-a:${'a1'.repeat(32)}`);
let dataDir: string;
let said: string[];

beforeEach(async () => {
  dataDir = join(await mkdtemp(join(tmpdir(), 'diligence-keys-')), 'data');
  said = [];
});

afterEach(() => rm(join(dataDir, '..'), { recursive: true, force: true }));

const find = (engine: 'embedded' | 'server', payloadKeys: KeyRing | null = null) =>
  findPayloadKeys({ payloadKeys, dataDir }, engine, (line) => said.push(line));

describe('the payload keys of an installation', () => {
  it('are those that are configured, whatever lies in the data directory', async () => {
    await find('embedded');
    for (const engine of ['embedded', 'server'] as const) {
      expect(await find(engine, configured)).toBe(configured);
    }
  });

  it('are generated once for the embedded engine, for the eyes of the user alone', async () => {
    const first = await find('embedded');
    expect(said).toEqual([expect.stringContaining(dataDir)]);
    expect((await find('embedded')).reveal()).toBe(first.reveal());
    expect(said).toHaveLength(1);
    expect((await stat(payloadKeysPath(dataDir))).mode & 0o777).toBe(0o600);
  });

  it('are one and the same for processes that start at once', async () => {
    const found = await Promise.all(Array.from({ length: 8 }, () => find('embedded')));
    expect(new Set(found.map((keys) => keys.reveal())).size).toBe(1);
    expect(said).toHaveLength(1);
  });

  it('must be configured for a shared server: a file there is not taken', async () => {
    await find('embedded');
    await expect(find('server')).rejects.toThrow(ConfigError);
    await expect(find('server')).rejects.toThrow(/DILIGENCE_PAYLOAD_KEYS.*keys generate/);
  });

  it('may be changed in the data directory, and stay the user’s alone', async () => {
    await find('embedded');
    await writePayloadKeys(dataDir, configured.withLast(KeyRing.generateEntry()));
    expect((await find('embedded')).ids[0]).toBe('key-a');
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
