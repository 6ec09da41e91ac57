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

const cell = z.union([z.string(), z.number(), z.boolean(), z.null()]);

const findings = z
  .strictObject({
    facts: z.record(z.string(), cell).describe('single values by their paths in the answer'),
    sections: z.array(
      z.strictObject({
        name: z.string().describe('path of the list in the answer'),
        title: z.string().describe('what the rows are, where that can be told; else the name'),
        file: z.string().describe('of the result folder, that has all of it'),
        total: z.number().int().describe('rows'),
        rows: z.array(z.record(z.string(), cell)),
      }),
    ),
  })
  .describe('what a lookup, search, picture or dossier found; null: no answer is in the store');

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
      result: z.unknown().optional().describe('of a single job: the answer as it came'),
      findings: findings.nullable().optional(),
    })
    .nullable()
    .describe(
      'the result itself; of a batch the counts and the path of its rows. Null before the end',
    ),
  artifacts: z.array(artifact),
  requests: z
    .strictObject({
      requested: z.number().int(),
      reused: z.number().int(),
      possibleDoubleCharges: z.number().int(),
    })
    .nullable()
    .describe(
      'what was sent, or may have been, and results that were there already; of a batch of jobs those jobs. Null before the end, and where nothing is bought',
    ),
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
