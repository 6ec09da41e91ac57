import { constants } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { InputFileError, unreadable } from './input-file-error';

/**
 * Opens a file without blocking: opening a pipe without a writer would wait
 * forever. Throws InputFileError when it is no file, or cannot be read.
 */
export async function openInput(path: string): Promise<FileHandle> {
  let file: FileHandle;
  try {
    file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    throw unreadable(path, error);
  }
  const stats = await file.stat();
  if (stats.isFile()) return file;
  await file.close();
  const [en, pt] = stats.isDirectory()
    ? ['a folder', 'é uma pasta']
    : ['not a file', 'não é um arquivo'];
  throw new InputFileError([
    `${path} is ${en}: the name of a file is expected.`,
    `${path} ${pt}: espera-se o nome de um arquivo.`,
  ]);
}
