import { dossierCommand } from '../../../src/starters/dossiers/commands';
import { traceCommand } from '../../../src/starters/traces/commands';
import { LoopbackServer, sendJson } from '../../support/loopback-server';
import { TemporaryStore } from '../../support/temporary-store';

/** `--json` of the lists that the service holds, when the list cannot be read to its end. */

const before = { ...process.env };
let server: LoopbackServer;
let place: TemporaryStore;
let printed: string;

beforeEach(async () => {
  place = new TemporaryStore();
  server = await LoopbackServer.start();
  process.env['DILIGENCE_DATA_DIR'] = place.folder;
  process.env['INVESTIGATION_BASE_URL'] = `${server.origin}/api/v1`;
  process.env['INVESTIGATION_TOKEN'] = 't';
  printed = '';
  jest.spyOn(process.stderr, 'write').mockReturnValue(true);
  jest.spyOn(process.stdout, 'write').mockImplementation((text) => {
    printed += String(text);
    return true;
  });
});
afterEach(async () => {
  jest.restoreAllMocks();
  process.env = { ...before };
  await server.close();
  place.remove();
});

const items = [{ id: '0c8d5f0e-7d0a-4b8e-9a55-2f3c1d4e5f60', status: 'failed' }];
const lists = [
  ['traces', traceCommand],
  ['dossiers', dossierCommand],
] as const;

test.each(lists)(
  'a list of %s that breaks off is an error, and prints no half of a document',
  async (...of) => {
    const [, command] = of;
    server.reply = (_, response) =>
      server.received.length === 1
        ? sendJson(response, 200, { data: items, page: { has_more: true, next_cursor: 'c' } })
        : sendJson(response, 401, {});
    await expect(command().parseAsync(['list', '--json'], { from: 'user' })).rejects.toMatchObject({
      name: 'CommandError',
      message: expect.stringContaining('not read to its end'),
    });
    expect(printed).toBe('');
  },
);

test.each(lists)('a list of %s that is whole is one document', async (...of) => {
  const [name, command] = of;
  server.reply = (_, response) => sendJson(response, 200, { data: items });
  await command().parseAsync(['list', '--json'], { from: 'user' });
  const document = JSON.parse(printed) as Record<string, unknown>;
  expect(document).toMatchObject({ [name]: [{}], count: 1, unreadable: 0, billing: [] });
});
