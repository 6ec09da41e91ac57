import type { Say, Words } from '../domain/job';
import type { ReportLanguage } from './formats';
import { names } from './names';

/** Words of ours and of the services, in the readers' languages. Others are unchanged. */

const statuses: Readonly<Record<string, Words>> = {
  completed: ['Completed', 'Concluído'],
  found: ['Found', 'Encontrado'],
  issued: ['Issued', 'Emitido'],
  approved: ['Approved', 'Aprovado'],
  alerted: ['Alerted', 'Com alerta'],
  blocked: ['Blocked', 'Bloqueado'],
  failed: ['Failed', 'Falhou'],
  refused: ['Refused by the service', 'Recusado pelo serviço'],
  not_found: ['Not found', 'Não encontrado'],
  invalid: ['Invalid', 'Inválido'],
  unsupported: ['Not served', 'Não atendido'],
  unreadable: ['Unreadable answer', 'Resposta ilegível'],
  unknown_outcome: ['Unknown outcome', 'Resultado desconhecido'],
  expired: ['Out of time', 'Prazo esgotado'],
  cancelled: ['Cancelled', 'Cancelado'],
  needs_review: ['Needs a review', 'Precisa de revisão'],
  duplicate: ['Duplicate', 'Duplicado'],
  lost: ['Lost', 'Perdido'],
  followed: ['Still followed', 'Ainda acompanhado'],
  erased: ['Erased', 'Eliminado'],
  pending: ['Pending', 'Pendente'],
  running: ['Running', 'Em andamento'],
  queued: ['Queued', 'Na fila'],
  unavailable: ['Unavailable', 'Indisponível'],
  reported: ['Reported', 'Informada'],
  skipped: ['Skipped', 'Não consultada'],
  complete: ['Complete', 'Completa'],
  partial: ['Partial', 'Parcial'],
  classified: ['Classified', 'Classificado'],
  insufficient_data: ['Insufficient data', 'Dados insuficientes'],
  critical: ['Critical', 'Crítica'],
  warn: ['Warning', 'Atenção'],
  info: ['Information', 'Informativa'],
  unknown: ['Unknown', 'Desconhecida'],
  stored: ['Recorded', 'Registrada'],
  delivered: ['Delivered', 'Entregue'],
  acknowledged: ['Acknowledged', 'Confirmada'],
  acknowledged_elsewhere: ['Acknowledged by others', 'Confirmada por outros'],
  gone: ['Gone at the service', 'Não existe mais no serviço'],
  failing: ['Failing', 'Com falha'],
  incomplete: ['Incomplete', 'Incompleto'],
  swept: ['Swept', 'Varrido'],
  partly: ['Partly swept', 'Varrido em parte'],
  interrupted: ['Interrupted', 'Interrompido'],
  answered: ['Answered', 'Respondida'],
  missing: ['Missing', 'Sem resposta'],
  not_requested: ['Not requested', 'Não consultada'],
  asking: ['Asking', 'Consultando'],
  'waits for a person': ['Waits for a person', 'Aguarda uma pessoa'],
  open: ['Open', 'Em aberto'],
  undecided: ['Undecided', 'Sem decisão'],
  waiting: ['Waiting', 'Em espera'],
  stands_still: ['Stands still', 'Parado'],
  'stands still': ['Stands still', 'Parado'],
  credentials: ['Credentials', 'Credenciais'],
  review: ['Review', 'Revisão'],
  decision: ['Decision', 'Decisão'],
  budget: ['Budget', 'Orçamento'],
  restored: ['Restored', 'Restaurado'],
  accept: ['Accepted', 'Aceita'],
  retry: ['Tried again', 'Tentada de novo'],
  reissue: ['Asked for again', 'Pedida de novo'],
  abandon: ['Given up', 'Desistência'],
  watch: ['Watched', 'Retomada'],
  adopt: ['Adopted', 'Id adotado'],
  acknowledge: ['Seen', 'Vista'],
  charged: ['Charged', 'Cobrado'],
  not_charged: ['Not charged', 'Não cobrado'],
  new: ['New', 'Nova'],
  elsewhere: ['Acknowledged by others or gone', 'Confirmada por outros ou inexistente'],
  probed: ['Probed', 'Consultado'],
  not_retryable: ['Not to be tried again', 'Não deve ser tentado de novo'],
  max_attempts: ['Attempts are used up', 'Tentativas esgotadas'],
  attempt_unknown: ['Attempt not told', 'Tentativa não informada'],
  older: ['Older', 'Mais antigo'],
  beyond_limit: ['Beyond the limit', 'Além do limite'],
  high: ['High', 'Alta'],
  medium: ['Medium', 'Média'],
  low: ['Low', 'Baixa'],
};

function at({ [0]: en, [1]: pt }: Words, language: ReportLanguage): string {
  return language === 'pt' ? pt : en;
}

function own(words: Readonly<Record<string, Words>>, word: string): Words | undefined {
  return Object.hasOwn(words, word) ? words[word] : undefined;
}

/** A status; an unknown word unchanged. */
export function statusWord(status: string, language: ReportLanguage): string {
  const pair = own(statuses, status);
  return pair === undefined ? plain(status) : at(pair, language);
}

/** For `risk.matched_rules`, the name of `matched_rules`; a count may have the name of a status. */
export function nameOf(path: string, language: ReportLanguage): string {
  const last = path.slice(path.lastIndexOf('.') + 1);
  const inCamel = last.replaceAll(/_(\p{Ll})/gu, (_, letter: string) => letter.toUpperCase());
  const pair =
    [path, last, inCamel].map((one) => own(names, one)).find((one) => one !== undefined) ??
    own(statuses, last);
  return pair === undefined ? plain(path.replace('localizacao.', '')) : at(pair, language);
}

/** The same with the word before it, for single values: `Risk: level`. */
export function pathName(path: string, language: ReportLanguage): string {
  const [last = '', within] = path.split('.').reverse();
  const name = nameOf(last, language);
  return within === undefined ? name : `${nameOf(within, language)}: ${name}`;
}

/** A billing status, in the middle of a sentence. */
export function billingWord(status: string, language: ReportLanguage): string {
  const isOurs = ['charged', 'not_charged'].includes(status);
  return isOurs ? statusWord(status, language).toLowerCase() : statusWord(status, language);
}

/** For a terminal: in English the word of commands and `--json`. */
export function stateWord(status: string, language: ReportLanguage): string {
  return language === 'en' ? status : statusWord(status, language).toLowerCase();
}

/** The same for kinds of jobs. */
export function kindWord(kind: string, language: ReportLanguage): string {
  return language === 'en' ? kind : nameOf(kind, language);
}

function plain(word: string): string {
  const spaced = word
    .replaceAll(
      /(\p{Ll})(\p{Lu})/gu,
      (_, before: string, after: string) => `${before} ${after.toLowerCase()}`,
    )
    .replaceAll(/[_.]/g, ' ');
  return capital(spaced.trim());
}

/** Makes a clause a sentence. */
export function sentence(text: string): string {
  return `${capital(text)}.`;
}

function capital(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

/**
 * The command line of a resolution.
 *
 * @param which `--line 7` or `--status failed`
 */
export function resolveLine(
  id: string,
  { action, which = '' }: { action: string; which?: string },
  { say }: { say: Say },
): string {
  const externalId = action === 'adopt' ? ' --external-id UUID' : '';
  return `diligence resolve ${id} ${which}${which && ' '}--action ${action}${externalId} --note "${say('why', 'motivo')}"`;
}

export function shellWord(text: string): string {
  return /^[\p{L}\p{N}_./:@-]+$/u.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
