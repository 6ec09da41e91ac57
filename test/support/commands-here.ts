import type { Command } from 'commander';
import { inParallel } from '../../src/archive/in-parallel';
import type { Installation } from './diligence-process';

/**
 * Runs commands of an installation in this process, as their own would: hundreds of processes would
 * take minutes to begin.
 *
 * @param commandOf a new one for each: an option that was given stays with its command
 * @returns what they said, to standard output and error
 */
export async function runHere(
  { env }: Installation,
  commandOf: () => Command,
  many: readonly (readonly string[])[],
): Promise<string> {
  const before = { ...process.env };
  Object.assign(process.env, env);
  let said = '';
  const hear = (text: unknown): boolean => {
    said += String(text);
    return true;
  };
  const streams = [process.stdout, process.stderr];
  const spies = streams.map((stream) => jest.spyOn(stream, 'write').mockImplementation(hear));
  try {
    await inParallel(many, 4, async (words) => {
      await commandOf().parseAsync([...words], { from: 'user' });
    });
    return said;
  } finally {
    for (const spy of spies) spy.mockRestore();
    process.env = before;
    process.exitCode = 0;
  }
}
