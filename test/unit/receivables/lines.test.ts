import { LineCutter, longestLine } from '../../../src/receivables/lines';

/** Lines as `text|end`, and the width where it is more than what was handed over. */
function cut(text: string, chunkBytes: number): string[] {
  const lines: string[] = [];
  const cutter = new LineCutter({
    line(bytes, from, to, end, width) {
      const line = Buffer.from(bytes.subarray(from, to)).toString('latin1');
      lines.push(`${line}|${end}${width > to - from ? `|${width}` : ''}`);
    },
  });
  const bytes = Buffer.from(text, 'latin1');
  for (let at = 0; at < bytes.length; at += chunkBytes) {
    cutter.push(bytes.subarray(at, at + chunkBytes));
  }
  cutter.end();
  return lines;
}

describe.each([1, 2, 3, 7, 100_000])('lines out of chunks of %i bytes', (chunkBytes) => {
  test.each([
    ['', []],
    ['a\nbc\n', ['a|lf', 'bc|lf']],
    ['a\r\nbc\r\n', ['a|crlf', 'bc|crlf']],
    ['a\rbc\r', ['a|cr', 'bc|cr']],
    ['a\r\n\r\rb\n\nc', ['a|crlf', '|cr', '|cr', 'b|lf', '|lf', 'c|none']],
    ['a\n\r', ['a|lf', '|cr']],
  ])('cuts %j', (text, lines) => {
    expect(cut(text, chunkBytes)).toEqual(lines);
  });

  test('hands over the beginning of a line that is too long, and its width', () => {
    const beginning = 'x'.repeat(longestLine);
    expect(cut(`a\n${'x'.repeat(9_000)}\nb\n`, chunkBytes)).toEqual([
      'a|lf',
      `${beginning}|lf|9000`,
      'b|lf',
    ]);
  });

  test('does not count filler at the end of a line that is too long', () => {
    const [line] = cut(`record${'\0'.repeat(9_000)}`, chunkBytes);
    expect(line).toBe(`record${'\0'.repeat(longestLine - 6)}|none`);
  });
});
