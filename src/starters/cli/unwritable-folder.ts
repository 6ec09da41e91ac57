import { access, constants, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { Words } from '../../domain/job';
import { UsageError } from '../jobs/errors';

const missing: Words = ['there is no such folder', 'a pasta não existe'];

/**
 * Checks, before anything is sent, that a result folder can be written. Creates nothing.
 * @param mayBeMade a missing folder is created later
 */
export async function refuseUnwritable(out: string, mayBeMade = true): Promise<void> {
  for (let folder = resolve(out); ; folder = dirname(folder)) {
    const why = await obstacleAt(folder);
    if (why === null) return;
    if (mayBeMade && why === missing && dirname(folder) !== folder) continue;
    throw new UsageError([
      `--out: ${out} cannot be written (${why[0]})`,
      `--out: não é possível gravar em ${out} (${why[1]})`,
    ]);
  }
}

async function obstacleAt(folder: string): Promise<Words | null> {
  try {
    if (!(await stat(folder)).isDirectory())
      return [`${folder} is a file`, `${folder} é um arquivo`];
    await access(folder, constants.W_OK | constants.X_OK);
    return null;
  } catch (error) {
    const { code = 'unreadable' } = error as NodeJS.ErrnoException;
    return ['ENOENT', 'ENOTDIR'].includes(code) ? missing : [code, code];
  }
}
