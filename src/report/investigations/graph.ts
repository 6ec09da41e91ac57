import type { CoverageRow } from './schema';
import { html, type Html } from '../html';
import type { Reader } from '../reader';
import { nameOf, statusWord } from '../words';
import { lookOf } from './words';

const box = { width: 192, height: 48 };
const gap = { x: 44, y: 12 };

interface Node {
  id: string;
  x: number;
  y: number;
  lines: [bold: string, plain: string];
  look: string;
}

/** The steps of the plan, from left to right in their possible order. */
export function graphHtml(steps: readonly CoverageRow[], { language, say }: Reader): Html {
  const title = say('The plan as a graph', 'O plano em grafo');
  const depths = depthsOf(steps);
  const below = new Map<number, number>();
  const root: Node = {
    id: '',
    x: 1,
    y: 1,
    lines: [say('Subject', 'De quem se trata'), ''],
    look: 'root',
  };
  const nodes = steps.map(({ kind, status, step }): Node => {
    const depth = depths.get(step) ?? 1;
    const row = below.get(depth) ?? 0;
    below.set(depth, row + 1);
    const second = `${statusWord(status, language)}: ${nameOf(kind, language)}`;
    return {
      id: step,
      x: 1 + depth * (box.width + gap.x),
      y: 1 + row * (box.height + gap.y),
      lines: [step, second],
      look: lookOf(status) || 'quiet',
    };
  });
  const all = [root, ...nodes];
  const width = Math.max(...all.map(({ x }) => x)) + box.width + 1;
  const height = Math.max(...all.map(({ y }) => y)) + box.height + 1;
  const arrows = steps.flatMap(({ needs, step }) =>
    (needs.length === 0 ? [''] : needs).map((need) => arrow(all, need, step)),
  );
  const words = steps.map(({ needs, status, step }) => {
    const after = needs.length > 0 ? ` (${needs.join(', ')})` : '';
    return `${step}${after} ${statusWord(status, language)}`;
  });
  return html`<div class="graph-box" tabindex="0" role="group" aria-label="${title}">
    <svg
      class="graph"
      viewBox="0 0 ${width} ${height}"
      width="${width}"
      role="img"
      aria-labelledby="graph-title graph-desc"
    >
      <title id="graph-title">${title}</title>
      <desc id="graph-desc">${words.join('; ')}</desc>
      ${arrows} ${all.map(boxOf)}
    </svg>
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

function arrow(all: readonly Node[], from: string, to: string): Html | null {
  const [start, end] = [from, to].map((id) => all.find((one) => one.id === id));
  if (start === undefined || end === undefined) return null;
  const [x1, y1] = [start.x + box.width, start.y + box.height / 2];
  const [x2, y2] = [end.x, end.y + box.height / 2];
  const half = gap.x / 2;
  return html`<path
      class="arrow"
      d="M${x1} ${y1} C${x1 + half} ${y1} ${x2 - half} ${y2} ${x2 - 6} ${y2}"
    />
    <path class="head" d="M${x2 - 7} ${y2 - 4} L${x2} ${y2} L${x2 - 7} ${y2 + 4} Z" />`;
}

function boxOf({ lines: [first, second], look, x, y }: Node): Html {
  const shown = (text: string, most: number): string =>
    text.length > most ? `${text.slice(0, most - 1)}…` : text;
  const middle = y + box.height / 2;
  return html`<g class="step ${look}">
    <rect x="${x}" y="${y}" width="${box.width}" height="${box.height}" rx="6" />
    <text class="first" x="${x + 12}" y="${second === '' ? middle + 5 : middle - 3}"
      >${shown(first, 19)}</text
    >
    <text class="second" x="${x + 12}" y="${middle + 14}">${shown(second, 24)}</text>
  </g>`;
}
