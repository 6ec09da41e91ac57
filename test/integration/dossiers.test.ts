import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { DossierOutcome } from '../../src/domain/dossiers/follow';
import type { DossierBatchOutcome } from '../../src/domain/dossiers/retry-batch';
import { Installation, eventually } from '../support/diligence-process';

/** Dossiers from a command to the folder of results, on a real server, under faults and a kill. */

interface Shown {
  id: string;
  exitCode: number;
  folder: string | null;
  files: string[];
  billing: { unit: string; status: string; amount: number }[];
  outcome: DossierOutcome;
}

const soon: DossierScript = { waitingMs: [100, 200], processingMs: [300, 600] };
/** As a scenario has one. */
type DossierScript = NonNullable<
  NonNullable<
    NonNullable<Parameters<Installation['sandbox']['configure']>[0]['dossiers']>['held']
  >[string]
>;

let installation: Installation;

jest.setTimeout(180_000);
beforeAll(async () => {
  installation = await Installation.start(
    { dossiers: { pollAfterSeconds: 1 } },
    { INVESTIGATION_RPS: '400' },
  );
  await installation.startWorker();
});
afterAll(async () => {
  await installation.stop();
});

let nth = 0;
/** A dossier of its own, as the script says. */
function held(script: DossierScript): string {
  nth += 1;
  const id = `0f0e0d0c-0b0a-4000-8000-${String(nth).padStart(12, '0')}`;
  installation.sandbox.configure({ dossiers: { held: { [id]: { ...soon, ...script } } } });
  return id;
}

async function dossier(
  words: string[],
): Promise<{ code: number | null; stderr: string; shown: Shown | null }> {
  const { code, stderr, stdout } = await installation.run(['dossier', ...words]);
  return { code, stderr, shown: stdout.startsWith('{') ? (JSON.parse(stdout) as Shown) : null };
}

function follow(id: string, ...more: string[]) {
  return dossier(['follow', '--id', id, '--json', '--out', `out-${id}`, ...more]);
}

const counted = (id: string) =>
  installation.sandbox.dossiers.counts().items.find(({ dossieId }) => dossieId === id);

test('a dossier is followed to its end, and its report filed and written', async () => {
  const id = held({ risk: 'classified', end: 'completed' });
  const { code, shown, stderr } = await follow(id);
  expect({ code, stderr }).toMatchObject({ code: 0 });
  expect(shown?.outcome).toMatchObject({
    status: 'completed',
    caused: 0,
    possibleAttempt: false,
    risk: { form: 'classified', missingFields: 0 },
    filed: [{ type: 'dossie_pdf' }],
    attempts: [{ number: 1, billing: { status: 'charged', unit: 'tokens' } }],
  });
  expect(shown?.billing).toMatchObject([{ unit: 'tokens', status: 'charged' }]);
  expect((await readdir(shown?.folder ?? '')).sort()).toEqual(['dossier.json', 'dossier.pdf']);
  const pdf = await readFile(join(shown?.folder ?? '', 'dossier.pdf'));
  expect(pdf.subarray(0, 5).toString()).toBe('%PDF-');
  expect(counted(id)).toMatchObject({ retried: 0, retryRequests: 0, cancelRequests: 0 });
});

/** What can happen to the retry of an attempt; only the first may begin one. */
const lossesOfRetry = [
  ['its answer is lost', ['504_after']],
  ['its answer is cut', ['cut_answer']],
  ['its answer cannot be read', ['unreadable_2xx']],
  ['it is lost on the way, and its answer the next time', ['reset_before', 'reset_after']],
  ['it is turned away for a while', ['429', '503', '409_retryable']],
  ['the service breaks before and after it', ['500_html', '500_html_after']],
] as const;

test('one attempt is begun whatever is lost on the way', async () => {
  const ids = lossesOfRetry.map(([, faults]) =>
    held({ end: ['failure_retryable', 'completed'], retry: [...faults] }),
  );
  const ends = await Promise.all(ids.map((id) => follow(id, '--max-attempts', '2')));
  for (const [place, id] of ids.entries()) {
    const [how] = lossesOfRetry[place] ?? [];
    const end = ends[place];
    expect({ how, code: end?.code, outcome: end?.shown?.outcome }).toMatchObject({
      how,
      code: 0,
      outcome: {
        status: 'completed',
        caused: 1,
        possibleAttempt: false,
        attempts: [{ number: 1 }, { number: 2 }],
      },
    });
    expect({ how, ...counted(id) }).toMatchObject({ how, attempt: 2, retried: 1 });
    const keys = installation.sandbox.dossiers
      .received()
      .filter(({ path }) => path.includes(`${id}/retry`))
      .map(({ key }) => key);
    expect(new Set(keys)).toEqual(new Set([expect.stringMatching(/^dossier-retry-[0-9a-f]{64}$/)]));
  }
});

test('a dossier that fails is not tried again unasked, nor beyond the bound', async () => {
  const alone = held({ end: 'failure_retryable' });
  expect(await follow(alone)).toMatchObject({
    code: 1,
    shown: { outcome: { status: 'failed', caused: 0, error: { code: 'fonte_indisponivel' } } },
  });
  expect(counted(alone)).toMatchObject({ retryRequests: 0 });
  const again = held({ end: [{ kind: 'failure_retryable', times: 3 }] });
  expect((await follow(again, '--max-attempts', '2')).shown?.outcome).toMatchObject({
    status: 'failed',
    caused: 1,
    attempts: [{ number: 1 }, { number: 2 }],
  });
  expect(counted(again)).toMatchObject({ attempt: 2, retried: 1 });
});

test('what the service refuses to try again ends with its reason', async () => {
  const permanent = held({ end: 'failure_permanent' });
  const custom = held({
    mode: 'modular',
    end: 'failure_retryable',
    retry: ['403_custom_not_enabled'],
  });
  const [first, second] = await Promise.all(
    [permanent, custom].map((id) => follow(id, '--max-attempts', '3')),
  );
  expect(first?.shown?.outcome).toMatchObject({ status: 'failed', caused: 0 });
  expect(counted(permanent)).toMatchObject({ retryRequests: 0 });
  expect(second).toMatchObject({
    code: 1,
    shown: {
      outcome: { status: 'failed', caused: 0, error: { code: 'dossie_custom_not_enabled' } },
    },
  });
  expect(counted(custom)).toMatchObject({ attempt: 1, retryRequests: 1 });
});

async function inReview(id: string): Promise<void> {
  await eventually('the dossier is in review', async () => {
    const { stdout } = await installation.run(['status', `dossier/${id}`]);
    return stdout.includes('waits for a review');
  });
}

test('a review waits for a person, whose decision is checked and kept', async () => {
  const id = held({ end: ['needs_review', 'completed'] });
  const following = follow(id);
  await inReview(id);
  const decide = (...words: string[]) =>
    dossier(['decide', '--id', id, '--note', 'seen', ...words]);
  const refused = await decide('--action', 'retry');
  expect(refused).toMatchObject({ code: 1 });
  expect(refused.stderr).toContain('decide with --max-attempts 2');
  expect(await decide('--action', 'retry', '--max-attempts', '2')).toMatchObject({ code: 0 });
  expect(await following).toMatchObject({
    code: 0,
    shown: {
      outcome: {
        status: 'completed',
        caused: 1,
        review: { action: 'retry', note: 'seen', by: 'tester' },
        filed: [{ type: 'dossie_pdf' }],
      },
    },
  });
  expect(counted(id)).toMatchObject({ attempt: 2, retried: 1 });
  const late = await decide('--action', 'accept');
  expect(late.code).toBe(1);
  expect(late.stderr).toContain('has ended (completed)');
});

test('a review is accepted, failed or left by the policy, and has its report filed', async () => {
  const [accepted, failed, undecided] = await Promise.all([
    follow(held({ end: 'needs_review' }), '--on-review', 'accept'),
    follow(held({ end: 'needs_review' }), '--on-review', 'fail'),
    follow(held({ end: 'needs_review' }), '--deadline', '6s'),
  ]);
  expect(accepted).toMatchObject({
    code: 0,
    shown: { outcome: { status: 'completed', remote: 'needs_review', review: { by: 'policy' } } },
  });
  expect(failed.code).toBe(1);
  expect(failed.shown?.outcome).toMatchObject({
    status: 'failed',
    filed: [{ type: 'dossie_pdf' }],
  });
  // Nobody decided: at the deadline it is left as what it is.
  expect(undecided).toMatchObject({ code: 3, shown: { outcome: { status: 'needs_review' } } });
});

test('a dossier is cancelled at the service, through who follows it or without', async () => {
  const slow = { processingMs: [600_000, 600_000] as [number, number] };
  const alone = held(slow);
  const cancelled = { code: 0, shown: { outcome: { status: 'cancelled', remote: 'cancelled' } } };
  expect(await dossier(['cancel', '--id', alone, '--json'])).toMatchObject(cancelled);
  const followed = held(slow);
  const following = follow(followed);
  await eventually('it is read', () => (counted(followed)?.statusReads ?? 0) > 0);
  expect(await dossier(['cancel', '--id', followed, '--json'])).toMatchObject(cancelled);
  expect(await following).toMatchObject(cancelled);
  expect(counted(followed)).toMatchObject({ cancelRequests: 1 });
});

test('a work that is cancelled leaves the dossier alone, unless it is told otherwise', async () => {
  const slow = { processingMs: [600_000, 600_000] as [number, number] };
  for (const [more, requests] of [
    [[], 0],
    [['--cancel-remote'], 1],
  ] as const) {
    const id = held(slow);
    const following = follow(id);
    await eventually('it is read', () => (counted(id)?.statusReads ?? 0) > 0);
    const { code } = await installation.run(['cancel', `dossier/${id}`, ...more]);
    expect(code).toBe(0);
    expect((await following).shown?.outcome).toMatchObject({
      status: 'cancelled',
      cancelRequested: requests === 1,
    });
    expect(counted(id)).toMatchObject({ cancelRequests: requests });
  }
});

test('the state that is reached is told when the service does not cancel', async () => {
  const running = { processingMs: [600_000, 600_000] as [number, number] };
  const refusing = held({ ...running, cancelling: 'refused' });
  const deaf = held({ processingMs: [4_000, 4_000], cancelling: 'runs_on' });
  const cancel = (id: string) => dossier(['cancel', '--id', id, '--json']);
  const [refused, completed] = await Promise.all([cancel(refusing), cancel(deaf)]);
  expect(refused).toMatchObject({
    code: 1,
    shown: { outcome: { status: 'refused', remote: 'running' } },
  });
  expect(completed).toMatchObject({
    code: 0,
    shown: { outcome: { status: 'completed', remote: 'completed', cancelRequested: true } },
  });
});

test('a report whose address expires or breaks is filed, or said to be missing', async () => {
  const cases: [NonNullable<DossierScript['pdf']>, number, object][] = [
    [['expired_link', 'expired_link'], 0, { unfiled: [] }],
    [['not_a_pdf', 'empty_pdf'], 0, { unfiled: [] }],
    [['502', 'reset_after', 'slow_pdf'], 0, { unfiled: [] }],
    [[{ kind: 'not_a_pdf', times: 'forever' }], 3, { unfiled: [{ why: 'not a PDF' }] }],
  ];
  const ends = await Promise.all(cases.map(([pdf]) => follow(held({ end: 'completed', pdf }))));
  for (const [place, [pdf, code, told]] of cases.entries()) {
    const end = ends[place];
    expect({ pdf, code: end?.code, outcome: end?.shown?.outcome }).toMatchObject({
      pdf,
      code,
      outcome: { status: 'completed', filed: code === 0 ? [{ type: 'dossie_pdf' }] : [], ...told },
    });
  }
});

test('artifacts and result are found in the status or in the list, or told to be missing', async () => {
  const places = ['status', 'list', 'none'] as const;
  const ends = await Promise.all(
    places.map((shownIn) => follow(held({ end: 'completed', shownIn, risk: 'insufficient_data' }))),
  );
  expect(ends.map(({ code, shown }) => [code, shown?.outcome.filed.length])).toEqual([
    [0, 1],
    [0, 1],
    [0, 0],
  ]);
  for (const { shown } of ends) {
    expect(shown?.outcome.risk).toMatchObject({
      form: 'insufficient_data',
      level: null,
      score: null,
      missingFields: 1,
    });
  }
});

test('an unknown dossier is refused, and a wrong id is wrong usage', async () => {
  const unknown = await follow('0f0e0d0c-0b0a-4000-8000-ffffffffffff');
  expect(unknown).toMatchObject({
    code: 1,
    shown: { outcome: { status: 'refused', error: { code: 'dossie_not_found' } } },
  });
  expect((await follow('4711')).code).toBe(2);
});

test('a worker that is killed while a retry is on its way causes no second attempt', async () => {
  const id = held({
    end: ['failure_retryable', 'completed'],
    retry: [{ kind: 'no_answer' }],
  });
  const following = follow(id, '--max-attempts', '2');
  await eventually('the retry has arrived', () => (counted(id)?.retryRequests ?? 0) > 0);
  await installation.stopWorkers('SIGKILL');
  await installation.startWorker();
  expect(await following).toMatchObject({
    code: 0,
    shown: { outcome: { status: 'completed', caused: 1, possibleAttempt: false } },
  });
  expect(counted(id)).toMatchObject({ attempt: 2, retried: 1 });
});

test('histories are sealed and short, whatever the number of polls', async () => {
  const id = held({ end: 'completed', waitingMs: [0, 0], processingMs: [8_000, 8_000] });
  const { stderr } = await follow(id);
  expect(stderr).toMatch(/running \(attempt 1\), \d of 5 phases/);
  const client = await installation.client();
  const { events } = await client.workflow.getHandle(`dossier/${id}`).fetchHistory();
  expect(events?.length).toBeLessThanOrEqual(30 + 8);
  expect(Buffer.from(JSON.stringify(events)).toString('latin1')).not.toMatch(
    /charged|download_url/,
  );
  expect(await installation.workerLog()).not.toContain('signature');
});

const seeded = 24;
const dossiers = {
  seeded: { dossiers: seeded },
  pattern: {
    ...soon,
    end: ['failure_retryable', 'completed'] as ['failure_retryable', 'completed'],
  },
};
const troubles = [
  '429',
  '503',
  '502',
  '504_after',
  'reset_before',
  'reset_after',
  'cut_answer',
  '500_html',
  '500_html_after',
  'unreadable_2xx',
  'missing_id',
  'unknown_status',
  'not_a_pdf',
  'empty_pdf',
  'expired_link',
] as const;

test('failed dossiers of the list are shown, and tried again once each under faults and a kill', async () => {
  const { sandbox } = installation;
  const gone = sandbox.dossiers.counts().items.map(({ dossieId }) => [dossieId, null]);
  sandbox.configure({ dossiers: { held: Object.fromEntries(gone), ...dossiers } });
  await new Promise((done) => setTimeout(done, 1_500));
  const run = async (...words: string[]) => {
    const { code, stdout } = await installation.run(['dossier', ...words, '--json']);
    return { code, told: JSON.parse(stdout) as Record<string, never> };
  };
  const isSeeded = ({ dossieId }: { dossieId: string }) => dossieId.startsWith('444f5353');
  expect(await run('list', '--status', 'failed')).toMatchObject({
    code: 0,
    told: { billing: [{ status: 'not_charged', unit: 'tokens' }] },
  });
  const shown = await run('retry-failed', '--limit', '30');
  expect(shown.told['dossiers']).toHaveLength(seeded);
  expect(
    sandbox.dossiers
      .counts()
      .items.filter(isSeeded)
      .every(({ retryRequests }) => retryRequests === 0),
  ).toBe(true);
  sandbox.configure({ dossiers: { background: { rate: 0.15, kinds: [...troubles] } } });
  const trying = run('retry-failed', '--limit', '30', '--yes');
  await eventually('some retries have arrived', () => {
    const { items } = sandbox.dossiers.counts();
    return items.filter(({ retryRequests }) => retryRequests > 0).length > 4;
  });
  await installation.stopWorkers('SIGKILL');
  await installation.startWorker();
  const { code, told } = await trying;
  const { billing, items } = told['outcome'] as unknown as DossierBatchOutcome;
  expect(items.filter(({ caused, status }) => caused !== 1 || status !== 'completed')).toEqual([]);
  expect({ code, items: items.length }).toEqual({ code: 0, items: seeded });
  expect(billing).toMatchObject(
    expect.arrayContaining([expect.objectContaining({ status: 'charged', count: seeded })]),
  );
  const counts = sandbox.dossiers.counts().items.filter(isSeeded);
  expect(counts.filter(({ attempt, retried }) => attempt !== 2 || retried !== 1)).toEqual([]);
  sandbox.configure({ dossiers: { background: { rate: 0, kinds: [] } } });
  expect((await run('retry-failed')).told['dossiers']).toEqual([]);
});
