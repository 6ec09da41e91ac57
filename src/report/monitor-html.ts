import type { Change } from '../domain/monitors/change';
import { formatsOf } from './formats';
import { html, type Html } from './html';
import { htmlPage } from './html-page';
import { detectedChart, lineColours, progressChart, severityColours } from './monitor-charts';
import type { MonitorFigures, SeverityCounts } from './monitor-figures';

/** A monitor of which a person should know something. */
export interface ReportedMonitor {
  monitorId: string;
  /** Masked. */
  document: string | null;
  /** `health unknown`, why it may not run, what of it cannot be read. */
  remarks: readonly string[];
}

export interface MonitorReport {
  /** Of what it tells. Null: all; `since` is an instant of ISO 8601. */
  scope: {
    since: string | null;
    monitors: number | null;
    severities: readonly Change['severity'][] | null;
  };
  figures: MonitorFigures;
  monitors: {
    total: number;
    running: number;
    blocked: number;
    /** The service's own looks at them fail, whether or not they may run. */
    unwell: number;
    unknown: number;
    /** Those with remarks; `more` of them are left out. */
    listed: readonly ReportedMonitor[];
    more: number;
  };
  sinks: readonly { name: string; required: boolean; disabled: string | null }[];
  /** Epoch milliseconds. */
  writtenAt: number;
}

const formats = formatsOf('en');

/** One page that loads nothing and runs nothing; what came from the service is escaped. */
export function monitorHtml(report: MonitorReport): string {
  const { scope, figures, writtenAt } = report;
  return htmlPage({
    language: 'en',
    title: 'Changes of monitors',
    ownStyle,
    main: html`<header>
        <p class="kicker">Changes of monitors</p>
        <h1>${headline(figures)}</h1>
        <p class="headline">${scopeWords(scope)}</p>
      </header>
      ${tilesPart(report)} ${picturesPart(figures)}
      <section class="card">
        <h2>By severity</h2>
        ${severitiesPart(figures)}
      </section>
      ${failingPart(figures)} ${monitorsPart(report)} ${sinksPart(report)}
      <footer>
        Written ${formats.instant(writtenAt)}. All times are those of Sao Paulo;
        <code>monitor changes</code> tells the same in UTC.
      </footer>`,
  });
}

/** `Filed since 03 May 2026, 21:00:00, of 2 monitors, of severity critical` */
function scopeWords({ since, monitors, severities }: MonitorReport['scope']): string {
  const parts = [
    since === null ? 'All that is on file' : `Filed since ${formats.instant(since)}`,
    ...(monitors === null ? [] : [`of ${monitors} monitor${monitors === 1 ? '' : 's'}`]),
    ...(severities === null ? [] : [`of severity ${severities.join(', ')}`]),
  ];
  return parts.join(', ');
}

function headline({ changes, statuses }: MonitorFigures): string {
  if (changes === 0) return 'No changes on file';
  const open = statuses.filed + statuses.delivered + statuses.failing;
  const all = `${formats.number(changes)} change${changes === 1 ? '' : 's'}`;
  return open === 0 ? `${all}, all acknowledged` : `${all}, ${formats.number(open)} still open`;
}

function tilesPart({ figures, monitors }: MonitorReport): Html {
  const { statuses, unreviewed, inDigests } = figures;
  const others = statuses.acknowledged_elsewhere + statuses.gone;
  const tiles: [string, number, string, string][] = [
    ['Acknowledged by us', statuses.acknowledged, 'good', ''],
    ['Acknowledged by others', others, '', 'found by reconcile, or gone'],
    ['Open, on their way', statuses.filed + statuses.delivered, '', ''],
    ['Open, and failing', statuses.failing, statuses.failing > 0 ? 'warn' : '', ''],
    ['Nobody has looked at', unreviewed, '', inDigests > 0 ? `${inDigests} told in digests` : ''],
    ['Monitors that may not run', monitors.blocked, monitors.blocked > 0 ? 'warn' : '', ''],
  ];
  return html`<dl class="tiles">
    ${tiles.map(
      ([name, value, look, note]) =>
        html`<div class="tile ${look}">
          <dt>${name}</dt>
          <dd class="value">${formats.number(value)}</dd>
          ${note === '' ? null : html`<dd class="small">${note}</dd>`}
        </div>`,
    )}
  </dl>`;
}

function picturesPart({ overTime }: MonitorFigures): Html | null {
  if (overTime === null) return null;
  const { undated, axis } = overTime;
  const { beyond } = axis;
  return html`<div class="pair">
      <section class="card">
        <h2>Detected, by severity</h2>
        ${detectedChart(overTime, formats)}
        <p>${overTime.detected.map(([severity]) => key(severity, severityColours[severity]))}</p>
      </section>
      <section class="card">
        <h2>Detected, delivered, acknowledged so far</h2>
        ${progressChart(overTime, formats)}
        <p>${Object.entries(lineColours).map(([name, colour]) => key(name, colour))}</p>
      </section>
    </div>
    ${
      beyond === null
        ? null
        : html`<p class="muted small">
            ${formats.number(beyond.count)} instants lie behind the right edge, the last at
            ${formats.instant(beyond.last)}.
          </p>`
    }
    ${
      undated === 0
        ? null
        : html`<p class="muted small">
            Of ${formats.number(undated)} the service tells no instant of detection that can be:
            they stand where we saw them.
          </p>`
    }`;
}

function key(name: string, colour: string): Html {
  return html`<span class="key"
    ><svg viewBox="0 0 10 10" class="swatch" aria-hidden="true">
      <rect width="10" height="10" style="fill: ${colour}" /></svg
    >${name}</span
  >`;
}

const columns: [string, (counts: SeverityCounts) => number][] = [
  ['Changes', ({ total }) => total],
  ['Acknowledged', ({ acknowledged }) => acknowledged],
  ['By others', (counts) => counts.acknowledged_elsewhere + counts.gone],
  ['On their way', ({ filed, delivered }) => filed + delivered],
  ['Failing', ({ failing }) => failing],
  ['Not looked at', ({ unreviewed }) => unreviewed],
];

function severitiesPart({ bySeverity, lags }: MonitorFigures): Html {
  if (bySeverity.length === 0) return html`<p>None.</p>`;
  const lagOf = new Map(lags);
  return html`<div class="wide">
    <table class="figures">
      <thead>
        <tr>
          <th>Severity</th>
          ${columns.map(([name]) => html`<th class="right">${name}</th>`)}
          <th class="right">Detected to delivered: p50</th>
          <th class="right">p95</th>
          <th class="right">max</th>
        </tr>
      </thead>
      <tbody>
        ${bySeverity.map(([severity, counts]) => severityRow(severity, counts, lagOf))}
      </tbody>
    </table>
  </div>`;
}

function severityRow(
  severity: Change['severity'],
  counts: SeverityCounts,
  lagOf: Map<Change['severity'], { p50: number; p95: number; max: number }>,
): Html {
  const lag = lagOf.get(severity);
  const told = (seconds: number | undefined): string =>
    seconds === undefined ? '-' : formats.duration(seconds * 1_000);
  return html`<tr>
    <th scope="row">${severity}</th>
    ${columns.map(([, of]) => html`<td class="right number">${formats.number(of(counts))}</td>`)}
    ${[lag?.p50, lag?.p95, lag?.max].map(
      (seconds) => html`<td class="right number">${told(seconds)}</td>`,
    )}
  </tr>`;
}

function failingPart({ failing, statuses }: MonitorFigures): Html | null {
  if (failing.length === 0) return null;
  const more = statuses.failing - failing.length;
  return html`<section class="card">
    <h2>Failing</h2>
    <div class="wide">
      <table>
        <thead>
          <tr>
            <th>Change</th>
            <th>Monitor</th>
            <th>Severity</th>
            <th>Detected</th>
            <th class="right">Failures</th>
            <th>Why</th>
          </tr>
        </thead>
        <tbody>
          ${failing.map(
            (one) =>
              html`<tr>
                <td><code>${one.change_id}</code></td>
                <td><code>${one.monitor_id}</code></td>
                <td>${one.severity}</td>
                <td class="flag">${formats.instant(one.detected_at ?? one.seen_at)}</td>
                <td class="right number">${formats.number(one.failures)}</td>
                <td>${one.failure}</td>
              </tr>`,
          )}
        </tbody>
      </table>
    </div>
    ${more === 0 ? null : html`<p>And ${formats.number(more)} more: <code>monitor changes --status failing</code>.</p>`}
  </section>`;
}

function monitorsPart({ monitors }: MonitorReport): Html {
  const { total, running, blocked, unwell, unknown, listed, more } = monitors;
  return html`<section class="card">
    <h2>Monitors</h2>
    <p>
      ${formats.number(total)} on file: ${formats.number(running)} may run,
      ${formats.number(blocked)} may not, of ${formats.number(unknown)} health unknown.
      ${unwell === 0 ? null : `The service's own looks at ${formats.number(unwell)} fail.`}
      ${unknown === 0 ? null : 'A monitor that may not run looks just like one without changes.'}
    </p>
    ${
      listed.length === 0
        ? null
        : html`<div class="wide">
            <table>
              <thead>
                <tr>
                  <th>Monitor</th>
                  <th>Of</th>
                  <th>What is known</th>
                </tr>
              </thead>
              <tbody>
                ${listed.map(
                  ({ monitorId, document, remarks }) =>
                    html`<tr>
                      <td><code>${monitorId}</code></td>
                      <td class="flag">${document ?? '-'}</td>
                      <td>${remarks.join('; ')}</td>
                    </tr>`,
                )}
              </tbody>
            </table>
          </div>`
    }
    ${more === 0 ? null : html`<p>And ${formats.number(more)} more.</p>`}
  </section>`;
}

function sinksPart({ sinks }: MonitorReport): Html {
  return html`<section class="card">
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
  </section>`;
}

const ownStyle = `
.key { margin-right: 20px; white-space: nowrap; } .swatch { width: 10px; height: 10px; margin-right: 6px; }
.wide { overflow-x: auto; }
.figures .right { padding-left: 12px; white-space: nowrap; }
.figures thead .right { white-space: normal; }
`;
