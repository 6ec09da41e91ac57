import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { transformFileSync } from '@swc/core';

const source = join(__dirname, '../../../src/workers/thread-pool.ts');
let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'diligence-'))));
afterEach(() => rmSync(folder, { recursive: true }));

/** Threads that a process of its own has more of once it has touched a file. */
function threadsMade(env: Record<string, string>): number {
  const { code } = transformFileSync(source, {
    jsc: { parser: { syntax: 'typescript' } },
    module: { type: 'commonjs' },
  });
  writeFileSync(join(folder, 'thread-pool.cjs'), code);
  const script = `
    const { readdirSync, promises } = require('node:fs');
    const threads = () => readdirSync('/proc/self/task').length;
    require('./thread-pool.cjs').widenThreadPool();
    const before = threads();
    promises.stat('.').then(() => console.log(threads() - before));
  `;
  const options = { cwd: folder, env, encoding: 'utf8' } as const;
  return Number(execFileSync(process.execPath, ['-e', script], options));
}

const onLinux = process.platform === 'linux' ? it : it.skip;

onLinux('a worker touches files with more threads than the four of Node', () => {
  expect(threadsMade({})).toBe(24);
});

onLinux('who runs it may say with how many', () => {
  expect(threadsMade({ UV_THREADPOOL_SIZE: '6' })).toBe(6);
});
