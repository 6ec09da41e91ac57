import { randomUUID } from 'node:crypto';
import type { DossierOutcome } from '../../src/domain/dossiers/follow';
import type { ScenarioInput } from '../../src/sandbox';
import { Installation } from './diligence-process';

type DossierSection = NonNullable<ScenarioInput['dossiers']>;
export type DossierScript = NonNullable<NonNullable<DossierSection['held']>[string]>;

/** What `--json` prints of one dossier. */
export interface ShownDossier {
  id: string;
  exitCode: number;
  folder: string | null;
  files: string[];
  cost: { unit: string; status: string; amount: number }[];
  outcome: DossierOutcome;
}

export interface DossierResult {
  code: number | null;
  stderr: string;
  /** Null when the command printed no outcome. */
  shown: ShownDossier | null;
}

export const soon = {
  waitingMs: [100, 200],
  processingMs: [300, 600],
} satisfies DossierScript;
/** Runs for as long as any test. */
export const slow = { processingMs: [600_000, 600_000] } satisfies DossierScript;

/**
 * An installation that follows dossiers of the sandbox, which is read each second: one worker.
 *
 * @param worker `process` where it is killed while commands run
 */
export async function dossierInstallation(
  dossiers: DossierSection = {},
  worker: 'here' | 'process' = 'here',
): Promise<Installation> {
  const place = await Installation.start(
    { dossiers: { pollAfterSeconds: 1, ...dossiers } },
    { INVESTIGATION_RPS: '400' },
  );
  await (worker === 'here' ? place.startWorkerHere() : place.startWorker());
  return place;
}

/** A new dossier at the service, which goes as the script says, and soon unless it says otherwise. */
export function holdDossier({ sandbox }: Installation, script: DossierScript): string {
  const id = randomUUID();
  sandbox.configure({ dossiers: { held: { [id]: { ...soon, ...script } } } });
  return id;
}

/** `diligence dossier ...` */
export async function dossierCommand(
  place: Installation,
  words: readonly string[],
): Promise<DossierResult> {
  const { code, stderr, stdout } = await place.run(['dossier', ...words]);
  const shown = stdout.startsWith('{') ? (JSON.parse(stdout) as ShownDossier) : null;
  return { code, stderr, shown };
}

export function followDossier(
  place: Installation,
  id: string,
  ...more: string[]
): Promise<DossierResult> {
  return dossierCommand(place, ['follow', id, '--json', '--out', `out-${id}`, ...more]);
}

/** What the service was asked about a dossier, and what it really did. */
export function countsOf({ sandbox }: Installation, id: string) {
  return sandbox.dossiers.counts().items.find(({ dossieId }) => dossieId === id);
}
