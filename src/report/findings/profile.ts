import { fieldsOf, isFields, type Cell, type FlatRow } from '../../domain/core/findings';
import type { ProfileOutcome } from '../../domain/profiles/lookup';
import { html, type Content, type Html } from '../html';
import { cardPart, smallPart, type Column, type Tile } from '../parts';
import type { Reader } from '../reader';
import { nameOf } from '../words';
import type { FindingsReport, SpecialPart } from './report';
import { hasValue, type SectionView } from './section';

/** Sections that every response should have. */
const expected = ['veiculos', 'imoveis', 'aeronaves_avioes', 'aeronaves_drones', 'patentes'];

/** A person's assets with totals; a section that was not reported differs from an empty one. */
export function profilePart(report: FindingsReport, reader: Reader): SpecialPart {
  const { say } = reader;
  const rows = new Map(report.findings.sections.map((one) => [one.title, one.rows]));
  const rural = fieldsOf(report.findings.result)['rural'];
  const isRuralMissing = report.findings.result !== null && !isFields(rural);
  const untold = report.findings.result === null ? [] : expected.filter((name) => !rows.has(name));
  return {
    kicker: say('Asset profile', 'Perfil patrimonial'),
    headline: headline(rows, { isRuralMissing, isWhole: untold.length === 0 }, reader),
    tiles: tiles(rows, isRuralMissing, reader),
    parts: [
      isRuralMissing ? ruralMissing(report.outcome as ProfileOutcome, reader) : null,
      ...untold.map((name) => untoldPart(name, reader)),
    ],
    views: viewsOf(rows.get('imoveis') ?? [], reader),
  };
}

type Rows = ReadonlyMap<string, readonly FlatRow[]>;

function headline(
  rows: Rows,
  { isRuralMissing, isWhole }: { isRuralMissing: boolean; isWhole: boolean },
  reader: Reader,
): string {
  const { say } = reader;
  const lists = [...rows].filter(([name]) => !/^rural_(?:resumo|perfil|transportes$)/.test(name));
  const rural = lists.filter(([name]) => name.startsWith('rural_'));
  const counted = (names: string[], en: [string, string], pt: [string, string]) => {
    const count = names.reduce((sum, name) => sum + (rows.get(name)?.length ?? 0), 0);
    return count === 0 ? null : reader.count(count, en, pt);
  };
  const parts = [
    counted(['veiculos'], ['vehicle', 'vehicles'], ['veículo', 'veículos']),
    counted(['imoveis'], ['property', 'properties'], ['imóvel', 'imóveis']),
    counted(expected.slice(2, 4), ['aircraft', 'aircraft'], ['aeronave', 'aeronaves']),
    counted(['patentes'], ['patent', 'patents'], ['patente', 'patentes']),
    counted(
      rural.map(([name]) => name),
      ['rural entry', 'rural entries'],
      ['registro rural', 'registros rurais'],
    ),
  ].filter((part) => part !== null);
  const nothing =
    isWhole && !isRuralMissing
      ? say('Nothing was found', 'Nada foi encontrado')
      : say('Nothing was found in what was told', 'Nada foi encontrado no que foi informado');
  const missing = isRuralMissing ? say('; the rural part is missing', '; falta a parte rural') : '';
  return `${parts.length === 0 ? nothing : parts.join(', ')}${missing}.`;
}

function tiles(rows: Rows, isRuralMissing: boolean, { formats, language, say }: Reader): Tile[] {
  const countOf = (name: string): string => {
    const list = rows.get(name);
    return list === undefined ? say('not told', 'não informado') : formats.number(list.length);
  };
  const restricted = (rows.get('veiculos') ?? []).filter((row) => restrictionsOf(row).length > 0);
  const value = sumOf(rows.get('imoveis') ?? [], 'valor_venal');
  const [summary] = rows.get('rural_resumo') ?? [];
  const area = summary?.['area_total_ha'];
  const fines = summary?.['valor_total_multas'];
  const aircraft = expected.slice(2, 4).flatMap((name) => rows.get(name) ?? []);
  const some = (count: number, words: string): string =>
    count === 0 ? '' : `${formats.number(count)} ${words}`;
  return [
    {
      name: nameOf('veiculos', language),
      value: countOf('veiculos'),
      note: some(restricted.length, say('with restrictions', 'com restrições')),
    },
    {
      name: nameOf('imoveis', language),
      value: countOf('imoveis'),
      note: rows.has('imoveis')
        ? [formats.money(value.sum), some(value.missing, say('without a value', 'sem valor'))]
            .filter((one) => one !== '')
            .join(', ')
        : '',
    },
    { name: say('Aircraft', 'Aeronaves'), value: formats.number(aircraft.length) },
    { name: nameOf('patentes', language), value: countOf('patentes') },
    {
      name: say('Rural area', 'Área rural'),
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

function ruralMissing({ call }: ProfileOutcome, { say }: Reader): Html {
  const twice = call === 2 ? say(', both times that it was asked', ', nas duas consultas') : '';
  return cardPart(
    say('The rural part is missing', 'Falta a parte rural'),
    html`<p>
      ${say(
        `The service’s rural query timed out or failed${twice}: this page says nothing about rural properties, authorisations and infractions, neither that there are any nor that there are none.`,
        `A consulta rural do serviço expirou ou falhou${twice}: esta página nada diz sobre propriedades rurais, autorizações e infrações, nem que existem nem que não existem.`,
      )}
      <code>profile lookup --retry-rural</code>
      ${say(
        'looks everything up anew, and asks twice if it fails again: each answer may be charged for.',
        'consulta tudo de novo, e mais uma vez se falhar outra vez: cada resposta pode ser cobrada.',
      )}
    </p>`,
  );
}

function untoldPart(name: string, { language, say }: Reader): Html {
  const words = say('The service did not tell this section.', 'O serviço não informou esta seção.');
  return cardPart(nameOf(name, language), html`<p class="muted">${words}</p>`);
}

function viewsOf(properties: readonly FlatRow[], reader: Reader): Record<string, SectionView> {
  const { formats, say } = reader;
  const money = (cell: Cell | undefined): string =>
    typeof cell === 'number' ? formats.money(cell) : '';
  const area = (cell: Cell | undefined): string =>
    typeof cell === 'number' ? `${formats.decimal(cell)} m²` : '';
  const columns = (...names: [string, string, Column['look']?][]): Column[] =>
    names.map(([en, pt, look]) => ({ name: say(en, pt), ...(look !== undefined && { look }) }));
  const sums = (['valor_venal', 'valor_iptu'] as const).map((name) =>
    money(sumOf(properties, name).sum),
  );
  return {
    veiculos: {
      columns: columns(
        ['Plate', 'Placa'],
        ['Model', 'Modelo'],
        ['Year', 'Ano'],
        ['Registered in', 'Município'],
        ['Situation', 'Situação'],
        ['Restrictions', 'Restrições'],
      ),
      cells: (row) => [
        first(row, 'placa', 'placa_nova', 'placa_antiga'),
        [first(row, 'modelo', 'marca'), smallPart(first(row, 'cor'))],
        joined(row, '/', 'ano_fabricacao', 'ano_modelo'),
        joined(row, ' / ', 'municipio', 'uf'),
        first(row, 'situacao_veiculo'),
        restrictionsOf(row).map((text) => html`<span class="restriction">${text}</span>`),
      ],
    },
    imoveis: {
      columns: columns(
        ['Address', 'Endereço', 'wide'],
        ['Use', 'Uso'],
        ['Land', 'Terreno', 'right'],
        ['Built', 'Construída', 'right'],
        ['Assessed value', 'Valor venal', 'right'],
        ['IPTU a year', 'IPTU por ano', 'right'],
      ),
      cells: (row) => [
        addressOf(row),
        first(row, 'tipo_uso'),
        area(row['area_terreno']),
        [area(row['area_construida']), smallPart(first(row, 'ano_construcao'))],
        money(row['valor_venal']),
        money(row['valor_iptu']),
      ],
      totals: ['Total', '', '', '', ...sums],
    },
    patentes: {
      columns: columns(
        ['Number', 'Número'],
        ['Title', 'Título', 'wide'],
        ['Nature', 'Natureza'],
        ['Stored', 'Depósito'],
        ['Granted', 'Concessão'],
      ),
      cells: (row) =>
        ['numero_inpi', 'titulo', 'natureza', 'data_deposito', 'data_concessao'].map((name) =>
          first(row, name),
        ),
    },
  };
}

function restrictionsOf(row: FlatRow): string[] {
  return [1, 2, 3, 4].map((n) => first(row, `restricao_${n}`)).filter((text) => text !== null);
}

function addressOf(row: FlatRow): Content {
  const street = joined(row, ', ', ...under('logradouro', 'numero', 'complemento'));
  const town = joined(row, ', ', ...under('bairro', 'cidade', 'uf'));
  return street === '' && town === ''
    ? first(row, 'sql_iptu', 'inscricao')
    : [street, smallPart(town)];
}

function under(...names: string[]): string[] {
  return names.map((name) => `localizacao.${name}`);
}

/** The first of these columns with a value. */
function first(row: FlatRow, ...names: string[]): string | null {
  const found = names.map((name) => row[name]).find((cell) => hasValue(cell));
  return found === undefined || found === null ? null : String(found);
}

function joined(row: FlatRow, by: string, ...names: string[]): string {
  return names.flatMap((name) => first(row, name) ?? []).join(by);
}

/** In cents, so that sums are exact. */
function sumOf(rows: readonly FlatRow[], name: string): { sum: number; missing: number } {
  const values = rows.map((row) => row[name]).filter((value) => typeof value === 'number');
  const cents = values.reduce((sum, value) => sum + Math.round(value * 100), 0);
  return { sum: cents / 100, missing: rows.length - values.length };
}
