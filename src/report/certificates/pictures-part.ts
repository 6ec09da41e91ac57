import { issuedOverTimeChart, issuedSoFar, waitUnit, waitsChart } from '../charts';
import { html, type Html } from '../html';
import { cardPart } from '../parts';
import type { Reader } from '../reader';
import type { Page } from './page';

/** Null without data for a drawing. */
export function picturesPart(page: Page): Html | null {
  const { counts, issuedAt, waits } = page.figures;
  if (counts.issued === 0) return null;
  return issuedAt.total === 0
    ? issuedOverTime(page)
    : html`<div class="pair">
        ${issuedOverTime(page)}${waits.total > 0 ? waitingTimes(page) : null}
      </div>`;
}

function issuedOverTime({ reader, figures, summary }: Page): Html {
  const { formats, say } = reader;
  const { issuedAt, untimed } = figures;
  const title = say('Issued over time', 'Emissões ao longo do tempo');
  if (issuedAt.total === 0) {
    const none = say(
      'This work issued nothing that could be drawn here.',
      'Este trabalho não emitiu nada que possa ser desenhado aqui.',
    );
    return cardPart(title, html`<p class="muted">${none}</p>`);
  }
  const shown = issuedAt.bars(60);
  const { beyond, bars, widthMs } = shown;
  const count = formats.number(issuedAt.total - (beyond?.count ?? 0));
  const from = formats.instant(issuedAt.least);
  const to = formats.instant(
    beyond === null ? issuedAt.greatest : (bars.at(-1)?.from ?? 0) + widthMs,
  );
  const sentences = [
    say(
      `${count} issued between ${from} and ${to}, by the service’s clock.`,
      `${count} emitidas entre ${from} e ${to}, pelo relógio do serviço.`,
    ),
  ];
  if (beyond !== null) {
    const [more, last] = [formats.number(beyond.count), formats.instant(beyond.last)];
    sentences.push(
      say(
        `${more} more came later, the last ${last}.`,
        `Mais ${more} vieram depois; a última, em ${last}.`,
      ),
    );
  }
  if (untimed > 0) {
    const more = formats.number(untimed);
    sentences.push(
      say(
        `${more} more without a time told by the service.`,
        `Mais ${more} sem horário informado pelo serviço.`,
      ),
    );
  }
  const description = sentences.join(' ');
  const words = { name: 'issued', title, description };
  return cardPart(title, [
    issuedOverTimeChart(shown, Date.parse(summary.startedAt), words, formats),
    html`<p class="small muted">${description}</p>`,
    figureTable(
      reader,
      [say('Until', 'Até'), say('Issued so far', 'Emitidas até então')],
      issuedSoFar(bars).map((bar) => [
        formats.instant(bar.from + widthMs),
        formats.number(bar.count),
      ]),
    ),
  ]);
}

function waitingTimes({ reader, figures: { waits } }: Page): Html {
  const { formats, say } = reader;
  const shown = waits.bars(Math.min(30, Math.max(8, Math.ceil(2 * Math.cbrt(waits.total)))), 0);
  const [half, most] = [0.5, 0.9].map((share) => formats.duration(waits.quantile(share)));
  const longest = formats.duration(waits.greatest);
  const summary = say(
    `Half within ${half}, nine in ten within ${most}, the longest ${longest}.`,
    `Metade em até ${half}, nove em cada dez em até ${most}; a mais demorada, ${longest}.`,
  );
  const more = formats.number(shown.beyond?.count ?? 0);
  const longer = say(
    `${more} waited longer than the picture shows, up to ${longest}.`,
    `${more} esperaram mais do que o gráfico mostra, até ${longest}.`,
  );
  const description = shown.beyond === null ? summary : `${summary} ${longer}`;
  const unit = {
    s: say('in seconds', 'em segundos'),
    min: say('in minutes', 'em minutos'),
    h: say('in hours', 'em horas'),
    d: say('in days', 'em dias'),
  }[waitUnit(shown)];
  const title = `${say('From request to issuance', 'Do pedido à emissão')}, ${unit}`;
  return cardPart(title, [
    waitsChart(shown, { name: 'waits', title, description }, formats),
    html`<p class="small muted">${description}</p>`,
    figureTable(
      reader,
      [say('Waited from', 'Espera a partir de'), say('Certificates', 'Certidões')],
      shown.bars.map((bar) => [formats.duration(bar.from), formats.number(bar.count)]),
    ),
  ]);
}

/** A picture's figures as a table. */
function figureTable({ say }: Reader, heads: [string, string], rows: [string, string][]): Html {
  return html`<details>
    <summary>${say('The figures', 'Os números')}</summary>
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
