import { punctuateDocument } from '../../domain/core/documents/documents';
import type { Cell } from '../../domain/core/findings';
import type { PersonAssets, ReportTable } from '../../domain/investigations/report';
import { countAxis, drawn, grid } from '../charts';
import { html, type Content, type Html } from '../html';
import { block, card, cellText, label, money, note, table } from './page';
import type { Page } from './page';
import { absence, fileLink, isPlanned } from './parts';

const mostBars = 8;

export function assetsPart(page: Page): Html | null {
  const { formats, report, texts } = page;
  if (!isPlanned(page, 'assets')) return null;
  const { people, totals } = report.assets;
  if (people.length === 0) return card(texts.assets, note(absence(page, 'assets')));
  const { count, list, value } = texts.columns;
  const look = 'right number';
  const sum = (of: 'count' | 'value'): number =>
    totals.reduce((all, one) => all + Math.round((one[of] ?? 0) * 100), 0) / 100;
  const totalsPart = html`<div class="pair">
    <div>
      ${table(
        [{ name: list }, { name: count, look }, { name: value, look }],
        totals.map((one) => [
          label(page, one.name),
          formats.number(one.count),
          one.value === null ? '' : money(page, one.value),
        ]),
        [texts.total, formats.number(sum('count')), money(page, sum('value'))],
      )}
    </div>
    <div>
      <h3>${texts.assetsChart}</h3>
      ${assetsChart(page)}
    </div>
  </div>`;
  return card(
    texts.assets,
    totals.length === 0 ? note(texts.none) : totalsPart,
    ...people.map((person) => personPart(page, person)),
  );
}

function personPart(page: Page, { document, rural, step, tables }: PersonAssets): Html {
  const { texts } = page;
  return html`<div class="group">
    <h3>${punctuateDocument(document)} ${block(step)}</h3>
    ${rural === 'failed' ? html`<p class="notice">${texts.ruralFailed}</p>` : null}
    ${rural === null ? note(texts.noProfile) : null} ${tablesPart(page, tables, { named: false })}
  </div>`;
}

/** The most frequent kinds. */
function assetsChart(page: Page): Html {
  const { formats, report, texts } = page;
  const shown = report.assets.totals.toSorted((a, b) => b.count - a.count).slice(0, mostBars);
  const bars = shown.toReversed().map(({ count, name }) => ({ count, name: label(page, name) }));
  const description = shown.map(({ count, name }) => `${label(page, name)} ${count}`).join(', ');
  const words = { name: 'assets', title: texts.assetsChart, description };
  const text = { color: 'var(--muted)', fontSize: 12 };
  return drawn(words, (size) => ({
    grid: { ...grid(size), right: 36 },
    xAxis: countAxis(formats),
    yAxis: {
      type: 'category',
      data: bars.map(({ name }) => name),
      axisLine: { lineStyle: { color: 'var(--line)' } },
      axisTick: { show: false },
      axisLabel: { ...text, width: size.name === 'wide' ? 190 : 110, overflow: 'break' },
    },
    series: [
      {
        type: 'bar',
        silent: true,
        barMaxWidth: 22,
        data: bars.map(({ count }) => count),
        itemStyle: { color: 'var(--accent)' },
        label: { show: true, position: 'right', ...text },
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
  const { report, texts } = page;
  const tables = report[section];
  if (tables.length === 0)
    return isPlanned(page, section) ? card(texts[section], note(absence(page, section))) : null;
  return card(
    texts[section],
    intro === null ? null : note(intro),
    tablesPart(page, tables, { named: true }),
  );
}

/** @param how `named`: names the step, since a section may have lists of several */
function tablesPart(page: Page, tables: readonly ReportTable[], how: { named: boolean }): Html[] {
  return tables.map((one, at) => {
    const isLast = tables[at + 1]?.file !== one.file;
    const whole =
      isLast && one.file !== null
        ? html`<p class="muted small">${page.texts.wholeIn} ${fileLink(one.file)}</p>`
        : null;
    return html`${tablePart(page, one, how)} ${whole}`;
  });
}

function tablePart(page: Page, one: ReportTable, { named }: { named: boolean }): Html {
  const { formats, texts } = page;
  const { columns, file, name, rows, step, total } = one;
  const more = total - rows.length;
  const title = [named ? step : '', name === '' ? '' : label(page, name)]
    .filter((word) => word !== '')
    .join(': ');
  return html`<div class="list">
    ${title === '' ? null : named ? html`<h3>${title}</h3>` : html`<h4>${title}</h4>`}
    ${
      rows.length === 0
        ? note(texts.none)
        : isSingle(one)
          ? singles(page, rows)
          : table(
              columns.map((column) => ({
                name: label(page, column),
                ...(isFigure(column) && { look: 'right number' as const }),
              })),
              rows.map((cells) =>
                cells.map((cell, at) => cellShown(page, columns[at] ?? '', cell)),
              ),
            )
    }
    ${
      more > 0
        ? html`<p class="muted small">${texts.moreRows(formats.number(more), file ?? '')}</p>`
        : null
    }
  </div>`;
}

/** For our own columns. */
function isFigure(column: string): boolean {
  return column === 'count' || column === 'brl';
}

function isSingle({ columns }: ReportTable): boolean {
  return columns[0] === 'what' && columns.length === 2;
}

function singles(page: Page, rows: readonly Cell[][]): Html {
  return html`<dl class="details">
    ${rows.map(
      ([what = null, value = null]) =>
        html`<dt>${label(page, String(what).replace(/^risk\./, ''))}</dt>
          <dd>${cellText(page, value)}</dd>`,
    )}
  </dl>`;
}

/** Our own columns are formatted; those of services are unchanged. */
function cellShown(page: Page, column: string, cell: Cell): Content {
  if (column === 'brl') return typeof cell === 'number' ? money(page, cell) : '';
  if (column === 'detected') return cell === null ? '' : page.formats.instant(String(cell));
  if (column === 'what' || column === 'state') return label(page, String(cell ?? ''));
  return cellText(page, cell);
}
