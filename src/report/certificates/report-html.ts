import type { DecisionAction } from '../../domain/certificates/job';
import { needsAttention } from '../../domain/attention';
import {
  rowStatuses,
  type RowStatus,
  type StatusCounts,
} from '../../domain/certificates/certificates';
import { reportTimeZone, type ReportLanguage } from '../formats';
import { html, type Content, type Html } from '../html';
import { htmlPage } from '../html-page';
import {
  barsPart,
  cardPart,
  factsPart,
  headerPart,
  tablePart,
  tilesPart,
  type Look,
} from '../parts';
import { issuedPart } from './issued-part';
import { readerOf } from '../reader';
import { leftPart } from './left-part';
import { maskTextOfPeople } from '../../protection/redaction';
import { inputName, looks, type Page, type Report } from './page';
import { picturesPart } from './pictures-part';
import { en, type ReportTexts } from './texts-en';
import { pt } from './texts-pt';

export const reportTexts: Record<ReportLanguage, ReportTexts> = { en, pt };

/** Documents are masked, and texts of a spreadsheet or a service are escaped. */
export function reportHtml(report: Report, language: ReportLanguage): string {
  const reader = readerOf(language);
  const page: Page = { ...report, reader, texts: reportTexts[language], formats: reader.formats };
  const { texts } = page;
  return htmlPage({
    language: texts.htmlLanguage,
    title: `${texts.title}: ${inputName(page)}`,
    main: html`${headingPart(page)} ${figuresPart(page)} ${outcomesPart(page)} ${picturesPart(page)}
      ${classificationsPart(page)} ${leftPart(page)} ${doubleChargesPart(page)} ${issuedPart(page)}
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
  return headerPart({
    kicker: texts.title,
    title: inputName(page),
    headline: `${headline}. ${stateText(page)}`,
    when: `${formats.instant(summary.startedAt)} – ${formats.instant(summary.finishedAt)}`,
  });
}

function stateText({ texts, formats, figures }: Page): string {
  const needed = needAPerson(figures.counts);
  if (needed > 0) return texts.needAPerson(formats.number(needed), needed);
  const { cancelled } = figures.counts;
  if (cancelled > 0) return texts.onlyCancelled(formats.number(cancelled), cancelled);
  return texts.nothingLeft;
}

/** Same rule as the command's exit code: cancelled rows need no attention. */
function needAPerson(counts: StatusCounts): number {
  return rowStatuses
    .filter((status) => needsAttention('certificate-batch', status))
    .reduce((sum, status) => sum + counts[status], 0);
}

function figuresPart({ texts, formats, figures, summary }: Page): Html {
  const words = texts.tiles;
  const { counts, total, doubleCharges, takenOver, waits } = figures;
  const needed = needAPerson(counts);
  const { cost } = summary;
  const waited = waits.total > 0;
  const tile = (name: string, value: string, note: string, look: Look = '') => {
    return { name, value, note, look };
  };
  return tilesPart([
    tile(
      words.issued,
      formats.number(counts.issued),
      words.ofTotal(formats.share(counts.issued, total), formats.number(total)),
      'good',
    ),
    tile(
      words.person,
      formats.number(needed),
      needed === 0 ? words.personNone : words.personSome,
      needed === 0 ? '' : 'warn',
    ),
    tile(
      words.requested,
      formats.number(summary.requested),
      takenOver === 0 ? words.requestedNote : words.takenOver(formats.number(takenOver)),
    ),
    tile(
      words.doubleCharges,
      formats.number(doubleCharges.count),
      doubleCharges.count === 0 ? words.doubleChargesNone : words.doubleChargesSome,
      doubleCharges.count === 0 ? '' : 'warn',
    ),
    tile(
      words.cost,
      cost ?? words.costNotReported,
      cost === null ? words.costNote : words.costReported,
    ),
    tile(
      words.wait,
      waited ? formats.duration(waits.quantile(0.5)) : '–',
      waited ? words.waitNote(formats.duration(waits.quantile(0.9))) : words.waitNone,
    ),
  ]);
}

function outcomesPart({ reader, texts, formats, figures }: Page): Html {
  const { counts, total } = figures;
  const shown = (Object.keys(texts.statuses) as RowStatus[]).filter((status) => counts[status] > 0);
  const bars = shown.map((status) => ({
    name: texts.statuses[status],
    amount: counts[status],
    means: texts.statusMeans[status],
    look: looks[status],
  }));
  const heads: [string, string] = [texts.status, texts.lines];
  const table = barsPart(reader, bars, { heads, whole: total, total: formats.number(total) });
  return cardPart(texts.outcomes, table);
}

function classificationsPart({ texts, formats, figures }: Page): Html | null {
  const { counts, divergent } = figures;
  if (counts.issued === 0) return null;
  const named = (word: string): string => {
    if (word === '') return texts.noClassification;
    return word === '…' ? texts.otherClassifications : word;
  };
  const rows = figures.classifications.map(({ word, count }) => [
    named(word),
    formats.number(count),
    formats.share(count, counts.issued),
  ]);
  const table = tablePart(
    [
      { name: texts.classification, look: 'wide' },
      { name: texts.certificates, look: 'right' },
      { name: texts.share, look: 'right' },
    ],
    rows,
  );
  const more =
    divergent === 0
      ? null
      : html`<p class="small">${texts.divergent(formats.number(divergent), divergent)}</p>`;
  return cardPart(texts.classifications, html`${table} ${more}`);
}

function doubleChargesPart({ texts, formats, figures }: Page): Html | null {
  const { count, lines } = figures.doubleCharges;
  if (count === 0) return null;
  const more = count - lines.length;
  return cardPart(
    texts.doubleCharges,
    html`<p>${texts.doubleChargesMeans(formats.number(count), count)}</p>
      <p class="number">
        ${texts.lines}: ${lines.join(', ')}${more > 0 ? ` ${texts.more(formats.number(more))}` : ''}
      </p>`,
  );
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
      return [
        number,
        [formats.instant(at), html`<span class="small muted block">${by}</span>`],
        [
          texts.actions[action as DecisionAction] ?? action,
          externalId === null ? null : ` ${externalId}`,
          html`<span class="small muted block"
            >${lines}: ${named}${of.length > mostLinesNamed ? ' …' : ''}</span
          >`,
        ],
        maskTextOfPeople(note),
      ];
    });
  const table = tablePart(
    [
      { name: 'Nº', look: 'line' },
      { name: `${texts.decidedAt}, ${texts.decidedBy}` },
      { name: texts.decision },
      { name: texts.reason },
    ],
    rows,
  );
  return cardPart(texts.decisions, table);
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
  return cardPart(texts.details, factsPart(facts));
}

function terms({ texts, formats, record }: Page): string {
  if (record.terms === undefined) return texts.termsNotStored;
  const { rowDeadlineMs, reuseSince, onUnknown } = record.terms;
  return [
    texts.deadlineTerm(formats.duration(rowDeadlineMs)),
    texts.reuseTerm(formats.instant(reuseSince)),
    texts.unknownTerms[onUnknown],
  ].join('; ');
}
