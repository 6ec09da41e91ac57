import type { QueryDefinition } from '@temporalio/client';
import { z } from 'zod';
import type { Reader } from '../../report/reader';
import { stateWord } from '../../report/words';
import type { EngineClient } from '../../temporal/connection';
import { jobProgressQuery } from '../../workflows/messages';

const budget = z.strictObject({
  made: z.number().int().describe('requests'),
  allowed: z.number().int(),
  rest: z.number().int().describe('what is left to do takes at most so many'),
});

export const progressSchema = z.strictObject({
  stage: z.string(),
  /** Rows; null: it is no batch. */
  total: z.number().int().nullable(),
  counts: z.record(z.string(), z.number().int()).readonly(),
  /** Requested and not settled. */
  outstanding: z.number().int(),
  /** Settled once, to be requested again later. */
  again: z.number().int(),
  /** Why it waits; `until`: the instant of the next try, if known. */
  waiting: z
    .strictObject({
      reason: z.string(),
      until: z.number().nullable(),
      budget: budget.exactOptional().describe('where that is the reason'),
    })
    .nullable(),
  paused: z.boolean(),
  cancelling: z.boolean(),
  /** Other details: the id at the service, the cost so far. */
  details: z.array(z.string()).readonly(),
});
export type Progress = z.infer<typeof progressSchema>;

/** Null when no worker answers. */
export async function queried<T>(
  { client }: EngineClient,
  workflowId: string,
  query: QueryDefinition<T>,
): Promise<T | null> {
  return client.workflow
    .getHandle(workflowId)
    .query(query)
    .catch(() => null);
}

/** For a single job. Null when no worker answers. */
export async function progressOfOne(
  engine: EngineClient,
  workflowId: string,
  { language, say }: Reader,
): Promise<Progress | null> {
  const progress = await queried(engine, workflowId, jobProgressQuery);
  if (progress === null) return null;
  const { cancelling, details, externalId, stage, waiting } = progress;
  const uploads = details.replaced?.length ?? 0;
  // Of a dossier, with the number of its attempt.
  const [, word = '', attempt] = /^(\w+)(?: \(attempt (\d+)\))?$/.exec(details.state ?? '') ?? [];
  const nth = attempt === undefined ? '' : ` (${say('attempt', 'tentativa')} ${attempt})`;
  const state =
    details.state == null ? null : `${stateWord(word || details.state, language)}${nth}`;
  const expired = say(`${uploads} uploads expired`, `${uploads} envios expiraram`);
  const steps = Object.entries(details.steps ?? {});
  const ofSteps = steps.map(([id, status]) => `${id}: ${stateWord(status, language)}`);
  const known = [state, externalId, uploads === 0 ? null : expired, ...ofSteps];
  return {
    ...progressOfStage(stage),
    // Only its name shows that it waits for a person.
    waiting: stage === 'review' ? null : waiting,
    cancelling,
    details: known.filter((detail) => detail != null),
  };
}

export function progressOfStage(stage: string): Progress {
  const nothing = { total: null, counts: {}, outstanding: 0, again: 0, waiting: null };
  return { stage, ...nothing, paused: false, cancelling: false, details: [] };
}
