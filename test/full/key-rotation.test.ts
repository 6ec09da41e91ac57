import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { contradictions, postsOf } from '../support/batch-account';
import { Installation, eventually, readSheetLines } from '../support/diligence-process';
import { sheetOf } from '../support/documents';
import { historiesOf } from '../support/histories';
import { keyIdsOf, payloadsOf } from '../support/payloads';
import { EncryptionCodec } from '../../src/temporal/payload/payload-codec';
import { KeyRing } from '../../src/protection/key-ring';

const rows = 300;
const oldKey = `old:${'01'.repeat(32)}`;

interface KeysDocument {
  keys: string[];
  store: string[];
  workers: { keys: string[] | null }[];
  next: string;
}

describe('the payload keys of a batch under way', () => {
  let place: Installation;

  beforeAll(async () => {
    place = await Installation.start(
      { issuance: { waitingMs: [20, 50], processingMs: [500, 3_000], distribution: 'uniform' } },
      { DILIGENCE_PAYLOAD_KEYS: oldKey },
    );
    await writeFile(join(place.folder, 'input.csv'), sheetOf(rows));
  }, 60_000);

  afterAll(() => place.stop(), 60_000);

  const rotate = (keys: string) => place.run(['keys', 'rotate'], { DILIGENCE_PAYLOAD_KEYS: keys });
  const check = async (keys: string): Promise<KeysDocument> => {
    const env = { DILIGENCE_PAYLOAD_KEYS: keys };
    return JSON.parse((await place.run(['keys', 'check', '--json'], env)).stdout) as KeysDocument;
  };
  const namesOf = (list: string) => list.split(',').map((entry) => entry.split(':')[0]);

  test('are rotated while it goes on: nothing is lost, and the new list reads all of it', async () => {
    await place.startWorker();
    const batch = ['certificate', 'batch', '--input', 'input.csv', '--concurrency', '20'];
    const started = await place.run([...batch, '--detach', '--json']);
    const { id } = JSON.parse(started.stdout) as { id: string };
    await eventually('the batch is under way', () => postsOf(place.sandbox).length > 20);

    const first = await rotate(oldKey);
    expect(first).toMatchObject({ code: 0, stderr: expect.stringContaining('step 1 of 2') });
    const added = first.stdout.trim();
    expect(added.startsWith(`${oldKey},`)).toBe(true);
    const newName = namesOf(added).at(1) as string;

    // The worker does not know the new key: it must not come into use.
    const tooSoon = await rotate(added);
    expect(tooSoon).toMatchObject({ code: 1, stdout: '' });
    expect(tooSoon.stderr).toContain(`${newName} cannot encrypt yet`);
    expect(await check(added)).toMatchObject({
      keys: ['old', newName],
      store: ['old'],
      workers: [{ keys: ['old'] }],
    });

    await place.stopWorkers();
    await place.startWorker({ DILIGENCE_PAYLOAD_KEYS: added });
    const requested = postsOf(place.sandbox).length;
    await eventually('it goes on', () => postsOf(place.sandbox).length > requested + 5);
    await (await place.client(added)).workflow.getHandle(id).executeUpdate('pause');

    // A worker that has ended shows for a minute and a half.
    let second = tooSoon;
    await eventually(
      'the next step is safe',
      async () => (second = await rotate(added)).code === 0,
      240_000,
    );
    const moved = second.stdout.trim();
    expect(namesOf(moved)).toEqual([newName, 'old']);
    await place.stopWorkers();
    await place.startWorker({ DILIGENCE_PAYLOAD_KEYS: moved });
    const resumed = await place.run(['resume', id], { DILIGENCE_PAYLOAD_KEYS: moved });
    expect({ code: resumed.code, stderr: resumed.code === 0 ? '' : resumed.stderr }).toEqual({
      code: 0,
      stderr: '',
    });
    const client = await place.client(moved);
    await client.workflow.getHandle(id).result();

    const result = ['result', id, '--out', 'out'];
    expect(await place.run(result, { DILIGENCE_PAYLOAD_KEYS: moved })).toMatchObject({ code: 0 });
    const folder = join(place.folder, 'out');
    const lines = await readSheetLines(join(folder, 'results.csv'));
    expect(lines.map(({ status }) => status)).toEqual(Array.from({ length: rows }, () => 'issued'));
    expect(await contradictions(place.sandbox, lines, folder)).toEqual([]);

    const payloads = payloadsOf(await historiesOf(client, id));
    expect(keyIdsOf(payloads)).toEqual(new Set(['old', newName]));
    const codec = new EncryptionCodec({ ring: KeyRing.parse(moved), namespace: place.namespace });
    expect(await codec.decode(payloads)).toHaveLength(payloads.length);
    const withoutNew = (await place.client(oldKey)).workflow.getHandle(id).result();
    await expect(withoutNew).rejects.toThrow(newName);

    // A list of before the rotation is refused now, and a new rotation may begin.
    expect(await rotate(oldKey)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(`lacks the key ${newName}`),
    });
    expect((await check(moved)).next).toContain('begins a rotation');
  }, 480_000);
});
