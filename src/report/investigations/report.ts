import { punctuateDocument } from '../../domain/core/documents/documents';
import type { InvestigationReport } from '../../domain/investigations/report';
import { reportTimeZone, type ReportLanguage } from '../formats';
import { html, type Html } from '../html';
import { htmlPage } from '../html-page';
import { assetsPart, listsPart } from './lists';
import { ownStyle } from './own-style';
import { day, money, pageOf, type Page } from './page';
import {
  certificatesPart,
  coveragePart,
  divergencesPart,
  findingsPart,
  isRequested,
  subjectPart,
} from './parts';
import { evidencePart, requestsText, timelinePart } from './timeline';

/**
 * The report on a subject as one page, which loads nothing and runs nothing. Texts of services are escaped.
 *
 * @param how `writtenAt`: epoch milliseconds, the only value that is not from the report
 */
export function investigationHtml(
  report: InvestigationReport,
  how: { language: ReportLanguage; writtenAt: number },
): string {
  const page = pageOf(report, how);
  const { formats, texts, writtenAt } = page;
  return htmlPage({
    language: texts.htmlLanguage,
    title: `${texts.title}: ${subjectName(report)}`,
    ownStyle,
    main: html`${headingPart(page)} ${tilesPart(page)} ${incompletePart(page)} ${stoppedPart(page)}
      ${subjectPart(page)} ${findingsPart(page)} ${coveragePart(page)} ${certificatesPart(page)}
      ${assetsPart(page)} ${listsPart(page, 'occurrences')} ${listsPart(page, 'pictures')}
      ${listsPart(page, 'risk', texts.riskIntro)} ${listsPart(page, 'credit')}
      ${listsPart(page, 'changes', texts.changesIntro)} ${divergencesPart(page)}
      ${timelinePart(page)} ${evidencePart(page)}
      <footer>
        <p>${texts.footer}</p>
        <p>
          <code>${report.id}</code>. ${texts.written(formats.instant(writtenAt))} ${texts.timeZone}:
          ${reportTimeZone}.
        </p>
      </footer>`,
  });
}

function subjectName({ subject, plan }: InvestigationReport): string {
  const { cnpj, cpf, name } = subject;
  if (typeof name === 'string') return name;
  const [document] = [cnpj, cpf].flatMap((list) => list ?? []);
  return document === undefined ? plan.name : punctuateDocument(document);
}

function headingPart({ formats, report, texts }: Page): Html {
  const { requested, plan, settledAt, status } = report;
  const label = requested.label === null ? '' : ` (${requested.label})`;
  return html`<header>
    <p class="kicker">${texts.title}</p>
    <h1>${subjectName(report)}</h1>
    <p class="headline">${texts.headlines[status] ?? status}</p>
    <p class="kicker">
      ${texts.plan} ${plan.name}.
      ${texts.requestedBy(requested.by, formats.instant(requested.at))}${label}, ${texts.ended}
      ${formats.instant(settledAt)}.
    </p>
  </header>`;
}

function incompletePart({ report, texts }: Page): Html | null {
  if (report.error === null) return null;
  return html`<section class="card notice">
    <h2>${texts.incomplete}</h2>
    <p>${texts.why(report.error)}</p>
  </section>`;
}

function stoppedPart(page: Page): Html | null {
  const { report, texts } = page;
  if (report.status !== 'cancelled') return null;
  const stopped = report.coverage.filter(({ status }) => status !== 'answered');
  return html`<section class="card notice">
    <h2>${texts.stopped}</h2>
    <ul>
      ${stopped.map(({ step, why }) => html`<li>${why === null ? step : `${step}: ${texts.why(why)}`}</li>`)}
    </ul>
    <p>${requestsText(page)}</p>
  </section>`;
}

function tilesPart(page: Page): Html {
  const { formats, report, texts } = page;
  const { tiles } = texts;
  const { assets, certificates, coverage, divergences } = report;
  const requested = coverage.filter((row) => row.requested > 0);
  const answered = requested.filter(({ status }) => status === 'answered').length;
  const issued = certificates.filter(({ file }) => file !== null);
  const [first] = issued.flatMap(({ validity }) => validity?.validUntil ?? []).toSorted();
  const listed = assets.totals.reduce((sum, { count }) => sum + count, 0);
  const worth = assets.totals.reduce((sum, { value }) => sum + (value ?? 0), 0);
  const risk = factOf(report, 'riskLevel') ?? factOf(report, 'riskStatus');
  const score = factOf(report, 'riskScore');
  const open = report.changes.reduce((sum, table) => sum + openOf(table.rows), 0);
  const unless = (section: Parameters<typeof isRequested>[1], isThere: boolean): string | null => {
    if (!isRequested(page, section)) return tiles.notRequested;
    return isThere ? null : tiles.noAnswer;
  };
  return html`<dl class="tiles">
    ${tile(tiles.steps, formats.number(answered), tiles.stepsOf(formats.number(requested.length)), answered < requested.length ? 'warn' : 'good')}
    ${tile(tiles.certificates, unless('certificates', issued.length > 0) ?? formats.number(issued.length), first === undefined ? (issued.length > 0 ? tiles.noTerm : '') : tiles.firstEnds(day(page, first)))}
    ${tile(tiles.assets, unless('assets', assets.people.length > 0) ?? formats.number(listed), worth > 0 ? tiles.assetsWorth(money(page, worth)) : '')}
    ${tile(tiles.risk, unless('risk', risk !== null) ?? risk ?? '', score === null ? '' : tiles.riskScore(score))}
    ${tile(tiles.changes, unless('changes', report.changes.length > 0) ?? formats.number(open), '')}
    ${tile(tiles.divergences, formats.number(divergences.length), divergences.length > 0 ? tiles.divergencesSome : tiles.divergencesNone, divergences.length > 0 ? 'warn' : '')}
  </dl>`;
}

/** Changes without an acknowledgement, of those shown. */
function openOf(rows: InvestigationReport['changes'][number]['rows']): number {
  return rows.filter((row) => row.includes('open')).length;
}

function factOf({ findings }: InvestigationReport, wanted: string): string | null {
  const facts = findings.flatMap((finding) => finding.facts);
  const value = facts.find(({ what }) => what === wanted)?.value ?? null;
  return value === null ? null : String(value);
}

function tile(name: string, value: string, more: string, look = ''): Html {
  const words = /\d/.test(value) && value.length <= 8 ? '' : 'words';
  return html`<div class="tile ${look}">
    <dt>${name}</dt>
    <dd class="value ${words}">${value}</dd>
    <dd class="small">${more}</dd>
  </div>`;
}
