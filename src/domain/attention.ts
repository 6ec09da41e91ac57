import { reachedWords, type ReachedBudget } from './core/budget';
import type { Cell, ResolveAction } from './core/kind';
import { kindFacts, type JobEnd, type JobKind, type Say, type Words } from './job';

/**
 * What needs a person, how a command ends, and what a person may decide: one table of kind and status (decision
 * record 023). A last word of the service, even a no, is `failed`. What may still turn out otherwise, or may have
 * been charged without a result in the store, needs a person; so does a batch that lacks the result of a row.
 */

export interface ActionMeaning {
  action: ResolveAction;
  /** The service may charge for it. */
  mayCost: boolean;
  does: string;
}

/** Codes by which a command ends; 2 (usage) and 130 (interrupted) tell nothing of a job. */
export type EndCode = 0 | 1 | 3;

export interface Attention {
  needsAttention: boolean;
  exitCode: EndCode;
  actions: readonly ActionMeaning[];
}

/**
 * What an end leaves open beside its status. `incomplete`: something that was announced is not in the store.
 * `possible_charge`: a request may have been charged, and nobody knows what it began. `escalated`: tried so
 * often that a person must look.
 */
export type Doubt = 'incomplete' | 'possible_charge' | 'escalated';

export type WaitReason =
  | 'credentials'
  | 'review'
  | 'decision'
  /** As many rows are unknown as may be. */
  | 'unknown'
  /** As many requests were made as may be. */
  | 'budget'
  | 'restored'
  | 'stands_still';

export type WaitScope = number | ReachedBudget | null;

const whileWaiting: Record<WaitReason, Words> = {
  credentials: [
    'the service refuses the token: it goes on by itself when one works',
    'o serviço recusa o token: continua sozinho quando um funcionar',
  ],
  review: ['it needs a review', 'precisa de revisão'],
  decision: [
    'requests were throttled repeatedly: `diligence resume` tries again',
    'os pedidos foram recusados repetidamente: `diligence resume` tenta de novo',
  ],
  unknown: [
    'their requests left and no answer came: look at the service; `diligence resume` goes on until as many more are unknown',
    'os pedidos saíram e nenhuma resposta veio: verifique no serviço; `diligence resume` continua até outras tantas ficarem assim',
  ],
  budget: [
    '--budget allows no more, and `diligence resume` lets as many be made again',
    '--budget não permite mais, e `diligence resume` permite outros tantos',
  ],
  restored: [
    'it was under way when the store was backed up: the command that began it goes on with it',
    'estava em andamento quando foi feita a cópia de segurança: o comando que o iniciou continua',
  ],
  stands_still: [
    'its workflow fails again and again: run the version of diligence that started it, or cancel it',
    'o workflow falha repetidamente: use a versão do diligence que o iniciou, ou cancele-o',
  ],
};
const actionsWhileWaiting: Partial<Record<WaitReason, readonly ResolveAction[]>> = {
  review: ['accept', 'retry'],
};

const meanings: Record<ResolveAction, Words> = {
  reissue: [
    'asks for it again: both requests may be charged',
    'pede de novo: os dois pedidos podem ser cobrados',
  ],
  abandon: [
    'gives it up: what was sent is looked for no longer',
    'desiste: o que foi enviado não é mais procurado',
  ],
  watch: [
    'goes on with what was sent, and sends nothing new',
    'continua com o que foi enviado, e não envia nada novo',
  ],
  adopt: [
    'takes the id that the service has named, to its end',
    'adota o id que o serviço informou, até o fim',
  ],
  accept: ['takes it as it is', 'aceita como está'],
  retry: [
    'asks for another attempt, which may be charged',
    'pede outra tentativa, que pode ser cobrada',
  ],
  acknowledge: [
    'a person has seen it: the whole job is left as it is',
    'uma pessoa viu: o trabalho inteiro fica como está',
  ],
};
const maySpend: readonly ResolveAction[] = ['reissue', 'retry'];

/** Of a status that the table does not know, a person is told. */
const unknownCell: Cell = ['person'];

function cellOf(kind: JobKind, status: string): Cell {
  return kindFacts[kind].statuses[status] ?? unknownCell;
}

/** @param doubts any of them needs a person, whatever the status */
export function attentionOf(
  kind: JobKind,
  status: string,
  doubts: readonly Doubt[] = [],
  say: Say = inEnglish,
): Attention {
  const [verdict, ...actions] = cellOf(kind, status);
  const isNeeded = verdict === 'person' || doubts.length > 0;
  const named = isNeeded ? ([...actions, 'acknowledge'] as const) : actions;
  return {
    needsAttention: isNeeded,
    exitCode: isNeeded ? 3 : verdict === 'failed' ? 1 : 0,
    actions: named.map((action) => meaningOf(action, say)),
  };
}

export function needsAttention(
  kind: JobKind,
  status: string,
  doubts: readonly Doubt[] = [],
): boolean {
  return attentionOf(kind, status, doubts).needsAttention;
}

/** How a command about a job ends: what a person has decided about needs none any more. */
export function exitCodeOf(kind: JobKind, end: JobEnd): EndCode {
  if (end.needsAttention) return 3;
  return cellOf(kind, end.status)[0] === 'failed' ? 1 : 0;
}

export function endOf(kind: JobKind, status: string, doubts: readonly Doubt[] = []): JobEnd {
  return { status, needsAttention: needsAttention(kind, status, doubts) };
}

/**
 * Why a job is in the inbox, and what can be decided now.
 * @param isNeeded a person is
 * @param say for a person; programs read English
 */
export function inboxEntry(
  {
    kind,
    status,
    waitsFor,
    waitsAbout,
  }: {
    kind: JobKind;
    status: string | null;
    waitsFor: WaitReason | null;
    waitsAbout: WaitScope;
  },
  isNeeded = true,
  say: Say = inEnglish,
): { why: string; actions: readonly ActionMeaning[] } {
  if (status === null) {
    const reason = waitsFor ?? 'restored';
    return {
      why: `${aboutWords(waitsAbout, say)}${say(...whileWaiting[reason])}`,
      actions: (actionsWhileWaiting[reason] ?? []).map((action) => meaningOf(action, say)),
    };
  }
  const [verdict] = cellOf(kind, status);
  const why = say(...(verdict === 'person' ? (reasons[status] ?? rowInDoubt) : somethingMissing));
  if (isNeeded) return { why, actions: attentionOf(kind, status, ['incomplete'], say).actions };
  // What needed a person was decided; about rows of certificates one may decide again.
  if (verdict === 'person' && !kind.startsWith('certificate')) return { why, actions: [] };
  const { actions } = attentionOf(kind, status, [], say);
  return { why, actions: actions.filter(({ action }) => action !== 'acknowledge') };
}

function aboutWords(about: WaitScope, say: Say): string {
  if (about === null) return '';
  const rows = say('rows are unknown', 'linhas de resultado desconhecido');
  return `${typeof about === 'number' ? `${about} ${rows}` : reachedWords(about, say)}: `;
}

const reasons: Readonly<Partial<Record<string, Words>>> = {
  unknown_outcome: [
    'it may have been accepted and charged: the answer was lost, and nothing is sent again by itself',
    'pode ter sido aceito e cobrado: a resposta se perdeu, e nada é reenviado automaticamente',
  ],
  unreadable: [
    'it was answered, perhaps charged, and nobody can read the answer',
    'foi respondido, talvez cobrado, e a resposta não pode ser lida',
  ],
  expired: ['it had not settled in time', 'não terminou dentro do prazo'],
  needs_review: [
    'it needs a review, and nobody has decided',
    'precisa de revisão, e ninguém decidiu',
  ],
};
const rowInDoubt: Words = [
  'a row of it lacks its result, or something is in doubt',
  'falta o resultado de uma linha, ou algo está em dúvida',
];
const somethingMissing: Words = [
  'something that was announced is missing, or may be charged',
  'algo que foi anunciado está faltando ou pode ser cobrado',
];

export function whyOf(status: string, say: Say): string {
  return say(...(reasons[status] ?? somethingMissing));
}

function inEnglish(en: string): string {
  return en;
}

function meaningOf(action: ResolveAction, say: Say): ActionMeaning {
  return { action, mayCost: maySpend.includes(action), does: say(...meanings[action]) };
}

export const bySeverity = `
  lost unknown_outcome failed refused unreadable expired needs_review incomplete followed
  invalid unsupported not_found cancelled issued completed found duplicate
`
  .trim()
  .split(/\s+/);

/** One word for how a batch ended: the status of the row that needs a person most. */
export function mostSevere(counts: Readonly<Partial<Record<string, number>>>): string {
  const isThere = (status: string): boolean => (counts[status] ?? 0) > 0;
  return bySeverity.find(isThere) ?? Object.keys(counts).find(isThere) ?? 'completed';
}
