import { punctuateDocument } from '../../domain/core/documents/documents';
import type { Cell } from '../../domain/core/findings';
import type { PersonAssets, ReportTable } from '../../domain/investigations/report';
import { categoryAxis, countAxis, drawn, grid, label } from '../charts';
import { cellWords } from '../findings/section';
import { html, type Content, type Html } from '../html';
import { cardPart, factsPart, morePart, smallPart, tablePart } from '../parts';
import { nameOf, statusWord } from '../words';
import {
  absence,
  fileLink,
  isPlanned,
  none,
  note,
  sections,
  type Page,
  type Section,
} from './page';

const mostBars = 8;

export function assetsPart(page: Page): Html | null {
  const { reader, report } = page;
  const { formats, language, say } = reader;
  if (!isPlanned(page, 'assets')) return null;
  const { people, totals } = report.assets;
  const title = say(...sections.assets.title);
  if (people.length === 0) return cardPart(title, absence(page, 'assets'));
  const sum = (of: 'count' | 'value'): number =>
    totals.reduce((all, one) => all + Math.round((one[of] ?? 0) * 100), 0) / 100;
  const table = tablePart(
    [
      { name: say('List', 'Lista') },
      { name: say('Count', 'Quantidade'), look: 'right' },
      { name: say('Value', 'Valor'), look: 'right' },
    ],
    totals.map(({ count, name, value }) => [
      nameOf(name, language),
      formats.number(count),
      value === null ? '' : formats.money(value),
    ]),
    [say('Total', 'Total'), formats.number(sum('count')), formats.money(sum('value'))],
  );
  const totalsPart = html`<div class="pair">
    <div>${table}</div>
    <div>
      <h3>${say('Assets by kind', 'Bens por espécie')}</h3>
      ${assetsChart(page)}
    </div>
  </div>`;
  return cardPart(title, [
    totals.length === 0 ? none(page) : totalsPart,
    people.map((person) => personPart(page, person)),
  ]);
}

function personPart(page: Page, { document, rural, step, tables }: PersonAssets): Html {
  const { say } = page.reader;
  const failed = say(
    'The rural part is missing: the query of the service failed. Nothing is said about rural assets.',
    'Falta a parte rural: a consulta do serviço falhou. Nada se afirma sobre bens rurais.',
  );
  const noProfile = say(
    'The service did not answer with a profile.',
    'O serviço não respondeu com um perfil.',
  );
  return html`<div class="group">
    <h3>${punctuateDocument(document)} ${smallPart(step)}</h3>
    ${rural === 'failed' ? html`<p class="notice">${failed}</p>` : null}
    ${rural === null ? note(noProfile) : null} ${tablesPart(page, tables, 'assets')}
  </div>`;
}

/** The most frequent kinds. */
function assetsChart({ reader, report }: Page): Html {
  const { formats, language, say } = reader;
  const shown = report.assets.totals
    .toSorted((a, b) => b.count - a.count)
    .slice(0, mostBars)
    .map(({ count, name }) => ({ count, name: nameOf(name, language) }));
  const bars = shown.toReversed();
  const description = shown.map(({ count, name }) => `${name} ${count}`).join(', ');
  const title = say('Assets by kind', 'Bens por espécie');
  return drawn({ name: 'assets', title, description }, (size) => ({
    grid: { ...grid(size), right: 36 },
    xAxis: countAxis(formats),
    yAxis: categoryAxis(
      bars.map(({ name }) => name),
      { width: size.name === 'wide' ? 190 : 110, overflow: 'break' },
    ),
    series: [
      {
        type: 'bar',
        silent: true,
        barMaxWidth: 22,
        data: bars.map(({ count }) => count),
        itemStyle: { color: 'var(--accent)' },
        label: { show: true, position: 'right', ...label },
      },
    ],
  }));
}

/** Lists of services, unchanged; null: the plan has no such step. */
export function listsPart(
  page: Page,
  section: 'occurrences' | 'pictures' | 'risk' | 'credit' | 'changes',
  intro: string | null = null,
): Html | null {
  const tables = page.report[section];
  const title = page.reader.say(...sections[section].title);
  if (tables.length === 0)
    return isPlanned(page, section) ? cardPart(title, absence(page, section)) : null;
  return cardPart(title, [intro === null ? null : note(intro), tablesPart(page, tables, section)]);
}

function tablesPart(page: Page, tables: readonly ReportTable[], section: Section): Html[] {
  const wholeIn = page.reader.say('All of it is in', 'O conteúdo completo está em');
  return tables.map((one, at) => {
    const isLast = tables[at + 1]?.file !== one.file;
    const whole =
      isLast && one.file !== null
        ? html`<p class="muted small">${wholeIn} ${fileLink(one.file)}</p>`
        : null;
    return html`${listPart(page, one, section)} ${whole}`;
  });
}

/** A section of several people or monitors names the step of each list. */
function listPart(page: Page, one: ReportTable, section: Section): Html {
  const { reader } = page;
  const { columns, file, rows, step, total } = one;
  // A monitor's list has the monitor's id.
  const name = section === 'changes' ? one.name : one.name && nameOf(one.name, reader.language);
  const title = [section === 'assets' ? '' : step, name].filter((word) => word !== '').join(': ');
  const heads = columns.map((column) => ({
    name: nameOf(column, reader.language),
    ...((column === 'count' || column === 'brl') && { look: 'right' as const }),
  }));
  const cells = rows.map((row) => row.map((cell, at) => cellShown(page, columns[at] ?? '', cell)));
  return html`<div class="list">
    ${title === '' ? null : section === 'assets' ? html`<h4>${title}</h4>` : html`<h3>${title}</h3>`}
    ${rows.length === 0 ? none(page) : isSingle(one) ? singles(page, rows) : tablePart(heads, cells)}
    ${morePart(reader, total - rows.length, file ?? '')}
  </div>`;
}

function isSingle({ columns }: ReportTable): boolean {
  return columns[0] === 'what' && columns.length === 2;
}

function singles({ reader }: Page, rows: readonly Cell[][]): Html {
  return factsPart(
    rows.map(([what = null, value = null]) => [
      nameOf(String(what), reader.language),
      cellWords(reader, String(what), value),
    ]),
  );
}

function cellShown({ reader }: Page, column: string, cell: Cell): Content {
  if (column === 'brl') return typeof cell === 'number' ? reader.formats.money(cell) : '';
  if (column === 'what') return nameOf(String(cell ?? ''), reader.language);
  if (column === 'state') return statusWord(String(cell ?? ''), reader.language);
  return cellWords(reader, column, cell);
}
