import type { BillingTotal } from '../../domain/core/service/billing-totals';
import type { EvidenceRow, TimelineRow } from '../../domain/investigations/report';
import { html, type Content, type Html } from '../html';
import { badge, block, card, day, label, note, table, type Page } from './page';
import { fileLink } from './parts';

export function timelinePart(page: Page): Html {
  const { formats, report, texts } = page;
  const { columns } = texts;
  const instant = (at: string | null): string => (at === null ? '' : formats.instant(at));
  const shown = (row: TimelineRow): Content[] => [
    [
      row.step,
      block(label(page, row.kind)),
      block(isFound(row) ? `${texts.from} ${row.from}` : null),
      html`<code class="sum">${row.job}</code>`,
    ],
    instant(row.startedAt),
    [instant(row.endedAt), block(durationOf(page, row))],
    [
      badge(page, row.result),
      block(row.status === null ? null : label(page, row.status)),
      block(row.reused ? texts.reused : null),
    ],
    [
      row.cost.map((one) => html`<span class="block">${costText(page, one)}</span>`),
      block(row.unanswered > 0 ? texts.mayBeCharged : null),
    ],
  ];
  const names = [columns.step, columns.started, columns.ended, columns.result, columns.cost];
  const cost =
    report.cost.length === 0
      ? note(texts.costNotReported)
      : [
          note(texts.costIntro),
          html`<ul>
            ${report.cost.map((one) => html`<li>${costText(page, one)}</li>`)}
          </ul>`,
        ];
  return card(
    texts.timeline,
    report.timeline.length === 0
      ? note(texts.none)
      : table(
          names.map((name, at) => ({ name, ...(at === 0 && { share: 40 }) })),
          report.timeline.map(shown),
        ),
    html`<h3 class="after">${texts.cost}</h3>`,
    note(requestsText(page)),
    cost,
  );
}

/** The requests, and those that may be charged beyond the reported cost. */
export function requestsText({ formats, report, texts }: Page): string {
  const { possibleDoubleCharges: twice, requested, reused, unanswered } = report.requests;
  return [
    texts.requests(formats.number(requested), formats.number(reused)),
    ...(unanswered > 0 ? [texts.unanswered(formats.number(unanswered))] : []),
    ...(twice > 0 ? [texts.chargedTwice(formats.number(twice))] : []),
  ].join(' ');
}

/** Another step found its subject. */
function isFound({ from }: TimelineRow): boolean {
  return from !== '' && !from.startsWith('subject:');
}

function durationOf({ formats }: Page, { endedAt, startedAt }: TimelineRow): string | null {
  const ms = Date.parse(endedAt ?? '') - Date.parse(startedAt ?? '');
  return Number.isNaN(ms) ? null : formats.duration(ms);
}

/** `3 tokens: charged (2)`, in the service's words. */
function costText(page: Page, { amount, count, status, unit }: BillingTotal): string {
  const { formats } = page;
  const what =
    amount === null
      ? `${formats.number(count)} × ${unit ?? '?'}`
      : `${new Intl.NumberFormat(page.texts.locale, { maximumFractionDigits: 6 }).format(amount)} ${unit ?? ''}`;
  const times = amount === null || count === 1 ? '' : ` (${formats.number(count)})`;
  return `${what.trim()}${status === null ? '' : `: ${status}`}${times}`;
}

export function evidencePart(page: Page): Html {
  const { formats, report, texts } = page;
  const { columns } = texts;
  const shown = (row: EvidenceRow): Content[] => [
    [fileLink(row.path), block(row.path), html`<code class="sum">${row.sha256}</code>`],
    [row.source, block(row.endpoint), block(row.requestId)],
    [
      formats.instant(row.capturedAt),
      block(
        row.validity === null
          ? null
          : `${texts.columns.validUntil} ${day(page, row.validity.validUntil)} (${row.validity.rule})`,
      ),
    ],
    row.requestedBy,
  ];
  const names = [
    `${columns.file}, ${columns.sha256}`,
    `${columns.source}, ${columns.requestId.toLocaleLowerCase(texts.locale)}`,
    columns.capturedAt,
    columns.requestedBy,
  ];
  return card(
    texts.evidence,
    ...(report.evidence.length === 0
      ? [note(texts.none)]
      : [
          note(texts.evidenceIntro),
          table(
            names.map((name, at) => ({
              name,
              ...(at === 0 && { share: 42 }),
              ...(at === 3 && { share: 12 }),
            })),
            report.evidence.map(shown),
          ),
        ]),
  );
}
