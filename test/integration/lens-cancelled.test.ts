import { eventually } from '../support/diligence-process';
import { LensInstallation, type FileScript } from '../support/lens-installation';

/** Analyses that are cancelled, in each of their phases. The service shows no way to cancel one. */

let installation: LensInstallation;

jest.setTimeout(180_000);
beforeAll(async () => {
  installation = await LensInstallation.start();
});
afterAll(() => installation.place.stop());

type Counts = NonNullable<ReturnType<LensInstallation['counted']>>;

/** Begins one, and cancels it once the service has seen so much of it. */
async function cancelAt(script: FileScript, isReached: (counts: Counts) => boolean) {
  const { path, sha256 } = await installation.picture(script);
  const id = await installation.begin(path);
  await eventually('it is in its phase', () => {
    const counts = installation.counted(sha256);
    return counts !== undefined && isReached(counts);
  });
  const { code, stderr, stdout } = await installation.place.run(['cancel', id]);
  const outcome = await installation.ended(id);
  return { id, told: `${stdout}${stderr}`, code, outcome, counts: installation.counted(sha256) };
}

test('while its request is turned away an analysis can be cancelled: nothing was made', async () => {
  const create = Array.from({ length: 60 }, () => '401' as const);
  const { counts, outcome, told } = await cancelAt({ create }, ({ requested }) => requested > 0);
  expect(told).toContain('cancelling');
  expect(outcome).toMatchObject({ status: 'cancelled', analysisId: null, billing: null });
  expect(counts?.created).toBe(0);
});

test('cancelled while its request is under way, the analysis that was made is told', async () => {
  const create: FileScript['create'] = [{ kind: 'slow', delayMs: 8_000 }];
  const { counts, outcome } = await cancelAt({ create }, ({ created }) => created === 1);
  expect(outcome).toMatchObject({
    status: 'cancelled',
    analysisId: expect.any(String),
    billing: { status: 'not_charged' },
  });
  expect(counts).toMatchObject({ requested: 1, created: 1, uploads: 0 });
});

test('cancelled while its file is handed in, the upload is broken off', async () => {
  const upload: FileScript['upload'] = ['no_answer_before'];
  const { counts, outcome } = await cancelAt({ upload }, ({ uploadTries }) => uploadTries > 0);
  expect(outcome).toMatchObject({ status: 'cancelled', seen: { state: 'awaiting_upload' } });
  expect(counts).toMatchObject({ created: 1, uploads: 0 });
});

test('cancelled between two tries of its upload, it is handed in no more', async () => {
  const upload = Array.from({ length: 60 }, () => '503' as const);
  const { counts, outcome } = await cancelAt({ upload }, ({ uploadTries }) => uploadTries > 1);
  expect(outcome).toMatchObject({ status: 'cancelled', billing: { status: 'not_charged' } });
  expect(counts).toMatchObject({ created: 1, uploads: 0 });
});

test('cancelled while it is waited for, what was seen of it and what it cost is told', async () => {
  const processingMs: [number, number] = [600_000, 600_000];
  const { counts, outcome } = await cancelAt({ processingMs }, ({ reads }) => reads > 0);
  expect(outcome).toMatchObject({
    status: 'cancelled',
    seen: { state: 'running', billing: { status: 'not_charged' } },
    files: null,
  });
  expect(counts).toMatchObject({ created: 1, uploads: 1 });
});

test('cancelled while its artifacts are fetched, that is refused: what was paid for is kept', async () => {
  const artifact: FileScript['artifact'] = [{ kind: 'slow', delayMs: 8_000 }];
  const { code, outcome, told } = await cancelAt({ artifact }, ({ artifacts }) => artifacts > 0);
  expect({ code, told }).toEqual({ code: 1, told: expect.stringContaining('it has settled') });
  expect(outcome).toMatchObject({
    status: 'completed',
    billing: { status: 'charged' },
    files: { unfiled: [] },
  });
  expect(outcome.files?.filed).toHaveLength(2);
});

test('cancelled when the service has completed it unseen, it is completed', async () => {
  installation.place.sandbox.configure({ lens: { pollAfterSeconds: 600 } });
  let seenAt = Number.POSITIVE_INFINITY;
  const { outcome } = await cancelAt({ processingMs: [1_000, 1_000] }, ({ reads }) => {
    if (reads > 0) seenAt = Math.min(seenAt, Date.now());
    return Date.now() > seenAt + 2_000;
  });
  expect(outcome).toMatchObject({ status: 'completed', billing: { status: 'charged' } });
  expect(outcome.files?.filed).toHaveLength(2);
});
