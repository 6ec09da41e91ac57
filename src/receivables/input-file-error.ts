/** The file that was named cannot be read at all: a usage error (exit code 2), with nothing sent. */
export class InputFileError extends Error {
  override readonly name = 'InputFileError';
}

/** In words, for what the system says about a file. */
export function unreadable(path: string, cause: unknown): InputFileError {
  const code =
    typeof cause === 'object' && cause !== null && 'code' in cause ? String(cause.code) : '';
  const reasons: Readonly<Record<string, string>> = {
    ENOENT: 'there is no such file',
    EACCES: 'it may not be read',
    EPERM: 'it may not be read',
    EISDIR: 'it is a directory',
  };
  const reason = reasons[code] ?? `it cannot be read${code && ` (${code})`}`;
  return new InputFileError(`${path}: ${reason}.`, { cause });
}
