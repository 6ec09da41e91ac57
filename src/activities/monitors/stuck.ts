import { Context } from '@temporalio/activity';
import { stuckEntry } from '../../domain/monitors/audit';
import type { ChangeTrouble } from '../../domain/monitors/kept';
import type { Standing, SweepRef } from '../../domain/monitors/sweep';
import type { MonitorDependencies } from '../dependencies';

/** How often something was tried in vain, and at which step. */
export interface Stuck {
  step: 'deliver' | 'acknowledge';
  count: number;
}

/**
 * Says in the figures what could not be brought through.
 *
 * @returns how many were tried so often that a person must look
 */
export function measureStuck(
  stuck: readonly Stuck[],
  { metrics, escalateAfter }: Pick<MonitorDependencies, 'metrics' | 'escalateAfter'>,
): number {
  for (const { step, count } of stuck) metrics.changeStuck(step, count >= escalateAfter);
  return stuck.filter(({ count }) => count >= escalateAfter).length;
}

/** It was tried earlier in this sweep, in vain, by a page whose report the engine has. */
export function isCounted(trouble: ChangeTrouble | null, { sweep }: SweepRef): boolean {
  return trouble?.sweep === sweep && Context.current().info.attempt === 1;
}

export interface StuckInput {
  ref: SweepRef;
  standing: Standing;
  /** Of the first that the sweep came by; null: not known. */
  why: string | null;
}

/** Says on record and in the log what a sweep left: once a sweep, however many changes it is. */
export function createMonitorStuckActivities({ audit, warn, now }: MonitorDependencies) {
  async function tellStuck({ ref, standing, why }: StuckInput): Promise<void> {
    await audit.append([stuckEntry(ref, standing, now())]);
    const { stuck, escalated } = standing;
    warn('changes could not be brought through', { monitor: ref.monitorId, stuck, escalated, why });
  }

  return { tellStuck };
}
