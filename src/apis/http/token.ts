import { readFile } from 'node:fs/promises';
import { hideSecret } from '../../protection/redaction';
import { safeCause } from './errors';

/** There is no credential. Handled like a refused one: the job waits for it. */
export class TokenUnavailableError extends Error {
  override readonly name = 'TokenUnavailableError';

  constructor(reason: string) {
    super(`the token file ${reason}`);
  }
}

/**
 * A credential that may be replaced while we run: a fixed value, or a file that is read again when the service refuses
 * it. Never printed: `toJSON` and `toString` return a mask, and output is searched for it.
 */
export class Token {
  readonly #source: { value: string } | { file: string };
  #current: string | undefined;

  private constructor(source: { value: string } | { file: string }) {
    this.#source = source;
  }

  /** @param setting the value itself, or the path of the file that holds it */
  static from(setting: { value: string } | { file: string }): Token {
    return 'file' in setting ? Token.fromFile(setting.file) : Token.of(setting.value);
  }

  static of(value: string): Token {
    hideSecret(value);
    return new Token({ value });
  }

  static fromFile(file: string): Token {
    return new Token({ file });
  }

  /** @throws TokenUnavailableError when the file cannot be read or is empty */
  async current(): Promise<string> {
    if (this.#current !== undefined) return this.#current;
    if ('value' in this.#source) return (this.#current = this.#source.value);
    const text = await readFile(this.#source.file, 'utf8').catch((error: unknown) => {
      throw new TokenUnavailableError(`cannot be read (${safeCause(error).code ?? 'error'})`);
    });
    if (text.trim() === '') throw new TokenUnavailableError('is empty');
    hideSecret(text);
    return (this.#current = text.trim());
  }

  /** The service refused the credential: the next call reads the source again. */
  forget(): void {
    this.#current = undefined;
  }

  toJSON(): string {
    return '[token]';
  }

  toString(): string {
    return '[token]';
  }
}
