import { reachedWords } from '../../domain/core/budget';
import type { Words } from '../../domain/job';
import type { Reader } from '../../report/reader';
import { stateWord } from '../../report/words';
import type { Progress } from '../jobs/progress';
import { printable } from '../jobs/text';

/** Reasons that need an explanation; others are shown as they are. */
const reasonWords: Readonly<Record<string, Words>> = {
  credentials: [
    'credentials (the service refuses the token)',
    'credencial (o serviço recusa o token)',
  ],
  store: [
    'the store (it is full, read-only, or not where it was: `diligence doctor` says which; the job goes on when it is back)',
    'o armazenamento (cheio, só de leitura ou fora do lugar: `diligence doctor` diz qual; o trabalho continua quando ele voltar)',
  ],
  fault: [
    'this installation (a worker cannot prepare the requests; its log says why)',
    'esta instalação (um worker não consegue preparar os pedidos; o log diz o motivo)',
  ],
  service: [
    'the service (it turns requests away, or does not answer)',
    'o serviço (recusa pedidos ou não responde)',
  ],
  paused: ['paused (`diligence resume` goes on)', 'em pausa (`diligence resume` continua)'],
  decision: [
    'a decision (requests were throttled 20 times: `diligence resume` tries again)',
    'uma decisão (os pedidos foram recusados 20 vezes: `diligence resume` tenta de novo)',
  ],
  unknown: [
    'a person (as many rows are unknown as --max-unknown lets be: look at the service; `diligence resume` goes on)',
    'uma pessoa (há tantas linhas de resultado desconhecido quantas --max-unknown permite: verifique no serviço; `diligence resume` continua)',
  ],
  'rate limit': ['the rate limit', 'o limite de chamadas'],
  'another job': [
    'another job that is sending the same document',
    'outro trabalho que está pedindo o mesmo documento',
  ],
  retry: ['a retry that the service asked for', 'uma nova tentativa que o serviço pediu'],
};

/** Reasons for which single rows wait, while others settle. */
const reasonsOfRows = new Set(['rate limit', 'another job', 'retry']);

/** In these stages of a batch nothing settles. */
const idleStages = new Set(['proving access', 'merging']);

/** Stages, by their names in the workflow. */
const englishStages: Readonly<Record<string, string>> = {
  merging: 'putting the results together',
  'proving access': 'checking the token',
  review: 'waits for a review (`diligence inbox`)',
};
const portugueseStages: Readonly<Record<string, string>> = {
  asking: 'consultando',
  'asking again': 'consultando de novo',
  cancelling: 'cancelando',
  'choosing the engine': 'escolhendo o motor de regras',
  done: 'terminado',
  fetching: 'buscando o resultado',
  following: 'acompanhando',
  'handing in': 'entregando o arquivo',
  issuing: 'emitindo',
  merging: 'reunindo os resultados',
  planning: 'planejando',
  probing: 'consultando os monitores',
  'proving access': 'conferindo a credencial',
  reconciling: 'conferindo as confirmações',
  requesting: 'pedindo',
  retrying: 'tentando de novo',
  review: 'aguardando uma revisão (`diligence inbox`)',
  sweeping: 'varrendo',
  'under way': 'em andamento',
  uploading: 'enviando o arquivo',
  'waiting to retry': 'aguardando nova tentativa',
};

/** Whether the observed rate says nothing about the remaining time. */
export function isHeldUp({ waiting, paused, stage }: Progress): boolean {
  return (
    paused || idleStages.has(stage) || (waiting !== null && !reasonsOfRows.has(waiting.reason))
  );
}

export function settledOf(counts: Progress['counts']): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}

/** The state of a resource is a word of the service. */
function stageWord(stage: string, { language, say }: Reader): string {
  const own = Object.hasOwn(portugueseStages, stage) ? portugueseStages[stage] : undefined;
  const steps = stage.replace(/^(\d+) of (\d+) steps$/, '$1 de $2 etapas');
  const word = own ?? (steps === stage ? stateWord(stage, language) : steps);
  return say(englishStages[stage] ?? stage, word);
}

/**
 * `57/60  50 issued, 2 failed  5 outstanding  12.4 rows/s  about 3 s left`, or the reason for waiting.
 * @param rowsPerSecond null: unknown
 */
export function progressLine(
  progress: Progress,
  rowsPerSecond: number | null,
  now: number,
  reader: Reader,
): string {
  const { language, say } = reader;
  const { again, cancelling, counts, details, outstanding, paused, stage, total, waiting } =
    progress;
  const settled = settledOf(counts);
  const known = Object.entries(counts).filter(([, count]) => count > 0);
  const parts = [
    total === null ? stageWord(stage, reader) : `${settled}/${total}`,
    known
      .map(([word, count]) => say(`${count} ${word}`, `${stateWord(word, language)}: ${count}`))
      .join(', '),
    outstanding > 0 ? `${outstanding} ${say('outstanding', 'a receber')}` : '',
    again > 0 ? `${again} ${say('to ask again', 'a pedir de novo')}` : '',
    ...details,
    cancelling ? say('cancelling', 'cancelando') : '',
  ];
  if (waiting !== null)
    parts.push(`${say('waiting', 'aguarda')}: ${waitingWords(waiting, now, reader)}`);
  else if (paused) parts.push(say(...(reasonWords['paused'] ?? ['', ''])));
  else if (total !== null && idleStages.has(stage)) parts.push(stageWord(stage, reader));
  if (total !== null && rowsPerSecond !== null && waiting === null && settled < total)
    parts.push(...paceWords(rowsPerSecond, total - settled, reader));
  return printable(parts.filter((part) => part !== '').join('  '));
}

function waitingWords(
  { budget, reason, until }: NonNullable<Progress['waiting']>,
  now: number,
  reader: Reader,
): string {
  const { say } = reader;
  const reached = budget && reachedWords(budget, say);
  const [en, pt] =
    reached === undefined
      ? (reasonWords[reason] ?? [reason, reason])
      : [
          `a person (${reached}: \`diligence resume\` lets as many be made again)`,
          `uma pessoa (${reached}: \`diligence resume\` permite outros tantos)`,
        ];
  const leftMs = until === null ? 0 : until - now;
  if (leftMs <= 500) return say(en, pt);
  return `${say(en, pt)}, ${say('next try in', 'próxima tentativa em')} ${duration(leftMs, reader)}`;
}

function paceWords(rowsPerSecond: number, rows: number, reader: Reader): string[] {
  const { say } = reader;
  const isFast = rowsPerSecond >= 1;
  const rate = tenth(isFast ? rowsPerSecond : rowsPerSecond * 60, reader);
  const time = duration((rows * 1_000) / rowsPerSecond, reader);
  return [
    `${rate} ${say('rows', 'linhas')}/${isFast ? 's' : 'min'}`,
    say(`about ${time} left`, `faltam cerca de ${time}`),
  ];
}

/** Coarser for longer durations: seconds are meaningless after hours. */
export function duration(ms: number, reader: Reader): string {
  const seconds = ms / 1_000;
  if (seconds < 9.5) return `${Math.max(1, Math.round(seconds))} s`;
  if (seconds < 87.5) return `${Math.round(seconds / 5) * 5} s`;
  if (seconds < 5_370) return `${Math.round(seconds / 60)} min`;
  return `${tenth(Math.round(seconds / 1_800) / 2, reader)} h`;
}

function tenth(value: number, { say }: Reader): string {
  const text = value.toFixed(1);
  return say(text, text.replace('.', ','));
}
