import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { latestAttempt } from '../../src/domain/core/service/attempts';
import { AttemptRepository } from '../../src/store/core/attempts';
import { IdKey } from '../../src/protection/id-key';
import { SealedDatabase } from '../../src/store/sealed/sealed-database';
import type { Database } from '../../src/store/database';
import { openDatabase } from '../../src/store/sqlite/database';
import { eventually } from '../support/diligence-process';
import { sized } from '../support/full-size';

const processes = 8;
const subjects = sized(300, 1_000);
const claimant = join(__dirname, '..', 'support', 'claimant.ts');

let folder: string;
let store: Database;
let attempts: AttemptRepository;
const running = new Map<string, ChildProcess>();

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'diligence-claims-'));
  store = await openDatabase(join(folder, 'store'), IdKey.parse('ab'.repeat(32)));
  attempts = new AttemptRepository(new SealedDatabase(store));
});
afterAll(async () => {
  for (const child of running.values()) child.kill('SIGKILL');
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

const fileOf = (chunk: string): string => join(folder, `sent-${chunk}`);
const sentBy = (chunk: string): string[] =>
  existsSync(fileOf(chunk)) ? readFileSync(fileOf(chunk), 'utf8').split('\n').slice(0, -1) : [];

function start(chunk: string): ChildProcess {
  const args = [
    '--import',
    'tsx',
    claimant,
    join(folder, 'store'),
    `${subjects}`,
    chunk,
    fileOf(chunk),
  ];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'inherit', 'inherit'] });
  running.set(chunk, child);
  return child;
}

/** As a recovery does for what its chunk may still have wanted. */
async function closeAll(chunk: string): Promise<void> {
  const owner = { workflowId: 'work', chunk };
  await Promise.all(
    Array.from({ length: subjects }, (_, number) =>
      attempts.close(`certificate/cnpj/${number}`, owner, Date.now()),
    ),
  );
}

/** Between two of its commits: within one it would hold up all others. */
async function freeze(chunk: string): Promise<void> {
  for (;;) {
    running.get(chunk)?.kill('SIGSTOP');
    const proof = store.prove().then(() => true);
    const isFree = await Promise.race([proof, sleep(500, false)]);
    if (isFree) return;
    running.get(chunk)?.kill('SIGCONT');
    await proof;
  }
}

test(`${processes} processes buy ${subjects} things once each, though some are killed or frozen`, async () => {
  const runs = Array.from({ length: processes }, (_, index) => `chunk-${index}`);
  const [killed = '', alsoKilled = '', frozen = '', ...others] = runs;
  for (const chunk of runs) start(chunk);
  await eventually('all are at it', () => runs.every((chunk) => sentBy(chunk).length > 2));
  running.get(killed)?.kill('SIGKILL');
  await freeze(frozen);
  const sentBefore = sentBy(frozen).length;
  await Promise.all([closeAll(killed), closeAll(frozen)]);
  running.get(alsoKilled)?.kill('SIGKILL');
  const ends = others.map((chunk) => once(running.get(chunk) as ChildProcess, 'exit'));
  running.get(frozen)?.kill('SIGCONT');
  await Promise.all([...ends, once(running.get(frozen) as ChildProcess, 'exit')]);
  // Of what it had claimed before it was frozen, one may still have left.
  expect(sentBy(frozen).length).toBeLessThanOrEqual(sentBefore + 1);
  await closeAll(alsoKilled);
  await once(start('last'), 'exit');

  const sent = [...runs, 'last'].flatMap(sentBy);
  expect(sent.filter((subject, index) => sent.indexOf(subject) !== index)).toEqual([]);
  let undecided = 0;
  for (let number = 0; number < subjects; number += 1) {
    const last = latestAttempt(await attempts.of(`certificate/cnpj/${number}`));
    if (last?.receipt === null) undecided += 1;
    else expect(last?.receipt).toMatchObject({ kind: 'accepted' });
  }
  // One in the hands of each that was killed.
  expect(undecided).toBeLessThanOrEqual(2);
  expect(sent.length).toBeGreaterThanOrEqual(subjects - undecided);
}, 120_000);
