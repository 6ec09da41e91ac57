import {
  array,
  assert,
  tuple,
  constantFrom,
  integer,
  jsonValue,
  nat,
  oneof,
  pre,
  property,
  record,
} from 'fast-check';
import { sized } from '../support/full-size';
import { JsonLists } from '../../src/apis/credit/json-lists';

/** Against JSON.parse of the whole: the same elements, and the same rest. */

const lists = [
  ['a', 'l'],
  ['a', 'l', '*', 'm'],
];

const leaf = jsonValue({ maxDepth: 3 });
const withInner = record(
  { m: oneof(array(leaf, { maxLength: 4 }), leaf), k: leaf },
  { requiredKeys: [] },
);
const document = oneof(
  record(
    {
      z: leaf,
      a: oneof(record({ l: array(oneof(withInner, leaf), { maxLength: 4 }), q: leaf }), leaf),
      l: leaf,
    },
    { requiredKeys: ['a'] },
  ),
  leaf,
);

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** What is handed on, in the order in which it ends, and the rest. */
function expected(whole: unknown): { handed: [unknown, number][]; rest: unknown } {
  const handed: [unknown, number][] = [];
  if (!isObject(whole) || !isObject(whole.a) || !Array.isArray(whole.a.l))
    return { handed, rest: whole };
  for (const one of whole.a.l as unknown[]) {
    if (isObject(one) && Array.isArray(one.m)) {
      for (const inner of one.m as unknown[]) handed.push([inner, 1]);
      handed.push([{ ...one, m: [] }, 0]);
    } else handed.push([one, 0]);
  }
  return { handed, rest: { ...whole, a: { ...whole.a, l: [] } } };
}

function read(bytes: Uint8Array, sizes: readonly number[]) {
  const handed: [unknown, number][] = [];
  const reader = new JsonLists(lists, (value, list) => handed.push([value, list]));
  let from = 0;
  for (let turn = 0; from < bytes.length; turn += 1) {
    const to = from + (sizes[turn % sizes.length] ?? 1);
    reader.write(bytes.subarray(from, to));
    from = to;
  }
  return { handed, rest: reader.end() };
}

const sizes = array(integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 5 });

test('elements of lists are handed on as JSON.parse reads them, wherever the bytes are cut', () => {
  assert(
    property(document, constantFrom(undefined, 1), sizes, (whole, space, cuts) => {
      const text = JSON.stringify(whole, null, space);
      // Of a key that stands twice the last counts, and __proto__ is a key like any other.
      pre(!text.includes('__proto__'));
      expect(read(Buffer.from(text), cuts)).toEqual(expected(JSON.parse(text)));
    }),
    { numRuns: sized(500, 20_000) },
  );
});

test('what JSON.parse refuses is refused', () => {
  const broken = tuple(
    document,
    nat(),
    constantFrom('', ',', ']', '}', '[', '{', '"', '1', 'x'),
  ).map(([whole, at, mark]) => {
    const text = JSON.stringify(whole);
    const place = at % (text.length + 1);
    return text.slice(0, place) + mark + text.slice(mark === '' ? text.length : place);
  });
  assert(
    property(broken, sizes, (text, cuts) => {
      const attempt = (): unknown => read(Buffer.from(text), cuts).rest;
      let isRead = true;
      try {
        JSON.parse(text);
      } catch {
        isRead = false;
      }
      if (isRead) expect(attempt).not.toThrow();
      else expect(attempt).toThrow(SyntaxError);
    }),
    { numRuns: sized(500, 20_000) },
  );
});
