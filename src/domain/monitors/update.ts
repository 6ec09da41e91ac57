import type { Words } from '../job';
import {
  listenItems,
  longestFrequencyHours,
  shortestFrequencyHours,
  type Monitor,
  type MonitorUpdate,
} from './change';

export type FieldValue = string | number | readonly string[] | null;

/** Why an update cannot be sent; null: it can. Never holds a full address. */
export function updateFault({
  name,
  listenItems: listened,
  emails,
  frequencyHours,
}: MonitorUpdate): Words | null {
  if ([name, listened, emails, frequencyHours].every((field) => field === undefined)) {
    return [
      'nothing to change: --name, --listen, --emails or --frequency',
      'nada a alterar: informe --name, --listen, --emails ou --frequency',
    ];
  }
  if (name?.trim() === '')
    return ['--name: expected at least one character', '--name: espera-se ao menos um caractere'];
  const items = listenItems.join(', ');
  if (listened?.length === 0)
    return [
      `--listen: expected at least one of ${items}`,
      `--listen: espera-se ao menos um de ${items}`,
    ];
  const twice = [listened ?? [], emails ?? []].some(
    (words) => new Set(words).size !== words.length,
  );
  if (twice)
    return ['--listen, --emails: a value is repeated', '--listen, --emails: há um valor repetido'];
  const index = emails?.findIndex((email) => !isEmail(email)) ?? -1;
  if (index >= 0)
    return [
      `--emails: number ${index + 1} is no e-mail address`,
      `--emails: o de número ${index + 1} não é um endereço de e-mail`,
    ];
  return frequencyHours === undefined || isFrequency(frequencyHours)
    ? null
    : [
        `--frequency: expected ${shortestFrequencyHours} to ${longestFrequencyHours} whole hours`,
        `--frequency: espera-se de ${shortestFrequencyHours} a ${longestFrequencyHours} horas inteiras`,
      ];
}

/** Checks the form only: whether it is read, only the service can find out. */
function isEmail(text: string): boolean {
  return text.length <= 254 && /^[^\s@,;<>"]+@[^\s@,;<>".]+(\.[^\s@,;<>".]+)+$/.test(text);
}

function isFrequency(hours: number): boolean {
  return (
    Number.isInteger(hours) && hours >= shortestFrequencyHours && hours <= longestFrequencyHours
  );
}

/** A field, in the service's words, whose response differs from the request. */
export interface NotTaken {
  field: string;
  requested: FieldValue;
  answered: FieldValue;
}

/** A field missing in the response says nothing. */
export function notTaken(request: MonitorUpdate, answered: Monitor): NotTaken[] {
  const pairs: [string, FieldValue | undefined, FieldValue][] = [
    ['name', request.name, answered.name],
    ['listen_items', request.listenItems, answered.listenItems],
    ['emails', request.emails, answered.emails],
    ['frequency_hours', request.frequencyHours, answered.frequencyHours],
  ];
  return pairs.flatMap(([field, wanted, reported]) =>
    wanted === undefined || reported === null || isAlike(wanted, reported)
      ? []
      : [{ field, requested: wanted, answered: reported }],
  );
}

/** The order of a list does not matter. */
function isAlike(a: FieldValue, b: FieldValue): boolean {
  if (!Array.isArray(a) || !Array.isArray(b)) return a === b;
  return a.length === b.length && a.every((word) => b.includes(word));
}
