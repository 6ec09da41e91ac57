import type { CoverageRow } from '../../domain/investigations/report';
import { html, type Html } from '../html';
import { statusWord, nameOf } from '../words';
import { lookOf, note, type Page } from './page';

const box = { width: 192, height: 48 };
const gap = { x: 44, y: 12 };
/** Letters that fit into a box: the first line is bold. */
const longest = { first: 19, second: 24 };
/** More steps of one depth take another column: the bound of a printed page. */
const mostBelow = 12;

interface PlacedNode {
  id: string;
  x: number;
  y: number;
  first: string;
  second: string;
  look: string;
}

/** The steps of the plan, from left to right in their possible order. */
export function graphPart(page: Page): Html {
  const { language, say } = page.reader;
  const steps = page.report.coverage;
  const title = say('The plan as a graph', 'O plano em grafo');
  const intro = say(
    'Each step starts when the steps before it have ended.',
    'Cada etapa começa quando terminam as que vêm antes dela.',
  );
  const depths = depthsOf(steps);
  const columns = columnsOf(depths);
  const below = new Map<number, number>();
  const subject: PlacedNode = {
    id: '',
    x: 1,
    y: 1,
    first: say('Subject', 'De quem se trata'),
    second: '',
    look: 'root',
  };
  const nodes = steps.map(({ kind, status, step }): PlacedNode => {
    const depth = depths.get(step) ?? 1;
    const row = below.get(depth) ?? 0;
    below.set(depth, row + 1);
    const column = (columns.get(depth) ?? 1) + Math.floor(row / mostBelow);
    const x = 1 + column * (box.width + gap.x);
    const y = 1 + (row % mostBelow) * (box.height + gap.y);
    const second = `${statusWord(status, language)}: ${nameOf(kind, language)}`;
    return { id: step, x, y, first: step, second, look: lookOf(status) || 'quiet' };
  });
  const all = [subject, ...nodes];
  const width = Math.max(...all.map(({ x }) => x)) + box.width + 1;
  const height = Math.max(...all.map(({ y }) => y)) + box.height + 1;
  const arrows = steps.flatMap(({ needs, step }) =>
    (needs.length === 0 ? [''] : needs).map((need) => arrow(all, need, step)),
  );
  const words = steps
    .map(({ needs, status, step }) =>
      [step, needs.length > 0 ? `(${needs.join(', ')})` : '', statusWord(status, language)].join(
        ' ',
      ),
    )
    .join('; ');
  return html`<div class="whole">
    <h3 class="after">${title}</h3>
    ${note(intro)}
    <div class="graph-box" tabindex="0" role="group" aria-label="${title}">
      <svg
        class="graph"
        viewBox="0 0 ${width} ${height}"
        width="${width}"
        role="img"
        aria-labelledby="graph-title graph-desc"
      >
        <title id="graph-title">${title}</title>
        <desc id="graph-desc">${words}</desc>
        ${arrows} ${all.map(boxOf)}
      </svg>
    </div>
  </div>`;
}

/** The longest chain of steps before each. */
function depthsOf(steps: readonly CoverageRow[]): Map<string, number> {
  const depths = new Map<string, number>();
  // A plan has no cycle; with one, this would still terminate.
  for (let pass = 0; pass < steps.length; pass += 1)
    for (const { needs, step } of steps)
      depths.set(step, 1 + Math.max(0, ...needs.map((need) => depths.get(need) ?? 0)));
  return depths;
}

/** The first column of each depth; the subject is in the one before. */
function columnsOf(depths: ReadonlyMap<string, number>): Map<number, number> {
  const columns = new Map<number, number>();
  let column = 1;
  for (let depth = 1; depth <= Math.max(...depths.values()); depth += 1) {
    columns.set(depth, column);
    const count = [...depths.values()].filter((one) => one === depth).length;
    column += Math.ceil(count / mostBelow);
  }
  return columns;
}

function arrow(all: readonly PlacedNode[], from: string, to: string): Html | null {
  const [start, end] = [from, to].map((id) => all.find((one) => one.id === id));
  if (start === undefined || end === undefined) return null;
  const [x1, y1] = [start.x + box.width, start.y + box.height / 2];
  const [x2, y2] = [end.x, end.y + box.height / 2];
  const middle = gap.x / 2;
  const curve = `M${x1} ${y1} C${x1 + middle} ${y1} ${x2 - middle} ${y2} ${x2 - 6} ${y2}`;
  return html`<path class="arrow" d="${curve}" /><path
      class="head"
      d="M${x2 - 7} ${y2 - 4} L${x2} ${y2} L${x2 - 7} ${y2 + 4} Z"
    />`;
}

function boxOf({ first, look: how, second, x, y }: PlacedNode): Html {
  const shown = (text: string, most: number): string =>
    text.length > most ? `${text.slice(0, most - 1)}…` : text;
  const middle = y + box.height / 2;
  return html`<g class="step ${how}">
    <rect x="${x}" y="${y}" width="${box.width}" height="${box.height}" rx="6" />
    <text class="first" x="${x + 12}" y="${second === '' ? middle + 5 : middle - 3}">
      ${shown(first, longest.first)}
    </text>
    <text class="second" x="${x + 12}" y="${middle + 14}">${shown(second, longest.second)}</text>
  </g>`;
}
