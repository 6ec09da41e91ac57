import { mkdir } from 'node:fs/promises';
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { JobKind as KindName } from '../../domain/job';
import { hideSecretsOf } from '../../protection/redaction';
import { kindOf } from '../kinds';
import { inLanguage, openContext, type CommandContext } from '../jobs/context';
import { envelopeOf } from '../jobs/envelope';
import { CommandError, UsageError } from '../jobs/errors';
import { exportJob, outputTerms } from '../jobs/export-job';
import { endedJob, findJob, nextStep, viewJob, type JobView as View } from '../jobs/find-job';
import { beginJob } from '../jobs/begin/begin-job';
import { readRequest, type Startable } from '../jobs/begin/startable';
import { listJobs } from '../jobs/listed-jobs';
import { orderJob } from '../jobs/begin/order-job';
import type { Progress } from '../jobs/progress';
import { resolveJob } from '../jobs/decide/resolve';
import { resolverOf } from '../jobs/decide/resolve-single';
import type {
  ConnectOptions,
  Diligence,
  Job,
  JobResult,
  JobView,
  JobRequest,
  StartableKind,
} from './api';
import { startables } from './requests';

const lookEveryMs = 500;
const dayMs = 86_400_000;

/**
 * Opens the store of an installation. Prints nothing, and does not change the process.
 * @throws ConfigError when a variable is invalid
 */
export async function connect({ by, env, log }: ConnectOptions = {}): Promise<Diligence> {
  const variables = env ?? process.env;
  hideSecretsOf(variables);
  // Programs read English.
  const ctx = inLanguage(await openContext(log ?? (() => undefined), by, variables), 'en');
  return {
    start: async <Kind extends StartableKind>(kind: Kind, request: JobRequest<Kind>) => {
      const id = await begin(ctx, startables[kind], request);
      return jobOf(ctx, id, kind);
    },
    get: async (id) => {
      const { kind } = await findJob(ctx, id);
      return jobOf(ctx, id, kind);
    },
    list: ({ limit = 50, ...query } = {}) =>
      listJobs(ctx, { ...query, limit, sort: 'created' }, ({ input, kind }) =>
        kindOf(kind).describe(input, ctx.reader.say),
      ),
    resolve: async (name, { action, deadlineMs = dayMs, externalId = null, note, rows = null }) => {
      const { id, kind } = await findJob(ctx, name, 'waiting');
      const resolver = resolverOf(kindOf(kind));
      const request = { id, action, note, externalId, rows, deadlineMs };
      const { continuation } = await resolveJob(ctx, resolver, request);
      const next = await findJob(ctx, continuation?.id ?? id);
      return jobOf(ctx, next.id, next.kind);
    },
    close: () => ctx.store.close(),
  };
}

/** @returns the id of the job that was started, is followed, or is the answer */
async function begin(ctx: CommandContext, what: Startable, request: object): Promise<string> {
  const read = readRequest(what, request);
  const given = Object.keys(request).map((name) => ({ name, written: name, value: read[name] }));
  return beginJob(ctx, what.kind, await what.plan(ctx, read), {
    given,
    ended: async ({ id }) => id,
    started: async (_, { id }) => id,
  });
}

function jobOf<Kind extends KindName>(ctx: CommandContext, id: string, name: Kind): Job<Kind> {
  const kind = kindOf(name);
  const look = async (): Promise<View> => viewJob(ctx, kind, await findJob(ctx, id));
  const shown = async (view: View, folder: string | null): Promise<JobView<Kind>> =>
    (await envelopeOf(ctx, kind, view, folder)) as JobView<Kind>;
  return {
    id,
    kind: name,
    show: async () => shown(await look(), null),
    follow: () => news(ctx, id, look),
    result: async ({ folder } = {}) => {
      await lastOf(news(ctx, id, look));
      const view = await look();
      const written = folder === undefined ? null : await exported(ctx, view, folder);
      return (await shown(view, written)) as JobResult<Kind>;
    },
    cancel: async ({ now = false, remote = false } = {}) => {
      if (remote && kind.cancelsRemotely !== true)
        throw new UsageError(`remote is for dossiers: ${id} is none`);
      const order = now ? 'cancel_now' : 'cancel';
      return orderJob(ctx, kind, await findJob(ctx, id, 'running'), order, { remote });
    },
  };
}

/** Until its end. @throws CommandError when it does not continue by itself */
async function* news(
  { reader }: CommandContext,
  id: string,
  look: () => Promise<View>,
): AsyncGenerator<Progress, void> {
  let last = '';
  for (;;) {
    const { progress, state } = await look();
    if (state === null) return;
    const text = JSON.stringify(progress);
    if (progress !== null && text !== last) yield progress;
    last = text;
    // An unreachable server comes back; the other states need a person.
    const step = state === 'unknown' ? null : nextStep(state, reader);
    if (step !== null) throw new CommandError(`${id}: ${step}`);
    await sleep(lookEveryMs);
  }
}

async function lastOf(all: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of all);
}

/** Null when there is nothing to write. */
async function exported(
  ctx: CommandContext,
  { job }: View,
  folder: string,
): Promise<string | null> {
  const kind = kindOf(job.kind);
  const target = resolve(folder);
  // The files are about people: readable by their owner only.
  if (kind.export !== undefined) await mkdir(target, { recursive: true, mode: 0o700 });
  const terms = outputTerms(ctx, { html: true }, job.output);
  const files = await exportJob(ctx, kind, endedJob(job), { ...terms, folder: target });
  return files.length === 0 ? null : target;
}
