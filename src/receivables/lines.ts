import type { LineEnd } from '../domain/cnab/report';

/** Receives the lines of a file in order, as byte ranges. */
export interface LineSink {
  line(bytes: Uint8Array, from: number, to: number, end: LineEnd, width: number): void;
}

const lineFeed = 0x0a;
const carriageReturn = 0x0d;

/** Of a longer line only the beginning is passed on. */
export const longestLine = 1_024;

/**
 * Cuts chunks of a file into lines at LF, CRLF or a lone CR. The end of a chunk is carried over
 * into the next one, up to `longestLine` bytes of it.
 */
export class LineCutter {
  readonly #sink: LineSink;
  /** The beginning of a line that continues in the next chunk. */
  readonly #carried = Buffer.alloc(longestLine);
  #carriedWidth = 0;
  /** Width of the carried line up to the last byte that is not filler (blank, NUL, 0x1A). */
  #solidWidth = 0;
  #pendingCr = false;

  constructor(sink: LineSink) {
    this.#sink = sink;
  }

  push(chunk: Buffer): void {
    let from = 0;
    if (this.#pendingCr && chunk.length > 0) {
      this.#pendingCr = false;
      const isCrlf = chunk[0] === lineFeed;
      this.#endCarried(isCrlf ? 'crlf' : 'cr');
      if (isCrlf) from = 1;
    }
    // Each is searched again only when it has been passed: a file may have only one of them.
    let lf = indexOf(chunk, lineFeed, from);
    let cr = indexOf(chunk, carriageReturn, from);
    while (from < chunk.length) {
      if (lf < from) lf = indexOf(chunk, lineFeed, from);
      if (cr < from) cr = indexOf(chunk, carriageReturn, from);
      const to = Math.min(lf, cr);
      if (to === chunk.length) break;
      if (to === cr && to + 1 === chunk.length) {
        this.#carry(chunk, from, to);
        this.#pendingCr = true;
        return;
      }
      const isCrlf = to === cr && lf === to + 1;
      const end = isCrlf ? 'crlf' : to === lf ? 'lf' : 'cr';
      this.#line(chunk, from, to, end);
      from = isCrlf ? to + 2 : to + 1;
    }
    this.#carry(chunk, from, chunk.length);
  }

  /** Call once, after the last chunk. */
  end(): void {
    if (this.#pendingCr) this.#endCarried('cr');
    else if (this.#carriedWidth > 0) this.#endCarried('none');
  }

  #line(chunk: Buffer, from: number, to: number, end: LineEnd): void {
    if (this.#carriedWidth === 0 && to - from <= longestLine) {
      this.#sink.line(chunk, from, to, end, to - from);
      return;
    }
    this.#carry(chunk, from, to);
    this.#endCarried(end);
  }

  #carry(chunk: Buffer, from: number, to: number): void {
    const before = this.#carriedWidth;
    if (before < longestLine) chunk.copy(this.#carried, before, from, to);
    this.#carriedWidth += to - from;
    // Filler is measured only for lines of an unexpected width.
    if (this.#carriedWidth <= longestLine) return;
    let solid = to;
    while (solid > from && isFiller(chunk[solid - 1])) solid -= 1;
    if (solid > from) this.#solidWidth = before + solid - from;
  }

  #endCarried(end: LineEnd): void {
    const length = Math.min(this.#carriedWidth, longestLine);
    const width = this.#solidWidth > longestLine ? this.#carriedWidth : length;
    this.#sink.line(this.#carried, 0, length, end, width);
    this.#carriedWidth = 0;
    this.#solidWidth = 0;
  }
}

/** Position of the byte; the length of the chunk when it is absent. */
function indexOf(chunk: Buffer, byte: number, from: number): number {
  const at = chunk.indexOf(byte, from);
  return at < 0 ? chunk.length : at;
}

function isFiller(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x00 || byte === 0x1a;
}
