import { Command } from 'commander';
import { isHttpError } from '../../apis/http/errors';
import type { Service } from '../../apis/http/service';
import { walkPages, type Page } from '../../apis/investigation/pages';
import { type Billing, BillingTotals } from '../../domain/core/service/billing-totals';
import type { Environment } from '../../environment';
import type { Forms, Reader } from '../../report/reader';
import { stateWord } from '../../report/words';
import type { Store } from '../../store/store';
import { messageOf, repeating, withService } from '../jobs/begin/repeated-calls';
import { openContext } from '../jobs/context';
import { CommandError } from '../jobs/errors';
import { billingWords, printable } from '../jobs/text';
import { costWords } from './print-job';
import { oneOf, print, printJson, printNote, printWords, screenReader } from './terminal';

type Filter = Readonly<Record<string, string>>;

type Shown = object & { billing: Billing | null };

export interface ServiceList<Item> {
  name: string;
  noun: readonly [en: Forms, pt: Forms];
  pathTemplate: string;
  api(
    service: Service,
    environment: Environment,
    timeoutMs: number,
  ): { list(query: never, priority: 'interactive'): Promise<Page<Item>> };
  /** Checked too: a service may ignore a filter. */
  filters: Readonly<
    Record<string, { words: readonly string[]; of: (item: Item) => string | null }>
  >;
  id(item: Item): string;
  view: (item: Item, store: Store) => Shown | Promise<Shown>;
  columns: readonly string[];
}

/** Bounds memory for a list of any length. */
const mostRemembered = 10_000;

/** Reads each item of a list once, page by page. @returns how many entries could not be read */
export async function eachListed<Item>(
  list: ServiceList<Item>,
  filter: Filter,
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
  const isWanted = (item: Item): boolean =>
    Object.entries(filter).every(([field, word]) => list.filters[field]?.of(item) === word);
  let unreadable = 0;
  await withService('investigation', async (service, environment, timeoutMs) => {
    const api = list.api(service, environment, timeoutMs);
    const again = repeating({ print: printWords });
    const call = { method: 'GET', pathTemplate: list.pathTemplate } as const;
    const pages = walkPages<Item>(call, (cursor) => {
      const query = { ...filter, pageSize: 100, ...(cursor !== null && { cursor }) };
      return again(() => api.list(query as never, 'interactive'));
    });
    for await (const { items } of pages) {
      for (const listed of items) {
        if (listed.kind === 'unreadable') unreadable += 1;
        else if (isWanted(listed.item) && isNews(list.id(listed.item))) await each(listed.item);
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

export function listCommand<Item>(list: ServiceList<Item>, description: string): Command {
  const command = new Command('list').description(description);
  for (const [name, { words }] of Object.entries(list.filters))
    command.option(`--${name} <${name}>`, words.join(', '), oneOf(words));
  return command
    .option('--json', 'one JSON document on standard output')
    .action(async ({ json, ...filter }: Filter & { json?: true }) => {
      const { store } = await openContext(printNote);
      await printServiceList(list, filter as Filter, store, json === true);
    });
}

export async function printServiceList<Item>(
  list: ServiceList<Item>,
  filter: Filter,
  store: Store,
  json: boolean,
): Promise<void> {
  const { columns, name, noun, view } = list;
  const totals = new BillingTotals();
  const read = (show: (shown: object) => void): Promise<number> =>
    eachListed(list, filter, async (item) => {
      const shown = await view(item, store);
      show(shown);
      totals.add(shown.billing);
    });
  if (json) {
    const shown: object[] = [];
    const unreadable = await read((one) => void shown.push(one));
    printJson({ [name]: shown, count: shown.length, unreadable, billing: totals.all() });
    return;
  }
  const reader = screenReader();
  const { count, say } = reader;
  const unreadable = await read((shown) => print(listedLine(shown, columns, reader)));
  print(count(totals.count, ...noun));
  for (const total of totals.all()) print(`  ${costWords(total, reader)}`);
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

export function listedLine(shown: object, columns: readonly string[], reader: Reader): string {
  const fields = shown as Readonly<Record<string, string | number | null>>;
  const words = columns.map((column) => {
    const value = fields[column] ?? null;
    if (column === 'status' && value !== null)
      return stateWord(String(value), reader.language).padEnd(12);
    if (column === 'billing')
      return billingWords(value as unknown as Billing | null, reader) ?? '-';
    return column === 'attempt'
      ? `${reader.say('attempt', 'tentativa')} ${value ?? '?'}`
      : String(value ?? '-');
  });
  return printable(words.join('  ').trimEnd());
}
