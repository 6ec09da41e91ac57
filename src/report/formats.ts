import { languages, type Language } from '../domain/job';

export const reportLanguages = languages;
export type ReportLanguage = Language;

/** The services are Brazilian: a report has the same hours wherever it is written. */
export const reportTimeZone = 'America/Sao_Paulo';

const locales: Record<ReportLanguage, string> = { en: 'en-GB', pt: 'pt-BR' };

export type Formats = ReturnType<typeof formatsOf>;

export function formatsOf(language: ReportLanguage) {
  const locale = locales[language];
  const timeZone = reportTimeZone;
  const whole = new Intl.NumberFormat(locale);
  const tenths = new Intl.NumberFormat(locale, { maximumFractionDigits: 1 });
  const percent = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 1 });
  const reais = new Intl.NumberFormat(locale, { style: 'currency', currency: 'BRL' });
  const day = { day: '2-digit', month: language === 'pt' ? '2-digit' : 'short' } as const;
  const clock = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;
  const instants = new Intl.DateTimeFormat(locale, {
    ...day,
    ...clock,
    year: 'numeric',
    second: '2-digit',
    timeZone,
  });
  const days = new Intl.DateTimeFormat(locale, { ...day, year: 'numeric', timeZone: 'UTC' });
  const marks = new Intl.DateTimeFormat(locale, { ...clock, timeZone });
  const marksOfSeconds = new Intl.DateTimeFormat(locale, { ...clock, second: '2-digit', timeZone });
  const marksOfDays = new Intl.DateTimeFormat(locale, { ...day, hour: '2-digit', timeZone });
  return {
    number: (value: number) => whole.format(value),
    /** With at most one decimal digit. */
    decimal: (value: number) => tenths.format(value),
    /** Share of a whole; 100 % only for all, and 0 % only for none. */
    share: (part: number, all: number) => {
      if (part === 0 || part === all) return percent.format(part === 0 ? 0 : 1);
      return percent.format(Math.min(0.999, Math.max(0.001, part / all)));
    },
    money: (value: number) => reais.format(value),
    /** A day, of `2026-05-31`; other text unchanged. */
    day: (on: string) => (/^\d{4}-\d\d-\d\d$/.test(on) ? dayOf(days, on) : on),
    /** Date and time to the second; other text unchanged. */
    instant: (at: string | number) => {
      const date = new Date(at);
      return Number.isNaN(date.getTime()) ? String(at) : instants.format(date);
    },
    /** Milliseconds as `3.4 s`, `12 min`, `2 h 5 min`, `3 d 4 h`. */
    duration: (ms: number) => {
      const seconds = ms / 1_000;
      if (seconds < 90) return `${tenths.format(seconds)} s`;
      if (seconds < 5_400) return `${whole.format(Math.round(seconds / 60))} min`;
      const [large, small, unit] =
        seconds < 172_800 ? ([3_600, 60, 'h'] as const) : ([86_400, 3_600, 'd'] as const);
      const rounded = Math.round(seconds / small) * small;
      const rest = (rounded % large) / small;
      const left = rest === 0 ? '' : ` ${rest} ${unit === 'h' ? 'min' : 'h'}`;
      return `${whole.format(Math.floor(rounded / large))} ${unit}${left}`;
    },
    /** A mark of a time axis with this span. */
    clock: (at: number, spanMs: number) =>
      (spanMs < 600_000 ? marksOfSeconds : spanMs < 86_400_000 ? marks : marksOfDays).format(at),
  };
}

function dayOf(days: Intl.DateTimeFormat, on: string): string {
  const date = new Date(`${on}T00:00:00Z`);
  return Number.isNaN(date.getTime()) ? on : days.format(date);
}
