import { WordedError } from '../domain/core/worded-error';
import type { Words } from '../domain/job';

/** Wrong configuration: exit code 2. */
export class ConfigError extends WordedError {
  override readonly name = 'ConfigError';
  /** The invalid environment variable, or key of the configuration file (`lens.readPath`). */
  readonly variable: string;

  /** @param message in one language where only operators meet it */
  constructor(variable: string, message: string | Words) {
    const [en, pt] = typeof message === 'string' ? [message, message] : message;
    super([`${variable}: ${en}`, `${variable}: ${pt}`]);
    this.variable = variable;
  }
}
