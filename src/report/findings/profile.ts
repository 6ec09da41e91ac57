import { fieldsOf, isFields, type FlatRow } from '../../domain/core/findings';
import type { ProfileOutcome } from '../../domain/profiles/lookup';
import { code, type Section, type Tile } from '../page';
import type { Reader } from '../reader';
import { nameOf } from '../words';
import type { FindingsReport, SpecialPart } from './report';
import { hasValue, sumOf, type ViewColumn } from './section';

/** Lists that every response should have. */
const lists = ['veiculos', 'imoveis', 'aeronaves_avioes', 'aeronaves_drones', 'patentes'];

type Rows = ReadonlyMap<string, readonly FlatRow[]>;

/** A person's assets with totals; a section that was not reported differs from an empty one. */
export function profilePart({ findings, outcome }: FindingsReport, reader: Reader): SpecialPart {
  const { language, say } = reader;
  const rows: Rows = new Map(findings.sections.map((one) => [one.title, one.rows]));
  const isRuralMissing = findings.result !== null && !isFields(fieldsOf(findings.result)['rural']);
  const untold = findings.result === null ? [] : lists.filter((name) => !rows.has(name));
  const words = say('The service did not tell this section.', 'O serviço não informou esta seção.');
  return {
    kicker: ['Asset profile', 'Perfil patrimonial'],
    headline: headline(rows, isRuralMissing, isRuralMissing || untold.length > 0, reader),
    tiles: tiles(rows, isRuralMissing, reader),
    parts: [
      isRuralMissing ? ruralMissing(outcome as ProfileOutcome, reader) : null,
      ...untold.map((name) => ({ title: nameOf(name, language), blocks: { text: words } })),
    ],
    views,
  };
}

function headline(
  rows: Rows,
  isRuralMissing: boolean,
  isPartial: boolean,
  { formats, language, say }: Reader,
): string {
  // Sums that the service makes of its other lists.
  const isDerived = (name: string): boolean => /^rural_(?:resumo|perfil|transportes$)/.test(name);
  const rural = [...rows].filter(([name]) => name.startsWith('rural_') && !isDerived(name));
  const entries = rural.reduce((sum, [, { length }]) => sum + length, 0);
  const counts: [name: string, count: number][] = [
    ...lists.map((name): [string, number] => [nameOf(name, language), rows.get(name)?.length ?? 0]),
    [say('Rural entries', 'Registros rurais'), entries],
  ];
  const counted = counts
    .filter(([, count]) => count > 0)
    .map(([name, count]) => `${name}: ${formats.number(count)}`);
  const nothing = isPartial
    ? say('Nothing was found in what was told', 'Nada foi encontrado no que foi informado')
    : say('Nothing was found', 'Nada foi encontrado');
  const missing = isRuralMissing ? say('; the rural part is missing', '; falta a parte rural') : '';
  return `${counted.join(', ') || nothing}${missing}.`;
}

function tiles(rows: Rows, isRuralMissing: boolean, { formats, language, say }: Reader): Tile[] {
  const tileOf = (name: string, ...notes: (string | null)[]): Tile => ({
    name: nameOf(name, language),
    value: rows.get(name)?.length ?? say('not told', 'não informado'),
    note: notes.filter((note) => note !== null).join(', '),
  });
  const some = (count: number, words: string): string | null =>
    count === 0 ? null : `${formats.number(count)} ${words}`;
  const isRestricted = (row: FlatRow): boolean => restrictions.some((name) => hasValue(row[name]));
  const restricted = (rows.get('veiculos') ?? []).filter(isRestricted);
  const properties = rows.get('imoveis');
  const worth = sumOf(properties ?? [], 'valor_venal');
  const aircraft = ['aeronaves_avioes', 'aeronaves_drones'].flatMap((name) => rows.get(name) ?? []);
  const [{ area_total_ha: area = null, valor_total_multas: fines = null } = {}] =
    rows.get('rural_resumo') ?? [];
  return [
    tileOf('veiculos', some(restricted.length, say('with restrictions', 'com restrições'))),
    tileOf(
      'imoveis',
      properties === undefined ? null : formats.money(worth.sum),
      some(worth.missing, say('without a value', 'sem valor')),
    ),
    { name: ['Aircraft', 'Aeronaves'], value: aircraft.length },
    tileOf('patentes'),
    {
      name: ['Rural area', 'Área rural'],
      value: isRuralMissing
        ? say('missing', 'faltando')
        : typeof area === 'number'
          ? `${formats.decimal(area)} ha`
          : '–',
      note:
        typeof fines === 'number' && fines > 0
          ? `${say('fines of', 'multas de')} ${formats.money(fines)}`
          : '',
      look: isRuralMissing ? 'warn' : '',
    },
  ];
}

function ruralMissing({ call }: ProfileOutcome, { say }: Reader): Section {
  const twice = call === 2 ? say(', both times that it was asked', ', nas duas consultas') : '';
  const means = say(
    `The service’s rural query timed out or failed${twice}: this page says nothing about rural properties, authorisations and infractions, neither that there are any nor that there are none.`,
    `A consulta rural do serviço expirou ou falhou${twice}: esta página nada diz sobre propriedades rurais, autorizações e infrações, nem que existem nem que não existem.`,
  );
  const again = say(
    'looks everything up anew, and asks twice if it fails again: each answer may be charged for.',
    'consulta tudo de novo, e mais uma vez se falhar outra vez: cada resposta pode ser cobrada.',
  );
  return {
    title: ['The rural part is missing', 'Falta a parte rural'],
    blocks: { text: [means, ' ', code('profile lookup --retry-rural'), ' ', again] },
  };
}

const restrictions = [1, 2, 3, 4].map((n) => `restricao_${n}`);
const under = (...names: string[]): string[] => names.map((name) => `localizacao.${name}`);
const street = under('logradouro', 'numero', 'complemento', 'bairro', 'cidade', 'uf');

const views: Readonly<Record<string, readonly ViewColumn[]>> = {
  veiculos: [
    { name: ['Plate', 'Placa'], of: ['placa', 'placa_nova', 'placa_antiga'] },
    { name: ['Model', 'Modelo'], of: ['modelo', 'marca'] },
    { name: ['Year', 'Ano'], of: ['ano_fabricacao', 'ano_modelo'], join: '/' },
    { name: ['Registered in', 'Município'], of: ['municipio', 'uf'], join: ' / ' },
    { name: ['Situation', 'Situação'], of: ['situacao_veiculo'] },
    { name: ['Restrictions', 'Restrições'], of: restrictions, join: '; ' },
  ],
  imoveis: [
    { name: ['Address', 'Endereço'], of: street, join: ', ', as: 'wide' },
    { name: ['Use', 'Uso'], of: ['tipo_uso'] },
    { name: ['Land, m²', 'Terreno, m²'], of: ['area_terreno'], as: 'count' },
    { name: ['Built, m²', 'Construída, m²'], of: ['area_construida'], as: 'count' },
    { name: ['Assessed value', 'Valor venal'], of: ['valor_venal'], as: 'money', isSummed: true },
    { name: ['IPTU a year', 'IPTU por ano'], of: ['valor_iptu'], as: 'money', isSummed: true },
  ],
  patentes: [
    { name: ['Number', 'Número'], of: ['numero_inpi'] },
    { name: ['Title', 'Título'], of: ['titulo'], as: 'wide' },
    { name: ['Nature', 'Natureza'], of: ['natureza'] },
    { name: ['Stored', 'Depósito'], of: ['data_deposito'] },
    { name: ['Granted', 'Concessão'], of: ['data_concessao'] },
  ],
};
