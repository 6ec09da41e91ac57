import { constants } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { WordedError } from '../domain/core/worded-error';
import type { Words } from '../domain/job';

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

/** The file cannot be read at all: a usage error (exit code 2), nothing was sent. */
export class InputFileError extends WordedError {
  override readonly name = 'InputFileError';
}

/** Explains an error of the file system. */
export function unreadable(path: string, cause: unknown): InputFileError {
  const code =
    typeof cause === 'object' && cause !== null && 'code' in cause ? String(cause.code) : '';
  const denied: Words = ['it may not be read', 'sem permissão de leitura'];
  const reasons: Readonly<Record<string, Words>> = {
    ENOENT: ['there is no such file', 'o arquivo não existe'],
    EACCES: denied,
    EPERM: denied,
    EISDIR: ['it is a folder', 'é uma pasta'],
  };
  const which = code && ` (${code})`;
  const [en, pt] = reasons[code] ?? [`it cannot be read${which}`, `não pode ser lido${which}`];
  return new InputFileError([`${path}: ${en}.`, `${path}: ${pt}.`], { cause });
}
