import type { Cell, FlatRow } from '../../domain/core/findings';
import { html, type Html } from '../html';
import type { Reader } from '../reader';

/** A picture that a browser can show. */
export interface Picture {
  mediaType: string;
  bytes: Buffer;
}

export const shownMediaTypes = ['image/jpeg', 'image/png', 'image/gif', 'image/webp'];
/** A larger picture makes a page too large for e-mail. */
export const largestPicture = 6_000_000;

/** In pixels of the picture, or as fractions of it. */
interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** The specification does not show how a face is placed. */
const boxWords = ['bbox', 'box', 'boundingbox', 'caixa', 'retangulo', 'regiao', 'area'];
const sides = {
  x: ['x', 'left', 'esquerda'],
  y: ['y', 'top', 'topo'],
  width: ['w', 'width', 'largura'],
  height: ['h', 'height', 'altura'],
} as const;

/** The box of a row: `{x, y, width, height}` or `[x, y, width, height]`; null: none. */
export function boxOf(row: FlatRow): Box | null {
  const plain = new Map(
    Object.entries(row).map(([name, cell]) => [name.toLowerCase().replaceAll(/[_-]/g, ''), cell]),
  );
  for (const word of boxWords) {
    const list = numbersIn(plain.get(word));
    const named = Object.values(sides).map((names) =>
      names.map((side) => plain.get(`${word}.${side}`)).find((cell) => typeof cell === 'number'),
    );
    const [x, y, width, height] = list ?? named;
    if (x === undefined || y === undefined || width === undefined || height === undefined) continue;
    if (width > 0 && height > 0) return { x, y, width, height };
  }
  return null;
}

function numbersIn(cell: Cell | undefined): number[] | null {
  if (typeof cell !== 'string' || !/^\[[\d.,eE+ -]+\]$/.test(cell)) return null;
  const numbers = cell.slice(1, -1).split(',').map(Number);
  return numbers.length === 4 && numbers.every(Number.isFinite) ? numbers : null;
}

/** The picture as sent, with boxes on it, numbered as in the table. */
export function pictureHtml(
  { bytes, mediaType }: Picture,
  boxes: readonly (Box & { name: string })[],
  { say }: Reader,
): Html {
  const size = sizeOf(bytes);
  if (size === null) return html`<p>${say('It cannot be shown.', 'Não pode ser mostrada.')}</p>`;
  const { width, height } = size;
  const unit = Math.max(width, height) / 400;
  const marks = boxes.map((box) => {
    const isShare = [box.x, box.y, box.width, box.height].every((one) => one <= 1);
    const [w, h] = isShare ? [width, height] : [1, 1];
    const [x, y] = [box.x * w, box.y * h];
    // Above the box; inside it, where that would be outside the picture.
    const labelAt = y > 16 * unit ? y - 5 * unit : y + 15 * unit;
    return html`<g stroke-width="${3 * unit}">
      <rect x="${x}" y="${y}" width="${box.width * w}" height="${box.height * h}" class="face" />
      <text x="${x + 3 * unit}" y="${labelAt}" font-size="${14 * unit}" class="face-number"
        >${box.name}</text
      >
    </g>`;
  });
  const marked = boxes.length === 0 ? '' : say(': faces are marked', ': os rostos estão marcados');
  const name = `${say('The picture that was sent', 'A imagem que foi enviada')}${marked}`;
  const address = `data:${mediaType};base64,${bytes.toString('base64')}`;
  return html`<svg class="picture" viewBox="0 0 ${width} ${height}" role="img" aria-label="${name}">
    <image href="${address}" width="${width}" height="${height}" />
    ${marks}
  </svg>`;
}

/** As a browser displays it; null when unknown. */
function sizeOf(bytes: Buffer): { width: number; height: number } | null {
  // Loaded on demand: only a page with a picture needs it.
  const { imageSize } = require('image-size') as typeof import('image-size');
  try {
    const { height, orientation = 1, width } = imageSize(bytes);
    return orientation >= 5 ? { width: height, height: width } : { width, height };
  } catch {
    return null;
  }
}
