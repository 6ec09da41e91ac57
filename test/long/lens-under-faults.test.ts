import { createHash } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { WorkflowUpdateFailedError } from '@temporalio/client';
import { inParallel } from '../../src/store/core/in-parallel';
import { LensRepository } from '../../src/store/lens/lens';
import { readLarge } from '../../src/store/core/large-objects';
import { storeIn } from '../support/temporary-store';
import type { LensOutcome, LensRecord } from '../../src/domain/lens/analyze';
import type { ScenarioInput } from '../../src/sandbox';
import { lensRoles, type LensEnding } from '../../src/sandbox/lens/lens-scenario';
import { cancelUpdate } from '../../src/workflows/messages';
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

/** Files under faults: one analysis each, handed in as it is, and all that was found on file. */

jest.setTimeout(600_000);

const analyses = sized(56, 300);
const longMs = 600_000;
/** In the name and the bytes of every file. */
const secret = 'zanzibar';

type Script = NonNullable<NonNullable<NonNullable<ScenarioInput['lens']>['files']>[string]>;

interface Picture {
  name: string;
  bytes: Buffer;
  sha256: string;
  script: Script;
  status: LensOutcome['status'];
}

const forever = { times: 'forever' } as const;
/** It is to come to where a person acts. */
const taken = { create: [{ kind: 'ok', ...forever }] } satisfies Script;
const endless = { processingMs: [longMs, longMs] } satisfies Script;

/** Of every other file by its place; the others complete. */
const endings: readonly [LensEnding, LensOutcome['status']][] = [
  ['failed', 'failed'],
  ['no_result', 'completed'],
  ['failure_permanent', 'failed'],
  ['no_artifacts', 'completed'],
  ['cancelled', 'cancelled'],
  ['expired', 'expired'],
];

function planOf(index: number): Pick<Picture, 'script' | 'status'> {
  if (index < 4) return { script: { create: [{ kind: '401', ...forever }] }, status: 'cancelled' };
  if (index < 8) {
    return { script: { create: [{ kind: 'no_answer', ...forever }] }, status: 'unknown_outcome' };
  }
  if (index < 12) {
    const upload: Script['upload'] = [{ kind: 'no_answer_before', ...forever }];
    return { script: { ...taken, upload }, status: 'cancelled' };
  }
  if (index < 20) return { script: { ...taken, ...endless }, status: 'cancelled' };
  if (index < 24) {
    const artifact: Script['artifact'] = [
      { kind: 'slow_pdf', delayMs: sized(8_000, 25_000), times: sized(2, 1) },
    ];
    return { script: { ...taken, artifact }, status: 'completed' };
  }
  // The first upload comes too late: another analysis takes its place.
  if (index < 28) return { script: { ...taken, uploadMs: [1, 900_000] }, status: 'completed' };
  const [end, status] = endings[(index / 4) % endings.length] ?? ['completed', 'completed'];
  const met = {
    ...dealt('create'),
    ...dealt('upload'),
    ...dealt('read'),
    ...(status === 'completed' && dealt('artifact')),
  };
  return { script: { end: [end], ...met }, status };
}

/** Nothing is submitted by default; of an artifact neither kind nor sum is announced, which would tell. */
const { submit: _, ...roles } = lensRoles;
const unknowable: readonly string[] = ['wrong_sha256', 'not_a_pdf'];
const faults = everyFaultOf(roles).filter(({ kind }) => !unknowable.includes(kind));
const dealt = oneOfEach(roles, faults);

const pictures = Array.from({ length: analyses }, (__, index): Picture => {
  const png = Buffer.from('89504e470d0a1a0a', 'hex');
  const bytes = Buffer.concat([png, Buffer.from(`${secret} ${index} `.repeat(200))]);
  const sha256 = sum(bytes);
  return { name: `${secret}-${index}.png`, bytes, sha256, ...planOf(index) };
});

const unauthorized = pictures.slice(0, 4);
const unanswered = pictures.slice(4, 8);
const uploading = pictures.slice(8, 12);
const waitedFor = pictures.slice(12, 20);
const fetched = pictures.slice(20, 24);

let place: Installation;
let workers: KilledWorkers;
let told = '';

beforeAll(async () => {
  place = await Installation.startAlone(
    {
      latencyMs: [0, sized(150, 20)],
      lens: {
        pollAfterSeconds: 2,
        timing: { waitingMs: [0, 500], processingMs: [0, 4_000], distribution: 'uniform' },
        files: Object.fromEntries(pictures.map(({ script, sha256 }) => [sha256, script])),
        background: { rate: 0.15, kinds: faults },
      },
    },
    { INVESTIGATION_RPS: '400', ...configured({ investigation: { timeoutSeconds: 2 } }) },
  );
  workers = await KilledWorkers.start(place);
  await mkdir(join(place.folder, 'pictures'));
  for (const { bytes, name } of pictures) await writeFile(pathOf(name), bytes);
}, 60_000);
afterAll(() => place.stop(), 60_000);

const pathOf = (name: string): string => join(place.folder, 'pictures', name);
const counted = () => new Map(place.sandbox.lens.counts().items.map((item) => [item.sha256, item]));
const received = () => place.sandbox.lens.received();
const store = () => storeIn(place.folder);
const wasAsked = (
  those: readonly Picture[],
  what: 'requested' | 'uploadTries' | 'reads' | 'artifacts',
) => those.every(({ sha256 }) => (counted().get(sha256)?.[what] ?? 0) > 0);

function phases(): Phases {
  const inFlight = received().filter(({ status, abandoned }) => status === null && !abandoned);
  const at = (stage: string): number => inFlight.filter((one) => one.stage === stage).length;
  const states = place.sandbox.lens.state().map(({ analysis }) => String(analysis['status']));
  const own = { waiting: states.filter((status) => status === 'awaiting_upload').length };
  return {
    create: at('create'),
    upload: at('upload') + own.waiting,
    fetch: at('artifact'),
    wait: states.filter((status) => status === 'queued' || status === 'running').length,
    made: states.length,
  };
}

async function callOff(those: readonly Picture[]): Promise<void> {
  const names = new Map<string, string>();
  for (const { record } of await new LensRepository(store()).all()) {
    names.set(record.file.sha256, record.name);
  }
  const client = await place.client();
  await Promise.all(
    those.map(async ({ sha256 }) => {
      const handle = client.workflow.getHandle(`lens/${names.get(sha256)}`);
      await order(handle, cancelUpdate, [{ now: true }]);
    }),
  );
}

/** While the files are handed in: kills, and analyses called off in each phase. */
async function disturb(): Promise<void> {
  await eventually('the slow ones are fetched', () => wasAsked(fetched, 'artifacts'), 240_000);
  await expect(callOff(fetched)).rejects.toThrow(WorkflowUpdateFailedError);
  await eventually(
    'some are asked for',
    () => wasAsked([...unauthorized, ...unanswered], 'requested'),
    240_000,
  );
  await callOff([...unauthorized, ...unanswered]);
  let calledOff: Promise<void> = Promise.resolve();
  await eventually('some are handed in', () => wasAsked(uploading, 'uploadTries'), 240_000);
  await workers.killWhen(
    'files are handed in',
    phases,
    ({ create = 0, upload = 0, wait = 0, made = 0 }) =>
      create > 0 && upload > 0 && wait > 8 && made > sized(25, 40),
    () => {
      calledOff = callOff([...uploading.slice(0, 2), ...waitedFor.slice(0, 4)]);
    },
  );
  await calledOff;
  await workers.killWhen(
    'some are asked for, and some fetched',
    phases,
    ({ fetch = 0, made = 0 }) => fetch > 0 && made > sized(30, 100),
  );
  await callOff([...uploading.slice(2), ...waitedFor.slice(4)]);
  // What a killed worker had in hand is taken up again 20 seconds later.
  if (!isFullSize) return;
  await workers.killWhen('the last are made', phases, ({ made = 0 }) => made > analyses * 0.7);
}

interface Ended {
  folder: string;
  record: LensRecord;
  outcome: LensOutcome;
}

async function allEnded(): Promise<Map<string, Ended>> {
  const file = new LensRepository(store());
  const found = new Map<string, Ended>();
  for (const { folder, record } of await file.all()) {
    const outcome = await file.outcome(folder);
    if (outcome !== null) found.set(record.file.sha256, { folder, record, outcome });
  }
  return found;
}

test(`${analyses} files under faults and kills: each has one analysis, and all of it is on file`, async () => {
  const disturbing = disturb();
  await inParallel(pictures, 4, async ({ name }, index) => {
    const mode = index % 3 === 0 ? 'face' : 'geo';
    const words = ['lens', 'analyze', '--input', pathOf(name), '--mode', mode, '--deadline', '8m'];
    const { stdout, stderr } = await place.run([...words, '--detach', '--json']);
    told += stdout + stderr;
  });
  await disturbing;
  let ended = await allEnded();
  await eventually(
    'all have ended',
    async () => (ended = await allEnded()).size === analyses,
    300_000,
  );
  // Files are compared with what the service has: it is to be quick from here on.
  const unharmed = pictures.map(({ sha256 }) => [sha256, {}]);
  place.sandbox.configure({
    lens: { background: { rate: 0 }, files: Object.fromEntries(unharmed) },
  });

  const held = new Map(
    place.sandbox.lens.state().map(({ analysis }) => [String(analysis['id']), analysis]),
  );
  const wrong: string[] = [];
  for (const picture of pictures) {
    const one = ended.get(picture.sha256);
    const found = one === undefined ? ['no end'] : await contradictions(picture, one, held);
    for (const sentence of found) {
      wrong.push(`${picture.name} (${one?.outcome.status}): ${sentence}`);
    }
  }
  expect(wrong).toEqual([]);
  const missing = missingOf(roles, received()).filter((kind) => !unknowable.includes(kind));
  process.stderr.write(
    `lens: ${received().length} calls, kills ${JSON.stringify(workers.kills)}\n`,
  );
  expect(missing).toEqual([]);
  for (const phase of ['create', 'upload', 'wait', 'fetch']) {
    expect(workers.interrupted(phase)).not.toBe(0);
  }
  // What was called off goes on at the service, and is charged there when it is done.
  const called = new Set(waitedFor.map(({ sha256 }) => sha256));
  const charged = chargedOf(
    place.sandbox.lens
      .state()
      .filter(({ analysis }) => !called.has((analysis['file'] as { sha256: string }).sha256))
      .map(({ analysis }) => billingOf(analysis)),
  );
  expect(charged).toBeGreaterThan(0);
  const ours = [...ended.values()].map(({ outcome }) => outcome.seen?.billing);
  expect(chargedOf(ours)).toBe(charged);
});

test('no file, nor its name, is found in the engine, in ids or in logs; histories are short', async () => {
  const histories = await measuredHistories(await place.client(), 'analyzeLens', analyses);
  const madeAnew = new Map(
    [...(await allEnded()).values()].map(({ outcome, record }) => [
      `lens/${record.name}`,
      outcome.replaced.length,
    ]),
  );
  expect(histories).toHaveLength(analyses);
  expect(overlong(histories, (workflowId) => madeAnew.get(workflowId) ?? 0)).toEqual([]);
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
  picture: Picture,
  { folder, outcome }: Ended,
  held: ReadonlyMap<string, Record<string, unknown>>,
): Promise<string[]> {
  const { sha256 } = picture;
  const { status, analysisId, seen, files } = outcome;
  const found: string[] = [];
  const { created = 0, uploads = 0 } = counted().get(sha256) ?? {};
  const made = outcome.replaced.length + (analysisId === null ? 0 : 1);
  const isUnknown = status === 'unknown_outcome' && created === 1;
  if (!isUnknown && created !== made) found.push(`${created} analyses were made, ${made} are told`);
  const wanted = wasRefused(sha256, created, uploads) ? refusedAs(sha256, outcome) : picture.status;
  // Called off between a request and its refusal, it may have been made, for all that is known.
  const mayBeCut = unauthorized.includes(picture) && status === 'unknown_outcome';
  if (status !== wanted && !mayBeCut) found.push(`not ${wanted}: ${JSON.stringify(outcome.error)}`);
  if (picture.script.uploadMs !== undefined && outcome.replaced.length !== 1)
    found.push(`${outcome.replaced.length} were replaced`);
  const remote = held.get(analysisId ?? '');
  if (status !== 'completed' && status !== 'failed') return found;

  if (remote === undefined || seen === null) return [...found, 'nothing was seen'];
  if (uploads < 1) found.push('never handed in');
  const billing = billingOf(remote);
  if (seen.billing?.status !== billing.status || seen.billing.amount !== billing.amount)
    found.push('billing as nobody told it');
  const answer = await new LensRepository(store()).answer(folder);
  if (answer === null || sum(answer) !== seen.sha256) found.push('another answer on file');
  const artifacts = remote['artifacts'] as { id: string; type: string; url: string }[];
  const stored = new Map(files?.stored.map((one) => [one.artifactId, one]));
  if (stored.size !== artifacts.length || (files?.notStored.length ?? 0) > 0)
    found.push(`files ${JSON.stringify(files?.notStored)}`);
  for (const { id, type, url } of artifacts) {
    const there = stored.get(id);
    if (there === undefined) continue;
    const served = sum(Buffer.from(await (await fetch(url)).arrayBuffer()));
    if (there.sha256 !== served) found.push(`another ${type} than the service has`);
    if (type === 'input_image' && served !== sha256) found.push('not the file that was given');
    const parts: Buffer[] = [];
    for await (const part of readLarge(store(), there.key)) parts.push(part);
    if (sum(Buffer.concat(parts)) !== there.sha256) found.push(`another ${type} on file`);
  }
  return found;
}

/** The service has turned the request away: it made nothing, or said so of what it had made. */
function wasRefused(sha256: string, created: number, uploads: number): boolean {
  const isTold = createsOf(sha256).some(({ fault }) => refusals.includes(fault));
  return created <= 1 && uploads === 0 && isTold;
}

/** Nobody knows whether a call whose answer was lost, or whose worker died, has made an analysis. */
function refusedAs(sha256: string, outcome: LensOutcome): LensOutcome['status'] {
  const calls = createsOf(sha256);
  if (wasLostBeforeRefusal(calls)) return 'unknown_outcome';
  // It was on file that a call leaves, and then none left.
  const mayHaveLeft = outcome.status === 'unknown_outcome' && workers.killedDuring(outcome);
  return mayHaveLeft ? 'unknown_outcome' : 'refused';
}

function createsOf(sha256: string) {
  return received().filter(({ stage, subject }) => stage === 'create' && subject === sha256);
}

function billingOf(analysis: Record<string, unknown>): { status: string; amount: number } {
  return analysis['billing'] as { status: string; amount: number };
}

function chargedOf(those: ({ status: string | null; amount: number | null } | null | undefined)[]) {
  return those.reduce((all, one) => all + (one?.status === 'charged' ? (one.amount ?? 0) : 0), 0);
}

function sum(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}
