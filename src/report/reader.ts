import type { Say } from '../domain/job';
import { inPortuguese } from './sentences-pt';
import { formatsOf, type Formats, type ReportLanguage } from './formats';

/** Singular and plural. */
export type Forms = readonly [one: string, many: string];

/** The reader of a page or a screen: the language of its sentences, and the format of figures. */
export interface Reader {
  language: ReportLanguage;
  /** As in `<html lang>`. */
  htmlLanguage: string;
  formats: Formats;
  say: Say;
  /** A sentence of ours that is stored in English. */
  stored: (en: string) => string;
  /** `1 place`, `2 places`. */
  count: (n: number, en: Forms, pt: Forms) => string;
}

export function readerOf(language: ReportLanguage): Reader {
  const isPortuguese = language === 'pt';
  const formats = formatsOf(language);
  return {
    language,
    htmlLanguage: isPortuguese ? 'pt-BR' : 'en',
    formats,
    say: (en, pt) => (isPortuguese ? pt : en),
    stored: (en) => (isPortuguese ? inPortuguese(en) : en),
    count: (n, en, pt) => `${formats.number(n)} ${(isPortuguese ? pt : en)[n === 1 ? 0 : 1]}`,
  };
}
