import type { MonitorNote, ScanOutcome } from '../../domain/monitors/scan';
import type { Reconciled, SweepCounts, SweepOutcome } from '../../domain/monitors/sweep';
import { MonitorListRepository } from '../../store/monitors/lists';
import type { CommandContext } from '../jobs/context';
import type { Reader } from '../../report/reader';
import { leftLines, noteKinds, noteLine, noteWhy } from '../../report/monitors/sweep-words';
import { stateWord } from '../../report/words';

/** Outcomes of sweeps and scans, for people. */

export const monitorForms = [
  ['monitor', 'monitors'],
  ['monitor', 'monitores'],
] as const;

function countWords(counts: SweepCounts, { say }: Reader): string {
  const { stored, delivered, acknowledged, elsewhere } = counts;
  const words = say(
    `${stored} new, ${delivered} delivered, ${acknowledged} acknowledged`,
    `novas: ${stored}, entregues: ${delivered}, confirmadas: ${acknowledged}`,
  );
  if (elsewhere === 0) return words;
  return say(
    `${words}, ${elsewhere} acknowledged elsewhere or gone`,
    `${words}, confirmadas por outros ou inexistentes: ${elsewhere}`,
  );
}

export function sweepLines(outcome: SweepOutcome, reader: Reader): string[] {
  const { language, say } = reader;
  const { monitorId, status, counts, reconciled, stopped, health } = outcome;
  return [
    `${monitorId}: ${stateWord(status, language)}: ${countWords(counts, reader)}`,
    ...(status === 'interrupted'
      ? [say('  a later sweep continued', '  uma varredura posterior continuou')]
      : leftLines(monitorId, outcome, reader).map((line) => `  ${line}`)),
    ...(reconciled === null ? [] : [`  ${reconciledWords(reconciled, reader)}`]),
    ...(stopped === null
      ? []
      : [
          `  ${stateWord(stopped, language)}: ${say('a later sweep continues with what is open', 'uma varredura posterior continua com o que está em aberto')}`,
        ]),
    ...health.map((note) => `  ${noteLine(note, reader)}`),
  ];
}

function reconciledWords({ found, fault }: Reconciled, { count, say }: Reader): string {
  const changes = count(found, ['change', 'changes'], ['alteração', 'alterações']);
  const what =
    found === 0
      ? say('nothing new', 'nada novo')
      : `${changes} ${say('acknowledged by others', 'de confirmação alheia')}`;
  return fault === null
    ? say(`reconciled: found ${what}`, `conferido: ${what}`)
    : say(
        `not reconciled to the end of the list: found ${what}`,
        `não conferido até o fim da lista: ${what}`,
      );
}

export function scanLines({ counts, stopped }: ScanOutcome, reader: Reader): string[] {
  const { probed, sweeps, stored, acknowledged, partly, failed, running } = counts;
  const { count, language, say } = reader;
  const sweepsOf = (n: number): string =>
    count(n, ['sweep', 'sweeps'], ['varredura', 'varreduras']);
  const monitors = count(probed, ...monitorForms);
  const news = count(stored, ['new change', 'new changes'], ['nova alteração', 'novas alterações']);
  return [
    say(
      `${monitors} probed: ${sweepsOf(sweeps)}, ${news}, ${acknowledged} acknowledged`,
      `consulta de ${monitors}: ${sweepsOf(sweeps)}, ${news}, confirmadas: ${acknowledged}`,
    ),
    ...lineOf(running, 'are being swept already: left alone', 'já em varredura, deixados'),
    ...(partly + failed === 0
      ? []
      : [
          say(
            `  ${sweepsOf(partly)} left something open, ${failed} failed`,
            `  em aberto após ${sweepsOf(partly)}; com falha: ${failed}`,
          ),
        ]),
    ...(counts.leftRunning === 0
      ? []
      : [`  ${sweepsOf(counts.leftRunning)} ${say('still run', 'ainda em andamento')}`]),
    ...lineOf(counts.lostPages, 'pages of the list not probed', 'páginas da lista não consultadas'),
    ...(stopped === null
      ? []
      : [`  ${say('stopped', 'interrompida')}: ${stateWord(stopped, language)}`]),
  ];

  function lineOf(n: number, en: string, pt: string): string[] {
    return n === 0 ? [] : [`  ${say(`${n} ${en}`, `${pt}: ${n}`)}`];
  }
}

/** Above this, a count. */
const mostNamed = 20;

/** Warnings about monitors, with the ids of the first ones. */
export function noteLines(notes: readonly MonitorNote[], reader: Reader): string[] {
  const { say } = reader;
  return (Object.keys(noteKinds) as MonitorNote['kind'][]).flatMap((kind) => {
    const its = notes.filter((note) => note.kind === kind);
    const words = say(...noteKinds[kind]);
    if (kind !== 'unknown') {
      return firstOf(
        its.map((note) => `${words}: ${note.monitorId}: ${noteWhy(note, reader)}`),
        reader,
      );
    }
    // Often all monitors have the same reason.
    const reasons = its.map((note) => noteWhy(note, reader));
    return [...new Set(reasons)].map((why) => {
      const count = reasons.filter((one) => one === why).length;
      return `${words} ${say('of', 'de')} ${count}: ${why}`;
    });
  });
}

/** The first lines, and a count of the others. */
export function firstOf(lines: readonly string[], { say }: Reader, all = lines.length): string[] {
  const shown = lines.slice(0, mostNamed);
  return all > shown.length
    ? [...shown, say(`and ${all - shown.length} more`, `e mais ${all - shown.length}`)]
    : shown;
}

/** Findings of a scan's pages, without those of another scan of the same list. */
export async function scannedBy(
  { store }: Pick<CommandContext, 'store'>,
  list: string,
  scan: string,
): Promise<{ open: string[]; notes: MonitorNote[] }> {
  const pages = await new MonitorListRepository(store).scans(list);
  const its = pages.filter((page) => page.scan === scan);
  return { open: its.flatMap(({ open }) => open), notes: its.flatMap(({ notes }) => notes) };
}
