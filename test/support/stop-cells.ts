import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Received, ScenarioPatch } from '../../src/sandbox';
import { cnabFile } from './cnab-files';
import type { Installation } from './diligence-process';
import { cnpj, cpf } from './documents';

/** Where a job stands when it is stopped, and what holds it there. */
const common = ['queued', 'submitting', 'backing off', 'polling', 'collecting'] as const;
export type Await = (typeof common)[number] | 'handing in';
export const stops = ['cancel', 'pause', 'deadline'] as const;
export type Stop = (typeof stops)[number];

/** One job of the table. */
export interface Cell {
  kind: StoppedKind;
  at: Await;
  stop: Stop;
  /** Its own, and nobody else's: what the sandbox knows the job's requests by. */
  subjects: string[];
  words: string[];
  /** The service no longer holds it up. */
  release: ScenarioPatch;
}

type Step = { kind: 'slow'; delayMs: number } | { kind: '503'; times: 'forever' };
type Script = Record<string, Step[] | string | [number, number]>;

interface Kind {
  /** Where it can stand. */
  awaits: readonly Await[];
  /** `up`: not on record without a worker. */
  pauses: boolean | 'up';
  /** Calls that may be charged for, by the word of the sandbox. */
  paid: readonly string[];
  /** Calls that tell that it stands there. */
  seenBy: Partial<Record<Await, string>>;
  log(place: Installation): readonly Received[];
  script: Partial<Record<Await, Script>>;
  /** Of one subject. */
  patch(subject: string, script: Script): ScenarioPatch;
  subjects(number: number): string[];
  words(place: Installation, subjects: readonly string[], number: number): Promise<string[]>;
}

const slow: Step[] = [{ kind: 'slow', delayMs: 1_500 }];
const throttled: Step[] = [{ kind: '503', times: 'forever' }];
const rowsOfBatch = 12;

const certificateScript: Kind['script'] = {
  submitting: { request: slow },
  'backing off': { request: throttled },
  polling: { end: 'never_settles' },
  collecting: { pdf: slow },
};
const certificateCalls = {
  paid: ['request'],
  seenBy: {
    submitting: 'request',
    'backing off': 'request',
    polling: 'poll',
    collecting: 'pdf',
  },
  script: certificateScript,
  log: ({ sandbox }: Installation) => sandbox.received(),
  patch: (document: string, script: Script): ScenarioPatch => ({
    documents: { [document]: script },
  }),
} satisfies Partial<Kind>;

const creditCalls = {
  paid: ['upload'],
  seenBy: {
    submitting: 'upload',
    'backing off': 'upload',
    polling: 'status',
    collecting: 'result',
  },
  script: {
    submitting: { upload: slow },
    'backing off': { upload: throttled },
    polling: { end: 'never_settles' },
    collecting: { result: slow },
  },
  log: ({ sandbox }: Installation) => sandbox.credit.received(),
  patch: (file: string, script: Script) => ({ credit: { files: { [file]: script } } }),
} satisfies Partial<Kind>;

const traceCalls = {
  paid: ['create'],
  seenBy: { submitting: 'create', 'backing off': 'create', polling: 'read' },
  script: {
    submitting: { create: slow },
    'backing off': { create: throttled },
    polling: { end: 'never_settles' },
  },
  log: ({ sandbox }: Installation) => sandbox.traces.received(),
  patch: (target: string, script: Script) => ({ traces: { targets: { [target]: script } } }),
} satisfies Partial<Kind>;

const profileCalls = {
  awaits: ['queued', 'submitting', 'backing off'] as Await[],
  paid: ['lookup'],
  seenBy: { submitting: 'lookup', 'backing off': 'lookup' },
  script: { submitting: { lookup: slow }, 'backing off': { lookup: throttled } },
  log: ({ sandbox }: Installation) => sandbox.profiles.received(),
  patch: (person: string, script: Script) => ({ profiles: { people: { [person]: script } } }),
} satisfies Partial<Kind>;

const childrenOf = (subjectOf: (child: number) => string): string[] =>
  [0, 1, 2].map((child) => subjectOf(child));

export const stoppedKinds = {
  certificate: {
    ...certificateCalls,
    awaits: common,
    pauses: false,
    subjects: (number) => [cnpj(500_000 + number)],
    words: async (_, [document = '']) =>
      'certificate issue --type cnpj --document'.split(' ').concat(document),
  },
  'certificate-batch': {
    ...certificateCalls,
    awaits: common,
    pauses: true,
    subjects: (number) =>
      Array.from({ length: rowsOfBatch }, (_, row) => cnpj(600_000 + number * 100 + row)),
    async words({ folder }, documents, number) {
      const lines = documents.map((document) => `${document},cnpj`);
      const input = `stopped-${number}.csv`;
      await writeFile(join(folder, input), `documento,tipo\n${lines.join('\n')}\n`);
      return ['certificate', 'batch', '--input', input];
    },
  },
  'credit-analysis': {
    ...creditCalls,
    awaits: common,
    pauses: false,
    subjects: (number) => [`stopped-${number}.rem`],
    async words({ folder }, [file = ''], number) {
      await writeFile(join(folder, file), cnabFile({ bank: 'paulista', receivables: 20 + number }));
      return ['credit', 'analyze', '--input', file];
    },
  },
  lens: {
    awaits: [...common, 'handing in'],
    pauses: false,
    paid: ['create', 'upload'],
    seenBy: {
      submitting: 'create',
      'backing off': 'create',
      'handing in': 'upload',
      polling: 'read',
      collecting: 'artifact',
    },
    script: {
      submitting: { create: slow },
      'backing off': { create: throttled },
      'handing in': { upload: throttled },
      polling: { end: 'never_settles' },
      collecting: { artifact: slow },
    },
    log: ({ sandbox }) => sandbox.lens.received(),
    patch: (sum, script) => ({ lens: { files: { [sum]: script } } }),
    subjects: () => [],
    words: async () => [],
  },
  trace: {
    awaits: ['queued', 'submitting', 'backing off', 'polling'],
    ...traceCalls,
    pauses: false,
    subjects: (number) => [`stopped.${number}@example.com`],
    words: async (_, [target = '']) => ['trace', 'search', '--target', target],
  },
  profile: {
    ...profileCalls,
    pauses: false,
    subjects: (number) => [cpf(700_000 + number)],
    words: async (_, [person = '']) => ['profile', 'lookup', '--cpf', person],
  },
  'trace-batch': {
    ...traceCalls,
    awaits: ['queued', 'submitting', 'backing off'],
    pauses: 'up',
    subjects: (number) => childrenOf((child) => `stopped.${number}.${child}@example.com`),
    words: async ({ folder }, targets, number) => {
      await writeFile(join(folder, `targets-${number}.csv`), `target\n${targets.join('\n')}\n`);
      return ['trace', 'search', '--input', `targets-${number}.csv`];
    },
  },
  'profile-batch': {
    ...profileCalls,
    pauses: 'up',
    subjects: (number) => childrenOf((child) => cpf(800_000 + number * 100 + child)),
    words: async ({ folder }, people, number) => {
      await writeFile(join(folder, `people-${number}.csv`), `cpf\n${people.join('\n')}\n`);
      return ['profile', 'lookup', '--input', `people-${number}.csv`];
    },
  },
  'credit-batch': {
    ...creditCalls,
    awaits: ['queued', 'submitting', 'backing off'],
    pauses: 'up',
    subjects: (number) => childrenOf((child) => `stopped-${number}-${child}.rem`),
    words: async ({ folder }, files, number) => {
      const lot = `lot-${number}`;
      await mkdir(join(folder, lot));
      for (const [child, file] of files.entries()) {
        const receivables = 100 + number * 3 + child;
        await writeFile(join(folder, lot, file), cnabFile({ bank: 'paulista', receivables }));
      }
      return ['credit', 'analyze', '--input', lot];
    },
  },
  /** Its retries are what is bought. */
  dossier: {
    awaits: ['queued', 'submitting', 'backing off', 'polling'],
    pauses: false,
    paid: ['retry'],
    seenBy: { submitting: 'retry', 'backing off': 'retry', polling: 'status' },
    script: {
      queued: { end: 'failure_retryable' },
      submitting: { end: 'failure_retryable', retry: slow },
      'backing off': { end: 'failure_retryable', retry: throttled },
      polling: { processingMs: [600_000, 600_000] },
    },
    log: ({ sandbox }) => sandbox.dossiers.received(),
    patch: (id, script) => ({ dossiers: { held: { [id]: script } } }),
    subjects: () => [randomUUID()],
    words: async (_, [id = '']) => ['dossier', 'follow', id, '--max-attempts', '2'],
  },
} satisfies Record<string, Kind>;
export type StoppedKind = keyof typeof stoppedKinds;

export function kindOf(cell: Pick<Cell, 'kind'>): Kind {
  return stoppedKinds[cell.kind];
}

/** Every stop of every kind, where it can stand. */
export function cellsAt(
  among: readonly Await[],
  worker: 'up' | 'down' | 'frozen',
): Pick<Cell, 'kind' | 'at' | 'stop'>[] {
  return (Object.keys(stoppedKinds) as StoppedKind[]).flatMap((kind) => {
    const { awaits: its, pauses }: Kind = stoppedKinds[kind];
    return its
      .filter((at) => among.includes(at))
      .flatMap((at) =>
        stops
          // The deadline of a batch of jobs is that of each of them, from its start.
          .filter((stop) => stop !== 'deadline' || pauses !== 'up')
          .filter((stop) => stop !== 'pause' || pauses === true || pauses === worker)
          .map((stop) => ({ kind, at, stop })),
      );
  });
}

/** In `npm test`: batches between two requests, single jobs between two tries of one. */
export function isUsual({ at, kind }: Pick<Cell, 'kind' | 'at'>): boolean {
  return kind.endsWith('-batch') === (at === 'submitting');
}

/** Its input written, and the service told to hold it where it is to be stopped. */
export async function prepareCell(
  place: Installation,
  { kind, at, stop }: Pick<Cell, 'kind' | 'at' | 'stop'>,
  number: number,
): Promise<Cell> {
  const rules: Kind = stoppedKinds[kind];
  const isLens = kind === 'lens';
  const picture = isLens ? await pictureIn(place, number) : null;
  const subjects = picture === null ? rules.subjects(number) : [picture.sha256];
  const words =
    picture === null
      ? await rules.words(place, subjects, number)
      : ['lens', 'analyze', '--input', picture.path];
  for (const subject of subjects) {
    place.sandbox.configure(rules.patch(subject, rules.script[at] ?? {}));
  }
  const release = kind === 'dossier' ? { end: 'failure_retryable' } : {};
  const patches = subjects.map((subject) => rules.patch(subject, release));
  return { kind, at, stop, subjects, words, release: merged(patches) };
}

async function pictureIn({ folder }: Installation, number: number) {
  const body = Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), randomBytes(2_000)]);
  const path = `stopped-${number}.jpg`;
  await writeFile(join(folder, path), body);
  return { path, sha256: createHash('sha256').update(body).digest('hex') };
}

function merged(patches: readonly ScenarioPatch[]): ScenarioPatch {
  return patches.reduce((one, other) => mergedDeep(one, other) as ScenarioPatch, {});
}

function mergedDeep(one: object, other: object): object {
  const both = Object.entries(other).map(([key, value]: [string, unknown]) => {
    const before = (one as Record<string, unknown>)[key];
    const areObjects = typeof before === 'object' && typeof value === 'object';
    return [key, areObjects ? mergedDeep(before as object, value as object) : value];
  });
  return { ...one, ...Object.fromEntries(both) };
}

/** The service turns its requests away, and takes them once it is released. */
export function isTurnedAway({ at }: Pick<Cell, 'at'>): boolean {
  return at === 'backing off' || at === 'handing in';
}

/** What the service was asked about a job, of the calls that may be charged for. */
export function paidCalls(place: Installation, cell: Cell): Received[] {
  const { paid } = kindOf(cell);
  return callsOf(place, cell).filter(({ stage }) => stage !== null && paid.includes(stage));
}

/** The service has seen that it stands where it is to be stopped. */
export function hasCome(place: Installation, cell: Cell): boolean {
  const stage = kindOf(cell).seenBy[cell.at];
  const calls = callsOf(place, cell).filter((call) => call.stage === stage);
  return calls.some(({ status }) => !isTurnedAway(cell) || status === 503);
}

function callsOf(place: Installation, { subjects, kind }: Cell): Received[] {
  return kindOf({ kind })
    .log(place)
    .filter(({ subject, variant }) => subjects.some((one) => one === subject || one === variant));
}
