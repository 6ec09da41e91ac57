import { html, type Content, type Html } from '../html';
import { cardPart, tablePart } from '../parts';
import type { Page } from './page';
import type { IssuedRow } from './report-figures';

/** Issued certificates: their subjects, content, and source. Null when none was issued. */
export function issuedPart(page: Page): Html | null {
  const { figures, formats, texts } = page;
  const { issued } = figures;
  if (issued.length === 0) return null;
  const more = figures.counts.issued - issued.length;
  const table = tablePart(
    [
      { name: texts.line, look: 'line' },
      { name: texts.holder, look: 'wide' },
      { name: texts.says },
      { name: texts.source },
    ],
    issued.map((row) => cellsOf(row, page)),
  );
  return cardPart(
    texts.issuedRows,
    html`${table}
    ${more > 0 ? html`<p class="muted">${texts.more(formats.number(more))}</p>` : null}`,
  );
}

function cellsOf(row: IssuedRow, { formats, texts }: Page): Content[] {
  const { baseName, capturedAt, classification, divergent, document, holderName, line } = row;
  const { officialName, reference, sourceName, type } = row;
  const name = holderName ?? officialName;
  const small = (words: string | null): Html | null =>
    words === null || words === '' ? null : html`<span class="small muted block">${words}</span>`;
  const named = [document, type, reference === '' ? '' : `${texts.reference} ${reference}`];
  return [
    line,
    [
      name,
      small(name === officialName ? null : officialName && texts.officialName(officialName)),
      small(named.filter((one) => one !== '').join(' · ')),
    ],
    [classification, small(divergent === true ? texts.differs(baseName) : null)],
    [sourceName, small(capturedAt === null ? null : formats.instant(capturedAt))],
  ];
}
