import { maskDocument } from '../domain/core/documents';
import type { SectionCounts } from '../domain/profiles/lookup';
import { maskTextOfPeople } from '../protection/redaction';
import { formatsOf } from './formats';
import { html, type Html } from './html';
import { htmlPage } from './html-page';

/** One line of a batch of lookups. */
export interface ReportedPerson {
  line: number;
  /** As it was asked for: shown masked. */
  asked: string;
  status: string;
  /** Null: nothing was told. */
  counts: SectionCounts | null;
  /** BRL, of all properties with a value; null when there is none. */
  assessedValue: number | null;
  rural: 'told' | 'failed' | null;
  /** Relative address of the page of the person; null when there is none. */
  page: string | null;
}

/** Over all people, each once. */
export interface ProfileTotals {
  people: number;
  counts: { [Section in keyof SectionCounts]: number };
  /** BRL. */
  assessedValue: number;
  /** Profiles without their rural part. */
  ruralFailed: number;
  /** Calls that were answered: each may have been charged for. */
  answered: number;
}

export interface ProfileBatchReport {
  batchId: string;
  inputName: string;
  lines: number;
  /** Lines by how they stand. */
  counts: Readonly<Record<string, number>>;
  totals: ProfileTotals;
  people: readonly ReportedPerson[];
  /** Lines that the page leaves out: they stand in `results.csv`. */
  more: number;
  /** ISO 8601. */
  endedAt: string;
  /** Epoch milliseconds. */
  writtenAt: number;
}

const formats = formatsOf('en');
const reais = new Intl.NumberFormat('en-GB', { style: 'currency', currency: 'BRL' });

/** The page that leads to those of the people: it loads nothing and runs nothing. */
export function profileBatchHtml(report: ProfileBatchReport): string {
  const { batchId, inputName, lines, totals, endedAt, writtenAt } = report;
  const main = html`<header>
      <p class="kicker">Asset profiles</p>
      <h1>${maskTextOfPeople(inputName)}</h1>
      <p class="headline">
        ${formats.number(lines)} lines, ${formats.number(totals.people)} profiles found.
      </p>
    </header>
    ${tiles(totals)} ${standings(report)} ${people(report)}
    <footer>
      <code>${batchId}</code> ended ${formats.instant(endedAt)}; written
      ${formats.instant(writtenAt)}. Every row of every section stands in the sheets beside this
      page, with the line of the input that it belongs to.
    </footer>`;
  return htmlPage({ language: 'en', title: 'Asset profiles', ownStyle, main });
}

function tiles({ counts, assessedValue, ruralFailed, answered }: ProfileTotals): Html {
  const aircraft = counts.planes + counts.drones;
  return html`<dl class="tiles">
    ${tile('Vehicles', formats.number(counts.vehicles), '')}
    ${tile('Properties', formats.number(counts.properties), '')}
    ${tile('Assessed value of properties', reais.format(assessedValue), '')}
    ${tile('Aircraft', formats.number(aircraft), counts.drones > 0 ? `${counts.drones} drones` : '')}
    ${tile('Patents', formats.number(counts.patents), '')}
    ${tile(
      'Answers',
      formats.number(answered),
      ruralFailed > 0 ? `${ruralFailed} without the rural part` : '',
    )}
  </dl>`;
}

function tile(name: string, value: string, more: string): Html {
  return html`<div class="tile">
    <dt>${name}</dt>
    <dd class="value ${value.length > 8 ? 'words' : ''}">${value}</dd>
    <dd class="small">${more}</dd>
  </div>`;
}

function standings({ counts }: ProfileBatchReport): Html {
  return html`<section class="card">
    <h2>Lines</h2>
    <table class="rows words">
      <tbody>
        ${Object.entries(counts).map(
          ([status, count]) =>
            html`<tr>
              <td>${status}</td>
              <td class="right number">${formats.number(count)}</td>
            </tr>`,
        )}
      </tbody>
    </table>
  </section>`;
}

const columns = [
  'Line',
  'CPF',
  'Status',
  'Vehicles',
  'Properties',
  'Assessed value',
  'Aircraft',
  'Patents',
  'Rural',
];

function people({ people: rows, more }: ProfileBatchReport): Html {
  return html`<section class="card">
    <h2>People <span class="badge">${formats.number(rows.length + more)}</span></h2>
    <table class="rows words">
      <thead>
        <tr>
          ${columns.map((column) => html`<th>${column}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          (person) =>
            html`<tr>
              ${cellsOf(person).map(
                (cell, at) => html`<td data-label="${columns[at] ?? ''}">${cell}</td>`,
              )}
            </tr>`,
        )}
      </tbody>
    </table>
    ${
      more > 0
        ? html`<p class="muted">${formats.number(more)} more lines stand in results.csv.</p>`
        : null
    }
  </section>`;
}

function cellsOf(person: ReportedPerson): (string | Html)[] {
  const { line, asked, status, counts, assessedValue, rural, page } = person;
  const masked = maskedAsked(asked);
  const told = (count: number | null | undefined): string =>
    count === null || count === undefined ? '-' : formats.number(count);
  const aircraft =
    counts === null || (counts.planes === null && counts.drones === null)
      ? null
      : (counts.planes ?? 0) + (counts.drones ?? 0);
  return [
    formats.number(line),
    page === null ? masked : html`<a href="${page}">${masked}</a>`,
    status,
    told(counts?.vehicles),
    told(counts?.properties),
    assessedValue === null ? '-' : reais.format(assessedValue),
    told(aircraft),
    told(counts?.patents),
    rural === 'failed' ? 'timed out or failed' : (rural ?? '-'),
  ];
}

/** What was refused as no CPF may be anything. */
function maskedAsked(asked: string): string {
  return /^\d{11}$/.test(asked) ? maskDocument(asked) : maskTextOfPeople(asked);
}

const ownStyle = `
.rows td.right { white-space: nowrap; }
.rows th { font-size: 13px; }
`;
