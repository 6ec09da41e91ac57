import type { Words } from './job';

/** What a workflow answers to an order, or refuses it with, as people read it. `#`: a number. */
export const orderAnswers = {
  cancelling: [
    'cancelling: what is under way is brought to its end',
    'cancelando: o que está em andamento vai até o fim',
  ],
  cancelled_at_once: ['cancelled at once', 'cancelado de imediato'],
  cancelling_requests: [
    'cancelling: nothing new is requested, outstanding issuances are still completed',
    'cancelando: nada novo é pedido, e o que está em aberto ainda é recebido',
  ],
  cancelled_requests: [
    'cancelled at once: outstanding issuances are left at the service, with their ids stored',
    'cancelado de imediato: as emissões em aberto ficam no serviço, com os seus ids guardados',
  ],
  cancelling_sent: [
    'cancelling: what was sent goes on at the service',
    'cancelando: o que foi enviado segue no serviço',
  ],
  cancelling_dossier: ['cancelling the dossier', 'cancelando o dossiê'],
  not_followed: ['followed no longer', 'não é mais acompanhado'],
  lanes_cancelled: [
    'the batch is not running; # of its lanes were, and are cancelled',
    'o lote não está em execução; # dos seus grupos estavam, e são cancelados',
  ],
  paused_requests: [
    'paused: nothing new is requested, outstanding issuances are still completed',
    'em pausa: nada novo é pedido, e o que está em aberto ainda é recebido',
  ],
  paused_rows: ['paused: what is under way goes on', 'em pausa: o que está em andamento continua'],
  resumed: ['resumed', 'retomado'],
  goes_on: ['goes on', 'continua'],
  resumed_budget: [
    'resumed: # more requests may be made',
    'retomado: podem ser feitos mais # pedidos',
  ],
  resumed_unknown: [
    'resumed: until # more rows are unknown',
    'retomado: até que mais # linhas fiquem sem resultado conhecido',
  ],
  resumed_refused: [
    'it was not paused: throttled requests are retried',
    'não estava em pausa: o que foi recusado é tentado de novo',
  ],
  not_waiting: ['nothing is waited for', 'nada é aguardado'],
  trying: ['trying at once', 'tentando agora'],
  over: ['every row has its outcome already', 'todas as linhas já têm o seu resultado'],
  settled: ['it has settled', 'já terminou'],
  storing: [
    'all of it has ended: its end is being stored',
    'tudo terminou: o seu fim está sendo gravado',
  ],
  is_cancelled: ['it is cancelled', 'está cancelado'],
  is_cancelling: ['it is being cancelled', 'está sendo cancelado'],
  is_paused: ['it is paused already', 'já está em pausa'],
  not_paused: ['it is not paused', 'não está em pausa'],
  note_missing: ['a resolution needs a note', 'falta o motivo da decisão'],
  not_in_review: ['it does not wait for a review', 'não aguarda revisão'],
  resolved_already: ['it has been resolved already', 'já foi resolvido'],
  accepted: ['accept: taken', 'aceite: registrado'],
  retrying: ['retry: taken', 'nova tentativa: registrada'],
  attempt_unknown: [
    'the service does not report the number of the attempt',
    'o serviço não informa o número da tentativa',
  ],
  not_running: [
    'it is not running: the same command continues it',
    'não está em execução: o mesmo comando o continua',
  ],
} as const satisfies Record<string, Words>;

export interface OrderAnswer {
  code: keyof typeof orderAnswers;
  count?: number;
}

export function orderAnswer(code: OrderAnswer['code'], count?: number): OrderAnswer {
  return count === undefined ? { code } : { code, count };
}

/** A worker of another version may answer what is not known here. */
export function answerWords({ code, count }: OrderAnswer): Words {
  const known = Object.hasOwn(orderAnswers, code) ? orderAnswers[code] : ([code, code] as const);
  return [known[0].replace('#', String(count)), known[1].replace('#', String(count))];
}
