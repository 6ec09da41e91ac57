import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { postsOf } from '../support/batch-account';
import { cnabFile } from '../support/cnab-files';
import { uploadsOf } from '../support/credit-installation';
import { Installation, creditSettings, eventually } from '../support/diligence-process';
import { cnpj, sheetOf } from '../support/documents';
import { allAttempts, storeIn } from '../support/temporary-store';

/** A person decides after the engine's retention: of the workflow nothing is left but what the store has. */
describe('of a job whose workflow the engine has forgotten', () => {
  let place: Installation;

  beforeAll(async () => {
    place = await Installation.start(
      { issuance: { waitingMs: [20, 50], processingMs: [50, 100], distribution: 'uniform' } },
      creditSettings,
    );
    await place.startWorkerHere();
    const lost = { request: ['reset_after'] };
    place.sandbox.configure({
      documents: { [cnpj(1)]: lost },
      credit: { files: { 'lost.rem': { upload: ['reset_after'] } } },
    } as never);
  }, 60_000);

  afterAll(() => place.stop(), 60_000);

  const shown = async (id: string) =>
    JSON.parse((await place.run(['show', id, '--json'])).stdout) as { status: string };

  async function ended(words: string[]): Promise<string> {
    const { stdout } = await place.run([...words, '--json']);
    const { id, status } = JSON.parse(stdout) as { id: string; status: string };
    expect(status).toMatch(/unknown_outcome|partial|completed|ended/);
    return id;
  }

  const thingOf = (id: string): string => id.replace(/\/\d{8}T\w+$/, '');

  /** As after thirty days. */
  async function forget(id: string): Promise<void> {
    const client = await place.client();
    const { namespace } = place;
    const begin = thingOf(id);
    const left = async (): Promise<string[]> => {
      const ids: string[] = [];
      for await (const { workflowId, runId } of client.workflow.list()) {
        if (!workflowId.startsWith(begin)) continue;
        ids.push(workflowId);
        await client.workflowService
          .deleteWorkflowExecution({ namespace, workflowExecution: { workflowId, runId } })
          .catch(() => undefined);
      }
      return ids;
    };
    await eventually('the engine has forgotten it', async () => (await left()).length === 0);
    await expect(client.workflow.getHandle(begin).describe()).rejects.toMatchObject({
      name: 'WorkflowNotFoundError',
    });
  }

  const jobs: [kind: string, words: string[], rows: string[], sent: () => number][] = [
    [
      'certificate-batch',
      ['certificate', 'batch', '--input', 'input.csv'],
      ['--status', 'unknown_outcome'],
      () => postsOf(place.sandbox).filter(({ subject }) => subject === cnpj(1)).length,
    ],
    [
      'credit-analysis',
      ['credit', 'analyze', '--input', 'lost.rem'],
      [],
      () => uploadsOf(place.sandbox, 'lost.rem').length,
    ],
  ];

  test.each(jobs)(
    '%s: of two decisions from two windows one stands, and the other is told of it',
    async (_, words, rows, sent) => {
      await writeFile(join(place.folder, 'input.csv'), sheetOf(4));
      await writeFile(join(place.folder, 'lost.rem'), cnabFile({ receivables: 3 }));
      const id = await ended(words);
      expect(sent()).toBe(1);
      await forget(id);

      const decide = (action: string) =>
        place.begin(['resolve', id, '--action', action, '--note', `by ${action}`, ...rows]).result;
      const both = await Promise.all([decide('reissue'), decide('abandon')]);
      const refused = both.filter(({ stderr }) => stderr.includes('has resolved it already'));
      expect(both.map(({ code, stderr }) => ({ code, stderr }))).toContainEqual(
        expect.objectContaining({ code: 1 }),
      );
      expect(refused).toHaveLength(1);
      const [stood, other] =
        both[0] === refused[0] ? ['abandon', 'reissue'] : ['reissue', 'abandon'];
      expect(refused[0]).toMatchObject({
        code: 1,
        stderr: expect.stringContaining(`tester has resolved it already: ${stood}`),
      });

      if (stood === 'reissue') await eventually('it is sent again', () => sent() === 2);
      await eventually('what goes on has ended', async () => (await shown(id)).status !== null);
      const all = await allAttempts(storeIn(place.folder));
      const decisions = all
        .filter(({ claim }) => claim.owner.workflowId.startsWith(thingOf(id)))
        .flatMap(({ resolution }) => (resolution === null ? [] : [resolution.action]));
      expect(decisions.filter((action) => action === other)).toEqual([]);
      expect(sent()).toBe(stood === 'reissue' ? 2 : 1);
    },
    120_000,
  );
});
