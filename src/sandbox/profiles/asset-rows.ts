/** Rows of a profile that do not exist, the same ones for the same seed and CPF. */

import { draw, seededUuid } from '../core/chance';
import { fictionalName } from '../core/fictional-name';
import { withCheckDigits } from '../core/document-digits';
import type { JsonObject } from '../http/answer';

export interface RowMaker {
  seed: number;
  cpf: string;
  /** Whether raw data shows its oddities. */
  odd: boolean;
}

/** Draws for one row of one kind. */
function drawsFor({ seed, cpf }: RowMaker, kind: string, index: number) {
  const below = (limit: number, word: string) =>
    Math.floor(draw(seed, 'profile', cpf, kind, index, word) * limit);
  return {
    below,
    of: <T>(choices: readonly [T, ...T[]], word: string): T =>
      choices[below(choices.length, word)] ?? choices[0],
    digits: (length: number, word: string) =>
      String(below(10 ** length, word)).padStart(length, '0'),
  };
}

/** Empty string means no value (section Vehicle). */
const without = (names: string) =>
  Object.fromEntries(names.split(' ').map((name) => [name, ''] as const));
const emptyOfVehicle = without(
  'restricao_2 restricao_3 restricao_4 carroceria tipo_montagem peso_bruto_total cap_maxima_tracao capacidade_carga caixa_cambio eixos',
);
const emptyOfPatent = without(
  'data_fim_depositante data_publicacao data_concessao despacho_texto despacho_data_rpi procuradores',
);

type City = readonly [municipio: string, uf: string];
const cities: readonly [City, ...City[]] = [
  ['SAO PAULO', 'SP'],
  ['BELO HORIZONTE', 'MG'],
  ['CURITIBA', 'PR'],
];
const models = ['VW/GOL 1.0', 'FIAT/UNO MILLE', 'I/TOYOTA HILUX CD', 'HONDA/CG 160 FAN'] as const;

export function vehicleRow(maker: RowMaker, index: number): JsonObject {
  const { below, digits, of } = drawsFor(maker, 'vehicle', index);
  const [municipio, uf] = of(cities, 'city');
  const modelo = of(models, 'model');
  const built = 1998 + below(28, 'built');
  const number = digits(4, 'plate');
  const old = `QWE${number}`;
  const current = `QWE${number[0]}${'ABCDEFGHIJ'[Number(number[1])]}${number.slice(2)}`;
  const row: JsonObject = {
    documento: maker.cpf,
    tipo: 'PF',
    nome_proprietario: fictionalName(maker.seed, maker.cpf),
    ano_documento: 2021 + below(5, 'year'),
    placa: built < 2019 ? old : current,
    placa_antiga: old,
    placa_nova: built < 2019 ? '' : current,
    renavam: digits(11, 'renavam'),
    chassi: `9BWZZZ377${digits(8, 'chassis')}`,
    ano_fabricacao: built,
    ano_modelo: built + below(2, 'model year'),
    marca: modelo.split('/')[0],
    modelo,
    cor: of(['BRANCA', 'PRATA', 'VERMELHA', ''], 'colour'),
    combustivel: of(['GASOLINA', 'ALCOOL/GASOLINA', 'DIESEL', '16'], 'fuel'),
    tipo_veiculo: of(['AUTOMOVEL', 'MOTOCICLETA', '06'], 'kind'),
    especie_veiculo: of(['PASSAGEIRO', 'CARGA', '1'], 'species'),
    potencia: of(['75', '105', ''], 'power'),
    cilindradas: of(['999', '1598', '0'], 'displacement'),
    quantidade_passageiro: of(['5', '2', '05'], 'seats'),
    municipio,
    uf,
    situacao_veiculo: of(['CIRCULACAO', 'BAIXADO', '0', ''], 'state'),
    restricao_1: of(['', '', 'ALIENACAO FIDUCIARIA'], 'restriction'),
    nacionalidade: 'NACIONAL',
    motor: `CCR${digits(6, 'engine')}`,
    situacao_chassi: 'NORMAL',
    media_preco: of(['48213.00', '', '0'], 'price'),
    updated_at: 0,
    ...emptyOfVehicle,
  };
  const oddity = maker.odd ? below(6, 'oddity') : null;
  if (oddity === 0) return { ...row, lote_importacao: 'L-7', observacoes: null };
  if (oddity !== 1) return row;
  const { media_preco: _, ...rest } = row;
  return { ...rest, nome_proprietario: '' };
}

export function propertyRow(maker: RowMaker, index: number): JsonObject {
  const { below, digits, of } = drawsFor(maker, 'property', index);
  const [cidade, uf] = of(cities, 'city');
  const land = 120 + below(780, 'land');
  const value = 90_000 + below(1_800_000, 'value');
  const row: JsonObject = {
    id: seededUuid(`property|${maker.seed}|${maker.cpf}|${index}`).slice(0, 13),
    fonte: `${uf}_${cidade}`.toLowerCase().replaceAll(' ', '_'),
    sql_iptu: digits(11, 'sql'),
    inscricao: digits(10, 'registration'),
    localizacao: {
      logradouro: of(['RUA DAS ACACIAS', 'AV CENTRAL', 'TRAVESSA DO SOL'], 'street'),
      numero: of(['42', '1730', 'S/N'], 'number'),
      complemento: of(['', 'AP 42', 'CASA 2'], 'complement'),
      bairro: of(['CENTRO', 'JARDIM DAS FLORES', ''], 'quarter'),
      cidade,
      uf,
      cep: digits(8, 'cep'),
    },
    area_terreno: land,
    area_construida: of([0, Math.round(land * 61.7) / 100], 'plot'),
    ano_construcao: 1955 + below(68, 'built'),
    tipo_uso: of(['residencial', 'comercial', 'industrial'], 'use'),
    valor_venal: value,
    valor_iptu: Math.round(value * 1.1) / 100,
    proprietario: ownerOf(maker, index),
  };
  if (!maker.odd || below(4, 'oddity') > 0) return row;
  const { ano_construcao: _, ...rest } = row;
  return { ...rest, zona_fiscal: 'ZF-3', valor_iptu: 0 };
}

/** `tipoDocumento` is absent when there is no document (section Property). */
function ownerOf(maker: RowMaker, index: number): JsonObject {
  const { below, digits } = drawsFor(maker, 'owner', index);
  const oddity = maker.odd ? below(8, 'oddity') : null;
  if (oddity === 0) return { nome: '', documento: null };
  const isCompany = oddity === 1;
  const documento = isCompany ? withCheckDigits(`${digits(8, 'company')}0001`) : maker.cpf;
  const tipoDocumento = isCompany ? 'CNPJ' : 'CPF';
  return { nome: fictionalName(maker.seed, documento), documento, tipoDocumento };
}

export function aircraftRow(maker: RowMaker, index: number, kind: 'plane' | 'drone'): JsonObject {
  const { below, digits } = drawsFor(maker, kind, index);
  const made =
    kind === 'plane'
      ? { matricula: `PT-${digits(3, 'mark')}`, fabricante: 'NEIVA', modelo: 'EMB-202' }
      : { matricula: `PP-${digits(9, 'mark')}`, fabricante: 'DJI', modelo: 'MAVIC 3' };
  const proprietario = fictionalName(maker.seed, maker.cpf);
  return { ...made, ano_fabricacao: 1990 + below(35, 'built'), proprietario };
}

export function patentRow(maker: RowMaker, index: number): JsonObject {
  const { digits, of } = drawsFor(maker, 'patent', index);
  const name = fictionalName(maker.seed, maker.cpf);
  const date = (word: string) => of(['28/03/2014', '2014-03-11', ''], word);
  return {
    numero_inpi: `BR 10 2014 ${digits(6, 'number')} 3`,
    codigo_interno: digits(7, 'code'),
    depositante: name,
    cgccpfdepositante: maker.cpf,
    tipopessoadepositante: 'F',
    pais: 'BR',
    estado: 'SP',
    data_inicio_depositante: date('begin'),
    titulo: 'DISPOSITIVO SIMULADO PARA ENSAIO',
    resumo: of(['Resumo simulado; com "aspas"; e\nduas linhas.', ''], 'abstract'),
    natureza: of(['Patente de Invencao', 'Modelo de Utilidade'], 'nature'),
    data_deposito: date('filed'),
    classificacao_ipc: 'G01N 3/00',
    despacho_codigo: of(['3.1', '11.2', ''], 'dispatch'),
    inventores: name,
    ...emptyOfPatent,
  };
}
