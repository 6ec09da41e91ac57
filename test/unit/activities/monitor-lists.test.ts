import { Service } from '../../../src/apis/http/service';
import { Token } from '../../../src/apis/http/token';
import { MonitorsApi } from '../../../src/apis/investigation/monitors';
import { changeRecord } from '../../../src/domain/monitors/change-record';
import { jobFolder } from '../../../src/domain/job';
import { plainTerms } from '../../../src/domain/monitors/sweep';
import { readEnvironment } from '../../../src/environment';
import type { Sink } from '../../../src/sinks/sink';
import { LoopbackServer, sendJson, type ReceivedRequest } from '../../support/loopback-server';
import { MonitorBench, monitorId } from './monitor-bench';

/** A page as the service sends it; a status of its own; text that is no JSON. */
type Answer =
  | { data: unknown[]; page?: { next_cursor?: string; has_more?: boolean } }
  | { status: number; body?: unknown }
  | string;

const maxPageBytes = 1024 * 1024;

let server: LoopbackServer;
let service: Service;
let bench: MonitorBench;
let warnings: unknown[];

/** @param lists the answer to the list of a number, from 1 */
async function begin(
  lists: (number: number, request: ReceivedRequest) => Answer,
  acks: (request: ReceivedRequest) => Answer = () => '',
): Promise<void> {
  let listed = 0;
  server = await LoopbackServer.start((request, response) => {
    const answer = request.method === 'POST' ? acks(request) : lists((listed += 1), request);
    if (typeof answer === 'string') response.writeHead(200).end(answer);
    else if ('data' in answer) sendJson(response, 200, answer);
    else if (answer.body === undefined) response.writeHead(answer.status).end();
    else sendJson(response, answer.status, answer.body);
  });
  const { monitorNames } = readEnvironment({});
  service = new Service({
    baseUrl: server.origin,
    token: Token.of('test-token'),
    ratePerSecond: 10_000,
  });
  warnings = [];
  bench = await MonitorBench.start({}, undefined, {
    monitors: new MonitorsApi(service, monitorNames, 30_000, maxPageBytes),
    warn: (message) => void warnings.push(message),
  });
}

afterEach(async () => {
  await bench.close();
  await service.close();
  await server.close();
});

const change = (id: string, more: object = {}): object => ({
  id,
  status: 'open',
  severity: 'info',
  ...more,
});
const acknowledged = (id: string): object => change(id, { status: 'acknowledged' });
const lists = (): number => server.received.filter(({ path }) => path.endsWith('/changes')).length;

describe('an acknowledgement that is accepted with an answer that cannot be read', () => {
  test.each<[string, Answer]>([
    ['204', { status: 204 }],
    ['an empty 200', ''],
    ['OK', 'OK'],
    ['202 with another body', { status: 202, body: { accepted: true } }],
  ])('is sent once, and stands: %s', async (_, answer) => {
    await begin(
      () => ({ data: [change('c-1'), change('c-2')] }),
      () => answer,
    );
    expect(await bench.sweepPages()).toMatchObject({ counts: { acknowledged: 2 }, walk: null });
    expect(server.posts()).toHaveLength(2);
  });
});

describe('a change that stays open after its acknowledgement', () => {
  test.each([
    ['taken', { status: 200 }],
    ['not known', { status: 404 }],
  ])('is failing until the service tells it as acknowledged: %s', async (_, answer) => {
    let isOver = false;
    await begin(
      () => ({ data: isOver ? [acknowledged('c-1')] : [change('c-1')] }),
      () => answer,
    );
    const status = async (): Promise<string> => {
      const file = await bench.records.changes.get(monitorId, 'c-1');
      return file === null ? 'none' : changeRecord({ ...file, reviews: [] }, ['file']).status;
    };
    const stuck = async (): Promise<number> =>
      (await bench.queries.backlog(monitorId, 5, ['file'])).stuck;
    const settled = { 200: 'acknowledged', 404: 'gone' }[answer.status];
    await bench.sweepPages('sweep-1');
    expect([await status(), await stuck()]).toEqual([settled, 0]);
    await bench.sweepPages('sweep-2');
    expect([await status(), await stuck()]).toEqual(['failing', 1]);
    isOver = true;
    await bench.walk('sweep-3');
    expect([await status(), await stuck()]).toEqual([settled, 0]);
  });
});

describe('what sinks have taken', () => {
  test('is counted by change, when all that are waited for have it', async () => {
    await begin(() => ({ data: [change('c-1'), change('c-2')] }));
    let isDown = true;
    const sink = (name: string, fails: () => boolean): Sink => ({
      name,
      deliver: async ({ deliveries }) =>
        deliveries.map(() =>
          fails() ? { kind: 'failed', why: 'it is down', againInMs: null } : { kind: 'taken' },
        ),
      close: async () => undefined,
    });
    const both = [sink('file', () => false), sink('webhook', () => isDown)];
    bench.deps.sinks = { all: both, required: ['file', 'webhook'], digests: null };
    expect(await bench.sweepPages('sweep-1')).toMatchObject({ counts: { delivered: 0 } });
    isDown = false;
    expect(await bench.sweepPages('sweep-2')).toMatchObject({ counts: { delivered: 2 } });
  });
});

describe('what could not be brought through', () => {
  const refused = (): Answer => ({ status: 403, body: { status: 403, code: 'not_yours' } });

  test('is counted once a sweep, however often it is listed', async () => {
    await begin(() => ({ data: [change('c-1'), change('c-2')] }), refused);
    const counts = async (): Promise<number[]> => {
      const { named } = await bench.queries.backlog(monitorId, 5, ['file']);
      return named.map(({ failure }) => failure.count);
    };
    expect(await bench.sweep()).toMatchObject({ backlog: { undelivered: 2 } });
    expect(await bench.sweep()).toMatchObject({ backlog: { undelivered: 2 } });
    expect([server.posts().length, await counts()]).toEqual([2, [1, 1]]);
    await bench.sweep('sweep-2');
    expect([server.posts().length, await counts()]).toEqual([4, [2, 2]]);
  });
});

describe('pages of one activity', () => {
  const queries = (): (string | null)[] =>
    server.received
      .filter(({ path }) => path.endsWith('/changes'))
      .map(({ query }) => query.get('cursor'));

  test('follow one another until nothing is open: the first again while it empties', async () => {
    const open = Array.from({ length: 5 }, (_, n) => `c-${n}`);
    await begin(
      () => ({
        data: open.slice(0, 2).map((id) => change(id)),
        page: { has_more: open.length > 2 },
      }),
      ({ path }) => {
        open.splice(open.indexOf(path.split('/').at(-2) ?? ''), 1);
        return '';
      },
    );
    const counts = { pages: 3, delivered: 5, acknowledged: 5 };
    expect(await bench.sweepPages()).toMatchObject({ counts, walk: null, fault: null });
    expect(queries()).toEqual([null, null, null]);
  });

  test('leave what comes after the twentieth to another activity', async () => {
    let ids = 0;
    await begin(() => ({ data: [change(`c-${(ids += 1)}`)], page: { has_more: true } }));
    const { counts, walk } = await bench.sweepPages();
    expect([counts.pages, counts.acknowledged, walk?.cursor]).toEqual([20, 20, null]);
  });

  test('end with the one under way when the job is stopped', async () => {
    let ids = 0;
    await begin(() => ({ data: [change(`c-${(ids += 1)}`)], page: { has_more: true } }));
    const jobId = `monitor-sweep/${monitorId}/1`;
    const record = { jobId, monitorId, terms: plainTerms, reconcile: false };
    const createdAt = new Date().toISOString();
    await bench.records.sweeps.begin({ ...record, createdAt, createdBy: 'tester' });
    const sink: Sink = {
      name: 'file',
      deliver: async ({ deliveries }) => {
        await bench.place.store.jobs.stop(jobFolder(jobId), 'cancelled');
        return deliveries.map(() => ({ kind: 'taken' }));
      },
      close: async () => undefined,
    };
    bench.deps.sinks = { all: [sink], required: ['file'], digests: null };
    const { counts, isStopped } = await bench.sweepPages(jobId);
    expect([counts.pages, counts.acknowledged, isStopped]).toEqual([1, 1, true]);
    expect(await bench.sweepPages(jobId)).toMatchObject({ counts: { pages: 0 }, isStopped });
  });

  test('a cursor after the end that is refused is the end', async () => {
    await begin(
      (_, { query }) =>
        query.has('cursor')
          ? { status: 400 }
          : { data: [change('c-1')], page: { has_more: false, next_cursor: 'past' } },
      () => ({ status: 403 }),
    );
    expect(await bench.sweepPages()).toMatchObject({ walk: null, fault: null });
    expect(queries()).toContain('past');
  });
});

describe('a list that cannot be had', () => {
  test('a page of another program is asked for three times, and asks for a person', async () => {
    await begin(() => '<html><title>Log in</title></html>');
    expect(await bench.sweepPages()).toMatchObject({ fault: { fault: 'refused' } });
    expect(lists()).toBe(3);
  });

  test('changes that are too large for one answer come in smaller pages', async () => {
    const large = { after: 'x'.repeat(maxPageBytes / 8) };
    const all = Array.from({ length: 9 }, (_, n) => change(`c-${n}`, large));
    await begin((_, { query }) => ({ data: all.slice(0, Number(query.get('limit'))) }));
    expect(await bench.sweepPages()).toMatchObject({ counts: { acknowledged: 1 }, fault: null });
    expect(server.received.map(({ query }) => query.get('limit'))).toEqual(
      expect.arrayContaining(['100', '10', '1']),
    );
  });

  test('one that is too large even so asks for a person', async () => {
    const large = change('c-1', { after: 'x'.repeat(maxPageBytes + 1) });
    await begin(() => ({ data: [large] }));
    expect(await bench.sweepPages()).toMatchObject({ fault: { fault: 'refused' } });
    expect(lists()).toBe(3);
  });
});

describe('a walk over all states', () => {
  test('comes to an end at a service that ignores cursors and names a new one each time', async () => {
    const data = Array.from({ length: 100 }, (_, n) => acknowledged(`c-${n}`));
    await begin((number) => ({ data, page: { next_cursor: `fresh-${number}`, has_more: true } }));
    expect(await bench.walk()).toMatchObject({
      found: 100,
      walk: null,
      fault: { fault: 'cursor repeated', message: expect.stringContaining('lists.cursorParam') },
    });
    expect(lists()).toBeLessThan(10);
  });

  test('comes to an end where pages are empty and say that there is more', async () => {
    await begin((number) => ({ data: [], page: { next_cursor: `c${number}`, has_more: true } }));
    expect(await bench.walk()).toMatchObject({ fault: { fault: 'cursor repeated' } });
    expect(lists()).toBe(100);
  });

  test('says so when there is more and no way to it, and is not over', async () => {
    await begin(() => ({ data: [acknowledged('c-1')], page: { has_more: true } }));
    expect(await bench.walk()).toMatchObject({ found: 1, fault: { fault: 'no cursor' } });
    expect(await bench.probe()).toMatchObject({ failing: 0 });
    expect(await bench.records.monitors.get(monitorId)).toMatchObject({
      walks: { unfinished: { times: 1 } },
    });
  });

  test('keeps what it cannot read, and counts it', async () => {
    const odd = { id: null, status: 'acknowledged' };
    await begin(() => ({ data: [odd, acknowledged('c-1')] }));
    expect(await bench.walk()).toMatchObject({ found: 1, backlog: { unreadable: 1 } });
    expect(await bench.records.unreadable.of(monitorId)).toMatchObject([
      { count: 1, why: expect.stringContaining('id: invalid_type'), answer: odd },
    ]);
    expect(warnings).toHaveLength(1);
  });

  test('follows a cursor that stands beside the word that there is nothing more', async () => {
    await begin((_, { query }) =>
      query.has('cursor')
        ? { data: [acknowledged('c-2')], page: { next_cursor: 'end', has_more: false } }
        : { data: [acknowledged('c-1')], page: { next_cursor: 'end', has_more: false } },
    );
    expect(await bench.walk()).toMatchObject({ found: 2, fault: null });
  });

  test('takes the refusal of such a cursor for the end', async () => {
    await begin((_, { query }) =>
      query.has('cursor')
        ? { status: 400, body: { status: 400, code: 'bad_cursor' } }
        : { data: [acknowledged('c-1')], page: { next_cursor: 'end', has_more: false } },
    );
    expect(await bench.walk()).toMatchObject({ found: 1, fault: null });
  });
});
