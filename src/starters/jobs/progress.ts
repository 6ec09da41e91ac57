import type { QueryDefinition } from '@temporalio/client';
import type { ReachedBudget } from '../../domain/core/budget';
import type { Reader } from '../../report/reader';
import { stateWord } from '../../report/words';
import type { EngineClient } from '../../temporal/connection';
import { jobProgressQuery } from '../../workflows/messages';

export interface Progress {
  stage: string;
  /** Rows; null: it is no batch. */
  total: number | null;
  counts: Readonly<Record<string, number>>;
  /** Requested and not settled. */
  outstanding: number;
  /** Settled once, to be requested again later. */
  again: number;
  /** Why it waits; `until`: the instant of the next try, if known. */
  waiting: { reason: string; until: number | null; budget?: ReachedBudget } | null;
  paused: boolean;
  cancelling: boolean;
  /** Other details: the id at the service, the cost so far. */
  details: readonly string[];
}

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
