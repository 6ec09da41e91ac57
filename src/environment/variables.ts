import { z } from 'zod';

/** What variables of any part are made of. */

/** Wrong configuration: exit code 2. Names the variable at fault. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly variable: string;

  constructor(variable: string, message: string) {
    super(`${variable}: ${message}`);
    this.variable = variable;
  }
}

export const onOff = z.enum(['on', 'off'], 'expected on or off');

/** Text that reads as a number within bounds; the message says which. */
export function numberWithin(lowest: number, highest: number) {
  const expected = `expected a number from ${lowest} to ${highest}`;
  return z.coerce.number(expected).min(lowest, expected).max(highest, expected);
}

export function isWebAddress(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}
