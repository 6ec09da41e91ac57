import { randomUUID } from 'node:crypto';
import { storeIn } from './temporary-store';
import type { ChangeFile } from '../../src/domain/monitors/stored';
import type { SweepOutcome } from '../../src/domain/monitors/sweep';
import type { ScenarioInput } from '../../src/sandbox';
import { ChangeRepository } from '../../src/store/monitors/changes';
import { Installation } from './diligence-process';
import { configured } from './configured';

export type MonitorSection = NonNullable<ScenarioInput['monitors']>;
export type HeldScript = NonNullable<MonitorSection['held']>[string];

export interface SweepResult {
  code: number | null;
  stderr: string;
  /** Null when the command printed no outcome. */
  outcome: SweepOutcome | null;
}

/** An installation that watches monitors of the sandbox: one worker, changes as files. */
export async function monitorInstallation(
  monitors: MonitorSection,
  env: Record<string, string> = {},
): Promise<Installation> {
  const place = await Installation.start(
    { monitors },
    {
      INVESTIGATION_RPS: '2000',
      ...configured({ investigation: { timeoutSeconds: 3 } }),
      ...env,
    },
  );
  await place.startWorkerHere();
  return place;
}

/** A new monitor at the service, whose list follows these rules from now on. */
export function holdMonitor(
  { sandbox }: Installation,
  script: HeldScript,
  rules: MonitorSection = {},
): string {
  const id = randomUUID();
  sandbox.configure({
    monitors: {
      cursorName: 'cursor',
      statusName: 'status',
      severityName: 'severity',
      pageSizeName: 'limit',
      readRoute: 'served',
      repeatedAck: 'same',
      ...rules,
      held: { [id]: script },
    },
  });
  return id;
}

/** Changes that nobody has acknowledged. */
export function leftOpen({ sandbox }: Installation, monitorId: string) {
  const changes = sandbox.monitors.changes(monitorId);
  return changes.filter(({ acknowledgedAt }) => acknowledgedAt === null);
}

export async function sweep(
  place: Installation,
  monitorId: string,
  ...more: string[]
): Promise<SweepResult> {
  const words = ['monitor', 'sweep', '--monitors', monitorId, '--json', ...more];
  const { code, stdout, stderr } = await place.run(words);
  const { error, outcome = null } = JSON.parse(stdout) as {
    error?: { message: string };
    outcome?: SweepOutcome;
  };
  return { code, stderr: `${stderr}${error?.message ?? ''}`, outcome };
}

/** What the store of an installation holds about a change; null when it does not. */
export function changeOnFile(
  place: Installation,
  monitorId: string,
  changeId: string,
): Promise<ChangeFile | null> {
  return new ChangeRepository(storeIn(place.folder), (name) => name).get(monitorId, changeId);
}
