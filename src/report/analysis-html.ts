import type {
  Analysis,
  AnalysedPayer,
  AnalysisIssue,
  AnalysisSummary,
} from '../domain/credit/analysis';
import { maskDocument } from '../domain/core/documents';
import { withoutKeys } from '../domain/cnab/invoice-key';
import { maskTextOfPeople } from '../protection/redaction';
import { Html, html } from './html';
import { htmlPage } from './html-page';

/** A receivable as the report shows it. */
export interface ReportedReceivable {
  number: string | null;
  value: number | null;
  dueOn: string | null;
  status: string;
  issues: AnalysisIssue[];
}

export interface ReportedPayer extends Pick<
  AnalysedPayer,
  'name' | 'document' | 'status' | 'issues'
> {
  /** Those with issues; `more` of them are left out, and stand in the sheets. */
  receivables: ReportedReceivable[];
  more: number;
}

/** Which analysis a page is of. */
export interface ReportedWork {
  workId: string;
  operationId: string | null;
  /** Its end, ISO 8601. */
  endedAt: string;
  /** What was sent. */
  files: readonly { name: string; sha256: string }[];
}

export interface AnalysisReport {
  work: ReportedWork;
  analysis: Analysis;
  fileName: string;
  contradictions: readonly string[];
  /** Those that have issues, or receivables with issues. */
  payers: readonly ReportedPayer[];
  morePayers: number;
}

const statuses = [
  ['approved', 'good'],
  ['alerted', 'warn'],
  ['blocked', 'bad'],
] as const;

/** What came from the service is escaped, and documents are masked wherever they stand. */
export function analysisHtml(report: AnalysisReport): string {
  const { work, analysis, contradictions, payers, morePayers } = report;
  const fileName = masked(report.fileName);
  const { assignor, summary } = analysis;
  return htmlPage({
    language: 'en',
    title: `Credit analysis: ${fileName}`,
    ownStyle,
    main: html`<header>
        <p class="kicker">Credit analysis</p>
        <h1>${fileName}</h1>
        <p class="headline">
          ${masked(assignor.name ?? 'cedente without a name')}: ${assignor.status}; engine
          ${analysis.engineName ?? analysis.engineId ?? 'not told'}
        </p>
        ${workLine(work)}
      </header>
      ${contradictionsPart(contradictions)}
      <section>
        <h2>Totals</h2>
        ${barPart('By count', summary, { of: countOf, told: figure })}
        ${barPart('By value', summary, { of: valueOf, told: money })}
      </section>
      <section>
        <h2>Cedente</h2>
        ${issuesPart(assignor.issues)}
      </section>
      <section>
        <h2>Sacados and titulos with issues</h2>
        ${payers.length === 0 ? html`<p>None.</p>` : payers.map(payerPart)}
        ${morePayers === 0 ? null : html`<p>And ${morePayers} more: see titulos.csv.</p>`}
      </section>`,
  });
}

function workLine({ workId, operationId, endedAt, files }: ReportedWork): Html {
  const sums = files.map(({ name, sha256 }) => `sha256 of ${masked(name)}: ${sha256}`);
  const parts = [workId, `operation ${operationId ?? '-'}`, `ended ${endedAt}`, ...sums];
  return html`<p class="of">${parts.join('; ')}</p>`;
}

/** A document that somebody wrote into a name or a message is one all the same. */
function masked(text: string): string {
  return withoutKeys(maskTextOfPeople(text));
}

function contradictionsPart(contradictions: readonly string[]): Html | null {
  if (contradictions.length === 0) return null;
  return html`<section>
    <h2>The result contradicts itself</h2>
    <ul>
      ${contradictions.map((sentence) => html`<li>${masked(sentence)}</li>`)}
    </ul>
  </section>`;
}

function countOf(summary: AnalysisSummary, status: (typeof statuses)[number][0]): number {
  return summary[status] ?? 0;
}

function valueOf(summary: AnalysisSummary, status: (typeof statuses)[number][0]): number {
  return summary[`${status}Value`] ?? 0;
}

/** One bar of 600 units, a part a status. */
function barPart(
  title: string,
  summary: AnalysisSummary,
  { of, told }: { of: typeof countOf; told: (value: number) => string },
): Html {
  const total = statuses.reduce((sum, [status]) => sum + of(summary, status), 0);
  let from = 0;
  const parts = statuses.map(([status, look]) => {
    const width = total === 0 ? 0 : (of(summary, status) / total) * 600;
    const part = html`<rect
      x="${from.toFixed(1)}"
      y="0"
      width="${width.toFixed(1)}"
      height="28"
      class="fill-${look}"
      ><title>${status}: ${told(of(summary, status))}</title></rect
    >`;
    from += width;
    return part;
  });
  const words = statuses.map(([status]) => `${status} ${told(of(summary, status))}`).join(', ');
  return html`<h3>${title}: ${told(total)}</h3>
    <svg
      viewBox="0 0 600 28"
      preserveAspectRatio="none"
      class="sums"
      role="img"
      aria-label="${title}: ${words}"
    >
      ${parts}
    </svg>
    <p>
      ${statuses.map(
        ([status, look]) =>
          html`<span class="key"
            ><svg viewBox="0 0 10 10" class="swatch" aria-hidden="true">
              <rect width="10" height="10" class="fill-${look}" /></svg
            >${status} ${told(of(summary, status))}</span
          >`,
      )}
    </p>`;
}

function payerPart({ name, document, status, issues, receivables, more }: ReportedPayer): Html {
  return html`<details>
    <summary>
      ${masked(name ?? 'without a name')}
      (${document === null ? 'without a document' : maskDocument(document)}): ${status},
      ${receivables.length + more} titulo(s) with issues
    </summary>
    ${issues.length === 0 ? null : issuesPart(issues)} ${receivables.map(receivablePart)}
    ${more === 0 ? null : html`<p>And ${more} more titulos: see titulos.csv.</p>`}
  </details>`;
}

function receivablePart({ number, value, dueOn, status, issues }: ReportedReceivable): Html {
  const told = value === null ? 'without a value' : money(value);
  return html`<details>
    <summary>Titulo ${number ?? '-'}: ${status}, ${told}, due ${dueOn ?? '-'}</summary>
    ${issuesPart(issues)}
  </details>`;
}

function issuesPart(issues: readonly AnalysisIssue[]): Html {
  if (issues.length === 0) return html`<p>No issues.</p>`;
  return html`<div class="wide">
    <table>
      <thead>
        <tr>
          <th>Rule</th>
          <th>Status</th>
          <th>Field</th>
          <th>Actual</th>
          <th>Expected</th>
          <th>Threshold</th>
          <th>Message</th>
        </tr>
      </thead>
      <tbody>
        ${issues.map(
          (issue) =>
            html`<tr>
              <td>${issue.ruleName ?? issue.ruleId}</td>
              <td>${issue.status}</td>
              <td>${issue.field}</td>
              ${[issue.actual, issue.expected, issue.threshold, issue.message].map(
                (text) => html`<td>${text === null ? null : masked(text)}</td>`,
              )}
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}

function figure(value: number): string {
  return new Intl.NumberFormat('en', { maximumFractionDigits: 2 }).format(value);
}

function money(value: number): string {
  const cents = { minimumFractionDigits: 2, maximumFractionDigits: 2 };
  return `BRL ${new Intl.NumberFormat('en', cents).format(value)}`;
}

const ownStyle = `
details { margin: 6px 0 6px 12px; }
summary { cursor: pointer; overflow-wrap: anywhere; }
.of { overflow-wrap: anywhere; font-size: 0.85em; }
.sums { display: block; width: 100%; height: 28px; }
.key { margin-right: 20px; white-space: nowrap; } .swatch { width: 10px; height: 10px; margin-right: 6px; }
.fill-good { fill: var(--good); } .fill-warn { fill: var(--warn); } .fill-bad { fill: var(--bad); }
.wide { overflow-x: auto; }
td, th { text-align: left; padding: 4px 8px; vertical-align: top; }
`;
