import { z } from 'zod';
import { jobKinds } from '../../domain/job';

/** What `--json` prints of a job of any kind; its JSON Schema is `dist/schemas/job.json`. */

const artifact = z.strictObject({
  name: z.string().describe('of the file in the result folder'),
  bytes: z.number().int().nullable(),
  sha256: z.string().nullable(),
  mediaType: z.string().nullable(),
});

const cost = z.strictObject({
  status: z.string().nullable(),
  unit: z.string().nullable(),
  count: z.number().int(),
  amount: z.number().nullable(),
});

const progress = z.strictObject({
  stage: z.string(),
  total: z.number().int().nullable(),
  counts: z.record(z.string(), z.number().int()).readonly(),
  outstanding: z.number().int(),
  again: z.number().int(),
  waiting: z.strictObject({ reason: z.string(), until: z.number().nullable() }).nullable(),
  paused: z.boolean(),
  cancelling: z.boolean(),
  details: z.array(z.string()).readonly(),
});

export const jobEnvelope = z.strictObject({
  id: z.string(),
  kind: z.enum(jobKinds),
  status: z
    .string()
    .describe('how it ended; before that running, interrupted, waiting (no engine), or unknown'),
  needsAttention: z.boolean(),
  exitCode: z.number().int().describe('0 done, 1 failed, 3 a person is needed; 0 before the end'),
  outcome: z
    .record(z.string(), z.unknown())
    .nullable()
    .describe(
      'the result itself; of a batch the counts and the path of its rows. Null before the end',
    ),
  artifacts: z.array(artifact),
  cost: z.array(cost).describe('what the service reported as charged, by its own words'),
  folder: z.string().nullable().describe('the result folder; null: none was written'),
  progress: progress
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

/** Of standard output with `--json`. */
export const outputSchema = z.union([jobEnvelope, errorEnvelope]);
