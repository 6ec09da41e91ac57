import { WordedError } from '../domain/core/worded-error';
import type { Words } from '../domain/job';

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
