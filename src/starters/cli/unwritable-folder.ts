import { access, constants, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { Words } from '../../domain/job';
import { UsageError } from '../jobs/errors';

/**
 * Checks before a purchase that a result folder can be written or created. Creates nothing.
 *
 * @throws UsageError when it cannot
 */
export async function refuseUnwritable(out: string): Promise<void> {
  let folder = resolve(out);
  for (;;) {
    try {
      if (!(await stat(folder)).isDirectory()) throw unwritable(out, isFile(folder));
      await access(folder, constants.W_OK | constants.X_OK);
      return;
    } catch (error) {
      if (error instanceof UsageError) throw error;
      const { code = 'unreadable' } = error as NodeJS.ErrnoException;
      const parent = dirname(folder);
      const isBelow = (code === 'ENOENT' || code === 'ENOTDIR') && parent !== folder;
      if (!isBelow) throw unwritable(out, [code, code]);
      folder = parent;
    }
  }
}

/**
 * Checks before a long read that a file can be written.
 *
 * @throws UsageError when it cannot
 */
export async function refuseUnwritableFile(out: string): Promise<void> {
  const folder = dirname(resolve(out));
  try {
    if (!(await stat(folder)).isDirectory()) throw unwritableFile(out, isFile(folder));
    await access(folder, constants.W_OK | constants.X_OK);
  } catch (error) {
    if (error instanceof UsageError) throw error;
    const { code = 'unreadable' } = error as NodeJS.ErrnoException;
    const none: Words = [`there is no folder ${folder}`, `não há a pasta ${folder}`];
    throw unwritableFile(out, code === 'ENOENT' ? none : [code, code]);
  }
  const isFolder = await stat(out).then(
    (found) => found.isDirectory(),
    () => false,
  );
  if (isFolder) throw unwritableFile(out, ['it is a folder', 'é uma pasta']);
}

function unwritable(out: string, [en, pt]: Words): UsageError {
  return new UsageError([
    `--out: ${out} cannot be written (${en}); nothing was sent`,
    `--out: não é possível gravar em ${out} (${pt}); nada foi enviado`,
  ]);
}

function unwritableFile(out: string, [en, pt]: Words): UsageError {
  return new UsageError([
    `--out: ${out} cannot be written: ${en}`,
    `--out: não é possível gravar ${out}: ${pt}`,
  ]);
}

function isFile(path: string): Words {
  return [`${path} is a file`, `${path} é um arquivo`];
}
