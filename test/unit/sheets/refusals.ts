import type { SheetError } from '../../../src/sheets/sheet-error';

/** The same file, line and column, in words of its own. */
export function expectPortuguese({ file, line, message, words: [en, pt] }: SheetError): void {
  expect(message).toBe(en);
  expect(pt).not.toBe(en);
  expect(pt).toContain(file);
  if (line !== undefined && en.includes(`line ${line}`)) expect(pt).toContain(`linha ${line}`);
  expect(pt).not.toMatch(/(?<!--)\b(?:the|line|column|sheet|rows?|is|not|and)\b(?!\.csv)/);
}
