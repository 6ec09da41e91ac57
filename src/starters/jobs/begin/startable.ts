import type { z } from 'zod';
import type { JobBatchEnd, JobBatchRecord } from '../../../domain/core/job-batch';
import { planBatchStart, type BatchRequest, type BatchTerms } from '../batches/request';
import type { CommandContext } from '../context';
import { UsageError } from '../errors';
import type { JobKind } from '../job-kind';
import type { StartPlan } from './start-job';

/** A kind of job that can be started: by a command, which has a flag for each field of the request, or by a program. */
export interface Startable<
  Schema extends z.ZodObject = z.ZodObject,
  Input = unknown,
  Outcome = unknown,
> {
  kind: JobKind<Input, Outcome>;
  schema: Schema;
  /** Reads the input, and looks up existing jobs; sends nothing. */
  plan(ctx: CommandContext, request: z.output<Schema>): Promise<StartPlan<Input, Outcome>>;
  /** Reads a sheet before the store is opened: an unreadable one leaves nothing behind. @throws SheetError */
  read?(
    to: Pick<CommandContext, 'log' | 'reader'>,
    request: z.output<Schema>,
  ): Promise<(ctx: CommandContext) => Promise<StartPlan<Input, Outcome>>>;
}

export function startable<Schema extends z.ZodObject, Input, Outcome>(
  kind: JobKind<Input, Outcome>,
  schema: Schema,
  plan: Startable<Schema, Input, Outcome>['plan'],
): Startable<Schema, Input, Outcome> {
  return { kind, schema, plan };
}

type Rows = Omit<BatchRequest, 'kind'>;

export function startableBatch<Schema extends z.ZodObject>(
  kind: JobKind<JobBatchRecord, JobBatchEnd>,
  schema: z.output<Schema> extends BatchTerms ? Schema : never,
  batch: (ctx: CommandContext, request: z.output<Schema>) => Rows | Promise<Rows>,
): Startable<Schema, JobBatchRecord, JobBatchEnd> {
  return startable(kind, schema as Schema, async (ctx, request) => {
    const rows = { kind: kind.kind as BatchRequest['kind'], ...(await batch(ctx, request)) };
    return planBatchStart(ctx, rows, request as z.output<Schema> & BatchTerms);
  });
}

/** @throws UsageError that names the field without quoting its value: it may be about a person */
export function readRequest<Schema extends z.ZodObject>(
  { kind: { kind }, schema }: Pick<Startable<Schema>, 'kind' | 'schema'>,
  request: unknown,
): z.output<Schema> {
  const read = schema.safeParse(request);
  if (read.success) return read.data;
  const faults = read.error.issues.map(({ message, path }) => {
    return `${path.join('.') || 'request'}: ${message}`;
  });
  throw new UsageError(`${kind}: ${faults.join('; ')}; nothing was sent`);
}
