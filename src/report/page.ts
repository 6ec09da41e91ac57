import type { Words } from '../domain/job';
import type { Chart } from './charts';
import { Html, html, type Content } from './html';
import type { Reader } from './reader';

/** A page is data: tiles, and sections of blocks. `page-html.ts` alone knows how it looks. */

/** In both languages, or the same in both. */
export type Text = Words | string;

/** Good, open, or possibly charged without a result. */
export type Look = '' | 'good' | 'warn' | 'bad';

export interface Tile {
  name: Text;
  value: string | number;
  note?: string;
  look?: Look;
}

export interface Column {
  name: Text;
  /** How its values are shown; `line`: a short number; `wide`: a long text. */
  as?: 'count' | 'money' | 'instant' | 'status' | 'name' | 'line' | 'wide';
  /** Percent of the table's. */
  width?: number;
}

/** On a telephone, a list of its rows. */
export interface Table {
  columns: readonly Column[];
  rows: readonly (readonly Content[])[];
  /** Cells of a last row. */
  totals?: readonly Content[] | null;
  /** Rows beyond those, and where they are. */
  more?: readonly [count: number, where: string];
}

/** Amounts by name, with their shares of the total. */
export interface Bars {
  bars: readonly Bar[];
  /** What the names are, and what the amounts are. */
  of: Text;
  amount: Text;
  as?: 'count' | 'money';
}

export interface Bar {
  name: Content;
  amount: number;
  /** False: the name has no amount. */
  known?: boolean;
  means?: string;
  look?: Look;
}

/** Names and values; null values are left out. */
export type Fact = readonly [name: Text, value: Content];

export type Block =
  | Html
  | Table
  | Bars
  | { facts: readonly Fact[] }
  | { items: readonly Content[]; ordered?: true }
  | { chart: Chart }
  | { text: Content }
  | { note: Content }
  | { heading: Content }
  /** Side by side, where there is room. */
  | { pair: readonly (Block | null)[] }
  | null;

export interface Section {
  title: Text;
  /** Number of its items. */
  count?: number | undefined;
  /** Stands out. */
  isNotice?: true;
  blocks: readonly Block[] | Block;
}

export interface Page {
  kicker: Text;
  title: string;
  headline: string;
  when?: string;
  /** It contains pictures. */
  hasPictures?: boolean;
  tiles: readonly Tile[];
  sections: readonly (Section | null)[];
  /** In the footer. */
  about: Text;
}

export function textOf(text: Text, { say }: Reader): string {
  return typeof text === 'string' ? text : say(...text);
}

export function isEmpty(content: Content): boolean {
  return (
    content === null ||
    content === undefined ||
    content === '' ||
    (Array.isArray(content) && content.every(isEmpty))
  );
}

/** Small words below the others of a cell; null: none. */
export function small(words: Content): Html | null {
  return isEmpty(words) ? null : html`<span class="small muted block">${words}</span>`;
}

export function blocks(lines: readonly Content[]): Html[] {
  return lines.map((line) => html`<span class="block">${line}</span> `);
}

export function code(text: string | null | undefined): Html | null {
  return text == null ? null : html`<code>${text}</code>`;
}

export function badge(word: string, look: Look): Html {
  return html`<strong class="badge ${look}">${word}</strong>`;
}

/** `name: value`, of several in one cell. */
export function fact(name: string, value: Content): Html {
  return html`<span class="fact"><span class="muted">${name}:</span> ${value}</span> `;
}
