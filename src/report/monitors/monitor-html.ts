import type { Change } from '../../domain/monitors/change';
import type { HealthNote } from '../../domain/monitors/health';
import type { ScanNote } from '../../domain/monitors/scan';
import type { ReportLanguage } from '../formats';
import { html, type Html } from '../html';
import { htmlPage } from '../html-page';
import {
  barsPart,
  cardPart,
  commandPart,
  leftPart,
  tablePart,
  tilesPart,
  type Column,
  type Look,
} from '../parts';
import { type Reader, readerOf } from '../reader';
import { statusWord } from '../words';
import { noteLine } from './sweep-words';
import { changesPart, failingPart, looks, monitorCell, type MonitorNames } from './changes-part';
import type { MonitorFigures, SeverityCounts } from './monitor-figures';

/** `unreadable`: items of its list, and the paths at fault. */
export type ReportedNote = ScanNote | { kind: 'unreadable'; why: string };

/** A monitor with warnings. */
export interface ReportedMonitor {
  monitorId: string;
  name: string | null;
  /** Masked. */
  document: string | null;
  notes: readonly ReportedNote[];
}

export interface MonitorReport {
  /** The filter of the changes. Null: all; `since` is an instant of ISO 8601. */
  scope: {
    since: string | null;
    monitors: number | null;
    severities: readonly Change['severity'][] | null;
  };
  figures: MonitorFigures;
  names: MonitorNames;
  monitors: {
    total: number;
    /** Number of monitors with a warning of the kind. */
    noted: Record<Extract<HealthNote['kind'], 'blocked' | 'unknown' | 'unwell'>, number>;
    /** Monitors with warnings; `more` of them are left out. */
    listed: readonly ReportedMonitor[];
    more: number;
  };
  sinks: readonly { name: string; required: boolean; disabled: string | null }[];
  /** Epoch milliseconds. */
  writtenAt: number;
}

/** One page that loads nothing and runs nothing; texts of the service are escaped. */
export function monitorHtml(report: MonitorReport, language: ReportLanguage): string {
  const reader = readerOf(language);
  const { say } = reader;
  const { figures, monitors, writtenAt } = report;
  const kicker = say('Changes of monitors', 'Mudanças dos monitores');
  const about = say(
    'Documents of monitors are masked. `diligence monitor changes` lists every change, in UTC.',
    'Os documentos dos monitores estão mascarados. `diligence monitor changes` lista todas as alterações, em UTC.',
  );
  return htmlPage(reader, {
    kicker,
    title: headline(figures.total, reader),
    headline: scopeWords(report.scope, reader),
    main: html`${tiles(figures.total, monitors, reader)} ${severitiesPart(figures, reader)}
    ${changesPart(report, reader)} ${failingPart(report, reader)} ${lagsPart(figures, reader)}
    ${monitorsPart(monitors, reader)} ${stepsPart(report, reader)} ${sinksPart(report, reader)}`,
    about,
    writtenAt,
  });
}

/** `Seen since 03 May 2026, 21:00:00, of 2 monitors, of severity critical` */
function scopeWords(
  { since, monitors, severities }: MonitorReport['scope'],
  reader: Reader,
): string {
  const { count, formats, language, say } = reader;
  return [
    since === null
      ? say('All that is stored', 'Tudo o que está armazenado')
      : say(`Seen since ${formats.instant(since)}`, `Vistas desde ${formats.instant(since)}`),
    monitors &&
      `${say('of', 'de')} ${count(monitors, ['monitor', 'monitors'], ['monitor', 'monitores'])}`,
    severities &&
      say('of severity ', 'de gravidade ') +
        severities.map((one) => statusWord(one, language)).join(', '),
  ]
    .filter((part) => part !== null && part !== 0)
    .join(', ');
}

function headline({ total, stored, delivered, failing }: SeverityCounts, reader: Reader): string {
  const { count, formats, say } = reader;
  if (total === 0) return say('No changes', 'Nenhuma alteração');
  const open = stored + delivered + failing;
  const all = count(total, ['change', 'changes'], ['alteração', 'alterações']);
  return open === 0
    ? `${all}, ${say('all acknowledged', 'todas confirmadas')}`
    : `${all}, ${formats.number(open)} ${say('still open', 'ainda abertas')}`;
}

function tiles(
  total: SeverityCounts,
  { noted }: MonitorReport['monitors'],
  { formats, say }: Reader,
): Html {
  const counts: [string, number, Look][] = [
    [say('Acknowledged by us', 'Confirmadas por nós'), total.acknowledged, 'good'],
    [
      say('Acknowledged by others, or gone', 'Confirmadas por outros, ou inexistentes'),
      total.acknowledged_elsewhere + total.gone,
      '',
    ],
    [say('Open, on their way', 'Abertas, a caminho'), total.stored + total.delivered, ''],
    [
      say('Open, and failing', 'Abertas, com falha'),
      total.failing,
      total.failing > 0 ? 'warn' : '',
    ],
    [say('Nobody has looked at', 'Ninguém olhou'), total.unreviewed, ''],
    [
      say('Monitors that may not run', 'Monitores impedidos'),
      noted.blocked,
      noted.blocked > 0 ? 'warn' : '',
    ],
  ];
  return tilesPart(
    counts.map(([name, value, look]) => ({ name, value: formats.number(value), look })),
  );
}

function severitiesPart({ bySeverity, total }: MonitorFigures, reader: Reader): Html {
  const { formats, language, say } = reader;
  const title = say('By severity', 'Por gravidade');
  if (bySeverity.length === 0) return cardPart(title, html`<p>${say('None.', 'Nenhuma.')}</p>`);
  const bars = bySeverity.map(([severity, counts]) => {
    const open = counts.stored + counts.delivered + counts.failing;
    const means = [
      [counts.acknowledged, say('acknowledged', 'confirmadas')],
      [counts.acknowledged_elsewhere + counts.gone, say('by others', 'por outros')],
      [open, say('open', 'abertas')],
      [counts.unreviewed, say('not looked at', 'não vistas')],
    ] as const;
    return {
      name: statusWord(severity, language),
      amount: counts.total,
      look: looks[severity],
      means: means
        .filter(([count]) => count > 0)
        .map(([count, words]) => `${words}: ${formats.number(count)}`)
        .join(', '),
    };
  });
  const heads: [string, string] = [say('Severity', 'Gravidade'), say('Changes', 'Mudanças')];
  const whole = total.total;
  return cardPart(title, barsPart(reader, bars, { heads, whole, total: formats.number(whole) }));
}

function lagsPart({ lags }: MonitorFigures, { formats, language, say }: Reader): Html | null {
  if (lags.length === 0) return null;
  const columns: Column[] = [
    { name: say('Severity', 'Gravidade') },
    { name: say('Delivered', 'Entregues'), look: 'right' },
    { name: say('Half within', 'Metade em até'), look: 'right' },
    { name: say('95 % within', '95 % em até'), look: 'right' },
    { name: say('Longest', 'A mais demorada'), look: 'right' },
  ];
  const rows = lags.map(([severity, { count, max, p50, p95 }]) => [
    statusWord(severity, language),
    formats.number(count),
    ...[p50, p95, max].map((seconds) => formats.duration(seconds * 1_000)),
  ]);
  const title = say('From detection to delivery', 'Da detecção à entrega');
  return cardPart(title, tablePart(columns, rows));
}

function monitorsPart(
  { total, noted, listed, more }: MonitorReport['monitors'],
  reader: Reader,
): Html {
  const { formats, say } = reader;
  const { blocked, unknown, unwell } = noted;
  const unreadable = say('items of its list cannot be read', 'itens da lista não podem ser lidos');
  const count = (n: number): string => formats.number(n);
  const sentences = [
    say(
      `${count(total)} known: ${count(blocked)} may not run, of ${count(unknown)} the health is unknown.`,
      `${count(total)} conhecidos: ${count(blocked)} impedidos de rodar, ${count(unknown)} de saúde desconhecida.`,
    ),
    unwell === 0
      ? ''
      : say(
          `The service’s own checks of ${count(unwell)} fail.`,
          `As verificações do próprio serviço falham em ${count(unwell)}.`,
        ),
    unknown === 0
      ? ''
      : say(
          'A monitor that may not run looks just like one without changes.',
          'Um monitor impedido de rodar parece um monitor sem alterações.',
        ),
  ];
  const columns: Column[] = [
    { name: 'Monitor', look: 'wide' },
    { name: say('Of', 'De') },
    { name: say('What is known', 'O que se sabe'), look: 'wide' },
  ];
  const rows = listed.map(({ document, monitorId, name, notes }) => [
    monitorCell(monitorId, new Map(name === null ? [] : [[monitorId, name]])),
    document ?? '–',
    notes.map((note) => {
      const line =
        note.kind === 'unreadable'
          ? `${unreadable}: ${note.why}`
          : noteLine({ ...note, monitorId }, reader);
      return html`<span class="block">${line}</span>`;
    }),
  ]);
  return cardPart(
    say('Monitors', 'Monitores'),
    html`<p>${sentences.filter((one) => one !== '').join(' ')}</p>
      ${rows.length === 0 ? null : tablePart(columns, rows)}
      ${more === 0 ? null : html`<p>${say(`And ${count(more)} more.`, `E mais ${count(more)}.`)}</p>`}`,
  );
}

function stepsPart({ figures, sinks }: MonitorReport, reader: Reader): Html {
  const { formats, say } = reader;
  const { failing, unreviewed } = figures.total;
  const disabledSink = sinks.find(({ disabled }) => disabled !== null);
  const steps: [boolean, string, string][] = [
    [
      failing > 0,
      say(
        'Look at what fails; the next sweep tries again.',
        'Veja o que falha; a próxima varredura tenta de novo.',
      ),
      'diligence monitor changes --status failing',
    ],
    [
      disabledSink !== undefined,
      say('Repair the sink that is disabled, then:', 'Conserte o destino desativado e depois:'),
      `diligence monitor sink --enable ${disabledSink?.name ?? ''}`,
    ],
    [
      unreviewed > 0,
      say(
        `${formats.number(unreviewed)} changes nobody has looked at: note each that you have seen.`,
        `${formats.number(unreviewed)} alterações que ninguém olhou: registre cada uma que você viu.`,
      ),
      'diligence resolve change/ID --action acknowledge',
    ],
  ];
  const open = steps.filter(([isOpen]) => isOpen);
  const items = open.map(([, words, line]) => html`<li>${words} ${commandPart(line)}</li>`);
  return leftPart(
    reader,
    open.length === 0
      ? null
      : html`<ol>
          ${items}
        </ol>`,
  );
}

function sinksPart({ sinks }: MonitorReport, { say }: Reader): Html {
  return cardPart(
    say('Where changes go', 'Para onde vão as alterações'),
    html`<ul>
      ${sinks.map(
        ({ name, required, disabled }) =>
          html`<li>
            ${name}${required ? null : say(' (not waited for)', ' (sem espera)')}:
            ${disabled === null ? say('takes changes', 'recebe alterações') : html`<strong>${disabled}</strong>`}
          </li>`,
      )}
    </ul>`,
  );
}
