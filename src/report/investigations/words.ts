import type { Cell } from '../../domain/core/findings';
import type { InvestigationReport } from './schema';
import type { Words } from '../../domain/job';
import type { SweepFault } from '../../domain/monitors/sweep';
import { cellWords } from '../findings/section';
import { html, type Html } from '../html';
import { faultNames, noteOf } from '../monitors/sweep-words';
import { badge, type Look } from '../page';
import { problemWords } from '../problem-words';
import type { Reader } from '../reader';
import { statusWord } from '../words';

const looks: Readonly<Partial<Record<string, Look>>> = {
  answered: 'good',
  partial: 'warn',
  missing: 'bad',
  refused: 'bad',
  undecided: 'warn',
};

/** Colour of a status: complete, partial, missing. */
export function lookOf(status: string): Look {
  return looks[status] ?? '';
}

export function statusBadge(status: string, { language }: Reader): Html {
  return badge(statusWord(status, language), lookOf(status));
}

/** Relative to the page. */
export function fileLink(path: string | null): Html | null {
  if (path === null) return null;
  const href = path.split('/').map(encodeURIComponent).join('/');
  return html`<a href="${href}">${path.slice(path.lastIndexOf('/') + 1)}</a>`;
}

/** What stands in `report.json` as a code, or as a sentence of ours, is worded. */
export function factWords(reader: Reader, what: string, value: Cell): string {
  const { language, say } = reader;
  if (what === 'sweepFault') return say(...faultNames[value as SweepFault]);
  if (what === 'notes') {
    const notes = String(value).split('; ');
    return notes.map((code) => say(...noteOf(code))).join('; ');
  }
  const [, code = null, message] = /^(\w+) (.+)$/s.exec(String(value)) ?? [];
  if (what !== 'error' || message === undefined) return cellWords(reader, what, value);
  return `${code} ${problemWords({ code, message }, language)}`;
}

/** The requests, and those that may be charged beyond the reported cost. */
export function requestsWords({ requests }: InvestigationReport, { formats, say }: Reader): string {
  const { possibleDoubleCharges: twice, requested, reused, unanswered } = requests;
  const counts: [number, Words][] = [
    [requested, ['Requests sent', 'Pedidos enviados']],
    [reused, ['Results reused', 'Resultados reaproveitados']],
    [
      unanswered,
      [
        'Requests without an answer, which may still be charged',
        'Pedidos sem resposta, que ainda podem ser cobrados',
      ],
    ],
    [twice, ['Requests that may have been charged twice', 'Pedidos talvez cobrados duas vezes']],
  ];
  return counts
    .filter(([count], at) => at < 2 || count > 0)
    .map(([count, words]) => `${say(...words)}: ${formats.number(count)}.`)
    .join(' ');
}
