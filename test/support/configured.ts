import { createHash } from 'node:crypto';
import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

type ConfigInput = Record<string, Record<string, unknown>>;

/** What every installation of a test has: short time-outs. */
const ofTests: ConfigInput = {
  certificates: { timeoutSeconds: 3 },
  credit: { timeoutSeconds: 3 },
};

/** The variable that names a configuration file with these keys, beside those of every test. */
export function configured(config: ConfigInput = {}): { DILIGENCE_CONFIG: string } {
  const merged: ConfigInput = { ...ofTests };
  for (const [name, section] of Object.entries(config))
    merged[name] = { ...merged[name], ...section };
  const text = JSON.stringify(merged);
  const folder = join(tmpdir(), 'diligence-test-configs');
  mkdirSync(folder, { recursive: true });
  const path = join(folder, `${createHash('sha256').update(text).digest('hex').slice(0, 16)}.json`);
  // Other test runs read the same file.
  const aside = `${path}.${process.pid}`;
  writeFileSync(aside, text);
  renameSync(aside, path);
  return { DILIGENCE_CONFIG: path };
}
