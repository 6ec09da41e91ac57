/**
 * `npm run check:compose`: the compose file against the compose specification and our own rules, and
 * the Dockerfile against the builder's grammar. Needs no Docker.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { validate } from 'dockerfile-utils';
import { brokenHouseRules } from './check-compose/house-rules';

const root = join(__dirname, '..');
const composePath = join(root, 'docker-compose.yml');
const faults: string[] = [];

// The command and not the library: its types do not resolve from CommonJS.
const dclint = join(require.resolve('dclint/package.json'), '..', 'bin', 'dclint.cjs');
const linted = spawnSync(
  process.execPath,
  [
    dclint,
    composePath,
    '--config',
    join(__dirname, 'check-compose', 'dclint.json'),
    '--max-warnings',
    '0',
  ],
  { encoding: 'utf8' },
);
if (linted.status !== 0) faults.push((linted.stdout + linted.stderr).trim());

for (const fault of brokenHouseRules(readFileSync(composePath, 'utf8'))) {
  faults.push(`docker-compose.yml: ${fault}`);
}

const dockerfile = readFileSync(join(root, 'Dockerfile'), 'utf8');
for (const { message, range } of validate(dockerfile)) {
  const text = typeof message === 'string' ? message : message.value;
  faults.push(`Dockerfile:${range.start.line + 1}: ${text}`);
}

for (const fault of faults) process.stderr.write(`${fault}\n`);
if (faults.length === 0) process.stdout.write('docker-compose.yml and Dockerfile are in order.\n');
process.exitCode = faults.length === 0 ? 0 : 1;
