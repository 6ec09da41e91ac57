import { redactText } from '../../protection/redaction';
import { print } from './terminal';

/**
 * Prints one JSON document with a list that is too long to hold, an item a line as it comes. It is
 * whole whatever becomes of the list: one that broke off has `error`.
 *
 * @param write adds the items; what it returns stands behind the list
 * @throws what it throws, once the document has its end
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
