import type { BillingTotal } from '../domain/core/service/billing-totals';
import { reportTimeZone } from './formats';
import { html, type Content, type Html } from './html';
import { code, small, type Block, type Fact, type Page, type Section, type Tile } from './page';
import { pageHtml } from './page-html';
import type { Reader } from './reader';
import { billingWord } from './words';

export interface TimelineEvent {
  /** ISO 8601. */
  at: string | null | undefined;
  what: string;
  note?: string;
}

/** The page of a job of any kind: what its kind shows, then what all pages have. */
export interface JobPage extends Omit<Page, 'sections'> {
  job: { id: string; createdBy: string; createdAt: string; endedAt: string };
  /** Before what is left to do, and after it. */
  parts: readonly (Section | null)[];
  /** Null: nothing is left to do. */
  left: readonly Block[] | null;
  more?: readonly (Section | null)[];
  /** What the service reported. */
  events?: readonly TimelineEvent[];
  files: readonly EvidenceFile[];
  facts: readonly Fact[];
}

export function jobHtml(
  { job, parts, left, more = [], events = [], files, facts, ...page }: JobPage,
  reader: Reader,
  writtenAt: number,
): string {
  const { formats, say } = reader;
  const all = [
    { at: job.createdAt, what: say('Asked for', 'Pedido'), note: job.createdBy },
    ...events,
    { at: job.endedAt, what: say('Ended and stored', 'Encerrado e armazenado') },
  ];
  const about: Section = {
    title: ['About this job', 'Sobre este trabalho'],
    blocks: {
      facts: [
        ['Id', code(job.id)],
        ...facts,
        [['Started by', 'Iniciado por'], job.createdBy],
        [['Started', 'Início'], formats.instant(job.createdAt)],
        [['Ended', 'Fim'], formats.instant(job.endedAt)],
        [['Time zone', 'Fuso horário'], reportTimeZone],
      ],
    },
  };
  const sections = [
    ...parts,
    leftSection(left, reader),
    ...more,
    timelineSection(all, reader),
    evidenceSection(files),
    about,
  ];
  return pageHtml({ ...page, sections }, reader, writtenAt);
}

function timelineSection(events: readonly TimelineEvent[], { say }: Reader): Section {
  const known = events.filter(({ at }) => !Number.isNaN(Date.parse(at ?? '')));
  const inOrder = known.sort((a, b) => Date.parse(a.at ?? '') - Date.parse(b.at ?? ''));
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

/** A file of the result folder, or an uploaded one. */
export interface EvidenceFile {
  name: string;
  bytes: number | null;
  mediaType: string | null;
  sha256: string | null;
}

function evidenceSection(files: readonly EvidenceFile[]): Section | null {
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
  const [value = '', ...note] = [first, ...more].flatMap((one) => costWords(one, reader));
  return { name, value, note: note.join(', ') };
}

/** `61 tokens`, `charged`. */
export function costWords(
  { amount, count, status, unit }: BillingTotal,
  { count: counted, formats, language, say }: Reader,
): string[] {
  if (unit === 'answer') return [counted(count, ['answer', 'answers'], ['resposta', 'respostas'])];
  const exact = String(amount);
  const reported = amount === null ? formats.number(count) : say(exact, exact.replace('.', ','));
  const word = status === null ? [] : [billingWord(status, language)];
  return [`${reported} ${unit ?? ''}`.trim(), ...word];
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
