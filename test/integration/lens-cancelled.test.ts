import { eventually } from '../support/diligence-process';
import { LensInstallation, type FileScript, type Picture } from '../support/lens-installation';

/** Analyses that are cancelled, in each of their phases. The service shows no way to cancel one. */

type Counts = NonNullable<ReturnType<LensInstallation['counted']>>;
interface Phase {
  script: FileScript;
  /** The service has seen so much of it. */
  isReached: (counts: Counts) => boolean;
}

/** They wait more than they work: all are begun at once, and each test awaits its own. */
const phases = {
  'turned away': {
    script: { create: Array.from({ length: 60 }, () => '401' as const) },
    isReached: ({ requested }) => requested > 0,
  },
  requested: {
    script: { create: [{ kind: 'slow', delayMs: 5_000 }] },
    isReached: ({ created }) => created === 1,
  },
  'handed in': {
    script: { upload: ['no_answer_before'] },
    isReached: ({ uploadTries }) => uploadTries > 0,
  },
  'handed in again': {
    script: { upload: Array.from({ length: 60 }, () => '503' as const) },
    isReached: ({ uploadTries }) => uploadTries > 1,
  },
  'waited for': {
    script: { processingMs: [600_000, 600_000] },
    isReached: ({ reads }) => reads > 0,
  },
  fetched: {
    script: { artifact: [{ kind: 'slow', delayMs: 5_000 }] },
    isReached: ({ artifacts }) => artifacts > 0,
  },
} satisfies Record<string, Phase>;

let installation: LensInstallation;
const cancelled = new Map<string, ReturnType<typeof cancelAt>>();

jest.setTimeout(180_000);
beforeAll(async () => {
  installation = await LensInstallation.start();
  const begun: [string, Picture, Phase][] = [];
  for (const [name, phase] of Object.entries(phases)) {
    begun.push([name, await installation.picture(phase.script), phase]);
  }
  for (const [name, picture, phase] of begun) cancelled.set(name, cancelAt(picture, phase));
});
afterAll(() => installation.place.stop());

/** Begins one, and cancels it in its phase. */
async function cancelAt({ path, sha256 }: Picture, { isReached }: Pick<Phase, 'isReached'>) {
  const id = await installation.begin(path);
  await eventually('it is in its phase', () => {
    const counts = installation.counted(sha256);
    return counts !== undefined && isReached(counts);
  });
  const { code, stderr, stdout } = await installation.place.run(['cancel', id]);
  const outcome = await installation.ended(id);
  return { id, told: `${stdout}${stderr}`, code, outcome, counts: installation.counted(sha256) };
}

async function cancelledWhile(phase: keyof typeof phases) {
  const end = await cancelled.get(phase);
  if (end === undefined) throw new Error(`${phase}: was not begun`);
  return end;
}

test('while its request is turned away an analysis can be cancelled: nothing was made', async () => {
  const { counts, outcome, told } = await cancelledWhile('turned away');
  expect(told).toContain('cancelling');
  expect(outcome).toMatchObject({ status: 'cancelled', analysisId: null, billing: null });
  expect(counts?.created).toBe(0);
});

test('cancelled while its request is under way, the analysis that was made is told', async () => {
  const { counts, outcome } = await cancelledWhile('requested');
  expect(outcome).toMatchObject({
    status: 'cancelled',
    analysisId: expect.any(String),
    billing: { status: 'not_charged' },
  });
  expect(counts).toMatchObject({ requested: 1, created: 1, uploads: 0 });
});

test('cancelled while its file is handed in, the upload is broken off', async () => {
  const { counts, outcome } = await cancelledWhile('handed in');
  expect(outcome).toMatchObject({ status: 'cancelled', seen: { state: 'awaiting_upload' } });
  expect(counts).toMatchObject({ created: 1, uploads: 0 });
});

test('cancelled between two tries of its upload, it is handed in no more', async () => {
  const { counts, outcome } = await cancelledWhile('handed in again');
  expect(outcome).toMatchObject({ status: 'cancelled', billing: { status: 'not_charged' } });
  expect(counts).toMatchObject({ created: 1, uploads: 0 });
});

test('cancelled while it is waited for, what was seen of it and what it cost is told', async () => {
  const { counts, outcome } = await cancelledWhile('waited for');
  expect(outcome).toMatchObject({
    status: 'cancelled',
    seen: { state: 'running', billing: { status: 'not_charged' } },
    files: null,
  });
  expect(counts).toMatchObject({ created: 1, uploads: 1 });
});

test('cancelled while its artifacts are fetched, that is refused: what was paid for is kept', async () => {
  const { code, outcome, told } = await cancelledWhile('fetched');
  expect({ code, told }).toEqual({ code: 1, told: expect.stringContaining('it has settled') });
  expect(outcome).toMatchObject({
    status: 'completed',
    billing: { status: 'charged' },
    files: { notStored: [] },
  });
  expect(outcome.files?.stored).toHaveLength(2);
});

test('cancelled when the service has completed it unseen, it is completed', async () => {
  installation.place.sandbox.configure({ lens: { pollAfterSeconds: 600 } });
  const picture = await installation.picture({ processingMs: [600_000, 600_000] });
  let isCompleted = false;
  const { outcome } = await cancelAt(picture, {
    isReached: ({ reads }) => {
      if (reads > 0 && !isCompleted) installation.place.sandbox.clock.advance(700_000);
      isCompleted = reads > 0;
      return isCompleted;
    },
  });
  expect(outcome).toMatchObject({ status: 'completed', billing: { status: 'charged' } });
  expect(outcome.files?.stored).toHaveLength(2);
});
