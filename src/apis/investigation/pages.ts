import { createHash } from 'node:crypto';
import { z } from 'zod';
import {
  firstPosition,
  onward,
  type Endless,
  type PageSeen,
  type Position,
} from '../../domain/core/service/list-walk';
import { classifyFailure } from '../http/classify';
import { ContractError, StatusError, type CallName } from '../http/errors';
import type { HttpCall } from '../http/call';
import type { CallPriority } from '../http/limiter';
import { parseJson } from '../http/problem';
import type { Service } from '../http/service';
import { flag, idText, issuesOf, parseWire } from '../http/tolerant';
import { ResourceApi, type Answer, type Shape } from './resource';
import { isSameId, reported } from './wire/wire-fields';

/** A page has 100 results or reports at most. */
const maxPageBytes = 64 * 1024 * 1024;

/** One entry of a list: an invalid one does not hide the others. */
export type Listed<T> =
  | { kind: 'item'; item: T; answer: object }
  | {
      kind: 'unreadable';
      /** Position on the page, from 0. */
      position: number;
      /** Invalid paths, never values. */
      issues: readonly { path: string; code: string }[];
      answer: unknown;
    };

/** `nextCursor` may be null despite `hasMore: true`, and set despite `hasMore: false`. */
export interface Page<T> extends PageSeen {
  /** In the order of the response, which is arbitrary. */
  items: Listed<T>[];
}

/** Filter of every list. Omitted fields are not sent. */
export interface ListFilter {
  /** 1 to 100. */
  pageSize?: number;
  cursor?: string;
}

/** Names of the parameters, `pageSizeParam` and so on. */
type ParamNames<Filter> = {
  readonly [Field in keyof Filter & string as `${Field}Param`]-?: string;
};

export function listQuery<Filter extends ListFilter>(
  names: ParamNames<Filter>,
  filter: Filter,
): Record<string, string> {
  const given = Object.entries(filter).filter(([, value]) => value !== undefined);
  const named = names as Readonly<Record<string, string>>;
  return Object.fromEntries(
    given.map(([field, value]) => [named[`${field}Param`] ?? field, String(value)]),
  );
}

/** Nesting depth: far more than a service needs, far less than JSON writers can handle. */
const deepest = 100;

const pageWire = z.object({
  data: z.array(z.unknown()),
  page: z.object({ next_cursor: reported, has_more: flag }).nullish().catch(null),
});
const idWire = z.object({ id: idText });

/** @throws ContractError when the body is no list; an invalid entry is an entry of the page */
export function pageFromWire<T>(call: CallName, item: z.ZodType<T>, body: Buffer): Page<T> {
  const { data, page } = parseWire(pageWire, call, parseJson(body));
  const nextCursor = page?.next_cursor ?? null;
  const hasMore = page?.has_more ?? nextCursor !== null;
  const items = data.map((answer, position) => listedFromWire(item, answer, position));
  const ids = items.flatMap((listed) => {
    const read = listed.kind === 'item' ? idWire.safeParse(listed.answer) : null;
    return read?.success === true ? [read.data.id] : [];
  });
  return { items, nextCursor, hasMore, ids: sumOfIds(ids) };
}

function listedFromWire<T>(item: z.ZodType<T>, answer: unknown, position: number): Listed<T> {
  if (isDeeper(answer, deepest)) {
    const issues = [{ path: '', code: 'too_deep' }];
    return { kind: 'unreadable', position, issues, answer: withoutDepth(answer) };
  }
  const parsed = item.safeParse(answer);
  return parsed.success
    ? { kind: 'item', item: parsed.data, answer: answer as object }
    : { kind: 'unreadable', position, issues: issuesOf(parsed.error), answer };
}

function isDeeper(value: unknown, levels: number): boolean {
  let layer: unknown[] = [value];
  for (let level = 0; level <= levels; level += 1) {
    layer = layer.flatMap((one) =>
      typeof one === 'object' && one !== null ? Object.values(one) : [],
    );
    if (layer.length === 0) return false;
  }
  return true;
}

/** Its first level, for a person who examines it. */
function withoutDepth(answer: unknown): unknown {
  if (typeof answer !== 'object' || answer === null) return null;
  const plain = Object.entries(answer).map(([name, value]) => [
    name,
    typeof value === 'object' ? null : (value as unknown),
  ]);
  return Object.fromEntries(plain) as unknown;
}

/** `ids` of a page. */
export function sumOfIds(ids: readonly string[]): string | null {
  if (ids.length === 0) return null;
  return createHash('sha256').update(ids.toSorted().join(' ')).digest('hex').slice(0, 16);
}

/** Where to look for the cause of an endless scan. */
const locationOf: Record<Endless, string> = {
  repeated_cursor: 'lists.cursorParam',
  repeated_page: 'lists.cursorParam',
  empty_pages: 'data',
};

/**
 * All pages of a list, one at a time; one may be repeated before a cycle is detected.
 *
 * @throws ContractError after the pages before it: `repeated_cursor`, `repeated_page` when the service may know the
 *   cursor by another name than lists.cursorParam says; `empty_pages`; `no_cursor` when the service says that there
 *   is more, without a cursor
 */
export async function* walkPages<T>(
  call: CallName,
  readPage: (cursor: string | null) => Promise<Page<T>>,
): AsyncGenerator<Page<T>> {
  let position = firstPosition;
  for (;;) {
    const page = await pageAt(position, readPage);
    if (page === null) return;
    yield page;
    const next = onward(position, page);
    if (next.kind === 'endless') {
      throw new ContractError(call, [{ path: locationOf[next.why], code: next.why }]);
    }
    if (next.kind === 'end') {
      if (!page.hasMore || page.nextCursor !== null) return;
      throw new ContractError(call, [{ path: 'page.next_cursor', code: 'no_cursor' }]);
    }
    position = next.position;
  }
}

/** Null: the service named a cursor after the end, and rejects it. */
async function pageAt<T>(
  { cursor, spare }: Position,
  readPage: (cursor: string | null) => Promise<Page<T>>,
): Promise<Page<T> | null> {
  try {
    return await readPage(cursor);
  } catch (error) {
    if (spare && isRefused(error)) return null;
    throw error;
  }
}

/** A retry would fail the same way. */
function isRefused(error: unknown): boolean {
  if (!(error instanceof StatusError || error instanceof ContractError)) return false;
  return ['permanent', 'unknown'].includes(classifyFailure(error));
}

/** Calls about a resource that the service lists too. */
export class ListedApi<
  Name extends string,
  T extends object,
  Filter extends ListFilter,
> extends ResourceApi<Name, T> {
  readonly #path: string;
  readonly #names: ParamNames<Filter>;

  constructor(
    service: Service,
    timeoutMs: number,
    shape: Shape<Name, T>,
    path: string,
    names: ParamNames<Filter>,
  ) {
    super(service, timeoutMs, shape);
    this.#path = path;
    this.#names = names;
  }

  /**
   * One page. Check every item by its own fields: the filter may have been ignored.
   *
   * @throws ContractError when the response is no list
   */
  async list(
    filter: Filter,
    priority: CallPriority = 'poll',
    signal?: AbortSignal,
  ): Promise<Page<T>> {
    const call = { ...this.#listCall, query: listQuery(this.#names, filter) };
    const { body } = await this.service.call(call, priority, signal);
    return pageFromWire(call, this.shape.wire, body);
  }

  /** All pages, one at a time. */
  pages(
    filter: Filter,
    priority: CallPriority = 'poll',
    signal?: AbortSignal,
  ): AsyncGenerator<Page<T>> {
    return walkPages(this.#listCall, (cursor) =>
      this.list({ ...filter, ...(cursor !== null && { cursor }) }, priority, signal),
    );
  }

  /** @throws ContractError as `findListed` */
  protected async findListed(
    id: string,
    priority: CallPriority,
    signal?: AbortSignal,
  ): Promise<Answer<Name, T> | null> {
    const pages = this.pages({ pageSize: 100 } as Filter, priority, signal);
    const found = await findListed(this.#listCall, pages, id);
    return found && ({ [this.shape.name]: found.item, answer: found.answer } as Answer<Name, T>);
  }

  get #listCall(): HttpCall {
    return { ...this.callTo('GET', this.#path), maxBytes: maxPageBytes };
  }
}

/**
 * The entry with this id; null when no page has it.
 *
 * @throws ContractError as `walkPages`, and when the entry is unreadable
 */
export async function findListed<T>(
  call: CallName,
  pages: AsyncIterable<Page<T>>,
  id: string,
): Promise<{ item: T; answer: object } | null> {
  for await (const { items } of pages) {
    const found = items.find(({ answer }) => {
      const read = idWire.safeParse(answer);
      return read.success && isSameId(read.data.id, id);
    });
    if (found?.kind === 'item') return found;
    if (found?.kind === 'unreadable') throw new ContractError(call, found.issues);
  }
  return null;
}
