import type { Change } from '../domain/monitors/change';
import type { HealthNote } from '../domain/monitors/health';
import { formatsOf } from './formats';
import { html, type Html } from './html';
import { htmlPage } from './html-page';
import type { MonitorFigures, SeverityCounts } from './monitor-figures';

/** A monitor of which a person should know something. */
export interface ReportedMonitor {
  monitorId: string;
  /** Masked. */
  document: string | null;
  /** In words. */
  notes: readonly string[];
}

export interface MonitorReport {
  /** Which changes it is about. Null: all; `since` is an instant of ISO 8601. */
  scope: {
    since: string | null;
    monitors: number | null;
    severities: readonly Change['severity'][] | null;
  };
  figures: MonitorFigures;
  monitors: {
    total: number;
    /** Those with a note of the kind. */
    noted: Record<Extract<HealthNote['kind'], 'blocked' | 'unknown' | 'unwell'>, number>;
    /** Those with notes; `more` of them are left out. */
    listed: readonly ReportedMonitor[];
    more: number;
  };
  sinks: readonly { name: string; required: boolean; disabled: string | null }[];
  /** Epoch milliseconds. */
  writtenAt: number;
}

const formats = formatsOf('en');

/** One page that loads nothing and runs nothing; what came from the service is escaped. */
export function monitorHtml({ scope, figures, monitors, sinks, writtenAt }: MonitorReport): string {
  return htmlPage({
    language: 'en',
    title: 'Changes of monitors',
    ownStyle,
    main: html`<header>
        <p class="kicker">Changes of monitors</p>
        <h1>${headline(figures.total)}</h1>
        <p class="headline">${scopeWords(scope)}</p>
      </header>
      ${tilesPart(figures.total, monitors)}
      <section class="card">
        <h2>By severity</h2>
        ${severitiesPart(figures)}
      </section>
      ${failingPart(figures)} ${monitorsPart(monitors)}
      <section class="card">
        <h2>Where changes go</h2>
        <ul>
          ${sinks.map(
            ({ name, required, disabled }) =>
              html`<li>
                ${name}${required ? null : ' (not waited for)'}:
                ${disabled === null ? 'takes changes' : html`<strong>${disabled}</strong>`}
              </li>`,
          )}
        </ul>
      </section>
      <footer>
        Written ${formats.instant(writtenAt)}. All times are those of Sao Paulo;
        <code>monitor changes</code> tells the same in UTC.
      </footer>`,
  });
}

/** `Seen since 03 May 2026, 21:00:00, of 2 monitors, of severity critical` */
function scopeWords({ since, monitors, severities }: MonitorReport['scope']): string {
  const parts = [
    since === null ? 'All that is stored' : `Seen since ${formats.instant(since)}`,
    ...(monitors === null ? [] : [`of ${monitors} monitor${monitors === 1 ? '' : 's'}`]),
    ...(severities === null ? [] : [`of severity ${severities.join(', ')}`]),
  ];
  return parts.join(', ');
}

function headline({ total, filed, delivered, failing }: SeverityCounts): string {
  if (total === 0) return 'No changes';
  const open = filed + delivered + failing;
  const all = `${formats.number(total)} change${total === 1 ? '' : 's'}`;
  return open === 0 ? `${all}, all acknowledged` : `${all}, ${formats.number(open)} still open`;
}

function tilesPart(total: SeverityCounts, { noted }: MonitorReport['monitors']): Html {
  const tiles: [string, number, string][] = [
    ['Acknowledged by us', total.acknowledged, 'good'],
    ['Acknowledged by others, or gone', total.acknowledged_elsewhere + total.gone, ''],
    ['Open, on their way', total.filed + total.delivered, ''],
    ['Open, and failing', total.failing, total.failing > 0 ? 'warn' : ''],
    ['Nobody has looked at', total.unreviewed, ''],
    ['Monitors that may not run', noted.blocked, noted.blocked > 0 ? 'warn' : ''],
  ];
  return html`<dl class="tiles">
    ${tiles.map(
      ([name, value, look]) =>
        html`<div class="tile ${look}">
          <dt>${name}</dt>
          <dd class="value">${formats.number(value)}</dd>
        </div>`,
    )}
  </dl>`;
}

function severitiesPart({ bySeverity, lags }: MonitorFigures): Html {
  if (bySeverity.length === 0) return html`<p>None.</p>`;
  const lagOf = new Map(lags);
  const duration = (seconds: number | undefined): string =>
    seconds === undefined ? '-' : formats.duration(seconds * 1_000);
  return table(
    [
      'Severity',
      'Changes',
      'Acknowledged',
      'By others',
      'On their way',
      'Failing',
      'Not looked at',
      'Detected to delivered: p50',
      'p95',
      'max',
    ],
    bySeverity.map(([severity, counts]) => {
      const others = counts.acknowledged_elsewhere + counts.gone;
      const onTheirWay = counts.filed + counts.delivered;
      const { total, acknowledged, failing, unreviewed } = counts;
      const lag = lagOf.get(severity);
      return [
        severity,
        ...[total, acknowledged, others, onTheirWay, failing, unreviewed].map((count) =>
          formats.number(count),
        ),
        ...[lag?.p50, lag?.p95, lag?.max].map(duration),
      ];
    }),
  );
}

function failingPart({ failing, total }: MonitorFigures): Html | null {
  if (failing.length === 0) return null;
  const more = total.failing - failing.length;
  return html`<section class="card">
    <h2>Failing</h2>
    ${table(
      ['Change', 'Monitor', 'Severity', 'Detected', 'Failures', 'Why'],
      failing.map((one) => [
        html`<code>${one.change_id}</code>`,
        html`<code>${one.monitor_id}</code>`,
        one.severity,
        formats.instant(one.detected_at ?? one.seen_at),
        formats.number(one.failures),
        one.failure,
      ]),
    )}
    ${more === 0 ? null : html`<p>And ${formats.number(more)} more: <code>monitor changes --status failing</code>.</p>`}
  </section>`;
}

function monitorsPart({ total, noted, listed, more }: MonitorReport['monitors']): Html {
  const { blocked, unknown, unwell } = noted;
  return html`<section class="card">
    <h2>Monitors</h2>
    <p>
      ${formats.number(total)} known: ${formats.number(blocked)} may not run, of
      ${formats.number(unknown)} the health is unknown.
      ${unwell === 0 ? null : `The service's own checks of ${formats.number(unwell)} fail.`}
      ${unknown === 0 ? null : 'A monitor that may not run looks just like one without changes.'}
    </p>
    ${
      listed.length === 0
        ? null
        : table(
            ['Monitor', 'Of', 'What is known'],
            listed.map(({ monitorId, document, notes }) => [
              html`<code>${monitorId}</code>`,
              document ?? '-',
              notes.join('; '),
            ]),
          )
    }
    ${more === 0 ? null : html`<p>And ${formats.number(more)} more.</p>`}
  </section>`;
}

function table(headings: readonly string[], rows: readonly (Html | string | null)[][]): Html {
  return html`<div class="wide">
    <table>
      <thead>
        <tr>
          ${headings.map((heading) => html`<th>${heading}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          (row) =>
            html`<tr>
              ${row.map((cell) => html`<td>${cell}</td>`)}
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}

const ownStyle = `
.wide { overflow-x: auto; }
`;
