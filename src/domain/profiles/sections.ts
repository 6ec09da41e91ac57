import { fieldsOf, flatRow, type Fields, type FlatRow } from '../core/findings';
import {
  addressTexts,
  ownerTexts,
  patentTexts,
  propertyNumbers,
  propertyTexts,
  ruralLists,
  ruralSummaryNumbers,
  transportLists,
  transportNumbers,
  vehicleNumbers,
  vehicleTexts,
} from './profile';

export interface ProfileSection {
  name: string;
  /** Those of the specification first, then any others. */
  columns: readonly string[];
  rows: readonly FlatRow[];
}

const propertyColumns = [
  ...propertyTexts,
  ...addressTexts.map((name) => `localizacao.${name}`),
  ...propertyNumbers,
  ...ownerTexts.map((name) => `proprietario.${name}`),
];

type ReportedList = readonly [name: string, list: unknown, known?: readonly string[]];

/**
 * All lists of a profile as tables, without those that the response lacks; empty ones are kept.
 * @param answer the raw body
 */
export function profileSections(answer: object): ProfileSection[] {
  return listsOf(answer)
    .map((list) => table(...list))
    .filter((section) => section !== null);
}

function listsOf(answer: object): ReportedList[] {
  const { veiculos, imoveis, aeronaves, patentes, rural } = answer as Fields;
  const aircraft = fieldsOf(aeronaves);
  const country = fieldsOf(rural);
  const transport = fieldsOf(country['transportes']);
  return [
    ['veiculos', veiculos, [...vehicleTexts, ...vehicleNumbers]],
    ['imoveis', imoveis, propertyColumns],
    ['aeronaves_avioes', aircraft['avioes']],
    ['aeronaves_drones', aircraft['drones']],
    ['patentes', patentes, patentTexts],
    ...ruralLists.map((name): ReportedList => [`rural_${name}`, country[name]]),
    ['rural_transportes', oneRow(without(transport, transportLists)), transportNumbers],
    ...transportLists.map((name): ReportedList => [`rural_transportes_${name}`, transport[name]]),
    ['rural_resumo', oneRow(fieldsOf(country['resumo'])), ruralSummaryNumbers],
    ['rural_imoveis', country['imoveisRurais']],
    ['rural_perfil', oneRow(fieldsOf(country['perfil']))],
  ];
}

export const profileSectionNames: readonly string[] = listsOf({}).map(([name]) => name);

function table(name: string, list: unknown, known: readonly string[] = []): ProfileSection | null {
  if (!Array.isArray(list)) return null;
  const rows = list.map((row: unknown) => flatRow(row));
  const columns = new Set(known);
  for (const row of rows) for (const column of Object.keys(row)) columns.add(column);
  return { name, columns: [...columns], rows };
}

/** Null when it has no fields. */
function oneRow(fields: Fields): Fields[] | null {
  return Object.keys(fields).length === 0 ? null : [fields];
}

function without(fields: Fields, names: readonly string[]): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)));
}
