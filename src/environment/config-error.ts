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

/** ` (did you mean ...?)` with the known name nearest to a misspelt one; empty when none is near. */
export function suggestion(name: string, known: readonly string[]): string {
  const [nearest] = known
    .map((one) => ({ one, far: distance(one, name) }))
    .sort((a, b) => a.far - b.far);
  return nearest !== undefined && nearest.far <= 3 ? ` (did you mean ${nearest.one}?)` : '';
}

/** Levenshtein distance of two short words. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const swap = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, swap));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
