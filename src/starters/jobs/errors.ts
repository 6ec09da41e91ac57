import { WordedError } from '../../domain/core/worded-error';
import type { Words } from '../../domain/job';

/** Wrong usage: nothing was sent. A message about a flag begins with the flag. */
export class UsageError extends WordedError {
  override readonly name = 'UsageError';
}

/** Not found, refused, or failed: the message needs no stack. */
export class CommandError extends WordedError {
  override readonly name = 'CommandError';
}

/** Messages that several commands share. */
export function noJob(name: string): Words {
  return [`no job ${name} in this store`, `nenhum trabalho ${name} neste armazenamento`];
}

export function stillRuns(id: string): Words {
  const cancel = `\`diligence cancel ${id}\``;
  return [
    `${id} has not ended: resolve it when it has, or ${cancel} first`,
    `${id} não terminou: resolva quando terminar, ou antes ${cancel}`,
  ];
}

export function beingSent(id: string): Words {
  return [
    `${id}: it is being sent right now; try again in a while`,
    `${id}: está sendo enviado agora; tente de novo em instantes`,
  ];
}

export const noteMissing: Words = ['--note: say why', '--note: informe o motivo'];

/** @param flag the flag of the reason that a person must give */
export function reasonMissing(flag: string): Words {
  return [`${flag}: expected a reason`, `${flag}: informe o motivo`];
}

export function unreadableInput(
  flag: string,
  path: string,
  { code, name }: NodeJS.ErrnoException,
): Words {
  const why = `(${code ?? name})`;
  return [`${flag}: ${path} cannot be read ${why}`, `${flag}: ${path} não pode ser lido ${why}`];
}

/** Several sentences in one. @param before their common beginning */
export function joined(all: readonly Words[], before: Words = ['', '']): Words {
  const list = (at: 0 | 1): string => before[at] + all.map((words) => words[at]).join('; ');
  return [list(0), list(1)];
}
