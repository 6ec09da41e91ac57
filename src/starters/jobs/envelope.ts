import { z } from 'zod';
import { exitCodeOf } from '../../domain/attention';
import { jobKinds } from '../../domain/job';
import type { CommandContext } from './context';
import { endedJob, type JobView } from './find-job';
import {
  artifactSchema,
  requestsSchema,
  type EndedJob,
  type Job,
  type JobKind,
  type RequestCounts,
} from './job-kind';
import { progressSchema } from './progress';

/** What `--json` prints of a job of any kind; its JSON Schema is `dist/schemas/job.json`. */

const cost = z.strictObject({
  status: z.string().nullable(),
  unit: z.string().nullable(),
  count: z.number().int(),
  amount: z.number().nullable(),
});

const cell = z.union([z.string(), z.number(), z.boolean(), z.null()]);

const findings = z
  .strictObject({
    facts: z.record(z.string(), cell).describe('single values by their paths in the answer'),
    sections: z.array(
      z.strictObject({
        name: z.string().describe('path of the list in the answer'),
        title: z.string().describe('what the rows are, where that can be told; else the name'),
        file: z.string().describe('of the result folder, that has all of it'),
        total: z
          .number()
          .int()
          .describe('rows in the file; of an analysis or a batch the first 1,000 stand here'),
        rows: z.array(z.record(z.string(), cell)),
      }),
    ),
  })
  .describe(
    'what a lookup, search, picture, dossier, analysis or batch of certificates found; null: no answer is in the store',
  );

export const jobEnvelope = z.strictObject({
  id: z.string(),
  kind: z.enum(jobKinds),
  status: z
    .string()
    .describe('how it ended; before that running, interrupted, waiting (no engine), or unknown'),
  needsAttention: z.boolean(),
  exitCode: z.number().int().describe('0 done, 1 failed, 3 a person is needed; 0 before the end'),
  outcome: z
    .looseObject({
      result: z
        .unknown()
        .optional()
        .describe('of a single job: the answer as it came; of an analysis or a batch its sums'),
      findings: findings.nullable().optional(),
    })
    .nullable()
    .describe(
      'the result itself; of a batch the counts and the path of its rows. Null before the end',
    ),
  artifacts: z.array(artifactSchema),
  requests: requestsSchema
    .nullable()
    .describe(
      'what was sent, or may have been, and results that were there already; of a batch of jobs those jobs. Null before the end, and where nothing is bought',
    ),
  cost: z.array(cost).describe('what the service reported as charged, by its own words'),
  folder: z.string().nullable().describe('the result folder; null: none was written'),
  progress: progressSchema
    .nullable()
    .describe('where no worker answers, what the store counts; null: nothing is known'),
});
export type JobEnvelope = z.infer<typeof jobEnvelope>;

export const errorEnvelope = z.strictObject({
  error: z.strictObject({
    code: z.string(),
    message: z.string(),
    field: z.string().nullable().describe('the flag or variable at fault'),
  }),
  exitCode: z.number().int(),
});
export type ErrorEnvelope = z.infer<typeof errorEnvelope>;

export const outputSchema = z.union([jobEnvelope, errorEnvelope]);

/** @param folder of the written results; null: none */
export async function envelopeOf(
  ctx: CommandContext,
  kind: JobKind,
  view: JobView,
  folder: string | null,
): Promise<JobEnvelope> {
  const { job, state } = view;
  const { id, outcome, status, needsAttention } = job;
  const ended = outcome === null ? null : endedJob(job);
  return {
    id,
    kind: job.kind,
    status: status ?? state ?? 'running',
    needsAttention,
    exitCode: exitCodeOfJob(job),
    outcome: ended && (await outcomeOf(ctx, kind, ended, folder)),
    artifacts: (ended && (await kind.artifacts?.(ended, ctx))) ?? [],
    requests: ended && (await requestsOf(ctx, kind, ended)),
    cost: (ended && (await kind.cost?.(ended, ctx))) ?? [],
    folder,
    progress: view.progress,
  };
}

/** The outcome as `--json` prints it. @param folder of the written results; null: none */
export async function outcomeOf(
  ctx: CommandContext,
  kind: JobKind,
  ended: EndedJob<unknown, unknown>,
  folder: string | null,
): Promise<Record<string, unknown>> {
  return {
    ...((await kind.report?.(ctx, ended, folder)) ?? (ended.outcome as object)),
    ...(await foundIn(ctx, kind, ended)),
  };
}

/** Null: the job sends no chargeable requests itself. */
export async function requestsOf<Input, Outcome>(
  ctx: CommandContext,
  kind: JobKind<Input, Outcome>,
  job: EndedJob<Input, Outcome>,
): Promise<RequestCounts | null> {
  return (await kind.requests?.(job, ctx)) ?? null;
}

/** The response as received, and as tables; empty for a kind without findings. */
async function foundIn(
  { store }: CommandContext,
  kind: JobKind,
  ended: EndedJob<unknown, unknown>,
): Promise<object> {
  const found = await kind.findings?.(ended, store);
  if (found === undefined) return {};
  const { facts, result } = found;
  const sections = found.sections.map(({ name, title, file, total, rows }) => {
    return { name, title, file, total, rows };
  });
  return { result, findings: result === null ? null : { facts, sections } };
}

export function exitCodeOfJob({ kind, needsAttention, status }: Job): number {
  if (status !== null) return exitCodeOf(kind, { status, needsAttention });
  return needsAttention ? 3 : 0;
}
