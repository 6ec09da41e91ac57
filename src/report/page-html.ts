import { chartHtml } from './charts';
import { reportTimeZone } from './formats';
import { Html, html, type Content } from './html';
import {
  isEmpty,
  small,
  textOf,
  type Bars,
  type Block,
  type Column,
  type Page,
  type Section,
  type Table,
  type Text,
  type Tile,
} from './page';
import type { Reader } from './reader';
import { style } from './style';
import { nameOf, statusWord } from './words';

/** One page that loads nothing and runs nothing. @param writtenAt epoch milliseconds: the stamp */
export function pageHtml(page: Page, reader: Reader, writtenAt: number): string {
  const { formats, htmlLanguage, say } = reader;
  const text = (of: Text): string => textOf(of, reader);
  const at = formats.instant(writtenAt);
  const written = say(`Written by diligence on ${at}.`, `Gravado pelo diligence em ${at}.`);
  const zone = say('All times are those of', 'Todos os horários são de');
  const document = html`<!doctype html>
    <html lang="${htmlLanguage}">
      <head>
        <meta charset="utf-8" />
        <meta
          http-equiv="Content-Security-Policy"
          content="default-src 'none'; style-src 'unsafe-inline'${page.hasPictures === true ? '; img-src data:' : ''}"
        />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        <title>${text(page.kicker)}: ${page.title}</title>
        <style>
          ${new Html(style)}
        </style>
      </head>
      <body>
        <main>
          <header>
            <p class="kicker">${text(page.kicker)}</p>
            <h1>${page.title}</h1>
            <p class="headline">${page.headline}</p>
            ${page.when === undefined ? null : html`<p class="kicker">${page.when}</p>`}
          </header>
          ${tilesHtml(page.tiles, reader)}
          ${page.sections.map((section) => section && sectionHtml(section, reader))}
          <footer>
            <p>${text(page.about)}</p>
            <p>${written} ${zone} ${reportTimeZone}.</p>
          </footer>
        </main>
      </body>
    </html>`;
  return `${document.text.trim().replaceAll(/\n\s+/g, '\n')}\n`;
}

function tilesHtml(tiles: readonly Tile[], reader: Reader): Html {
  return html`<dl class="tiles">
    ${tiles.map(({ name, value, note = '', look = '' }) => {
      const shown = typeof value === 'number' ? reader.formats.number(value) : value;
      const size = shown.length > 9 ? 'long' : shown.length > 7 ? 'words' : '';
      return html`<div class="tile ${look}">
        <dt>${textOf(name, reader)}</dt>
        <dd>
          <div class="value ${size}">${shown}</div>
          <div class="small">${note}</div>
        </dd>
      </div>`;
    })}
  </dl>`;
}

function sectionHtml({ title, count, isNotice, blocks: inner }: Section, reader: Reader): Html {
  const number = count === undefined ? null : reader.formats.number(count);
  const heading = [textOf(title, reader), number && html` <span class="badge">${number}</span>`];
  return html`<section class="card ${isNotice === true ? 'notice' : ''}">
    <h2>${heading}</h2>
    ${[inner].flat().map((block) => blockHtml(block, reader))}
  </section>`;
}

function blockHtml(block: Block, reader: Reader): Content {
  if (block === null || block instanceof Html) return block;
  if ('columns' in block) return tableHtml(block, reader);
  if ('bars' in block) return tableHtml(barsTable(block, reader), reader);
  if ('chart' in block) return chartHtml(block.chart, reader);
  if ('text' in block) return html`<p>${block.text}</p>`;
  if ('note' in block) return html`<p class="muted small">${block.note}</p>`;
  if ('heading' in block) return html`<h3 class="after">${block.heading}</h3>`;
  if ('pair' in block)
    return html`<div class="pair">
      ${block.pair.map((one) => one && html`<div>${blockHtml(one, reader)}</div>`)}
    </div>`;
  if ('items' in block) {
    const items = block.items.map((item) => html`<li>${item}</li> `);
    return block.ordered === true
      ? html`<ol>
          ${items}
        </ol>`
      : html`<ul>
          ${items}
        </ul>`;
  }
  const known = block.facts.filter(([, value]) => !isEmpty(value));
  return html`<dl class="details">
    ${known.map(
      ([name, value]) =>
        html`<dt>${textOf(name, reader)}</dt>
          <dd>${value}</dd> `,
    )}
  </dl>`;
}

const looks: Readonly<Partial<Record<NonNullable<Column['as']>, string>>> = {
  count: 'right number',
  money: 'right number',
  wide: 'wide',
  line: 'line-cell number',
};

function tableHtml({ columns, rows, totals = null, more }: Table, reader: Reader): Html {
  const names = columns.map(({ name }) => textOf(name, reader));
  const lookOf = ({ as }: Column): string => (as && looks[as]) ?? '';
  const cells = (row: readonly Content[]): Html[] =>
    columns.map((column, at) => {
      const content = shownAs(row[at] ?? null, column.as, reader);
      const look = `${lookOf(column)}${isEmpty(content) ? ' empty' : ''}`;
      return html`<td class="${look}" data-label="${names[at] ?? ''}">${content}</td> `;
    });
  return html`<table class="rows">
      <thead>
        <tr>
          ${columns.map((column, at) => {
            const width = column.width && html`style="width:${column.width}%"`;
            return html`<th scope="col" class="${lookOf(column)}" ${width}>
              ${names[at] ?? ''}
            </th> `;
          })}
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          (row) =>
            html`<tr>
              ${cells(row)}
            </tr> `,
        )}
      </tbody>
      ${
        totals &&
        html`<tfoot>
          <tr>
            ${cells(totals)}
          </tr>
        </tfoot>`
      }
    </table>
    ${more === undefined ? null : moreHtml(more[0], more[1], reader)}`;
}

/** Values of services stay as they are where a column does not fit them. */
function shownAs(cell: Content, as: Column['as'], reader: Reader): Content {
  const { formats, language } = reader;
  if (typeof cell === 'number')
    return as === 'money' ? formats.money(cell) : as === 'line' ? cell : formats.number(cell);
  if (typeof cell !== 'string' || cell === '') return cell;
  if (as === 'instant') return formats.instant(cell);
  if (as === 'status') return statusWord(cell, language);
  return as === 'name' ? nameOf(cell, language) : cell;
}

function moreHtml(more: number, where: string, { formats, say }: Reader): Html | null {
  const count = formats.number(more);
  const words = say(`and ${count} more in ${where}`, `e mais ${count} em ${where}`);
  return more <= 0 ? null : html`<p class="muted small">${words}</p>`;
}

function barsTable({ bars, of, amount, as = 'count' }: Bars, { formats }: Reader): Table {
  const most = Math.max(0, ...bars.map((bar) => bar.amount)) || 1;
  const whole = bars.reduce((sum, bar) => sum + Math.round(bar.amount * 100), 0) / 100;
  const hasMeans = bars.some(({ means = '' }) => means !== '');
  return {
    columns: [
      { name: of },
      { name: amount, as, width: as === 'money' ? 24 : 14 },
      { name: ['Share', 'Parcela'], as: 'count', width: hasMeans ? 10 : 14 },
      { name: '', width: hasMeans ? 16 : 32 },
      ...(hasMeans ? [{ name: '', width: 20 }] : []),
    ],
    rows: bars.map(({ name, amount: its, known = true, means, look = '' }) => [
      name,
      known ? its : '–',
      whole === 0 ? '' : formats.share(its, whole),
      its === 0
        ? null
        : html`<span class="bar ${look}" style="width:${((its / most) * 100).toFixed(2)}%"></span>`,
      small(means),
    ]),
    totals: ['Total', whole],
  };
}
