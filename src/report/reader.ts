import type { Say } from '../domain/job';
import { inPortuguese } from './sentences-pt';
import { formatsOf, type ReportLanguage } from './formats';

/** Singular and plural. */
export type Forms = readonly [one: string, many: string];

export type Reader = ReturnType<typeof readerOf>;

/** The reader of a page or a screen: the language of its sentences, and the format of figures. */
export function readerOf(language: ReportLanguage) {
  const isPortuguese = language === 'pt';
  const formats = formatsOf(language);
  const say: Say = (en, pt) => (isPortuguese ? pt : en);
  return {
    language,
    /** As in `<html lang>`. */
    htmlLanguage: isPortuguese ? 'pt-BR' : 'en',
    formats,
    say,
    /** A sentence of ours that is stored in English. */
    stored: (en: string): string => (isPortuguese ? inPortuguese(en) : en),
    /** `1 place`, `2 places`. */
    count: (n: number, en: Forms, pt: Forms): string =>
      `${formats.number(n)} ${(isPortuguese ? pt : en)[n === 1 ? 0 : 1]}`,
  };
}
