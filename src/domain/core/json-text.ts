const utf8 = new TextDecoder();

/** Parses a raw JSON body, ignoring a byte order mark. @throws SyntaxError */
export function jsonOfBytes(body: Uint8Array): unknown {
  return JSON.parse(utf8.decode(body));
}

/** JSON passed on unchanged: `1.10` stays `1.10`, and big numbers keep their digits. */
export class JsonText {
  readonly text: string;

  /** @throws SyntaxError */
  constructor(text: string) {
    JSON.parse(text);
    this.text = text.trim();
  }
}

const marks = /"(?:[^"\\]|\\.)*"|[{}[\],:]/gs;

/** Raw text of an object's member; null: none. @param json a valid object */
export function memberText(json: string, name: string): string | null {
  let depth = 0;
  let word = '';
  let member: string | null = null;
  let from = 0;
  let found: string | null = null;
  for (const { 0: mark, index } of json.matchAll(marks)) {
    const isEnd = mark === '}' || mark === ']';
    if (depth === 1 && (mark === ',' || isEnd)) {
      // The last of two members of one name counts, as for a parser.
      if (member === name) found = json.slice(from, index).trim();
      member = null;
    } else if (depth === 1 && mark === ':') {
      member = JSON.parse(word) as string;
      from = index + 1;
    }
    if (isEnd) depth -= 1;
    else if (mark === '{' || mark === '[') depth += 1;
    word = mark;
  }
  return found;
}

export function stringifyWithTexts(value: unknown, indent = 0): string {
  const texts: string[] = [];
  const mark = absentMark(JSON.stringify(value));
  const replacer = (_key: string, one: unknown): unknown => {
    if (!(one instanceof JsonText)) return one;
    texts.push(one.text);
    return mark;
  };
  const [head = '', ...parts] = JSON.stringify(value, replacer, indent).split(`"${mark}"`);
  return parts.reduce((all, part, number) => `${all}${texts[number]}${part}`, head);
}

function absentMark(text: string): string {
  let mark = '#';
  while (text.includes(mark)) mark += '#';
  return mark;
}
