import type { Change } from '../../domain/monitors/change';
import { differencesIn } from '../../domain/monitors/differences';
import { maskTextOfPeople } from '../../protection/redaction';
import { cellContent } from '../findings/section';
import type { Words } from '../../domain/job';
import type { ReportLanguage } from '../formats';
import { html, type Content, type Html } from '../html';
import {
  badge,
  blocks,
  code,
  fact,
  small,
  type Bar,
  type Look,
  type Section,
  type Tile,
} from '../page';
import { pageHtml } from '../page-html';
import { type Reader, readerOf } from '../reader';
import { command, leftSection } from '../sections';
import { nameOf, statusWord } from '../words';
import type {
  MonitorFigures,
  MonitorReport,
  ReportedMonitor,
  SeverityCounts,
  ShownChange,
} from './figures';
import { noteLine } from './sweep-words';

/** Texts of the service are escaped. */
export function monitorHtml(report: MonitorReport, language: ReportLanguage): string {
  const reader = readerOf(language);
  const { figures, monitors } = report;
  const page = {
    kicker: ['Changes of monitors', 'Mudanças dos monitores'] as const,
    title: titleOf(figures.total, reader),
    headline: scopeWords(report.scope, reader),
    tiles: tilesOf(figures.total, monitors.noted.blocked),
    sections: [
      severitiesSection(figures, reader),
      changesSection(report, reader),
      overTimeSection(figures, reader),
      monitorsSection(monitors, reader),
      stepsSection(report, reader),
    ],
    about: [
      'Documents of monitors are masked. `diligence monitor changes` lists every change, in UTC.',
      'Os documentos dos monitores estão mascarados. `diligence monitor changes` lista todas as alterações, em UTC.',
    ] as const,
  };
  return pageHtml(page, reader, report.writtenAt);
}

/** `Seen since 03 May 2026, 21:00:00, of 2 monitors, of severity critical` */
function scopeWords(
  { monitors, since, severities }: MonitorReport['scope'],
  { count, formats, language, say }: Reader,
): string {
  const at = since && formats.instant(since);
  const of = monitors && count(monitors, ['monitor', 'monitors'], ['monitor', 'monitores']);
  const words = severities?.map((one) => statusWord(one, language)).join(', ');
  const parts = [
    at === null
      ? say('All that is stored', 'Tudo o que está armazenado')
      : say(`Seen since ${at}`, `Vistas desde ${at}`),
    of && say(`of ${of}`, `de ${of}`),
    words && say(`of severity ${words}`, `de gravidade ${words}`),
  ];
  return parts.filter(Boolean).join(', ');
}

function openOf({ delivered, failing, stored }: SeverityCounts): number {
  return stored + delivered + failing;
}

function titleOf(counts: SeverityCounts, { count, formats, say }: Reader): string {
  const { total } = counts;
  if (total === 0) return say('No changes', 'Nenhuma alteração');
  const all = count(total, ['change', 'changes'], ['alteração', 'alterações']);
  return openOf(counts) === 0
    ? `${all}, ${say('all acknowledged', 'todas confirmadas')}`
    : `${all}, ${formats.number(openOf(counts))} ${say('still open', 'ainda abertas')}`;
}

function tilesOf(total: SeverityCounts, blocked: number): Tile[] {
  return [
    {
      name: ['Acknowledged by us', 'Confirmadas por nós'],
      value: total.acknowledged,
      look: 'good',
    },
    {
      name: ['Acknowledged by others, or gone', 'Confirmadas por outros, ou inexistentes'],
      value: total.acknowledged_elsewhere + total.gone,
    },
    { name: ['Open, on their way', 'Abertas, a caminho'], value: total.stored + total.delivered },
    {
      name: ['Open, and failing', 'Abertas, com falha'],
      value: total.failing,
      look: total.failing > 0 ? 'warn' : '',
    },
    { name: ['Nobody has looked at', 'Ninguém olhou'], value: total.unreviewed },
    {
      name: ['Monitors that may not run', 'Monitores impedidos'],
      value: blocked,
      look: blocked > 0 ? 'warn' : '',
    },
  ];
}

const looks: Record<Change['severity'], Look> = {
  critical: 'bad',
  unknown: 'warn',
  warn: 'warn',
  info: '',
};

function severitiesSection({ bySeverity }: MonitorFigures, { language, say }: Reader): Section {
  const bars = bySeverity.map(([severity, counts]): Bar => ({
    name: statusWord(severity, language),
    amount: counts.total,
    look: looks[severity],
    means: `${say('open', 'abertas')}: ${openOf(counts)}, ${say('not looked at', 'não vistas')}: ${counts.unreviewed}`,
  }));
  return {
    title: ['By severity', 'Por gravidade'],
    blocks: { bars, of: ['Severity', 'Gravidade'], amount: ['Changes', 'Mudanças'] },
  };
}

/** Old and new values of the fields that differ. */
function changesSection({ figures, names }: MonitorReport, reader: Reader): Section | null {
  const { formats, language, say, stored } = reader;
  const { changes, total } = figures;
  if (changes.length === 0) return null;
  const rows = changes.map((change): Content[] => {
    const { detected_at, erased, failure, failures, ...record } = change.record;
    const { monitor_id: monitorId, seen_at, severity, status, type } = record;
    const [before, after] = erased ? [say('erased', 'eliminada'), ''] : differences(change, reader);
    const fails = failure && `${formats.number(failures)} × ${stored(failure)}`;
    return [
      formats.instant(detected_at ?? seen_at),
      monitorCell(monitorId, names.get(monitorId) ?? null),
      [
        badge(statusWord(severity, language), looks[severity]),
        small(type && nameOf(type, language)),
      ],
      before,
      after,
      [statusWord(status, language), small(fails)],
    ];
  });
  return {
    title: ['What changed', 'O que mudou'],
    count: total.total,
    blocks: {
      columns: [
        { name: ['Detected', 'Detectada'] },
        { name: 'Monitor', as: 'wide' },
        { name: ['Change', 'Mudança'] },
        { name: ['Before', 'Antes'] },
        { name: ['After', 'Depois'] },
        { name: ['Status', 'Situação'] },
      ],
      rows,
      more: [total.total - changes.length, '`monitor changes`'],
    },
  };
}

/** By name, if known. */
function monitorCell(id: string, name: string | null): Content {
  return name === null ? code(id) : [maskTextOfPeople(name), small(code(id))];
}

function differences(change: ShownChange, reader: Reader): [Content, Content] {
  const fields = differencesIn(change);
  const lines = (when: 'before' | 'after'): Html[] =>
    blocks(
      fields
        .filter((one) => one[when] !== undefined)
        .map(({ field, [when]: cell }) =>
          fact(nameOf(field, reader.language), cellContent(reader, field, cell ?? null) ?? '–'),
        ),
    );
  return [lines('before'), lines('after')];
}

function overTimeSection({ byDay }: MonitorFigures, { formats }: Reader): Section | null {
  if (byDay.length === 0) return null;
  const title = ['Detected, by day', 'Detectadas, por dia'] as const;
  const points = byDay.map(([day, count]) => [formats.day(day), count] as const);
  return { title, blocks: { pair: [{ chart: { name: 'days', title, form: 'columns', points } }] } };
}

function monitorsSection(
  { total, noted, listed, more }: MonitorReport['monitors'],
  reader: Reader,
): Section {
  const { say } = reader;
  const { blocked, unknown, unwell } = noted;
  const unreadable = say('items of its list cannot be read', 'itens da lista não podem ser lidos');
  const notesOf = ({ monitorId, notes }: ReportedMonitor): Html[] =>
    blocks(
      notes.map((note) =>
        note.kind === 'unreadable'
          ? `${unreadable}: ${note.why}`
          : noteLine({ ...note, monitorId }, reader),
      ),
    );
  return {
    title: ['Monitors', 'Monitores'],
    count: total,
    blocks: [
      {
        text: say(
          `${blocked} may not run, of ${unknown} the health is unknown, the service’s own checks of ${unwell} fail. A monitor that may not run looks just like one without changes.`,
          `${blocked} impedidos de rodar, ${unknown} de saúde desconhecida, ${unwell} com falha nas verificações do próprio serviço. Um monitor impedido de rodar parece um monitor sem alterações.`,
        ),
      },
      listed.length === 0
        ? null
        : {
            columns: [
              { name: 'Monitor', as: 'wide' },
              { name: ['Of', 'De'] },
              { name: ['What is known', 'O que se sabe'], as: 'wide' },
            ],
            rows: listed.map((one) => [
              monitorCell(one.monitorId, one.name),
              one.document ?? '–',
              notesOf(one),
            ]),
            more: [more, '`monitor list`'],
          },
    ],
  };
}

function stepsSection({ disabledSinks, figures }: MonitorReport, reader: Reader): Section {
  const { formats, stored } = reader;
  const { failing, unreviewed } = figures.total;
  const step = (is: boolean, words: Words, line: string): Html[] =>
    is ? [html`${reader.say(...words)} ${command(line)}`] : [];
  const items = [
    ...step(
      failing > 0,
      [
        'Look at what fails; the next sweep tries again.',
        'Veja o que falha; a próxima varredura tenta de novo.',
      ],
      'diligence monitor changes --status failing',
    ),
    ...disabledSinks.flatMap(({ at, name, why }) =>
      step(
        true,
        [
          `${name} is disabled since ${formats.instant(at)}: ${why}. Repair it, then:`,
          `${name} está desativado desde ${formats.instant(at)}: ${stored(why)}. Conserte-o e depois:`,
        ],
        `diligence monitor sink --enable ${name}`,
      ),
    ),
    ...step(
      unreviewed > 0,
      ['Note each change that you have seen.', 'Registre cada alteração que você viu.'],
      'diligence resolve change/ID --action acknowledge',
    ),
  ];
  return leftSection(items.length === 0 ? null : [{ items, ordered: true }], reader);
}
