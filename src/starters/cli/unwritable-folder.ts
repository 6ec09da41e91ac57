import { access, constants, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { UsageError } from '../jobs/errors';

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

/**
 * Before a long reading: whether a file can be written where it is to be.
 *
 * @throws UsageError when it cannot
 */
export async function refuseUnwritableFile(out: string): Promise<void> {
  const folder = dirname(resolve(out));
  try {
    if (!(await stat(folder)).isDirectory()) throw unwritableFile(out, `${folder} is a file`);
    await access(folder, constants.W_OK | constants.X_OK);
  } catch (error) {
    if (error instanceof UsageError) throw error;
    const { code } = error as NodeJS.ErrnoException;
    const why = code === 'ENOENT' ? `there is no folder ${folder}` : (code ?? 'unreadable');
    throw unwritableFile(out, why);
  }
  const isFolder = await stat(out).then(
    (found) => found.isDirectory(),
    () => false,
  );
  if (isFolder) throw unwritableFile(out, 'it is a folder');
}

function unwritable(out: string, why: string): UsageError {
  return new UsageError(`--out: ${out} cannot be written (${why}); nothing was sent`);
}

function unwritableFile(out: string, why: string): UsageError {
  return new UsageError(`--out: ${out} cannot be written: ${why}`);
}
