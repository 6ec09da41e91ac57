import { z } from 'zod';
import { ConnectionError, ContractError, safeCause } from '../../../../src/apis/http/errors';
import { findListed, pageFromWire, walkPages } from '../../../../src/apis/investigation/pages';
import { answeredStatus } from '../../../support/status-errors';

const call = { method: 'GET', pathTemplate: '/things' };
const thing = z.object({ id: z.string() });

/** A list as a service answers it. */
interface Told {
  data: unknown[];
  next?: string | null;
  more?: boolean;
}

function answered({ data, next = null, more }: Told) {
  return pageFromWire(
    call,
    thing,
    Buffer.from(JSON.stringify({ data, page: { next_cursor: next, has_more: more } })),
  );
}

/** Walks a list to its end, or to `mostPages`: then it would go on. */
async function walk(read: (cursor: string | null, nth: number) => Told, mostPages = 300) {
  const pages: string[][] = [];
  const asked: (string | null)[] = [];
  const listed = walkPages(call, async (cursor) => {
    asked.push(cursor);
    if (asked.length > mostPages) throw new Error('it goes on for ever');
    return answered(read(cursor, asked.length));
  });
  let issue: { path: string; code: string } | null = null;
  try {
    for await (const { items } of listed) {
      pages.push(items.map((one) => (one.kind === 'item' ? one.item.id : one.kind)));
    }
  } catch (error) {
    if (!(error instanceof ContractError)) throw error;
    issue = error.issues[0] ?? null;
  }
  return { pages, asked, issue };
}

const a = { id: 'a' };
const b = { id: 'b' };

const refusal = (status: number) => answeredStatus(call, status);

describe('a walk over a list', () => {
  test('goes through all pages once, however many', async () => {
    const of = 150;
    const { pages, issue } = await walk((cursor) => {
      const nth = Number(cursor ?? 0);
      const isLast = nth === of - 1;
      return { data: [{ id: `i${nth}` }], next: isLast ? null : String(nth + 1), more: !isLast };
    });
    expect(issue).toBeNull();
    expect(new Set(pages.flat()).size).toBe(of);
    expect(pages).toHaveLength(of);
  });

  test('goes on by a cursor where the service does not say whether there is more', async () => {
    const { asked, issue, pages } = await walk((cursor) =>
      cursor === null ? { data: [a], next: 'c2' } : { data: [b] },
    );
    expect({ asked, issue, pages }).toEqual({
      asked: [null, 'c2'],
      issue: null,
      pages: [['a'], ['b']],
    });
  });

  test('goes over pages without entries, as a service has that filters after it has paged', async () => {
    const { pages, issue } = await walk((cursor) => {
      const nth = Number(cursor ?? 0);
      return nth < 60 ? { data: [], next: String(nth + 1), more: true } : { data: [a] };
    });
    expect({ last: pages.at(-1), issue }).toEqual({ last: ['a'], issue: null });
  });

  test.each<[string, Told, (string | null)[]]>([
    ['entries', { data: [b], next: 'c2', more: true }, [null, 'c2', 'c2']],
    ['nothing', { data: [], next: 'c2', more: true }, [null, 'c2']],
  ])('ends with a page of %s that names itself as the next one', async (_, last, all) => {
    const { asked, issue } = await walk((cursor) =>
      cursor === null ? { data: [a], next: 'c2', more: true } : last,
    );
    expect({ asked, issue }).toEqual({ asked: all, issue: null });
  });

  test('goes through all pages of a service that keeps the place under one cursor', async () => {
    const { pages, issue } = await walk((_, nth) => {
      return { data: nth > 9 ? [] : [{ id: `i${nth}` }], next: 'scroll', more: nth < 10 };
    });
    expect({ read: pages.flat().length, issue }).toEqual({ read: 9, issue: null });
  });

  test.each<[string, (cursor: string | null, nth: number) => Told, string, string]>([
    [
      'the same cursor',
      () => ({ data: [a], next: 'c', more: true }),
      'lists.cursorParam',
      'repeated_cursor',
    ],
    [
      'cursors in a circle',
      (_, nth) => ({ data: [{ id: `i${nth}` }], next: `c${nth % 5}`, more: true }),
      'lists.cursorParam',
      'repeated_cursor',
    ],
    [
      'a fresh cursor to the same page each time',
      (_, nth) => ({ data: nth % 2 === 0 ? [a, b] : [b, a], next: `c${nth}`, more: true }),
      'lists.cursorParam',
      'repeated_page',
    ],
    ['empty pages', (_, nth) => ({ data: [], next: `c${nth}`, more: true }), 'data', 'empty_pages'],
    [
      'pages of which nothing can be read',
      (_, nth) => ({ data: ['bad'], next: `c${nth}`, more: true }),
      'data',
      'empty_pages',
    ],
    ['more, and no cursor', () => ({ data: [a], more: true }), 'page.next_cursor', 'no_cursor'],
  ])('comes to an end where the service answers %s', async (_, read, path, code) => {
    const { issue, pages } = await walk(read);
    expect(issue).toEqual({ path, code });
    expect(pages.length).toBeGreaterThan(0);
  });
});

describe('a cursor beside `has_more: false`', () => {
  test('is followed: there may be more all the same', async () => {
    const { pages, issue } = await walk((cursor) =>
      cursor === null ? { data: [a], next: 'c2', more: false } : { data: [b], more: false },
    );
    expect({ pages, issue }).toEqual({ pages: [['a'], ['b']], issue: null });
  });

  test.each<[string, Told]>([
    ['nothing', { data: [], next: 'c3', more: false }],
    ['the same again', { data: [a], next: 'c3', more: false }],
  ])('is the end where it leads to %s', async (_, last) => {
    const { asked, issue } = await walk((cursor) =>
      cursor === null ? { data: [a], next: 'c2', more: false } : last,
    );
    expect({ asked, issue }).toEqual({ asked: [null, 'c2'], issue: null });
  });

  test.each([
    ['is the end', 400, null],
    ['is the end', 404, null],
    ['hides nothing', 401, 'StatusError'],
    ['hides nothing', 429, 'StatusError'],
    ['hides nothing', 503, 'StatusError'],
  ])('%s where it is answered %i', async (_, status, name) => {
    const walked = walk((cursor) => {
      if (cursor !== null) throw refusal(status);
      return { data: [a], next: 'c2', more: false };
    });
    if (name === null) await expect(walked).resolves.toMatchObject({ issue: null, pages: [['a']] });
    else await expect(walked).rejects.toMatchObject({ name, status });
  });

  test('hides nothing where there is no answer', async () => {
    const walked = walk((cursor) => {
      if (cursor !== null) throw new ConnectionError(call, 'maybe', safeCause(new Error('x')));
      return { data: [a], next: 'c2', more: false };
    });
    await expect(walked).rejects.toThrow(ConnectionError);
  });

  test('of a page before the end is refused in vain', async () => {
    const walked = walk((cursor) => {
      if (cursor !== null) throw refusal(400);
      return { data: [a], next: 'c2', more: true };
    });
    await expect(walked).rejects.toMatchObject({ name: 'StatusError', status: 400 });
  });
});

describe('an entry that is nested too deep', () => {
  const nested = '['.repeat(6_000) + ']'.repeat(6_000);
  const body = Buffer.from(`{"data":[{"id":"deep","result":${nested}},{"id":"ok"}]}`);

  test('cannot be read, and what is kept of it can be written', () => {
    const { items } = pageFromWire(call, thing, body);
    expect(JSON.parse(JSON.stringify(items))).toMatchObject([
      { kind: 'unreadable', issues: [{ code: 'too_deep' }], answer: { id: 'deep', result: null } },
      { kind: 'item', item: { id: 'ok' } },
    ]);
  });

  test('is there all the same when it is looked for', async () => {
    const pages = walkPages(call, async () => pageFromWire(call, thing, body));
    await expect(findListed(call, pages, 'DEEP')).rejects.toThrow(/body: too_deep/);
  });
});
