import { sheetRows } from '../support/credit-installation';
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { WorkflowNotFoundError, WorkflowUpdateFailedError, type Client } from '@temporalio/client';
import { DossierRepository } from '../../src/store/dossiers/dossiers';
import { readLarge } from '../../src/store/core/large-objects';
import { inParallel } from '../../src/store/core/in-parallel';
import { storeIn } from '../support/temporary-store';
import type { DossierOutcome, DossierRecord } from '../../src/domain/dossiers/follow';
import { seededDossierId, type ScenarioInput } from '../../src/sandbox';
import { dossierRoles } from '../../src/sandbox/dossiers/dossier-scenario';
import { cancelUpdate, decideDossierUpdate, jobProgressQuery } from '../../src/workflows/messages';
import { Installation, eventually, sandboxToken } from '../support/diligence-process';
import { everythingHeld, findings } from '../support/everything-held';
import { isFullSize, sized } from '../support/full-size';
import { measuredHistories, overlong } from '../support/history-bounds';
import { KilledWorkers, type Phases } from '../support/killed-workers';
import { order } from '../support/order';
import {
  everyFaultOf,
  missingOf,
  oneOfEach,
  refusals,
  wasLostBeforeRefusal,
} from '../support/resource-faults';
import { configured } from '../support/configured';

/** Dossiers under faults: every attempt that the service counts is one that we say we caused. */

jest.setTimeout(600_000);

type Script = NonNullable<NonNullable<NonNullable<ScenarioInput['dossiers']>['held']>[string]>;

/** Failed ones of the list that are tried again together; all others are followed one by one. */
const together = sized(12, 60);
const followed = sized(48, 240);
const secret = 'zanzibar';
const soon = { waitingMs: [0, 500], processingMs: [200, 3_000] } satisfies Script;
const named = { ...soon, result: { nome: `${secret} da silva` } } satisfies Script;
/** Runs until it has been told to stop, after the first kill, and on. */
const runsOnMs = sized(35_000, 60_000);
/** Runs for as long as the test. */
const endless = { ...named, end: ['never_settles'] } satisfies Script;

/** What is to come of a dossier that is followed, and how often it is tried again on the way. */
interface Plan {
  script: Script;
  status: DossierOutcome['status'];
  retried: number;
  words?: string[];
}

const usual: readonly Plan[] = [
  { script: { ...named, risk: 'classified' }, status: 'completed', retried: 0 },
  { script: { ...named, end: ['failure_retryable'] }, status: 'completed', retried: 1 },
  {
    script: { ...named, end: ['failure_retryable', 'failure_retryable'], shownIn: 'list' },
    status: 'completed',
    retried: 2,
  },
  { script: { ...named, end: ['failure_permanent'] }, status: 'failed', retried: 0 },
  {
    script: { ...named, end: [{ kind: 'failure_retryable', times: 'forever' }] },
    status: 'failed',
    retried: 2,
  },
  {
    script: { ...named, end: ['failure_retryable', 'needs_review'], missingPhases: ['processos'] },
    status: 'completed',
    retried: 1,
    words: ['--on-review', 'accept'],
  },
  { script: { ...named, end: ['cancelled'] }, status: 'cancelled', retried: 0 },
];

/** Dossiers that a person does something about, by where they stand then. */
const special = {
  /** While it runs. */
  running: [1, 2, 3, 4].map((n) => seededDossierId(n)),
  runsOn: [5, 6].map((n) => seededDossierId(n)),
  keepsRunning: [7, 8].map((n) => seededDossierId(n)),
  /** While it is asked for again: turned away, or taken without an answer. */
  unauthorized: [9, 10].map((n) => seededDossierId(n)),
  unanswered: [11, 12, 13].map((n) => seededDossierId(n)),
  /** In review. */
  accepted: [14, 15].map((n) => seededDossierId(n)),
  retried: [16, 17].map((n) => seededDossierId(n)),
  calledOff: [18, 19].map((n) => seededDossierId(n)),
  /** While its report is fetched. */
  fetched: [20, 21].map((n) => seededDossierId(n)),
};

const inReview = { ...named, end: ['needs_review'] } satisfies Script;
const retriable = { ...named, end: ['failure_retryable', 'never_settles'] } satisfies Script;
const forever = { times: 'forever' } as const;

const specialPlans: Record<keyof typeof special, Plan> = {
  running: { script: endless, status: 'cancelled', retried: 0 },
  runsOn: {
    script: { ...named, processingMs: [runsOnMs, runsOnMs], cancelling: 'runs_on' },
    status: 'completed',
    retried: 0,
  },
  keepsRunning: { script: endless, status: 'cancelled', retried: 0 },
  unauthorized: {
    script: { ...retriable, retry: [{ kind: '401', ...forever }] },
    status: 'failed',
    retried: 0,
  },
  unanswered: {
    script: { ...retriable, retry: [{ kind: 'no_answer', ...forever }] },
    status: 'cancelled',
    retried: 1,
  },
  accepted: { script: inReview, status: 'completed', retried: 0 },
  retried: { script: inReview, status: 'completed', retried: 1 },
  calledOff: { script: inReview, status: 'cancelled', retried: 0 },
  fetched: {
    script: {
      ...named,
      pdf: [{ kind: 'slow_pdf', delayMs: sized(8_000, 15_000), times: sized(2, 1) }],
    },
    status: 'completed',
    retried: 0,
  },
};

/** They are to come to where a person acts: no read of their status is met with trouble. */
const unharmed = { status: [{ kind: 'ok', ...forever }] } satisfies Script;

/** The service announces no sum of a report: one that is another file cannot be known by it. */
const unknowable = 'wrong_sha256';
const faults = everyFaultOf(dossierRoles).filter(({ kind }) => kind !== unknowable);
const dealt = oneOfEach(dossierRoles, faults);

const failedOnce = { ...named, end: ['failure_retryable'] } satisfies Script;
const retriedTogether = new Map(
  Array.from({ length: together }, (_, n): [string, Script] => [
    seededDossierId(1_001 + n),
    { ...failedOnce, ...dealt('retry'), ...dealt('pdf') },
  ]),
);

const plans = new Map<string, Plan>();
const specials = new Set(Object.values(special).flat());
for (let index = 0; index < followed; index += 1) {
  const id = seededDossierId(index + 1);
  const plan = usual[index % usual.length];
  if (plan === undefined || specials.has(id)) continue;
  const met = {
    ...dealt('status'),
    ...(plan.retried > 0 && dealt('retry')),
    ...(plan.status === 'completed' && dealt('pdf')),
  };
  plans.set(id, { ...plan, script: { ...plan.script, ...met } });
}
for (const name of Object.keys(special) as (keyof typeof special)[]) {
  const { script, ...plan } = specialPlans[name];
  for (const id of special[name]) plans.set(id, { ...plan, script: { ...script, ...unharmed } });
}

let place: Installation;
let workers: KilledWorkers;
let client: Client;
let told = '';

beforeAll(async () => {
  place = await Installation.startAlone(
    {
      latencyMs: [0, sized(100, 20)],
      dossiers: {
        held: Object.fromEntries(retriedTogether),
        background: { rate: 0.15, kinds: faults },
      },
    },
    { INVESTIGATION_RPS: '400', ...configured({ investigation: { timeoutSeconds: 2 } }) },
  );
  workers = await KilledWorkers.start(place);
  client = await place.client();
}, 60_000);
afterAll(() => place.stop(), 60_000);

const counted = () =>
  new Map(place.sandbox.dossiers.counts().items.map((item) => [item.dossieId, item]));
const received = () => place.sandbox.dossiers.received();
const store = () => storeIn(place.folder);
const requested = (those: readonly string[], what: 'retryRequests' | 'pdfs' | 'statusReads') =>
  those.every((id) => (counted().get(id)?.[what] ?? 0) > 0);

function phases(): Phases {
  const inFlight = received().filter(({ status, abandoned }) => status === null && !abandoned);
  const states = place.sandbox.dossiers.state().map(({ dossier }) => String(dossier['status']));
  const items = place.sandbox.dossiers.counts().items;
  return {
    retry: inFlight.filter(({ stage }) => stage === 'retry').length,
    fetch: inFlight.filter(({ stage }) => stage === 'pdf').length,
    wait: states.filter((status) => status === 'queued' || status === 'running').length,
    review: states.filter((status) => status === 'needs_review').length,
    reported: items.filter(({ pdfs }) => pdfs > 0).length,
    retried: items.filter(({ retried }) => retried > 0).length,
  };
}

const handleOf = (id: string) => client.workflow.getHandle(`dossier/${id}`);

async function cancel(those: readonly string[], remote = true): Promise<void> {
  await Promise.all(
    those.map(async (id) => {
      await order(handleOf(id), cancelUpdate, [{ now: true, remote }]).catch((error: unknown) => {
        // What ended before, rightly or not, is told by its outcome.
        const isLate = error instanceof WorkflowUpdateFailedError;
        if (!isLate && !(error instanceof WorkflowNotFoundError)) throw error;
      });
    }),
  );
}

async function decide(those: readonly string[], action: 'accept' | 'retry') {
  const about = { note: `${secret} was asked`, by: 'tester', at: new Date().toISOString() };
  const decision = { ...about, action };
  for (const id of those) {
    const isInReview = async (): Promise<boolean> => {
      await sleep(200);
      const progress = await handleOf(id)
        .query(jobProgressQuery)
        .catch(() => null);
      return progress?.stage === 'review';
    };
    await eventually(`${id} is in review`, isInReview, 240_000);
    await order(handleOf(id), decideDossierUpdate, [decision]);
  }
}

/** What persons do, and what is killed, while the dossiers are under way. */
async function disturb(): Promise<void> {
  const isTooLate = async (id: string): Promise<void> => {
    await eventually(`the report of ${id} is fetched`, () => requested([id], 'pdfs'), 240_000);
    const given = order(handleOf(id), cancelUpdate, [{ now: true, remote: true }]);
    await expect(given).rejects.toMatchObject({ cause: { message: 'it has settled' } });
  };
  await Promise.all(special.fetched.map(isTooLate));
  await workers.killWhen(
    'retries are on their way',
    phases,
    ({ retry = 0, retried = 0 }) => retry > 0 && retried > sized(6, 15),
  );
  const first = [...special.running, ...special.runsOn, ...special.keepsRunning];
  await eventually('the first are followed', () => requested(first, 'statusReads'), 240_000);
  await cancel(special.running.slice(0, 2));
  await cancel([...special.runsOn]);
  await cancel(special.keepsRunning, false);
  let cancelled: Promise<void> = Promise.resolve();
  const inRetry = [...special.unauthorized, ...special.unanswered];
  await eventually('retries hang', () => requested(inRetry, 'retryRequests'), 240_000);
  await workers.killWhen(
    'reports are fetched',
    phases,
    ({ fetch = 0, wait = 0, review = 0 }) => fetch > 0 && wait > 5 && review > 0,
    () => {
      cancelled = cancel([...special.running.slice(2), ...inRetry]);
    },
  );
  await cancelled;
  await decide(special.accepted, 'accept');
  await decide(special.retried, 'retry');
  await cancel(special.calledOff);
  // What a killed worker had in hand is taken up again 20 seconds later.
  if (!isFullSize) return;
  await workers.killWhen(
    'most have their report',
    phases,
    ({ reported = 0, wait = 0 }) => reported > 130 && wait > 0,
  );
}

async function outcomes(): Promise<
  Map<string, { record: DossierRecord; outcome: DossierOutcome }>
> {
  const file = new DossierRepository(store());
  const found = new Map<string, { record: DossierRecord; outcome: DossierOutcome }>();
  for (const { folder, record } of await file.all()) {
    const outcome = await file.outcome(folder);
    if (outcome !== null) found.set(record.dossierId, { record, outcome });
  }
  return found;
}

test(`${together + followed} dossiers under faults and kills: attempts are those that we caused, reports are on file`, async () => {
  await sleep(4_000);
  const batch = place.run(['dossier', 'retry-failed', '--limit', '100', '--json']);
  const isPlanned = (): boolean => (phases()['retried'] ?? 0) > 0;
  await eventually('the failed ones are tried again', isPlanned, 240_000);
  const held = Object.fromEntries([...plans].map(([id, { script }]) => [id, script]));
  place.sandbox.configure({ dossiers: { held } });
  const disturbing = disturb();
  await inParallel([...plans], 4, async ([id, { words = [] }]) => {
    const follow = ['dossier', 'follow', id, '--max-attempts', '3', '--deadline', '8m'];
    const given = await place.run([...follow, ...words, '--detach', '--json']);
    told += given.stdout + given.stderr;
  });
  await disturbing;
  const { code, stdout, stderr } = await batch;
  told += stderr;
  let ended = await outcomes();
  await eventually(
    'all have ended',
    async () => (ended = await outcomes()).size === together + followed,
    300_000,
  );
  place.sandbox.configure({ dossiers: { background: { rate: 0 } } });

  const { folder } = JSON.parse(stdout) as { folder: string };
  const tried = await sheetRows(folder, 'results.csv');
  expect(tried.map((row) => row.requested).toSorted()).toEqual([...retriedTogether.keys()]);
  expect([0, 3]).toContain(code);
  const wrong: string[] = [];
  const states = new Map(
    place.sandbox.dossiers.state().map(({ dossier }) => [String(dossier['id']), dossier]),
  );
  for (const [id, { outcome }] of ended) {
    for (const sentence of await contradictions(outcome, states.get(id) ?? {})) {
      wrong.push(`${id} (${outcome.status}): ${sentence}`);
    }
  }
  for (const { requested: dossier = '', caused, status } of tried) {
    const { outcome } = ended.get(dossier) ?? {};
    const isSame = outcome?.caused === Number(caused) && outcome.status === status;
    if (!isSame) wrong.push(`${dossier}: row`);
  }
  expect(wrong).toEqual([]);

  const missing = missingOf(dossierRoles, received()).filter((kind) => kind !== unknowable);
  process.stderr.write(
    `dossiers: ${received().length} calls, kills ${JSON.stringify(workers.kills)}\n`,
  );
  expect(missing).toEqual([]);
  for (const phase of ['retry', 'fetch', 'wait', 'review']) {
    expect(workers.interrupted(phase)).not.toBe(0);
  }
  const charged = chargedOf([...states.values()].map(billingOf));
  const known = [...ended.values()].filter(({ outcome }) => !wasNotFound(outcome));
  const ours = known.map(({ outcome }) => outcome.attempts.at(-1)?.billing);
  const theirs = known.map(({ outcome }) => billingOf(states.get(outcome.dossierId) ?? {}));
  expect(chargedOf(ours)).toBe(chargedOf(theirs));
  const list = await place.run(['dossier', 'list', '--json']);
  const { billing } = JSON.parse(list.stdout) as { billing: { amount: number; count: number }[] };
  expect(billing.reduce((sum, { amount }) => sum + amount, 0)).toBe(charged);
});

test('nothing of a dossier is found in the engine, in ids or in logs; histories are short', async () => {
  const histories = await measuredHistories(client, 'followDossier', together + followed);
  const isExtra = (workflowId: string): number =>
    counted().get(workflowId.replace('dossier/', ''))?.retried ?? 0;
  expect(overlong(histories, isExtra)).toEqual([]);
  const everything = await everythingHeld(place);
  everything.push(
    { place: 'what commands told', bytes: Buffer.from(told) },
    { place: 'log of the worker', bytes: Buffer.from(await place.workerLog()) },
    { place: 'log of the server', bytes: await readFile(join(place.folder, 'server.log')) },
  );
  const confidential = { documents: new Set<string>(), names: new Set([secret]) };
  expect(findings(everything, { ...confidential, tokens: [sandboxToken] })).toEqual([]);
});

/** What the sandbox and the store say, against the outcome of a work. */
async function contradictions(
  outcome: DossierOutcome,
  remote: Record<string, unknown>,
): Promise<string[]> {
  const { dossierId: id, status, caused, stored } = outcome;
  const found: string[] = [];
  const { retried = 0, attempt = 0 } = counted().get(id) ?? {};
  const plan = plans.get(id) ?? { status: 'completed', retried: 1 };
  if (caused !== retried) found.push(`${retried} attempts were begun, ${caused} are told`);
  // Refused after a call whose answer was lost, or whose worker died before it left.
  const isRefused = wasRefused(id) || special.unauthorized.includes(id);
  const isOpen = wasLostBeforeRefusal(retriesOf(id)) || workers.killedDuring(outcome);
  if (outcome.possibleAttempt && !(isRefused && isOpen))
    found.push('one attempt more is called possible');
  // A dossier that was never seen is believed not to be there.
  if (wasNotFound(outcome)) return status === 'refused' ? found : [...found, 'not refused'];
  const isShort = wasRefused(id) && retried < plan.retried;
  const wanted = isShort ? 'failed' : plan.status;
  if (status !== wanted) found.push(`not ${wanted}: ${JSON.stringify(outcome.error)}`);
  if (!isShort && retried !== plan.retried) found.push(`tried again ${retried} times`);
  if (outcome.attempts.at(-1)?.number !== attempt) found.push(`attempt ${attempt} was not seen`);
  const wantedBilling = billingOf(remote);
  const seen = outcome.attempts.at(-1)?.billing;
  const isRunning = special.keepsRunning.includes(id);
  if (seen?.status !== wantedBilling.status || seen.amount !== wantedBilling.amount)
    found.push(`billing ${JSON.stringify(seen)}, and not ${JSON.stringify(wantedBilling)}`);
  if (status === 'cancelled' && remote['status'] !== (isRunning ? 'running' : 'cancelled'))
    found.push(`the service says ${String(remote['status'])}`);
  if (status !== 'completed') return found;

  const [artifact] = remote['artifacts'] as { id: string; download_url: string }[];
  if (artifact === undefined) return [...found, 'no report at the service'];
  const [pdf] = stored;
  if (pdf === undefined || outcome.notStored.length > 0) return [...found, 'no report on file'];
  const served = await servedNow(id, artifact.download_url);
  const kept = await bytesOf(readLarge(store(), pdf.key)).catch(() => null);
  if (pdf.artifactId !== artifact.id) found.push('the report of another attempt');
  if (pdf.sha256 !== sha256(served)) found.push('another report than the service has');
  if (kept === null || sha256(kept) !== pdf.sha256) found.push('another report on file');
  const risk = remote['risk_classification'] as { status: string; level: string } | undefined;
  if (outcome.risk?.status !== (risk?.status ?? null)) found.push('another risk');
  return found;
}

/** The report as the service has it. The steps of a script begin again when the service is configured. */
async function servedNow(id: string, url: string): Promise<Buffer> {
  const [step] = (plans.get(id)?.script ?? retriedTogether.get(id))?.pdf ?? [];
  const spoilt = typeof step === 'object' && typeof step.times === 'number' ? step.times : 0;
  for (let left = spoilt; left > 0; left -= 1) {
    await fetch(url, { signal: AbortSignal.timeout(500) }).catch(() => null);
  }
  return Buffer.from(await (await fetch(url)).arrayBuffer());
}

function wasNotFound({ dossierId, status }: DossierOutcome): boolean {
  const first = received().find(
    ({ stage, subject }) => stage === 'status' && subject === dossierId,
  );
  if (first?.fault !== '404' && first?.fault !== '405') return false;
  // An answer that its worker did not live to tell is no answer.
  return status === 'refused' || !workers.killedAfter(Date.parse(first.at), 5_000);
}

function wasRefused(id: string): boolean {
  return retriesOf(id).some(({ fault }) => refusals.includes(fault));
}

function retriesOf(id: string) {
  return received().filter(({ stage, subject }) => stage === 'retry' && subject === id);
}

function billingOf(dossier: Record<string, unknown>) {
  const attempt = dossier['current_attempt'] as { billing: { status: string; amount: number } };
  return attempt.billing;
}

function chargedOf(those: ({ status: string | null; amount: number | null } | null | undefined)[]) {
  return those.reduce((sum, one) => sum + (one?.status === 'charged' ? (one.amount ?? 0) : 0), 0);
}

function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}

async function bytesOf(body: AsyncIterable<Buffer>): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of body) parts.push(part);
  return Buffer.concat(parts);
}
