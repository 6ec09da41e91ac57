import { access, constants, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { UsageError } from './terminal';

/**
 * Before anything is bought: whether a result folder can be written, or made where it is not there
 * yet. Makes nothing.
 *
 * @throws UsageError when it cannot
 */
export async function refuseUnwritable(out: string): Promise<void> {
  let folder = resolve(out);
  for (;;) {
    try {
      if (!(await stat(folder)).isDirectory()) throw unwritable(out, `${folder} is a file`);
      await access(folder, constants.W_OK | constants.X_OK);
      return;
    } catch (error) {
      if (error instanceof UsageError) throw error;
      const { code = 'unreadable' } = error as NodeJS.ErrnoException;
      const parent = dirname(folder);
      const isBelow = (code === 'ENOENT' || code === 'ENOTDIR') && parent !== folder;
      if (!isBelow) throw unwritable(out, code);
      folder = parent;
    }
  }
}

function unwritable(out: string, why: string): UsageError {
  return new UsageError(`--out: ${out} cannot be written (${why}); nothing was sent`);
}
