import type { Words } from '../job';
import type { Monitor, MonitorUpdate } from './change';

export type FieldValue = string | number | readonly string[] | null;

/** Why an update cannot be sent; null: it can. Never holds a full address. */
export function updateFault(update: MonitorUpdate): Words | null {
  const { name, listenItems: listened, emails, frequencyHours } = update;
  const index = emails?.findIndex((email) => !isEmail(email)) ?? -1;
  const isTwice = (words: readonly string[] = []): boolean => new Set(words).size < words.length;
  const faults: [isFault: boolean, ...Words][] = [
    [
      [name, listened, emails, frequencyHours].every((field) => field === undefined),
      'nothing to change: --name, --listen, --emails or --frequency',
      'nada a alterar: informe --name, --listen, --emails ou --frequency',
    ],
    [
      name?.trim() === '',
      '--name: expected at least one character',
      '--name: espera-se ao menos um caractere',
    ],
    [
      isTwice(listened) || isTwice(emails),
      '--listen, --emails: a value is repeated',
      '--listen, --emails: há um valor repetido',
    ],
    [
      index >= 0,
      `--emails: number ${index + 1} is no e-mail address`,
      `--emails: o de número ${index + 1} não é um endereço de e-mail`,
    ],
  ];
  const [, en, pt] = faults.find(([isFault]) => isFault) ?? [];
  return en === undefined || pt === undefined ? null : [en, pt];
}

/** Checks the form only: whether it is read, only the service can find out. */
function isEmail(text: string): boolean {
  return text.length <= 254 && /^[^\s@,;<>"]+@[^\s@,;<>".]+(\.[^\s@,;<>".]+)+$/.test(text);
}

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
