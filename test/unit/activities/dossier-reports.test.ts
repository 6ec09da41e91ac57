import type { ApplicationFailure } from '@temporalio/common';
import { msToNumber } from '@temporalio/common/lib/time';
import { ActivityEnvironment } from '../../support/activity-environment';
import { createDossierReportActivities } from '../../../src/activities/dossiers/reports';
import type { DossierDependencies } from '../../../src/activities/dependencies';
import { readEnvironment } from '../../../src/environment';
import { DossiersApi } from '../../../src/apis/investigation/dossiers';
import { Service } from '../../../src/apis/http/service';
import { Token } from '../../../src/apis/http/token';
import type { DossierReport } from '../../../src/domain/dossiers/follow';
import { LoopbackServer, houseGuard, sendJson, type Reply } from '../../support/loopback-server';
import { newStore } from '../../support/new-store';

const ref = { jobId: 'dossier/d/1', folder: 'dossiers/d/1', dossierId: 'd' };

let server: LoopbackServer;
let service: Service;
let now = 0;
beforeEach(async () => {
  now = 0;
  server = await LoopbackServer.start();
  const token = Token.of('secret');
  service = new Service({ baseUrl: server.origin, token, ratePerSecond: 1_000, guard: houseGuard });
});
afterEach(async () => {
  await service.close();
  await server.close();
});

function artifact(name: string) {
  return {
    id: name,
    type: name,
    content_type: 'text/plain',
    download_url: `${server.origin}/${name}`,
  };
}

/** One hour is left for the report, and time is not waited for. */
async function report(reply: Reply, store = newStore()) {
  server.reply = reply;
  const { fileDossier } = createDossierReportActivities({
    dossiers: new DossiersApi(service, readEnvironment({}).dossierNames),
    store,
    nameOf: (document: string) => document,
    stopping: new AbortController().signal,
    warn: () => undefined,
    now: () => now,
    random: () => 0.5,
    pause: async (ms: number) => {
      now += ms;
    },
  } as unknown as DossierDependencies);
  const order = { ref, deadlineAt: 3_600_000, since: 0, seen: 'fetching', attempt: 1 };
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await new ActivityEnvironment({ attempt }).run(() => fileDossier(order));
    } catch (error) {
      const delay = (error as ApplicationFailure).nextRetryDelay;
      if (delay == null) throw error;
      now += msToNumber(delay);
    }
  }
}

it('a file whose store is out of order costs the report no other one, and is told at the end', async () => {
  const ended = await report(({ path }, response) => {
    if (path === '/broken') return sendJson(response, 503, {});
    if (path === '/whole') return void response.end('text');
    return sendJson(response, 200, {
      id: 'd',
      status: 'completed',
      artifacts: [artifact('broken'), artifact('whole')],
      report_schema: {},
    });
  });
  expect(ended).toMatchObject({
    kind: 'expired',
    value: {
      stored: [{ artifactId: 'whole', bytes: 4 }],
      notStored: [{ artifactId: 'broken', why: 'answered 503' }],
    },
  });
});

it('what the status has is stored although the list is out of order', async () => {
  const ended = await report(({ path }, response) => {
    if (path === '/whole') return void response.end('text');
    if (!path.endsWith('/status')) return sendJson(response, 502, {});
    return sendJson(response, 200, {
      id: 'd',
      status: 'completed',
      artifacts: [artifact('whole')],
    });
  });
  expect(ended).toMatchObject({
    kind: 'expired',
    value: {
      stored: [{ artifactId: 'whole' }],
      note: 'the list could not be read: answered 502',
    },
  });
});

/** The status as it is told read after read, the last for ever. */
function told(...reads: object[]): Reply {
  return ({ path }, response) => {
    if (!path.endsWith('/status')) return void response.end('text');
    const read = reads.length > 1 ? reads.shift() : reads[0];
    return sendJson(response, 200, { id: 'd', result: { report_schema: [] }, ...read });
  };
}

const completed = () => ({ status: 'completed', artifacts: [artifact('whole')] });
const attempt = (number: number) => ({ current_attempt: { number } });

it.each([
  ['is under way again', { status: 'running' }],
  ['is in its attempt before', { status: 'completed', artifacts: [], ...attempt(0) }],
])('an answer that tells that the dossier %s is waited out', async (_, before) => {
  expect(await report(told(before, before, completed()))).toMatchObject({
    kind: 'settled',
    value: { stored: [{ artifactId: 'whole' }], notStored: [], note: null, movedOn: false },
  });
});

it('a dossier that is under way again for good has moved on', async () => {
  expect(await report(told({ status: 'running' }))).toMatchObject({
    value: { sight: { state: 'running' }, stored: [], movedOn: true },
  });
  expect(now).toBeGreaterThanOrEqual(600_000);
});

it('what is on file of an attempt is not told of the one that was begun after it', async () => {
  const store = newStore();
  const gone = { ...completed(), artifacts: [artifact('whole'), artifact('gone')] };
  const reply = told(gone, { ...completed(), ...attempt(2) });
  const missing: Reply = (request, response) =>
    request.path === '/gone' ? sendJson(response, 404, {}) : reply(request, response);
  expect(await report(missing, store)).toMatchObject({
    kind: 'settled',
    value: { sight: { attempt: { number: 2 } }, stored: [], movedOn: true },
  });
  expect(await store.records.list(`${ref.folder}/artifacts/`)).toEqual([]);
});

it('a list that lags behind the status is waited for, and told when it stays so', async () => {
  const listed = (state: string, files: object[]) => ({
    data: [{ id: 'd', status: state, artifacts: files }],
  });
  const answers = (lists: object[]): Reply => {
    const status = told({ status: 'completed', ...attempt(1) });
    return (request, response) => {
      if (!request.path.endsWith('/dossies')) return status(request, response);
      return sendJson(response, 200, lists.length > 1 ? lists.shift() : lists[0]);
    };
  };
  const late = listed('running', []);
  expect(await report(answers([late, listed('completed', [artifact('whole')])]))).toMatchObject({
    value: { stored: [{ artifactId: 'whole' }], note: null },
  });
  expect(await report(answers([late]))).toMatchObject({
    kind: 'settled',
    value: { note: 'the list does not show that it has ended' },
  });
});

it('a file that the list alone has is stored, although the status tells of none', async () => {
  const status = told({ status: 'completed', artifacts: [], result: null });
  const ended = await report((request, response) => {
    if (!request.path.endsWith('/dossies')) return status(request, response);
    return sendJson(response, 200, { data: [{ id: 'd', ...completed() }] });
  });
  expect(ended).toMatchObject({ value: { stored: [{ artifactId: 'whole' }], note: null } });
});

it('one odd answer does not cost the report, and a link that leads nowhere is given up', async () => {
  let odd = 1;
  const reply = told(completed());
  const ended = await report(({ path, ...more }, response) => {
    if (path === '/whole') return void response.writeHead(302, { location: 'ftp://x/' }).end();
    if (odd-- > 0) return sendJson(response, 404, {});
    return reply({ path, ...more }, response);
  });
  expect(ended).toMatchObject({
    kind: 'settled',
    value: {
      notStored: [
        { artifactId: 'whole', why: expect.stringContaining('not followed'), isRefused: true },
      ],
    },
  });
  expect(server.received.filter(({ path }) => path === '/whole')).toHaveLength(1);
});

it('every file that is announced is stored or told, whatever it is called', async () => {
  const odd = ['A/1', '../x', 'a b', null].map((id) => ({ ...artifact('whole'), id }));
  const bare = [{ type: 'without an address' }, 'text'];
  const ended = await report(told({ status: 'completed', artifacts: [...odd, ...bare] }));
  const { stored, notStored } = (ended as { value: DossierReport }).value;
  expect(new Set(stored.map(({ artifactId }) => artifactId)).size).toBe(4);
  expect(notStored).toMatchObject([{ why: 'no address' }, { why: 'no address' }]);
});
