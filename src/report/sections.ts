import type { BillingTotal } from '../domain/core/service/billing-totals';
import { reportTimeZone } from './formats';
import { html, type Content, type Html } from './html';
import { code, small, type Block, type Fact, type Section, type Tile } from './page';
import type { Reader } from './reader';
import { billingWord } from './words';

/** Sections that pages of all kinds have. */

export interface TimelineEvent {
  /** ISO 8601. */
  at: string | null | undefined;
  what: string;
  note?: string;
}

/** In order. Null: no entries. */
export function timelineSection(events: readonly TimelineEvent[], { say }: Reader): Section | null {
  const known = events.filter(({ at }) => !Number.isNaN(Date.parse(at ?? '')));
  const inOrder = known.sort((a, b) => Date.parse(a.at ?? '') - Date.parse(b.at ?? ''));
  if (known.length === 0) return null;
  return {
    title: ['What happened, and when', 'O que aconteceu, e quando'],
    blocks: {
      columns: [
        { name: ['When', 'Quando'], as: 'instant', width: 30 },
        { name: say('What', 'O quê') },
      ],
      rows: inOrder.map(({ at, what, note = '' }) => [at ?? '', [what, small(note)]]),
    },
  };
}

/** @param blocks null: nothing is left to do */
export function leftSection(blocks: readonly Block[] | null, { say }: Reader): Section {
  const nothing = { text: say('Nothing.', 'Nenhuma.') };
  return { title: ['What is left to do', 'Pendências'], blocks: blocks ?? nothing };
}

/** The facts about a job, on any page. */
export function aboutSection(facts: readonly Fact[]): Section {
  const zone = [['Time zone', 'Fuso horário'], reportTimeZone] as const;
  return {
    title: ['About this job', 'Sobre este trabalho'],
    blocks: { facts: [...facts, zone] },
  };
}

/** A file of the result folder, or an uploaded one. */
export interface EvidenceFile {
  name: string;
  bytes: number | null;
  mediaType: string | null;
  sha256: string | null;
}

export function evidenceSection(files: readonly EvidenceFile[]): Section | null {
  if (files.length === 0) return null;
  const rows = files.map(({ name, bytes, mediaType, sha256 }) => [
    name,
    bytes,
    mediaType,
    code(sha256),
  ]);
  return {
    title: ['Evidence', 'Evidências'],
    blocks: {
      columns: [
        { name: ['File', 'Arquivo'] },
        { name: 'Bytes', as: 'count' },
        { name: ['Type', 'Tipo'] },
        { name: 'SHA-256', as: 'wide' },
      ],
      rows,
    },
  };
}

/** As the service reported it, unchanged. */
export function costTile(cost: readonly BillingTotal[], reader: Reader): Tile {
  const { say } = reader;
  const name = ['Cost', 'Custo'] as const;
  // Charged amounts first.
  const [first, ...more] = [...cost].sort((a, b) => (b.amount ?? 0) - (a.amount ?? 0));
  if (first === undefined)
    return {
      name,
      value: say('not reported', 'não informado'),
      note: say('the service reports none', 'o serviço não informa'),
    };
  const [value, ...note] = [
    ...costWords(first, reader),
    ...more.flatMap((one) => costWords(one, reader)),
  ];
  return { name, value, note: note.filter((one) => one !== '').join(', ') };
}

/** `61 tokens`, `charged`. */
export function costWords(
  { amount, count, status, unit }: BillingTotal,
  { count: counted, formats, language }: Reader,
): [string, string] {
  if (unit === 'answer')
    return [counted(count, ['answer', 'answers'], ['resposta', 'respostas']), ''];
  const reported = amount === null ? formats.number(count) : formats.decimal(amount);
  return [`${reported} ${unit ?? ''}`.trim(), status === null ? '' : billingWord(status, language)];
}

/** A command line to copy. Broken between words, and only inside long ones. */
export function command(line: string): Html {
  const words = line
    .split(' ')
    .map((word) => (word.length > 24 ? word : html`<span class="flag">${word}</span>`));
  return html`<code class="command"
    >${words.flatMap((word, at): Content[] => (at === 0 ? [word] : [' ', word]))}</code
  >`;
}

/**
 * The command line of a resolution.
 *
 * @param which `--line 7` or `--status failed`
 */
export function resolveLine(
  id: string,
  { action, which = '' }: { action: string; which?: string },
  { say }: Reader,
): string {
  const externalId = action === 'adopt' ? ' --external-id UUID' : '';
  return `diligence resolve ${id} ${which}${which && ' '}--action ${action}${externalId} --note "${say('why', 'motivo')}"`;
}

export function shellWord(text: string): string {
  return /^[\p{L}\p{N}_./:@-]+$/u.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
