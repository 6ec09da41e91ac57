import type { Change } from '../../domain/monitors/change';
import { differencesIn } from '../../domain/monitors/differences';
import { maskTextOfPeople } from '../../protection/redaction';
import { cellContent } from '../findings/section';
import { html, type Content, type Html } from '../html';
import { cardPart, morePart, smallPart, tablePart, type Column, type Look } from '../parts';
import type { Reader } from '../reader';
import { nameOf, statusWord } from '../words';
import type { MonitorFigures, ShownChange } from './monitor-figures';

/** Names of monitors, by id. */
export type MonitorNames = ReadonlyMap<string, string>;

interface NamedChanges {
  figures: MonitorFigures;
  names: MonitorNames;
}

export const looks: Record<Change['severity'], Look> = {
  critical: 'bad',
  unknown: 'warn',
  warn: 'warn',
  info: '',
};

/** By name, if known. */
export function monitorCell(id: string, names: MonitorNames): Content {
  const name = names.get(id);
  const shown = html`<code>${id}</code>`;
  if (name === undefined) return shown;
  return [maskTextOfPeople(name), smallPart(shown)];
}

/** Old and new values of the fields that differ. */
export function changesPart({ figures, names }: NamedChanges, reader: Reader): Html | null {
  const { formats, language, say } = reader;
  const { changes, total } = figures;
  if (changes.length === 0) return null;
  const columns: Column[] = [
    { name: say('Detected', 'Detectada') },
    { name: 'Monitor', look: 'wide' },
    { name: say('Change', 'Mudança') },
    { name: say('Before', 'Antes') },
    { name: say('After', 'Depois') },
    { name: say('Status', 'Situação') },
  ];
  const rows = changes.map((change) => {
    const { record } = change;
    const [before, after] = differences(change, reader);
    const look = looks[record.severity];
    return [
      formats.instant(record.detected_at ?? record.seen_at),
      monitorCell(record.monitor_id, names),
      [
        html`<strong class="badge ${look}">${statusWord(record.severity, language)}</strong>`,
        html`<span class="block"
          >${record.type === null ? '' : nameOf(record.type, language)}</span
        >`,
      ],
      record.erased ? say('erased', 'eliminada') : before,
      record.erased ? '' : after,
      statusWord(record.status, language),
    ];
  });
  return cardPart(
    say('What changed', 'O que mudou'),
    html`${tablePart(columns, rows)}
    ${morePart(reader, total.total - changes.length, '`monitor changes`')}`,
    formats.number(total.total),
  );
}

function differences(change: ShownChange, reader: Reader): [Content, Content] {
  const fields = differencesIn(change);
  const lines = (when: 'before' | 'after'): Html[] =>
    fields
      .filter((one) => one[when] !== undefined)
      .map(({ field, [when]: cell }) => {
        const value = cellContent(reader, field, cell ?? null) ?? '–';
        return html`<span class="block"
          ><span class="muted">${nameOf(field, reader.language)}:</span> ${value}</span
        >`;
      });
  return [lines('before'), lines('after')];
}

export function failingPart({ figures, names }: NamedChanges, reader: Reader): Html | null {
  const { formats, language, say, stored } = reader;
  const { failing, total } = figures;
  if (failing.length === 0) return null;
  const columns: Column[] = [
    { name: say('Change', 'Mudança'), look: 'wide' },
    { name: 'Monitor', look: 'wide' },
    { name: say('Severity', 'Gravidade') },
    { name: say('Failures', 'Falhas'), look: 'right' },
    { name: say('Why', 'Por quê'), look: 'wide' },
  ];
  const rows = failing.map((one) => [
    html`<code>${one.change_id}</code>`,
    monitorCell(one.monitor_id, names),
    statusWord(one.severity, language),
    formats.number(one.failures),
    one.failure && stored(one.failure),
  ]);
  return cardPart(
    say('Failing', 'Com falha'),
    html`${tablePart(columns, rows)}
    ${morePart(reader, total.failing - failing.length, '`monitor changes --status failing`')}`,
  );
}
