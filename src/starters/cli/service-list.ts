import { isHttpError } from '../../apis/http/errors';
import type { Service } from '../../apis/http/service';
import { walkPages, type Page } from '../../apis/investigation/pages';
import type { Billing } from '../../domain/core/service/billing';
import { BillingTotals } from '../../domain/core/service/billing-totals';
import type { Environment } from '../../environment';
import type { Forms, Reader } from '../../report/reader';
import { stateWord } from '../../report/words';
import { CommandError } from '../jobs/errors';
import { withService, messageOf, RepeatedCalls } from '../jobs/begin/repeated-calls';
import { printable } from '../jobs/text';
import { print, printJson, printNote, printWords, screenReader } from './terminal';

/** A list of one resource at the service. */
export interface ServiceList<Item> {
  pathTemplate: string;
  api(
    service: Service,
    environment: Environment,
    timeoutMs: number,
  ): (cursor: string | null) => Promise<Page<Item>>;
  id(item: Item): string;
  /** Checks the item's own fields: a service may ignore the filter. */
  isWanted(item: Item): boolean;
}

/** Bounds memory for a list of any length. */
const mostRemembered = 10_000;

/**
 * Reads each item of a list once, page by page.
 *
 * @returns how many entries could not be read
 * @throws CommandError when the list was not read to its end
 */
export async function eachListed<Item>(
  list: ServiceList<Item>,
  each: (item: Item) => void | Promise<void>,
): Promise<number> {
  // Items created meanwhile move others to the next page.
  const lately = new Set<string>();
  const isNews = (id: string): boolean => {
    if (lately.has(id)) return false;
    lately.add(id);
    const [oldest] = lately;
    if (lately.size > mostRemembered && oldest !== undefined) lately.delete(oldest);
    return true;
  };
  let unreadable = 0;
  await withService('investigation', async (service, environment, timeoutMs) => {
    const read = list.api(service, environment, timeoutMs);
    const calls = new RepeatedCalls({ print: printWords });
    const call = { method: 'GET', pathTemplate: list.pathTemplate } as const;
    const pages = walkPages<Item>(call, (cursor) => calls.again(() => read(cursor)));
    for await (const { items } of pages) {
      for (const listed of items) {
        if (listed.kind === 'unreadable') unreadable += 1;
        else if (list.isWanted(listed.item) && isNews(list.id(listed.item)))
          await each(listed.item);
      }
    }
  }).catch((error: unknown) => {
    if (!isHttpError(error)) throw error;
    throw new CommandError([
      `the list was not read to its end: ${messageOf(error)}`,
      `a lista não foi lida até o fim: ${messageOf(error)}`,
    ]);
  });
  return unreadable;
}

/** How a list is printed: the items, then its cost. */
export interface ListView<Item, View> {
  name: string;
  noun: readonly [en: Forms, pt: Forms];
  billing: (item: Item) => Billing | null;
  view: (item: Item) => View | Promise<View>;
  line: (view: View, item: Item, reader: Reader) => string;
}

export async function printServiceList<Item, View>(
  list: ServiceList<Item>,
  { billing, line, name, noun, view }: ListView<Item, View>,
  json: boolean,
): Promise<void> {
  const totals = new BillingTotals();
  const read = (show: (shown: View, item: Item) => void): Promise<number> =>
    eachListed(list, async (item) => {
      show(await view(item), item);
      totals.add(billing(item));
    });
  if (json) {
    const shown: View[] = [];
    const unreadable = await read((one) => void shown.push(one));
    printJson({ [name]: shown, count: shown.length, unreadable, billing: totals.all() });
    return;
  }
  const reader = screenReader();
  const { count, language, say } = reader;
  const unreadable = await read((shown, item) => print(printable(line(shown, item, reader))));
  print(count(totals.count, ...noun));
  for (const { amount, count: of, status, unit } of totals.all()) {
    const state = status === null ? '-' : stateWord(status, language);
    print(printable(`  ${of} ${state}: ${amount ?? '-'} ${unit ?? ''}`.trimEnd()));
  }
  if (totals.untold > 0)
    print(`  ${totals.untold} ${say('without billing', 'sem cobrança informada')}`);
  if (unreadable > 0)
    printNote(
      say(
        `${unreadable} entries of the list could not be read`,
        `itens da lista que não puderam ser lidos: ${unreadable}`,
      ),
    );
}
