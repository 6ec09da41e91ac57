import type { Store } from '../../../src/store/store';
import { drafted } from '../../support/erasures';
import { erasedChange } from '../../../src/store/erasure/tombstones';
import type { AuditEntry } from '../../../src/domain/core/audit';
import type { ReportedChange } from '../../../src/domain/monitors/stored';
import { plainTerms } from '../../../src/domain/monitors/sweep';
import type { SinkChoice } from '../../../src/environment';
import { openSinks, type Sinks } from '../../../src/sinks/open-sinks';
import type { Sink } from '../../../src/sinks/sink';
import { CooldownRepository } from '../../../src/store/monitors/cooldowns';
import { statement } from '../../../src/store/statement';
import { LoopbackServer, houseGuard } from '../../support/loopback-server';
import { MonitorBench, monitorId } from './monitor-bench';

const secret = `whsec_${Buffer.from('a secret of thirty-two bytes, yes').toString('base64')}`;
const hourMs = 3_600_000;
/** Of one kind: a cooldown folds all but the first. */
const ids = (count: number) =>
  Array.from({ length: count }, (_, n) => ({
    id: `00000000-0000-4000-8000-${String(n + 1).padStart(12, '0')}`,
    severity: 'warn' as const,
    type: 'partners.partner_added',
  }));
const idOf = (n: number): string => ids(n)[n - 1]?.id ?? '';

describe('what sinks are told of a page', () => {
  let bench: MonitorBench;
  let receiver: LoopbackServer;
  let now: number;
  const audited: AuditEntry[] = [];
  const warned: [string, unknown][] = [];
  const opened: Sinks[] = [];

  beforeEach(async () => {
    audited.length = 0;
    warned.length = 0;
    now = Date.now();
    receiver = await LoopbackServer.start((_, response) => {
      response.writeHead(204).end();
    });
  });
  afterEach(async () => {
    for (const sinks of opened.splice(0)) {
      await Promise.all(sinks.all.map((sink) => sink.close()));
    }
    await bench.close();
    await receiver.close();
  });

  async function begin(
    script: Parameters<typeof MonitorBench.start>[0],
    choice = 'webhook',
    cooldownMs: number | null = null,
  ): Promise<void> {
    bench = await MonitorBench.start(script);
    const audit = { append: async (entries: AuditEntry[]) => void audited.push(...entries) };
    Object.assign(bench.deps, {
      audit,
      now: () => now,
      warn: (message: string, about: unknown) => void warned.push([message, about]),
      escalateAfter: 2,
    });
    useSinks(choice, cooldownMs);
  }

  function useSinks(choice: string, cooldownMs: number | null = null): void {
    const sinks = choice.split(',').map((word): SinkChoice => {
      return { name: word.replace('?', '') as 'file', required: !word.endsWith('?') };
    });
    const webhook = {
      url: `${receiver.origin}/hook`,
      secrets: [secret],
      guard: houseGuard,
      timeoutMs: 15_000,
      patienceMs: 0,
    };
    const all = openSinks({ sinks, webhook }, bench.place.store, bench.records.changes);
    opened.push(all);
    bench.deps.sinks = all;
    bench.terms = { ...plainTerms, cooldownMs };
  }

  function digests(): { id: string; changes: string[] }[] {
    return receiver.received.flatMap(({ body }) => {
      const { type, data } = JSON.parse(body) as {
        type: string;
        data: { digest_id: string; changes: { change_id: string }[] };
      };
      if (type !== 'monitor.digest') return [];
      return [{ id: data.digest_id, changes: data.changes.map((one) => one.change_id) }];
    });
  }

  /** Of so many changes: all but the one that was told at once. */
  function folded(count: number): string[] {
    const first = receiver.received[0]?.headers['webhook-id'];
    return ids(count).flatMap(({ id }) => (id === first ? [] : [id]));
  }

  function refuseDigests(status: number): void {
    receiver.reply = ({ body }, response) => {
      response.writeHead(body.includes('"monitor.digest"') ? status : 204).end();
    };
  }

  test('a digest that is refused for ever is counted, and asks for a person', async () => {
    await begin({ changes: ids(2) }, 'webhook', hourMs);
    refuseDigests(422);
    expect(await bench.sweepPages('sweep-1')).toMatchObject({ counts: { acknowledged: 2 } });
    now += 2 * hourMs;
    expect(await bench.sweep('sweep-2')).toMatchObject({
      backlog: { undelivered: 1, escalated: 0 },
    });
    expect(await bench.probe()).toMatchObject({ due: [{ monitorId }] });
    expect(await bench.sweep('sweep-3')).toMatchObject({
      backlog: { undelivered: 1, escalated: 1 },
    });
    refuseDigests(204);
    expect(await bench.sweep('sweep-4')).toMatchObject({
      backlog: { undelivered: 0 },
      warnings: [],
    });
  });

  test('a digest that is too long is told in parts', async () => {
    await begin({ changes: ids(6) }, 'webhook', hourMs);
    await bench.sweepPages('sweep-1');
    now += 2 * hourMs;
    const tooLong: number[] = [];
    receiver.reply = ({ body }, response) => {
      const { count } = (JSON.parse(body) as { data: { count: number } }).data;
      if (count > 2) tooLong.push(count);
      response.writeHead(count > 2 ? 413 : 204).end();
    };
    expect(await bench.sweep('sweep-2')).toMatchObject({ backlog: { undelivered: 0 } });
    expect(tooLong).toEqual([5, 3]);
    const told = digests().filter(({ changes }) => changes.length <= 2);
    expect(told.flatMap(({ changes }) => changes).sort()).toEqual(folded(6));
  });

  test('the digest of a monitor that is gone is told all the same, once', async () => {
    await begin({ changes: ids(3) }, 'webhook', hourMs);
    await bench.walk();
    await bench.sweepPages('sweep-1');
    expect(await bench.probe()).toMatchObject({ due: [] });
    now += 2 * hourMs;
    const { monitors } = bench.deps;
    const list = monitors.listChanges.bind(monitors);
    monitors.listChanges = (_, ...rest) => list(idOf(1), ...rest);
    // Two watches with one monitor in common: neither tells, both find it due.
    for (const look of await Promise.all([bench.probe(), bench.probe()])) {
      expect(look).toMatchObject({ failing: 1, due: [{ monitorId, reconcile: false }] });
    }
    expect(digests()).toEqual([]);
    expect(await bench.sweepPages('sweep-2')).toMatchObject({ fault: { fault: 'no monitor' } });
    expect(digests()).toMatchObject([{ changes: folded(3) }]);
    expect(await bench.probe()).toMatchObject({ failing: 1, due: [] });
  });

  test('what was held back for a webhook that is in use no more goes to the files', async () => {
    await begin({ changes: ids(3) }, 'webhook', hourMs);
    await bench.sweepPages('sweep-1');
    useSinks('file');
    await bench.sweepPages('sweep-2');
    expect(await linesOf(bench.place.store)).toMatchObject(
      folded(3).map((id) => ({ change_id: id })),
    );
    expect(await new CooldownRepository(bench.place.store).of(monitorId)).toEqual([]);
  });

  test('a change that was erased while it was open is told as it is listed, and not stored again', async () => {
    await begin({ changes: ids(1) }, 'file,webhook');
    receiver.reply = (_, response) => {
      response.writeHead(500).end();
    };
    await bench.sweepPages('sweep-1');
    const { store } = bench.place;
    const stored = (await bench.records.changes.get(monitorId, idOf(1)))?.stored;
    await drafted(store, async (draft) => {
      await draft.rewriteRows('change', monitorId, (body) => erasedChange(body as ReportedChange));
    });
    bench.place.database.commitNow([statement('DELETE FROM change_mark')]);
    await store.records.removeAll('changes/');
    receiver.reply = (_, response) => {
      response.writeHead(204).end();
    };
    expect(await bench.sweepPages('sweep-2')).toMatchObject({ counts: { acknowledged: 1 } });
    const told = JSON.parse(receiver.received.at(-1)?.body ?? '') as { data: unknown };
    expect(told.data).toMatchObject({ type: stored?.change.type, change: stored?.answer });
    expect(await linesOf(store)).toMatchObject([{ change: null, erased: true, type: null }]);
  });

  test('a change that is listed twice is told once', async () => {
    await begin({ changes: ids(2) });
    const { monitors } = bench.deps;
    const list = monitors.listChanges.bind(monitors);
    monitors.listChanges = async (...args) => {
      const page = await list(...args);
      return { ...page, items: [...page.items, ...page.items] };
    };
    const counts = { stored: 2, delivered: 2, acknowledged: 2 };
    expect(await bench.sweepPages()).toMatchObject({ counts, walk: null });
    expect(receiver.received).toHaveLength(2);
    expect(bench.sandbox.monitors.counts().ack).toBe(2);
  });

  test('a sink that nobody waits for holds no acknowledgement back, and counts for nothing', async () => {
    await begin({ changes: ids(1), ack: ['409'] }, 'file,webhook?');
    receiver.reply = (_, response) => {
      response.writeHead(503, { 'retry-after': '86400' }).end();
    };
    expect(await bench.sweep('sweep-1')).toMatchObject({
      backlog: { undelivered: 1, escalated: 0 },
    });
    expect(await bench.sweepPages('sweep-2')).toMatchObject({ counts: { acknowledged: 1 } });
    const file = await bench.records.changes.get(monitorId, idOf(1));
    expect(file?.failure).toMatchObject({ step: 'acknowledge', count: 1 });
    expect(warned.map(([message]) => message).filter((one) => one.includes('sink'))).toEqual(
      Array.from({ length: 2 }, () => 'changes did not reach a sink that is not required'),
    );
  });

  test('a change that had no turn at a slow sink stays open, and nothing counts against it', async () => {
    await begin({ changes: ids(3) });
    let hadNoTurn = false;
    const slow: Sink = {
      name: 'webhook',
      deliver: async ({ deliveries }) =>
        deliveries.map(({ id }) => {
          if (hadNoTurn || id !== idOf(2)) return { kind: 'taken' };
          hadNoTurn = true;
          return { kind: 'untried', why: 'slow' };
        }),
      close: async () => undefined,
    };
    bench.deps.sinks = { all: [slow], required: ['webhook'], digests: null };
    expect(await bench.sweepPages('sweep-1')).toMatchObject({
      counts: { acknowledged: 2 },
      warnings: ['slow sink'],
    });
    expect((await bench.finalize('sweep-1')).backlog.undelivered).toBe(0);
    const file = await bench.records.changes.get(monitorId, idOf(2));
    expect(file).toMatchObject({ failure: null, delivered: {}, acknowledged: null });
    // In the same pass again: it was not tried yet.
    expect(await bench.sweepPages('sweep-1')).toMatchObject({ counts: { acknowledged: 1 } });
  });

  test('a receiver that is down leaves one entry of the audit trail and one line of the log', async () => {
    await begin({ changes: ids(20) });
    receiver.reply = (_, response) => {
      response.writeHead(500).end();
    };
    await bench.sweep('sweep-1');
    audited.length = 0;
    warned.length = 0;
    const { backlog } = await bench.sweep('sweep-2');
    expect(backlog).toEqual({ undelivered: 20, unreadable: 0, escalated: 20 });
    expect(audited).toMatchObject([
      {
        id: 'undelivered/sweep-2',
        kind: 'delivery',
        details: { undelivered: 20, escalated: 20 },
      },
    ]);
    expect(warned).toEqual([
      [
        'changes could not be delivered or acknowledged',
        { monitor: monitorId, ...backlog, why: expect.stringContaining('500') },
      ],
    ]);
  });

  test.each([
    ['webhook', 'disabled sink', 2, 0],
    ['file,webhook?', 'disabled optional sink', 0, 2],
  ])(
    'a sink of %s that answers 410 is told of as %s',
    async (choice, warning, undelivered, acknowledged) => {
      await begin({ changes: ids(2) }, choice);
      receiver.reply = (_, response) => {
        response.writeHead(410).end();
      };
      const counts = { acknowledged };
      expect(await bench.sweepPages()).toMatchObject({ warnings: [warning], counts });
      expect((await bench.finalize()).backlog).toMatchObject({ undelivered });
      // The worker that was answered so says it once: not again with every page.
      expect(warned.filter(([message]) => message.includes('sink'))).toEqual([]);
    },
  );
});

async function linesOf(store: Store): Promise<unknown[]> {
  const lines: unknown[] = [];
  for (const key of await store.records.list('changes/')) {
    const text = String(await store.records.get(key)).trim();
    lines.push(...text.split('\n').map((line) => JSON.parse(line) as unknown));
  }
  return lines;
}
