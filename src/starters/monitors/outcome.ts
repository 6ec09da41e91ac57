import { noteWords, type MonitorNote } from '../../domain/monitors/health';
import type { ScanOutcome } from '../../domain/monitors/scan';
import type { Reconciled, SweepCounts, SweepOutcome } from '../../domain/monitors/sweep';
import { MonitorListRepository } from '../../store/monitors/lists';
import type { CommandContext } from '../jobs/context';
import { counted } from '../jobs/text';

/** How sweeps and scans ended, for people. */

function countWords({ filed, delivered, acknowledged, elsewhere }: SweepCounts): string {
  const others = elsewhere === 0 ? '' : `, ${elsewhere} acknowledged elsewhere or gone`;
  return `${filed} new, ${delivered} delivered, ${acknowledged} acknowledged${others}`;
}

export function sweepLines(outcome: SweepOutcome): string[] {
  const { monitorId, status, counts, warnings, reconciled, stopped, health } = outcome;
  return [
    `${monitorId}: ${status}: ${countWords(counts)}`,
    ...warnings.map((warning) => `  ${warning}`),
    ...(reconciled === null ? [] : [`  ${reconciledWords(reconciled)}`]),
    ...(stopped === null ? [] : [`  ${stopped}: a later sweep continues with what is open`]),
    ...health.map((note) => `  ${note}`),
  ];
}

function reconciledWords({ found, fault }: Reconciled): string {
  const what = found === 0 ? 'nothing new' : `${counted(found, 'change')} acknowledged by others`;
  return fault === null
    ? `reconciled: found ${what}`
    : `not reconciled to the end of the list: found ${what}`;
}

export function scanLines({ counts, stopped }: ScanOutcome): string[] {
  const { probed, sweeps, filed, acknowledged, partly, failed } = counts;
  return [
    `${counted(probed, 'monitor')} probed: ${counted(sweeps, 'sweep')}, ${counted(filed, 'new change')}, ${acknowledged} acknowledged`,
    ...(counts.running === 0 ? [] : [`  ${counts.running} are being swept already: left alone`]),
    ...(partly + failed === 0
      ? []
      : [`  ${counted(partly, 'sweep')} left something open, ${failed} failed`]),
    ...(counts.leftRunning === 0 ? [] : [`  ${counted(counts.leftRunning, 'sweep')} still run`]),
    ...(counts.lostPages === 0 ? [] : [`  ${counts.lostPages} pages of the list not probed`]),
    ...(stopped === null ? [] : [`  stopped: ${stopped}`]),
  ];
}

/** More of them are told as a count. */
const mostNamed = 20;

/** What a person should know of monitors, with the ids of the first ones. */
export function noteLines(notes: readonly MonitorNote[]): string[] {
  return (Object.keys(noteWords) as MonitorNote['kind'][]).flatMap((kind) => {
    const its = notes.filter((note) => note.kind === kind);
    if (kind !== 'unknown') {
      return firstOf(its.map(({ monitorId, why }) => `${noteWords[kind]}: ${monitorId}: ${why}`));
    }
    // Often all of them, for one reason.
    const reasons = [...new Set(its.map(({ why }) => why))];
    return reasons.map((why) => {
      const count = its.filter((note) => note.why === why).length;
      return `${noteWords.unknown} of ${count}: ${why}`;
    });
  });
}

/** The first lines, and a count of the others. */
export function firstOf(lines: readonly string[], all = lines.length): string[] {
  const shown = lines.slice(0, mostNamed);
  return all > shown.length ? [...shown, `and ${all - shown.length} more`] : shown;
}

/** What the pages of a scan found; those of another scan of the same list are not its own. */
export async function scannedBy(
  { store }: Pick<CommandContext, 'store'>,
  list: string,
  scan: string,
): Promise<{ open: string[]; notes: MonitorNote[] }> {
  const pages = await new MonitorListRepository(store).scans(list);
  const its = pages.filter((page) => page.scan === scan);
  return { open: its.flatMap(({ open }) => open), notes: its.flatMap(({ notes }) => notes) };
}
