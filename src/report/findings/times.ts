import { fieldsOf } from '../../domain/core/findings';
import type { TimelineEvent } from '../parts';
import type { Reader } from '../reader';
import type { FindingsReport } from './report';

/** Instants that a service reports, by field name. */
const known = {
  created_at: ['accepted', 'aceito'],
  queued_at: ['attempt queued', 'tentativa na fila'],
  submitted_at: ['file received', 'arquivo recebido'],
  started_at: ['started', 'iniciado'],
  completed_at: ['completed', 'concluído'],
} as const;

/** From the request to the end: our instants, and those of the response. */
export function timesOf(
  { createdAt, createdBy, findings, settledAt }: FindingsReport,
  { say }: Reader,
): TimelineEvent[] {
  const result = fieldsOf(findings.result);
  const { status, whole } = result;
  // The last read of a dossier contains two responses.
  const answer = { ...result, ...fieldsOf(whole), ...fieldsOf(status) };
  const attempt = fieldsOf(answer['current_attempt']);
  const reported = Object.entries(known).flatMap(([name, [en, pt]]): TimelineEvent[] => {
    const at = attempt[name] ?? answer[name];
    if (typeof at !== 'string') return [];
    return [{ at, what: say(`At the service: ${en}`, `No serviço: ${pt}`) }];
  });
  return [
    {
      at: createdAt,
      what: say('Asked for', 'Pedido'),
      note: say(`by ${createdBy}`, `por ${createdBy}`),
    },
    ...reported,
    { at: settledAt, what: say('Ended and stored', 'Encerrado e armazenado') },
  ];
}
