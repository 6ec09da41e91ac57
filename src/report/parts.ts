import { reportTimeZone } from './formats';
import { html, type Content, type Html } from './html';
import type { Reader } from './reader';

/** Good, open, or possibly charged without a result. */
export type Look = '' | 'good' | 'warn' | 'bad';

export interface Tile {
  name: string;
  value: string;
  note?: string;
  look?: Look;
}

export function tilesPart(tiles: readonly Tile[]): Html {
  return html`<dl class="tiles">
    ${tiles.map(({ name, value, note = '', look = '' }) => {
      const size = value.length > 9 ? 'long' : value.length > 7 ? 'words' : '';
      return html`<div class="tile ${look}">
        <dt>${name}</dt>
        <dd>
          <div class="value ${size}">${value}</div>
          <div class="small">${note}</div>
        </dd>
      </div>`;
    })}
  </dl>`;
}

/** Small words below the others of a cell; null: none. */
export function smallPart(words: Content): Html | null {
  return words === null || words === ''
    ? null
    : html`<span class="small muted block">${words}</span>`;
}

/** How many are left out, and where they are; null: none. */
export function morePart({ formats, say }: Reader, more: number, where: string): Html | null {
  const count = formats.number(more);
  const words = say(`and ${count} more in ${where}`, `e mais ${count} em ${where}`);
  return more <= 0 ? null : html`<p class="muted small">${words}</p>`;
}

/** @param count number of items, beside the title */
export function cardPart(title: string, content: Content, count: string | null = null): Html {
  return html`<section class="card">
    <h2>${title}${count === null ? null : html` <span class="badge">${count}</span>`}</h2>
    ${content}
  </section>`;
}

export interface Column {
  name: string;
  /** `line`: a short number. */
  look?: 'right' | 'wide' | 'line';
  /** Percent of the table's. */
  width?: number;
}

function isEmpty(content: Content): boolean {
  return content === null || content === '' || (Array.isArray(content) && content.every(isEmpty));
}

/** A table; on a telephone, a list of its rows. @param totals cells of a last row */
export function tablePart(
  columns: readonly Column[],
  rows: readonly (readonly Content[])[],
  totals: readonly Content[] | null = null,
): Html {
  const looks = { right: 'right number', wide: 'wide', line: 'line-cell number' };
  const lookOf = ({ look }: Column): string => (look === undefined ? '' : looks[look]);
  const cells = (row: readonly Content[]): Html[] =>
    columns.map((column, at) => {
      const content = row[at] ?? null;
      const empty = isEmpty(content) ? ' empty' : '';
      return html`<td class="${lookOf(column)}${empty}" data-label="${column.name}">
        ${content}
      </td>`;
    });
  return html`<table class="rows words">
    <thead>
      <tr>
        ${columns.map((column) => {
          const style = column.width === undefined ? null : html` style="width:${column.width}%"`;
          return html`<th scope="col" class="${lookOf(column)}" ${style}>${column.name}</th>`;
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
      totals === null
        ? null
        : html`<tfoot>
            <tr>
              ${cells(totals)}
            </tr>
          </tfoot>`
    }
  </table>`;
}

export interface Bar {
  name: Content;
  amount: number;
  /** The amount as text; left out: a number. */
  shown?: string;
  means?: string;
  look?: Look;
}

/** Bars by name, with their shares of the total. @param heads of the names, and of the amounts */
export function barsPart(
  { formats, say }: Reader,
  bars: readonly Bar[],
  { heads, whole, total }: { heads: [string, string]; whole: number; total?: string },
): Html {
  const most = Math.max(0, ...bars.map(({ amount }) => amount)) || 1;
  return html`<table class="outcomes">
    <thead>
      <tr>
        <th scope="col">${heads[0]}</th>
        <th scope="col" class="right">${heads[1]}</th>
        <th scope="col" class="right">${say('Share', 'Parcela')}</th>
        <td class="bar-cell"></td>
        <td class="means"></td>
      </tr>
    </thead>
    <tbody>
      ${bars.map(({ name, amount, shown, means = '', look = '' }) => {
        const width = amount === 0 ? null : ((amount / most) * 100).toFixed(2);
        return html`<tr>
          <th scope="row">${name}</th>
          <td class="right number">${shown ?? formats.number(amount)}</td>
          <td class="right number muted">${whole === 0 ? '' : formats.share(amount, whole)}</td>
          <td class="bar-cell" aria-hidden="true">
            ${width === null ? null : html`<span class="bar ${look}" style="width:${width}%"></span>`}
          </td>
          <td class="means small muted">${means}</td>
        </tr>`;
      })}
    </tbody>
    ${
      total === undefined
        ? null
        : html`<tfoot>
            <tr>
              <td>${say('Total', 'Total')}</td>
              <td class="right number">${total}</td>
              <td></td>
              <td class="bar-cell"></td>
              <td class="means"></td>
            </tr>
          </tfoot>`
    }
  </table>`;
}

/** Names and values; null values are left out. */
export function factsPart(facts: readonly (readonly [string, Content])[]): Html {
  const known = facts.filter(([, value]) => value !== null && value !== '');
  return html`<dl class="details">
    ${known.map(
      ([name, value]) =>
        html`<dt>${name}</dt>
          <dd>${value}</dd> `,
    )}
  </dl>`;
}

export interface TimelineEvent {
  /** ISO 8601. */
  at: string;
  what: string;
  note?: string;
}

/** Sorted by instant. Null: no entries. */
export function timelinePart(
  { formats, say }: Reader,
  events: readonly TimelineEvent[],
): Html | null {
  const inOrder = events
    .filter(({ at }) => !Number.isNaN(Date.parse(at)))
    .sort((a, b) => Date.parse(a.at) - Date.parse(b.at));
  if (inOrder.length === 0) return null;
  const items = inOrder.map(
    ({ at, what, note = '' }) =>
      html`<li>
        <span class="number muted">${formats.instant(at)}</span>
        <span>${what}${note === '' ? null : html` <span class="muted">${note}</span>`}</span>
      </li>`,
  );
  const title = say('What happened, and when', 'O que aconteceu, e quando');
  return cardPart(
    title,
    html`<ol class="timeline">
      ${items}
    </ol>`,
  );
}

/** @param steps null: nothing is left to do */
export function leftPart({ say }: Reader, steps: Content, count: string | null = null): Html {
  const nothing = html`<p>${say('Nothing.', 'Nenhuma.')}</p>`;
  return cardPart(say('What is left to do', 'Pendências'), steps ?? nothing, count);
}

/** The facts about a job, on any page. */
export function aboutPart({ say }: Reader, facts: readonly (readonly [string, Content])[]): Html {
  const zone = [say('Time zone', 'Fuso horário'), reportTimeZone] as const;
  return cardPart(say('About this job', 'Sobre este trabalho'), factsPart([...facts, zone]));
}

/** A file of the result folder, or an uploaded one. */
export interface EvidenceFile {
  name: string;
  bytes: number | null;
  mediaType: string | null;
  sha256: string | null;
}

export function evidencePart(
  { formats, say }: Reader,
  files: readonly EvidenceFile[],
): Html | null {
  if (files.length === 0) return null;
  const columns: Column[] = [
    { name: say('File', 'Arquivo') },
    { name: say('Bytes', 'Bytes'), look: 'right' },
    { name: say('Type', 'Tipo') },
    { name: 'SHA-256', look: 'wide' },
  ];
  const rows = files.map(({ name, bytes, mediaType, sha256 }) => [
    name,
    bytes === null ? null : formats.number(bytes),
    mediaType,
    sha256 === null ? null : html`<code>${sha256}</code>`,
  ]);
  return cardPart(say('Evidence', 'Evidências'), tablePart(columns, rows));
}

/** A command line to copy. Broken between words, and only inside long ones. */
export function commandPart(line: string): Html {
  const words = line
    .split(' ')
    .map((word) => (word.length > 24 ? word : html`<span class="flag">${word}</span>`));
  return html`<code class="command"
    >${words.flatMap((word, at) => (at === 0 ? [word] : [' ', word]))}</code
  >`;
}
