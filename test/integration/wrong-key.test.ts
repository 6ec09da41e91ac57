import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  decodeOptionalFailureToOptionalError,
  loadDataConverter,
} from '@temporalio/common/lib/internal-non-workflow';
import { KeyRing } from '../../src/protection/key-ring';
import { dataConverterOf } from '../../src/temporal/payload/data-converter';
import { postsOf } from '../support/batch-account';
import { Installation } from '../support/diligence-process';
import { testPayloadKeys } from '../support/temporary-store';
import { sheetOf } from '../support/documents';
import { historiesOf, type RunHistory } from '../support/histories';
import { failedByStranger, strangerKey } from '../support/stranger-worker';

const impostor = `test:${'0e'.repeat(32)}`;

describe('a process with a wrong payload key', () => {
  let place: Installation;
  let batchId: string;

  beforeAll(async () => {
    place = await Installation.start({});
    await writeFile(join(place.folder, 'input.csv'), sheetOf(10));
    const args = ['certificate', 'batch', '--input', 'input.csv', '--detach', '--json'];
    // No worker yet: it waits.
    const { stdout } = await place.run(args);
    batchId = (JSON.parse(stdout) as { id: string }).id;
  }, 60_000);

  afterAll(() => place.stop(), 60_000);

  const histories = async (): Promise<RunHistory[]> => historiesOf(await place.client(), batchId);
  const eventsOf = (runs: readonly RunHistory[]) => runs.flatMap(({ events }) => events);

  test.each([
    ['that the store does not know', strangerKey, 'test'],
    ['that goes by a name of ours', impostor, 'test'],
    ['in front of ours', `${strangerKey},${testPayloadKeys}`, 'stranger'],
    ['switched off', 'off', 'generate'],
  ])(
    '%s refuses before it does anything, and names the key',
    async (_, keys, named) => {
      const before = (await histories()).length;
      const events = eventsOf(await histories()).length;
      const commands = [
        ['worker'],
        ['show', batchId],
        ['pause', batchId],
        ['cancel', batchId, '--now'],
        ['certificate', 'batch', '--input', 'input.csv', '--label', 'another', '--detach'],
      ];
      for (const args of commands) {
        const ended = await place.run(args, { DILIGENCE_PAYLOAD_KEYS: keys });
        expect({ args, ...ended }).toMatchObject({
          code: 2,
          stderr: expect.stringMatching(new RegExp(`DILIGENCE_PAYLOAD_KEYS.*\\b${named}\\b`)),
        });
      }
      const after = await histories();
      expect([after.length, eventsOf(after).length]).toEqual([before, events]);
      expect(postsOf(place.sandbox)).toEqual([]);
    },
    120_000,
  );

  // That ours goes on after it: `full/wrong-key`.
  test('that is forced to work writes failures that its key makes readable', async () => {
    const failure = await failedByStranger(place, batchId);
    expect(JSON.stringify({ ...failure, encodedAttributes: null })).not.toMatch(/\btest\b|sealed/);
    const readWith = async (keys: string) => {
      const converter = loadDataConverter(dataConverterOf(KeyRing.parse(keys), place.namespace));
      return (await decodeOptionalFailureToOptionalError(converter, failure))?.message;
    };
    await expect(readWith(testPayloadKeys)).rejects.toThrow(/stranger/);
    await expect(readWith(`${testPayloadKeys},${strangerKey}`)).resolves.toMatch(/\btest\b/);
  }, 120_000);
});
