import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigError } from '../../../src/environment';
import { engineAddress } from '../../../src/temporal/connection';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'diligence-profile-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

it('a profile that cannot be read is told by its line, and none of it is shown', async () => {
  const path = join(folder, 'temporal.toml');
  const lines = ['[profile.default]', 'api_key = "tcloud-SECRETVALUE"', 'namespace = prod'];
  await writeFile(path, lines.join('\n'));
  const read = () => engineAddress({ TEMPORAL_CONFIG_FILE: path });
  expect(read).toThrow(ConfigError);
  expect(read).toThrow(/line 3 of the profile file/);
  expect(read).not.toThrow(/SECRETVALUE/);
});
