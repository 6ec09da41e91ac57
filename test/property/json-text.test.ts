import { assert, json, jsonValue, property, record, string } from 'fast-check';
import { JsonText, memberText, stringifyWithTexts } from '../../src/domain/core/json-text';
import { sized } from '../support/full-size';

test('the value of a member is found as it is written, wherever it stands', () => {
  const members = record({
    before: jsonValue(),
    rules: json(),
    after: jsonValue(),
    name: string(),
  });
  assert(
    property(members, ({ before, rules, after, name }) => {
      const [first, last] = [JSON.stringify({ before, name }), JSON.stringify({ after })];
      const text = `${first.slice(0, -1)} , "rules" : ${rules}\n,${last.slice(1)}`;
      expect(memberText(text, 'rules')).toBe(rules.trim());
      expect(memberText(text, 'none')).toBeNull();
    }),
    { numRuns: sized(300, 2_000) },
  );
});

test('a text goes into a document as it is, and the document stays one', () => {
  assert(
    property(json(), jsonValue(), string(), (text, other, name) => {
      const value = { other, name, rules: new JsonText(text) };
      for (const indent of [0, 2]) {
        const written = stringifyWithTexts(value, indent);
        expect(memberText(written, 'rules')).toBe(text.trim());
        expect(JSON.parse(written)).toEqual(
          JSON.parse(JSON.stringify({ other, name, rules: JSON.parse(text) })),
        );
      }
    }),
    { numRuns: sized(300, 2_000) },
  );
});

test('what is no JSON is no text, and a member told twice counts as a parser counts it', () => {
  expect(() => new JsonText('{"a":}')).toThrow(SyntaxError);
  expect(memberText('{"a":1,"b":{"a":3},"a" :2.50}', 'a')).toBe('2.50');
});
