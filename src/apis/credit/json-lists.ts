/** Keys from the root of a document to a list; `*` stands for each element of the previous list. */
export type ListPath = readonly string[];

interface Position {
  readonly below: Map<string, Position>;
  list: number | null;
}

interface Frame {
  readonly position: Position;
  readonly list: number | null;
  elements: number;
  /** Of an object: key of the next value; null: a key comes next. */
  key: string | null;
}

const [quote, backslash, comma] = [0x22, 0x5c, 0x2c];
const [openBrace, closeBrace, openBracket, closeBracket] = [0x7b, 0x7d, 0x5b, 0x5d];

/**
 * Streams a JSON document: passes on each element of some lists, and holds one of them at a time. It only finds where
 * they begin and end, and leaves the rest to JSON.parse: a parser in JavaScript takes several times as long.
 */
export class JsonLists {
  readonly #root: Position = { below: new Map(), list: null };
  readonly #onElement: (value: unknown, list: number) => void;
  readonly #decoder = new TextDecoder();
  readonly #frames: Frame[] = [];
  /** Text of the document without elements, and of each open element. */
  readonly #texts = [''];
  /** Open objects and lists without listed elements. */
  #depth = 0;
  #isInString = false;
  #isEscaped = false;
  /** Text of the current key; null: outside of one. */
  #keyText: string | null = null;

  /** @param onElement `list`: index of its list */
  constructor(lists: readonly ListPath[], onElement: (value: unknown, list: number) => void) {
    this.#onElement = onElement;
    for (const [index, path] of lists.entries()) {
      let position = this.#root;
      for (const key of path) {
        const next = position.below.get(key) ?? { below: new Map(), list: null };
        position.below.set(key, next);
        position = next;
      }
      position.list = index;
    }
  }

  /** @throws SyntaxError, and what `onElement` throws */
  write(bytes: Uint8Array): void {
    this.#read(this.#decoder.decode(bytes, { stream: true }));
  }

  /**
   * @returns the document, with the lists empty
   * @throws SyntaxError, also when it was cut short
   */
  end(): unknown {
    this.#read(this.#decoder.decode());
    if (this.#frames.length > 0) throw new SyntaxError('cut short');
    return JSON.parse(this.#texts[0] ?? '');
  }

  #read(text: string): void {
    let from = 0;
    const take = (to: number): void => {
      this.#texts[this.#texts.length - 1] += text.slice(from, to);
      from = to;
    };
    for (let at = 0; at < text.length; at += 1) {
      const code = text.charCodeAt(at);
      if (this.#isInString) {
        const end = this.#endOfString(text, at);
        if (this.#keyText !== null) this.#keyText += text.slice(at, end);
        at = end;
        if (end < text.length) this.#endString();
        continue;
      }
      const frame = this.#frames.at(-1);
      const isPlain = this.#depth > 0;
      switch (code) {
        case quote:
          this.#isInString = true;
          if (!isPlain && frame?.list === null && frame.key === null) this.#keyText = '';
          break;
        case openBrace:
        case openBracket: {
          const opened = isPlain ? null : this.#open(frame, code === openBracket);
          if (opened === null) this.#depth += 1;
          else if (opened.list !== null) {
            take(at + 1);
            this.#texts.push('');
          }
          break;
        }
        case closeBrace:
        case closeBracket:
          if (isPlain) this.#depth -= 1;
          else if (frame === undefined || (frame.list !== null) !== (code === closeBracket))
            throw new SyntaxError('closed without being opened');
          else {
            if (frame.list !== null) {
              take(at);
              this.#endElement(frame, frame.list, true);
              this.#texts.pop();
            }
            this.#frames.pop();
          }
          break;
        case comma:
          if (isPlain || frame === undefined) break;
          frame.key = null;
          if (frame.list !== null) {
            take(at);
            from = at + 1;
            this.#endElement(frame, frame.list, false);
          }
          break;
        default:
      }
    }
    take(text.length);
  }

  /** Position of the closing quote; the length of the text when it continues. */
  #endOfString(text: string, from: number): number {
    let at = this.#isEscaped ? from + 1 : from;
    for (;;) {
      const found = text.indexOf('"', at);
      const end = found < 0 ? text.length : found;
      let first = end;
      while (first > at && text.charCodeAt(first - 1) === backslash) first -= 1;
      this.#isEscaped = (end - first) % 2 === 1;
      if (found < 0 || !this.#isEscaped) return end;
      this.#isEscaped = false;
      at = end + 1;
    }
  }

  /** Null: no list below it. */
  #open(frame: Frame | undefined, isList: boolean): Frame | null {
    const key = frame?.list === null ? (frame.key ?? '') : '*';
    const position = frame === undefined ? this.#root : frame.position.below.get(key);
    if (position === undefined || (position.list !== null) !== isList) return null;
    const opened = { position, list: position.list, elements: 0, key: null };
    this.#frames.push(opened);
    return opened;
  }

  #endString(): void {
    this.#isInString = false;
    const frame = this.#frames.at(-1);
    if (this.#keyText === null || frame === undefined) return;
    frame.key = JSON.parse(`"${this.#keyText}"`) as string;
    this.#keyText = null;
  }

  #endElement(frame: Frame, list: number, isLast: boolean): void {
    const text = this.#texts.at(-1) ?? '';
    this.#texts[this.#texts.length - 1] = '';
    const isEmpty = isLast && frame.elements === 0 && text.trim() === '';
    frame.elements += 1;
    if (!isEmpty) this.#onElement(JSON.parse(text), list);
  }
}
