import type { InvestigationReport } from '../../domain/investigations/report';
import type { Cell } from '../../domain/core/findings';
import { formatsOf, type Formats, type ReportLanguage } from '../formats';
import { html, type Content, type Html } from '../html';
import { en, type InvestigationTexts } from './texts-en';
import { pt } from './texts-pt';

/** Context of every part of the page. */
export interface Page {
  report: InvestigationReport;
  texts: InvestigationTexts;
  formats: Formats;
  /** Epoch milliseconds. */
  writtenAt: number;
}

const texts: Record<ReportLanguage, InvestigationTexts> = { en, pt };

export function pageOf(
  report: InvestigationReport,
  { language, writtenAt }: { language: ReportLanguage; writtenAt: number },
): Page {
  return { report, texts: texts[language], formats: formatsOf(language), writtenAt };
}

/** Our own word in the page's language; a service's word unchanged. */
export function label({ texts: { labels } }: Page, word: string): string {
  const known = Object.hasOwn(labels, word) ? labels[word] : undefined;
  return known ?? word.replaceAll(/[_.]/g, ' ');
}

/** A value of a service. */
export function cellText({ texts: { no, yes } }: Page, cell: Cell): string {
  if (cell === null) return '';
  return typeof cell === 'boolean' ? (cell ? yes : no) : String(cell);
}

export function money({ texts: { locale } }: Page, value: number): string {
  return new Intl.NumberFormat(locale, { style: 'currency', currency: 'BRL' }).format(value);
}

/** @param on `YYYY-MM-DD` */
export function day({ texts: { locale } }: Page, on: string): string {
  const month = locale === 'pt-BR' ? '2-digit' : 'short';
  const form = { day: '2-digit', month, year: 'numeric', timeZone: 'UTC' } as const;
  return new Intl.DateTimeFormat(locale, form).format(Date.parse(on));
}

export function card(title: string, ...content: Content[]): Html {
  return html`<section class="card">
    <h2>${title}</h2>
    ${content}
  </section>`;
}

export function note(text: string): Html {
  return html`<p class="muted">${text}</p>`;
}

export interface Column {
  name: string;
  look?: 'right number';
  /** Percent of the width; left out: an equal part of the rest. */
  share?: number;
}

/** On a telephone each row is a list of its cells. */
export function table(
  columns: readonly Column[],
  rows: readonly (readonly Content[])[],
  totals: readonly Content[] | null = null,
): Html {
  const cellsOf = (cells: readonly Content[]): Html[] =>
    cells.map((cell, at) => {
      const { look = '', name = '' } = columns[at] ?? {};
      const looks = isBlank(cell) ? `${look} blank` : look;
      return html`<td class="${looks}" data-label="${name}">${cell}</td>`;
    });
  return html`<table class="rows words">
    <colgroup>
      ${columns.map(({ share }) =>
        share === undefined ? html`<col />` : html`<col style="width: ${share}%" />`,
      )}
    </colgroup>
    <thead>
      <tr>
        ${columns.map(({ look: how = '', name }) => html`<th scope="col" class="${how}">${name}</th>`)}
      </tr>
    </thead>
    <tbody>
      ${rows.map(
        (cells) =>
          html`<tr>
            ${cellsOf(cells)}
          </tr>`,
      )}
    </tbody>
    ${
      totals === null
        ? null
        : html`<tfoot>
            <tr>
              ${cellsOf(totals)}
            </tr>
          </tfoot>`
    }
  </table>`;
}

function isBlank(cell: Content): boolean {
  return cell === '' || cell === null || (Array.isArray(cell) && cell.every(isBlank));
}

export function block(text: string | Html | null): Html | null {
  return text === null || text === '' ? null : html`<span class="muted small block">${text}</span>`;
}

/** Colour of a status: complete, partial, missing. */
const statusLooks: Readonly<Record<string, string>> = {
  answered: 'good',
  partial: 'warn',
  missing: 'bad',
  refused: 'bad',
  undecided: 'warn',
};

export function lookOf(status: string): string {
  return statusLooks[status] ?? '';
}

export function badge(page: Page, status: string): Html {
  return html`<span class="badge ${lookOf(status)}">${label(page, status)}</span>`;
}
