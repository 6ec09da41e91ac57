import type { DecisionAction } from '../domain/certificates/work';
import { needsAttention } from '../domain/attention';
import {
  rowStatuses,
  type RowStatus,
  type StatusCounts,
} from '../domain/certificates/certificates';
import { formatsOf, reportTimeZone, type ReportLanguage } from './formats';
import { Html, html, type Content } from './html';
import { htmlPage } from './html-page';
import { leftPart } from './left-part';
import { maskTextOfPeople } from '../protection/redaction';
import { inputName, looks, type Page, type Report } from './page';
import { picturesPart } from './pictures-part';
import { en, type ReportTexts } from './texts-en';
import { pt } from './texts-pt';

export const reportTexts: Record<ReportLanguage, ReportTexts> = { en, pt };

/** Documents are masked, and whatever came from a spreadsheet or a service is escaped. */
export function reportHtml(report: Report, language: ReportLanguage): string {
  const page: Page = { ...report, texts: reportTexts[language], formats: formatsOf(language) };
  const { texts } = page;
  return htmlPage({
    language: texts.htmlLanguage,
    title: `${texts.title}: ${inputName(page)}`,
    main: html`${headingPart(page)} ${tilesPart(page)} ${outcomesPart(page)} ${picturesPart(page)}
      ${classificationsPart(page)} ${leftPart(page)} ${doubleChargesPart(page)}
      ${decisionsPart(page)} ${detailsPart(page)}
      <footer>
        <p>${texts.footer}</p>
        <p>
          ${texts.written(page.formats.instant(page.writtenAt))} ${texts.timeZone}:
          ${reportTimeZone}.
        </p>
      </footer>`,
  });
}

function headingPart(page: Page): Html {
  const { texts, formats, figures, summary } = page;
  const { counts, total } = figures;
  const headline = texts.issuedOf(formats.number(counts.issued), formats.number(total), total);
  return html`<header>
    <p class="kicker">${texts.title}</p>
    <h1>${inputName(page)}</h1>
    <p class="headline">${headline}. ${stands(page)}</p>
    <p class="kicker">
      ${formats.instant(summary.startedAt)} – ${formats.instant(summary.finishedAt)}
    </p>
  </header>`;
}

function stands({ texts, formats, figures }: Page): string {
  const needed = needAPerson(figures.counts);
  if (needed > 0) return texts.needAPerson(formats.number(needed), needed);
  const { cancelled } = figures.counts;
  if (cancelled > 0) return texts.onlyCancelled(formats.number(cancelled), cancelled);
  return texts.nothingLeft;
}

/** As the command's exit code has it: cancelled rows were left on purpose. */
function needAPerson(counts: StatusCounts): number {
  return rowStatuses
    .filter((status) => needsAttention('certificate-batch', status))
    .reduce((sum, status) => sum + counts[status], 0);
}

function tilesPart({ texts, formats, figures, summary }: Page): Html {
  const words = texts.tiles;
  const { counts, total, doubleCharges, takenOver, waits } = figures;
  const needed = needAPerson(counts);
  const { cost } = summary;
  const waited = waits.total > 0;
  return html`<dl class="tiles">
    ${tile(words.issued, formats.number(counts.issued), words.ofTotal(formats.share(counts.issued, total), formats.number(total)), 'good')}
    ${tile(words.person, formats.number(needed), needed === 0 ? words.personNone : words.personSome, needed === 0 ? '' : 'warn')}
    ${tile(words.requested, formats.number(summary.requested), takenOver === 0 ? words.requestedNote : words.takenOver(formats.number(takenOver)))}
    ${tile(words.doubleCharges, formats.number(doubleCharges.count), doubleCharges.count === 0 ? words.doubleChargesNone : words.doubleChargesSome, doubleCharges.count === 0 ? '' : 'warn')}
    ${tile(words.cost, cost ?? words.costNotTold, cost === null ? words.costNote : words.costTold, cost === null ? 'words' : '')}
    ${tile(words.wait, waited ? formats.duration(waits.quantile(0.5)) : '–', waited ? words.waitNote(formats.duration(waits.quantile(0.9))) : words.waitNone)}
  </dl>`;
}

function tile(name: string, value: Content, note: string, look = ''): Html {
  const words = look === 'words' ? ' words' : '';
  return html`<div class="tile ${look}">
    <dt>${name}</dt>
    <dd>
      <div class="value${words}">${value}</div>
      <div class="small">${note}</div>
    </dd>
  </div>`;
}

function outcomesPart({ texts, formats, figures }: Page): Html {
  const { counts, total } = figures;
  const most = Math.max(1, ...rowStatuses.map((status) => counts[status]));
  const shown = (Object.keys(texts.statuses) as RowStatus[]).filter((status) => counts[status] > 0);
  const rows = shown.map((status) => {
    const count = counts[status];
    const width = ((count / most) * 100).toFixed(2);
    return html`<tr>
      <th scope="row">${texts.statuses[status]}</th>
      <td class="right number">${formats.number(count)}</td>
      <td class="right number muted">${formats.share(count, total)}</td>
      <td class="bar-cell" aria-hidden="true">
        <span class="bar ${looks[status]}" style="width:${width}%"></span>
      </td>
      <td class="means small muted">${texts.statusMeans[status]}</td>
    </tr>`;
  });
  return html`<section class="card">
    <h2>${texts.outcomes}</h2>
    <table class="outcomes">
      <thead>
        <tr>
          <th scope="col">${texts.status}</th>
          <th scope="col" class="right">${texts.lines}</th>
          <th scope="col" class="right">${texts.share}</th>
          <th class="bar-cell"></th>
          <th class="means"></th>
        </tr>
      </thead>
      <tbody>
        ${rows}
      </tbody>
      <tfoot>
        <tr>
          <td>${texts.total}</td>
          <td class="right number">${formats.number(total)}</td>
          <td></td>
          <td class="bar-cell"></td>
          <td class="means"></td>
        </tr>
      </tfoot>
    </table>
  </section>`;
}

function classificationsPart({ texts, formats, figures }: Page): Html | null {
  const { counts, divergent } = figures;
  if (counts.issued === 0) return null;
  const named = (word: string): string => {
    if (word === '') return texts.noClassification;
    return word === '…' ? texts.otherClassifications : word;
  };
  const rows = figures.classifications.map(
    ({ word, count }) =>
      html`<tr>
        <td>${named(word)}</td>
        <td class="right number">${formats.number(count)}</td>
        <td class="right number muted">${formats.share(count, counts.issued)}</td>
      </tr>`,
  );
  return html`<section class="card">
    <h2>${texts.classifications}</h2>
    <table class="words">
      <thead>
        <tr>
          <th scope="col">${texts.classification}</th>
          <th scope="col" class="right">${texts.certificates}</th>
          <th scope="col" class="right">${texts.share}</th>
        </tr>
      </thead>
      <tbody>
        ${rows}
      </tbody>
    </table>
    ${divergent === 0 ? null : html`<p class="small">${texts.divergent(formats.number(divergent), divergent)}</p>`}
  </section>`;
}

function doubleChargesPart({ texts, formats, figures }: Page): Html | null {
  const { count, lines } = figures.doubleCharges;
  if (count === 0) return null;
  const more = count - lines.length;
  return html`<section class="card">
    <h2>${texts.doubleCharges}</h2>
    <p>${texts.doubleChargesMeans(formats.number(count), count)}</p>
    <p class="number">
      ${texts.lines}: ${lines.join(', ')}${more > 0 ? ` ${texts.more(formats.number(more))}` : ''}
    </p>
  </section>`;
}

const mostDecisions = 200;
const mostLinesNamed = 20;

function decisionsPart({ texts, formats, decisions: taken }: Page): Html | null {
  if (taken.length === 0) return null;
  const rows = taken
    .slice(-mostDecisions)
    .map(({ number, action, externalId, note, by, at, rows: of }) => {
      const named = of
        .slice(0, mostLinesNamed)
        .map(({ line }) => line)
        .join(', ');
      const lines = texts.decidedLines(formats.number(of.length), of.length);
      return html`<tr>
        <td class="line-cell number" data-label="${texts.decision}">${number}</td>
        <td class="subject-cell" data-label="${texts.decidedAt}">
          ${formats.instant(at)}
          <div class="small muted">${by}</div>
        </td>
        <td data-label="${texts.happened}">
          ${texts.actions[action as DecisionAction] ?? action}${externalId === null ? null : ` ${externalId}`}
          <div class="small muted">${lines}: ${named}${of.length > mostLinesNamed ? ' …' : ''}</div>
        </td>
        <td data-label="${texts.reason}">${maskTextOfPeople(note)}</td>
      </tr>`;
    });
  return html`<section class="card">
    <h2>${texts.decisions}</h2>
    <table class="rows">
      <thead>
        <tr>
          <th scope="col" class="line-cell">Nº</th>
          <th scope="col" class="subject-cell">${texts.decidedAt}, ${texts.decidedBy}</th>
          <th scope="col">${texts.decision}</th>
          <th scope="col">${texts.reason}</th>
        </tr>
      </thead>
      <tbody>
        ${rows}
      </tbody>
    </table>
  </section>`;
}

function detailsPart(page: Page): Html {
  const { texts, formats, summary, record } = page;
  const took = Date.parse(summary.finishedAt) - Date.parse(summary.startedAt);
  const blank =
    summary.blankLines === 0 ? '' : ` (${texts.blankLines(formats.number(summary.blankLines))})`;
  const facts: [string, Content][] = [
    [texts.batchId, html`<code>${summary.batchId}</code>`],
    [texts.input, `${inputName(page)}${blank}`],
    [texts.sha256, record.inputSha256 === null ? null : html`<code>${record.inputSha256}</code>`],
    [texts.label, record.label === null ? null : maskTextOfPeople(record.label)],
    [
      texts.type,
      record.type === null || record.inputName === null ? null : texts.types[record.type],
    ],
    [texts.createdBy, record.createdBy],
    [texts.started, formats.instant(summary.startedAt)],
    [texts.ended, `${formats.instant(summary.finishedAt)} (${texts.took(formats.duration(took))})`],
    [texts.edition, texts.times(formats.number(summary.edition + 1), summary.edition + 1)],
    [texts.terms, terms(page)],
    [
      texts.auditHead,
      summary.auditHead === undefined ? null : html`<code>${summary.auditHead}</code>`,
    ],
    [texts.timeZone, reportTimeZone],
  ];
  const shown = facts.filter(([, value]) => value !== null);
  return html`<section class="card">
    <h2>${texts.details}</h2>
    <dl class="details">
      ${shown.map(
        ([name, value]) =>
          html`<dt>${name}</dt>
            <dd>${value}</dd> `,
      )}
    </dl>
  </section>`;
}

function terms({ texts, formats, record }: Page): string {
  if (record.terms === undefined) return texts.termsNotFiled;
  const { rowDeadlineMs, reuseSince, onUnknown } = record.terms;
  return [
    texts.deadlineTerm(formats.duration(rowDeadlineMs)),
    texts.reuseTerm(formats.instant(reuseSince)),
    texts.unknownTerms[onUnknown],
  ].join('; ');
}
