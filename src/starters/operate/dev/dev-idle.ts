import { setTimeout as sleep } from 'node:timers/promises';
import { retentionScheduleId } from '../../../domain/core/retention';
import { connectClient, type EngineClient } from '../../../temporal/connection';
import type { DevServer } from '../../../temporal/dev-server/dev-server';
import { retireIdleRecord } from '../../../temporal/engine-record';
import { printNote } from '../../cli/terminal';

/** Resolves when nothing has run for this long; never without a bound. */
export async function idleFor(
  server: DevServer,
  dataDir: string,
  minutes: number | undefined,
  signal: AbortSignal,
): Promise<void> {
  if (minutes === undefined) return new Promise(() => undefined);
  const { address, namespace } = server;
  // Counts running workflows, and reads no payload.
  const engine = await connectClient({
    connectionOptions: {},
    address,
    namespace,
    dataConverter: {},
  });
  const idleMs = minutes * 60_000;
  const lookEveryMs = Math.min(15_000, idleMs / 4);
  let busyAt = Date.now();
  while (!signal.aborted) {
    await sleep(lookEveryMs, undefined, { signal }).catch(() => undefined);
    if (await isBusy(engine)) busyAt = Date.now();
    const isOver = !signal.aborted && Date.now() - busyAt >= idleMs;
    if (isOver && (await retireIdleRecord(dataDir, idleMs))) {
      printNote(`nothing has run for ${minutes} minutes`);
      break;
    }
  }
  await engine.close();
}

/**
 * Whether jobs run, or a schedule will start some; the retention schedule catches up at the next
 * start. Unknown counts as busy.
 */
async function isBusy({ client }: EngineClient): Promise<boolean> {
  try {
    const running = await client.workflow.count("ExecutionStatus = 'Running'");
    if (running.count > 0) return true;
    for await (const { scheduleId, state } of client.schedule.list())
      if (!state.paused && scheduleId !== retentionScheduleId) return true;
    return false;
  } catch {
    return true;
  }
}
