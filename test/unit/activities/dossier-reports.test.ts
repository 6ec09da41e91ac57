import type { ApplicationFailure } from '@temporalio/common';
import { msToNumber } from '@temporalio/common/lib/time';
import { MockActivityEnvironment } from '@temporalio/testing';
import { createDossierReportActivities } from '../../../src/activities/dossier-reports';
import type { DossierDependencies } from '../../../src/activities/dossiers';
import { DossiersApi } from '../../../src/apis/investigation/dossiers';
import { Service } from '../../../src/apis/http/service';
import { Token } from '../../../src/apis/http/token';
import { LoopbackServer, sendJson, type Reply } from '../../support/loopback-server';
import { MemoryArchive } from '../../support/memory-archive';

const ref = { workId: 'dossier/d/1', folder: 'dossiers/d/1', dossierId: 'd' };

let server: LoopbackServer;
let service: Service;
let now = 0;
beforeEach(async () => {
  now = 0;
  server = await LoopbackServer.start();
  const token = Token.of('secret');
  service = new Service({ baseUrl: server.origin, token, ratePerSecond: 1_000 });
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
async function report(reply: Reply) {
  server.reply = reply;
  const { fileDossier } = createDossierReportActivities({
    dossiers: new DossiersApi(service, {
      dossierReadPath: null,
      pageSizeParam: 'limit',
      cursorParam: 'cursor',
      statusParam: 'status',
    } as never),
    archive: new MemoryArchive(),
    nameOf: (document: string) => document,
    stopping: new AbortController().signal,
    warn: () => undefined,
    now: () => now,
    random: () => 0.5,
    pause: async (ms: number) => {
      now += ms;
    },
  } as unknown as DossierDependencies);
  const order = { ref, deadlineAt: 3_600_000, since: 0, seen: 'fetching' };
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await new MockActivityEnvironment({ attempt }).run(() => fileDossier(order));
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
      filed: [{ artifactId: 'whole', bytes: 4 }],
      unfiled: [{ artifactId: 'broken', why: 'answered 503' }],
    },
  });
});

it('what the status has is filed although the list is out of order', async () => {
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
      filed: [{ artifactId: 'whole' }],
      note: 'the list could not be read: answered 502',
    },
  });
});
