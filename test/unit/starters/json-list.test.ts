import { dossierListCommand } from '../../../src/starters/dossiers/list';
import { traceListCommand } from '../../../src/starters/traces/commands';
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
  ['traces', traceListCommand],
  ['dossiers', dossierListCommand],
] as const;

test.each(lists)(
  'a list of %s that breaks off is one whole document, with the error',
  async (...of) => {
    const [name, command] = of;
    server.reply = (_, response) =>
      server.received.length === 1
        ? sendJson(response, 200, { data: items, page: { has_more: true, next_cursor: 'c' } })
        : sendJson(response, 401, {});
    await expect(command().parseAsync(['--json'], { from: 'user' })).rejects.toMatchObject({
      name: 'CommandError',
    });
    expect(JSON.parse(printed)).toMatchObject({
      [name]: [{ id: items[0]?.id }],
      count: 1,
      error: expect.stringContaining('not read to its end'),
    });
  },
);

test.each(lists)('a list of %s that is whole has no error', async (...of) => {
  const [name, command] = of;
  server.reply = (_, response) => sendJson(response, 200, { data: items });
  await command().parseAsync(['--json'], { from: 'user' });
  const document = JSON.parse(printed) as Record<string, unknown>;
  expect(document).toMatchObject({ [name]: [{}], count: 1, unreadable: 0, billing: [] });
  expect(document).not.toHaveProperty('error');
});
