import { endOf } from '../../../src/domain/attention';
import {
  lensSubject,
  profileSubject,
  subjectState,
  traceSubject,
} from '../../../src/domain/core/service/attempts';
import type { DecisionRecord } from '../../../src/domain/core/decision';
import type { JobKind } from '../../../src/domain/job';
import { traceKey } from '../../../src/domain/traces/search';
import type { CommandContext } from '../../../src/starters/jobs/context';
import { resolveJob, type ResolveRequest } from '../../../src/starters/jobs/decide/resolve';
import { resolverOf as resolverOfKind } from '../../../src/starters/jobs/decide/resolve-single';
import { kindOf } from '../../../src/starters/kinds';
import { CertificateJobs } from '../../../src/store/certificates/jobs';
import { LensRepository } from '../../../src/store/lens/lens';
import type { EngineClient } from '../../../src/temporal/connection';
import { TemporaryStore } from '../../support/temporary-store';

const resolverOf = (kind: JobKind) => resolverOfKind(kindOf(kind));

const name = '7e'.repeat(16);
const endedAt = '2026-05-04T10:00:00.000Z';

let place: TemporaryStore;
let ctx: CommandContext;
const started: { workflow: string; workflowId: string; args: object[] }[] = [];

beforeEach(() => {
  place = new TemporaryStore();
  started.length = 0;
  ctx = contextOf('ana');
});
afterEach(() => place.remove());

function contextOf(actor: string): CommandContext {
  const { store } = place;
  const audit = { anchor: async () => 'head', appendAndAnchor: async () => 'head' };
  const works = new CertificateJobs(store);
  return { store, works, audit, environment: { actor }, queueSuffix: 'q' } as never;
}

const engine = {
  client: {
    workflow: {
      getHandle: () => ({ describe: () => Promise.reject(new Error('not found')) }),
      start: async (workflow: string, options: { workflowId: string; args: object[] }) => {
        started.push({ workflow, ...options });
      },
    },
  },
} as unknown as EngineClient;

const kinds = [
  ['trace', 'traces', 'searchTrace', traceSubject(name)],
  ['profile', 'profiles', 'lookUpProfile', profileSubject(name)],
  ['lens', 'lens', 'analyzeLens', lensSubject(name, 1)],
] as const;

/** A job of unknown outcome: a request left, and nobody knows what came of it. */
async function lost(kind: 'trace' | 'profile' | 'lens', root: string, subject: string) {
  const { attempts, jobs } = place.store;
  const [id, folder] = [`${kind}/${name}/20260504T1`, `${root}/${name}/20260504T1`];
  const input = { jobId: id, name, retryRural: false, createdAt: endedAt, createdBy: 'x' };
  await jobs.start(folder, { id, kind, createdAt: endedAt, label: 'l' }, input);
  await place.store.subjects.add(folder, ['maria']);
  const owner = { workflowId: id, chunk: '1-x' };
  const claim = { owner, kind: 'send', nonce: 'n', answerBy: 2, claimedAt: 1 } as const;
  await attempts.claim(subject, 1, { ...claim, afterUnknown: false }, folder);
  await jobs.end(folder, { ...endOf(kind, 'unknown_outcome'), endedAt }, {});
  const job = await jobs.get(id);
  if (job === null) throw new Error('it is there');
  return job;
}

/** How its results are written, as it was asked for. */
const output = { lang: 'pt', excel: true, html: false, pdfNames: 'id' } as const;

const decisionOf = (action: DecisionRecord['action'], externalId: string | null = null) => ({
  number: 1,
  action,
  externalId,
  note: 'why',
  by: 'ana',
  at: '2026-05-05T10:00:00.000Z',
  rows: [],
});

describe.each(kinds)('a %s of unknown outcome', (kind, root, workflow, subject) => {
  const stateOf = async () => subjectState(await place.store.attempts.of(subject), 10);

  test('is reissued as a job of the same input, once however often it is carried out', async () => {
    const job = await lost(kind, root, subject);
    const decision = decisionOf('reissue');
    await place.store.jobs.putOutput(job.folder, output);
    for (let times = 0; times < 2; times += 1) {
      const next = await resolverOf(kind).carryOut(ctx, engine, job, decision, 1_000);
      expect(next).toEqual({
        id: `${kind}/${name}/20260505T100000000Z`,
        workflowId: `${kind}/${name}`,
      });
    }
    expect(await stateOf()).toMatchObject({ kind: 'free', afterUnknown: true });
    expect(started.map((one) => one.workflow)).toEqual([workflow, workflow]);
    const folder = `${root}/${name}/20260505T100000000Z`;
    expect(started[0]?.args).toMatchObject([{ ref: { folder }, queueSuffix: 'q' }]);
    expect(await place.store.jobs.input(folder)).toMatchObject({ name, createdBy: 'ana' });
    const next = await place.store.jobs.find(started[0]?.workflowId ?? '');
    expect(next).toMatchObject({ id: `${kind}/${name}/20260505T100000000Z`, output });
    expect(await place.store.jobs.get(next?.id ?? '')).toMatchObject({ label: 'l' });
    expect(await place.store.subjects.heldBy([folder])).toContain('maria');
  });

  test('is not bought again when its receipt came late: the next job takes it up', async () => {
    const job = await lost(kind, root, subject);
    const [attempt] = await place.store.attempts.of(subject);
    if (attempt === undefined) throw new Error('it is there');
    const receipt = { kind: 'accepted', externalId: 'late-1', at: 5 } as const;
    await place.store.attempts.putReceipt(subject, attempt, receipt);
    await resolverOf(kind).carryOut(ctx, engine, job, decisionOf('reissue'), 1_000);
    expect(await stateOf()).toMatchObject({ kind: 'accepted', externalId: 'late-1' });
    expect(started).toHaveLength(1);
  });

  test('is carried out once more without a word about what was sent since', async () => {
    const job = await lost(kind, root, subject);
    const decision = decisionOf('reissue');
    await resolverOf(kind).carryOut(ctx, engine, job, decision, 1_000);
    const owner = { workflowId: job.id, chunk: '2-x' };
    const claimedAt = Date.parse(decision.at) + 1;
    const claim = { owner, kind: 'send', nonce: 'm', answerBy: claimedAt, claimedAt } as const;
    await place.store.attempts.claim(subject, 2, { ...claim, afterUnknown: true }, job.folder);
    await resolverOf(kind).carryOut(ctx, engine, job, decision, 1_000);
    const [, second] = await place.store.attempts.of(subject);
    expect(second).toMatchObject({ n: 2, resolution: null });
  });

  test('is given up, which starts nothing', async () => {
    const job = await lost(kind, root, subject);
    const decision = decisionOf('abandon');
    expect(await resolverOf(kind).carryOut(ctx, engine, job, decision, 1_000)).toBeNull();
    expect(await stateOf()).toMatchObject({ kind: 'free' });
    expect(started).toEqual([]);
  });

  test('is decided about once: the second is refused, and names the first', async () => {
    const { folder, id } = await lost(kind, root, subject);
    await place.store.jobs.putOutput(folder, output);
    const rest = { id, action: 'acknowledge', note: 'seen', externalId: null, rows: null } as const;
    const request: ResolveRequest = { ...rest, deadlineMs: 1 };
    const both = await Promise.allSettled(
      ['ana', 'rui'].map((by) => resolveJob(contextOf(by), resolverOf(kind), request)),
    );
    expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    const late = resolveJob(contextOf('eva'), resolverOf(kind), request);
    await expect(late).rejects.toThrow(/: (?:ana|rui) has resolved it already: acknowledge, at 20/);
    expect(await place.store.jobs.list({}, { sort: 'attention', limit: 9 })).toEqual([]);
    expect(await place.store.jobs.find(`${id}/decision-1`)).toMatchObject({ output });
    expect(await place.store.jobs.get(id)).toMatchObject({ needsAttention: false });
  });

  test('is not decided about as it cannot be', async () => {
    const { id } = await lost(kind, root, subject);
    const rest = { id, action: 'accept', note: 'seen', externalId: null, rows: null } as const;
    const refused = resolveJob(ctx, resolverOf(kind), { ...rest, deadlineMs: 1 });
    await expect(refused).rejects.toThrow(/`--action accept` does not apply/);
  });
});

test('`acknowledge` for some rows is refused: it is about the whole batch', async () => {
  const refused = resolveJob(ctx, resolverOf('certificate-batch'), {
    id: 'certificate-batch/x',
    action: 'acknowledge',
    note: 'seen',
    externalId: null,
    rows: { statuses: ['unknown_outcome'] },
    deadlineMs: 1,
  });
  await expect(refused).rejects.toThrow(/--action acknowledge is about the whole job/);
});

test.each(kinds.filter(([kind]) => kind !== 'profile'))(
  'a %s is adopted by the id that the service has named',
  async (kind, root, _workflow, subject) => {
    const job = await lost(kind, root, subject);
    await resolverOf(kind).carryOut(ctx, engine, job, decisionOf('adopt', 'made-1'), 1_000);
    const state = subjectState(await place.store.attempts.of(subject), 10);
    expect(state).toMatchObject({ kind: 'accepted', externalId: 'made-1' });
    expect(started).toHaveLength(1);
  },
);

test('a picture that is reissued is another analysis, with a key of its own', async () => {
  const subject = lensSubject(name, 1);
  const job = await lost('lens', 'lens', subject);
  await resolverOf('lens').carryOut(ctx, engine, job, decisionOf('reissue'), 1_000);
  expect(started[0]?.args).toMatchObject([{ attempt: 2 }]);
  expect(await new LensRepository(place.store).current(name)).toEqual({ attempt: 2, expired: 0 });
});

test('a search that is reissued has a key of its own', () => {
  expect(new Set([0, 1, 2].map((times) => traceKey(name, times))).size).toBe(3);
});
