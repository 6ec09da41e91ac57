import { defaultFailedStatuses, type CreditAssumptions } from '../assumptions';
import type { DescribedField, SpecificationFacts } from './specification.wire';

export type NameSource = 'configured' | 'document' | 'assumed';

export interface FoundName {
  name: string;
  source: NameSource;
}

export interface CreditNames {
  filePart: FoundName;
  /** Null: the document describes the parts, and none of them selects an engine. */
  enginePart: FoundName | null;
  /** The first one in the response counts. */
  idFields: readonly FoundName[];
  statusField: FoundName;
  /** Words of a failed operation, in lower case and without accents. */
  failedStatuses: readonly string[];
  failedStatusesSource: NameSource;
  documentedStatuses: readonly string[];
  engineRequired: boolean;
  xmlsRequired: boolean;
  /** Required parts and parameters of the document that we do not know. */
  unknownRequired: readonly string[];
}

/** The one part that the specification names. */
export const xmlsPart = 'xmls';

/** @param facts null: no document, or it is unavailable */
export function namesFrom(
  facts: SpecificationFacts | null,
  assumptions: CreditAssumptions,
): CreditNames {
  const parts = facts?.parts?.filter(({ name }) => name !== xmlsPart) ?? null;
  const describedFile = best(parts, fileWorth, 3);
  const describedEngine = best(
    parts?.filter((part) => part !== describedFile) ?? null,
    engineWorth,
    5,
  );
  const filePart = chosen(assumptions.filePart, describedFile?.name, 'file');
  const enginePart =
    parts === null || describedEngine !== null || assumptions.enginePart !== null
      ? chosen(assumptions.enginePart, describedEngine?.name, 'engineId')
      : null;
  const status = best(facts?.operation ?? facts?.createAnswer ?? null, statusWorth, 5);
  const documented = (status?.words ?? []).map(plainWord);
  const known = [filePart.name, enginePart?.name, describedFile?.name, describedEngine?.name];
  const required = parts?.filter((part) => part.required).map(({ name }) => name) ?? [];
  return {
    filePart,
    enginePart,
    idFields: idFieldsOf(facts, assumptions),
    statusField: chosen(assumptions.statusField, status?.name, 'status'),
    ...failedStatusesOf(documented, assumptions),
    documentedStatuses: documented,
    engineRequired: describedEngine?.required ?? false,
    xmlsRequired:
      facts?.parts?.some(({ name, required: must }) => name === xmlsPart && must) ?? false,
    unknownRequired: [
      ...required.filter((name) => !known.includes(name)),
      ...(facts?.requiredParameters ?? []),
    ],
  };
}

function chosen(
  configured: string | null,
  reported: string | undefined,
  assumed: string,
): FoundName {
  if (configured !== null) return { name: configured, source: 'configured' };
  if (reported !== undefined) return { name: reported, source: 'document' };
  return { name: assumed, source: 'assumed' };
}

function idFieldsOf(facts: SpecificationFacts | null, { idField }: CreditAssumptions): FoundName[] {
  const reported = best(facts?.createAnswer ?? facts?.operation ?? null, idWorth, 5)?.name;
  const found = chosen(idField, reported, 'id');
  return found.source === 'assumed' ? [found, { name: 'operationId', source: 'assumed' }] : [found];
}

function failedStatusesOf(
  documented: readonly string[],
  { failedStatuses }: CreditAssumptions,
): Pick<CreditNames, 'failedStatuses' | 'failedStatusesSource'> {
  if (failedStatuses !== null) {
    return { failedStatuses: failedStatuses.map(plainWord), failedStatusesSource: 'configured' };
  }
  const reported = documented.filter((word) => failing.test(word));
  return {
    failedStatuses: [...new Set([...defaultFailedStatuses, ...reported])],
    failedStatusesSource: reported.length > 0 ? 'document' : 'assumed',
  };
}

/** Prefixes of failure words, English and Portuguese. */
const failing = /^(fail|falh|err|reject|rejeit|recus|refus|cancel|abort|invalid|expir|timed?_?out)/;
/** Prefixes of all other words of an operation. */
const going =
  /^(queue|pend|wait|creat|receiv|accept|start|run|process|progress|analy|in_|complet|done|finish|success|succeed|ready|ok|fila|na_fila|em_|aguard|cria|receb|aceit|inici|analis|execut|conclu|finaliz|sucess|pront|termin)/;

const underWay =
  /^(queue|pend|wait|creat|receiv|start|in_|fila|na_fila|em_|aguard|criad|receb|inici|(runn?|process|analy[sz]|progress|execut|validat)(ing)?$|(process|analis|execut|valid)ando)/;

/** A documented word that means neither progress nor failure. */
export function isUnplaced(word: string): boolean {
  return !failing.test(word) && !goesOn(word);
}

/** A word of an operation that waits, continues or is done. */
export function goesOn(word: string): boolean {
  return going.test(word);
}

/** A word of an operation that has not ended: `processing`, and not `processed`. */
export function saysUnderWay(word: string): boolean {
  return underWay.test(plainWord(word));
}

/** Words are compared in lower case and without accents. */
export function plainWord(word: string): string {
  return word
    .normalize('NFD')
    .replaceAll(/\p{M}/gu, '')
    .trim()
    .toLowerCase()
    .replaceAll(/[\s-]+/g, '_');
}

/** The field with the best score, if it is high enough and unique. */
function best(
  fields: readonly DescribedField[] | null,
  worth: (field: DescribedField) => number,
  enough: number,
): DescribedField | null {
  const ranked = (fields ?? [])
    .map((field) => ({ field, worth: worth(field) }))
    .toSorted((a, b) => b.worth - a.worth);
  const [first, second] = ranked;
  if (first === undefined || first.worth < enough) return null;
  return second?.worth === first.worth ? null : first.field;
}

const points = (met: boolean, worth: number): number => (met ? worth : 0);

function fileWorth({ name, about, isBinary, required }: DescribedField): number {
  const words = `${name} ${about}`;
  return (
    points(isBinary, 8) +
    points(/cnab|remessa/i.test(words), 6) +
    points(/file|arquivo/i.test(words), 3) +
    points(required && isBinary, 2)
  );
}

function engineWorth({ name, about, isBinary, isUuid }: DescribedField): number {
  if (isBinary) return 0;
  return (
    points(/engine|motor/i.test(name), 8) +
    points(/engine|motor/i.test(about), 6) +
    points(/regra|rule/i.test(`${name} ${about}`), 3) +
    points(isUuid, 2)
  );
}

/** Names of ids of other resources. */
export const notItsId =
  /engine|motor|rule|regra|request|correla|trace|tenant|client|user|usuario|account|conta|session|file|arquivo|cedente/i;
export const statusLike = /status|situa|state|estado|stage|fase/i;

function idWorth({ name, about, isUuid, required }: DescribedField): number {
  if (name === 'id') return 102;
  if (/^operation_?id$/i.test(name)) return 101;
  if (notItsId.test(name)) return 0;
  return (
    points(isUuid, 8) +
    points(/(^|[_-])(id|uuid)$|[a-z](Id|ID|Uuid|UUID)$/.test(name), 4) +
    points(/identif/i.test(about), 3) +
    points(/opera[cç][aã]o|operation/i.test(about), 3) +
    points(required && isUuid, 1)
  );
}

function statusWorth({ name, about, words, required }: DescribedField): number {
  if (name === 'status') return 100;
  return (
    points(words.length > 1, 6) +
    points(statusLike.test(name), 6) +
    points(/status|situa|state|estado/i.test(about), 4) +
    points(required && words.length > 1, 1)
  );
}
