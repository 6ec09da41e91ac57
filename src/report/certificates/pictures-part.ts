import { issuedOverTimeChart, issuedSoFar, waitUnit, waitsChart } from '../charts';
import { html, type Html } from '../html';
import type { Page } from './page';

/** Null without data for a drawing. */
export function picturesPart(page: Page): Html | null {
  const { figures, texts } = page;
  if (figures.counts.issued === 0) return null;
  if (figures.issuedAt.total === 0) {
    return html`<section class="card">
      <h2>${texts.issuedOverTime}</h2>
      <p class="muted">${texts.noneIssued}</p>
    </section>`;
  }
  return html`<div class="pair">
    ${issuedOverTime(page)}${figures.waits.total > 0 ? waitingTimes(page) : null}
  </div>`;
}

function issuedOverTime({ texts, formats, figures, summary }: Page): Html {
  const { issuedAt, untimed } = figures;
  const shown = issuedAt.bars(60);
  const inside = issuedAt.total - (shown.beyond?.count ?? 0);
  const last = shown.beyond === null ? issuedAt.greatest : endOf(shown);
  const sentences = [
    texts.issuedOverTimeSummary(
      formats.number(inside),
      formats.instant(issuedAt.least),
      formats.instant(last),
    ),
    shown.beyond &&
      texts.laterIssued(formats.number(shown.beyond.count), formats.instant(shown.beyond.last)),
    untimed > 0 ? texts.untimed(formats.number(untimed)) : null,
  ].filter((sentence) => sentence !== null);
  const description = sentences.join(' ');
  const words = { name: 'issued', title: texts.issuedOverTime, description };
  const sums = issuedSoFar(shown.bars);
  const rows = sums.map(({ from, count }): [string, string] => [
    formats.instant(from + shown.widthMs),
    formats.number(count),
  ]);
  return html`<section class="card">
    <h2>${texts.issuedOverTime}</h2>
    ${issuedOverTimeChart(shown, Date.parse(summary.startedAt), words, formats)}
    <p class="small muted">${description}</p>
    ${figureTable(texts.figures, [texts.until, texts.issuedSoFar], rows)}
  </section>`;
}

function waitingTimes({ texts, formats, figures: { waits } }: Page): Html {
  const most = Math.min(30, Math.max(8, Math.ceil(2 * Math.cbrt(waits.total))));
  const shown = waits.bars(most, 0);
  const longest = formats.duration(waits.greatest);
  const summary = texts.waitsSummary(
    formats.duration(waits.quantile(0.5)),
    formats.duration(waits.quantile(0.9)),
    longest,
  );
  const description =
    shown.beyond === null
      ? summary
      : `${summary} ${texts.longerWaits(formats.number(shown.beyond.count), longest)}`;
  const title = `${texts.waits}, ${texts.waitsUnit[waitUnit(shown)]}`;
  const rows = shown.bars.map(({ from, count }): [string, string] => [
    formats.duration(from),
    formats.number(count),
  ]);
  return html`<section class="card">
    <h2>${title}</h2>
    ${waitsChart(shown, { name: 'waits', title, description }, formats)}
    <p class="small muted">${description}</p>
    ${figureTable(texts.figures, [texts.waitedFrom, texts.certificates], rows)}
  </section>`;
}

function endOf({ bars, widthMs }: { bars: { from: number }[]; widthMs: number }): number {
  return (bars.at(-1)?.from ?? 0) + widthMs;
}

/** A picture's figures as a table. */
function figureTable(name: string, heads: [string, string], rows: [string, string][]): Html {
  return html`<details>
    <summary>${name}</summary>
    <div class="scroll">
      <table>
        <thead>
          <tr>
            <th scope="col">${heads[0]}</th>
            <th scope="col" class="right">${heads[1]}</th>
          </tr>
        </thead>
        <tbody>
          ${rows.map(
            ([from, count]) =>
              html`<tr>
                <td class="number">${from}</td>
                <td class="right number">${count}</td>
              </tr>`,
          )}
        </tbody>
      </table>
    </div>
  </details>`;
}
