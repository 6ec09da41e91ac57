import { redactText } from '../../protection/redaction';
import { print } from './terminal';

/**
 * Streams one JSON document with a long list, one item a line. It is valid JSON
 * on failure too: then it has `error`.
 *
 * @param write adds the items; its result is written after the list
 * @throws the error of `write`, after the document is closed
 */
export async function printJsonList(
  name: string,
  write: (add: (item: unknown) => void) => Promise<Record<string, unknown>>,
): Promise<void> {
  let count = 0;
  const add = (item: unknown): void => {
    print(`${count === 0 ? '' : ','}${JSON.stringify(item)}`);
    count += 1;
  };
  const close = (more: Record<string, unknown>): void => {
    print(`],${JSON.stringify({ count, ...more }).slice(1)}`);
  };
  print(`{${JSON.stringify(name)}:[`);
  try {
    close(await write(add));
  } catch (error) {
    close({ error: redactText(error instanceof Error ? error.message : String(error)) });
    throw error;
  }
}
