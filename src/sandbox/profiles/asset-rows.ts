/** Rows of a profile that do not exist, the same ones for the same seed and CPF. */

import { draw, pick, seededUuid } from '../core/chance';
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
class Chance {
  readonly #words: readonly (string | number)[];

  constructor({ seed, cpf }: RowMaker, kind: string, index: number) {
    this.#words = [seed, 'profile', cpf, kind, index];
  }

  below(limit: number, word: string): number {
    return Math.floor(draw(...this.#words, word) * limit);
  }

  between(low: number, high: number, word: string): number {
    return low + this.below(high - low + 1, word);
  }

  /** True in one of so many cases. */
  oneIn(cases: number, word: string): boolean {
    return this.below(cases, word) === 0;
  }

  of<T>(choices: readonly [T, ...T[]], word: string): T {
    return pick(choices, ...this.#words, word);
  }

  digits(length: number, word: string): string {
    return Array.from({ length }, (_, at) => this.below(10, `${word}${at}`)).join('');
  }

  letters(length: number, word: string): string {
    const letter = (at: number) => String.fromCharCode(65 + this.below(26, `${word}${at}`));
    return Array.from({ length }, (_, at) => letter(at)).join('');
  }
}

interface City {
  municipio: string;
  uf: string;
}

const cities: readonly [City, ...City[]] = [
  { municipio: 'SAO PAULO', uf: 'SP' },
  { municipio: 'CAMPINAS', uf: 'SP' },
  { municipio: 'BELO HORIZONTE', uf: 'MG' },
  { municipio: 'CURITIBA', uf: 'PR' },
  { municipio: 'GOIANIA', uf: 'GO' },
];
const models = ['VW/GOL 1.0', 'FIAT/UNO MILLE', 'I/TOYOTA HILUX CD', 'HONDA/CG 160 FAN'] as const;
const colours = ['BRANCA', 'PRATA', 'PRETA', 'VERMELHA', ''] as const;
const fuels = ['GASOLINA', 'ALCOOL/GASOLINA', 'DIESEL', '16'] as const;

export function vehicleRow(maker: RowMaker, index: number): JsonObject {
  const chance = new Chance(maker, 'vehicle', index);
  const model = chance.of(models, 'model');
  const built = chance.between(1998, 2025, 'built');
  const plate = {
    front: chance.letters(3, 'plate'),
    digit: chance.below(10, 'digit'),
    second: chance.below(10, 'second'),
    rest: chance.digits(2, 'rest'),
  };
  const old = `${plate.front}${plate.digit}${plate.second}${plate.rest}`;
  const mercosul = `${plate.front}${plate.digit}${'ABCDEFGHIJ'[plate.second]}${plate.rest}`;
  const isNew = built >= 2019;
  const row: JsonObject = {
    documento: maker.cpf,
    tipo: 'PF',
    nome_proprietario: fictionalName(maker.seed, maker.cpf),
    ano_documento: chance.between(2021, 2025, 'year'),
    placa: isNew ? mercosul : old,
    placa_antiga: isNew && chance.oneIn(2, 'born') ? '' : old,
    placa_nova: isNew ? mercosul : '',
    renavam: chance.digits(11, 'renavam'),
    chassi: `9BW${chance.letters(6, 'chassis')}${chance.digits(8, 'chassis')}`,
    ano_fabricacao: built,
    ano_modelo: built + chance.below(2, 'model year'),
    marca: model.split('/')[0],
    modelo: model,
    cor: chance.of(colours, 'colour'),
    combustivel: chance.of(fuels, 'fuel'),
    tipo_veiculo: chance.of(['AUTOMOVEL', 'MOTOCICLETA', '06'], 'kind'),
    especie_veiculo: chance.of(['PASSAGEIRO', 'CARGA', '1'], 'species'),
    potencia: chance.of(['75', '105', ''], 'power'),
    cilindradas: chance.of(['999', '1598', '0'], 'displacement'),
    quantidade_passageiro: chance.of(['5', '2', '05'], 'seats'),
    ...chance.of(cities, 'city'),
    situacao_veiculo: chance.of(['CIRCULACAO', 'BAIXADO', '0', ''], 'state'),
    restricao_1: chance.of(['', '', 'ALIENACAO FIDUCIARIA'], 'first'),
    restricao_2: '',
    restricao_3: '',
    restricao_4: chance.oneIn(8, 'fourth') ? 'RESERVA DE DOMINIO' : '',
    nacionalidade: chance.of(['NACIONAL', 'IMPORTADO'], 'origin'),
    carroceria: '',
    tipo_montagem: chance.of(['COMPLETO', ''], 'assembly'),
    peso_bruto_total: '0',
    cap_maxima_tracao: '',
    capacidade_carga: chance.of(['', '1000'], 'load'),
    motor: chance.letters(3, 'engine') + chance.digits(6, 'engine'),
    caixa_cambio: '',
    situacao_chassi: 'NORMAL',
    eixos: chance.of(['2', ''], 'axles'),
    media_preco: chance.of(['48213.00', '', '0'], 'price'),
    updated_at: 0,
  };
  return maker.odd ? oddVehicle(row, chance) : row;
}

function oddVehicle(row: JsonObject, chance: Chance): JsonObject {
  const oddity = chance.below(6, 'oddity');
  if (oddity === 0) return { ...row, lote_importacao: 'L-7', observacoes: null };
  if (oddity !== 1) return row;
  const { restricao_4: _, media_preco: __, ...rest } = row;
  return { ...rest, nome_proprietario: '' };
}

export function propertyRow(maker: RowMaker, index: number): JsonObject {
  const chance = new Chance(maker, 'property', index);
  const { municipio, uf } = chance.of(cities, 'city');
  const land = chance.between(120, 900, 'land');
  const value = chance.between(90_000, 1_900_000, 'value');
  const row: JsonObject = {
    id: seededUuid(`property|${maker.seed}|${maker.cpf}|${index}`).slice(0, 13),
    fonte: `${uf.toLowerCase()}_${municipio.toLowerCase().replaceAll(' ', '_')}`,
    sql_iptu: `${chance.digits(3, 'sql')}.${chance.digits(3, 'block')}.${chance.digits(4, 'lot')}-${chance.below(10, 'check')}`,
    inscricao: chance.digits(10, 'registration'),
    localizacao: {
      logradouro: chance.of(['RUA DAS ACACIAS', 'AV CENTRAL', 'TRAVESSA DO SOL'], 'street'),
      numero: chance.oneIn(6, 'number') ? 'S/N' : String(chance.between(1, 2500, 'number')),
      complemento: chance.of(['', 'AP 42', 'CASA 2'], 'complement'),
      bairro: chance.of(['CENTRO', 'JARDIM DAS FLORES', ''], 'quarter'),
      cidade: municipio,
      uf,
      cep: chance.digits(8, 'cep'),
    },
    area_terreno: land,
    area_construida: chance.oneIn(5, 'plot') ? 0 : Math.round(land * 61.7) / 100,
    ano_construcao: chance.between(1955, 2022, 'built'),
    tipo_uso: chance.of(['residencial', 'comercial', 'industrial'], 'use'),
    valor_venal: value,
    valor_iptu: Math.round(value * 1.1) / 100,
    proprietario: ownerOf(maker, chance),
  };
  if (!maker.odd || !chance.oneIn(4, 'oddity')) return row;
  const { ano_construcao: _, ...rest } = row;
  return { ...rest, zona_fiscal: 'ZF-3', valor_iptu: 0 };
}

/** `tipoDocumento` is absent when there is no document (section Property). */
function ownerOf({ cpf, odd, seed }: RowMaker, chance: Chance): JsonObject {
  if (odd && chance.oneIn(5, 'owner')) return { nome: '', documento: null };
  if (odd && chance.oneIn(9, 'company')) {
    const documento = withCheckDigits(`${chance.digits(8, 'company')}0001`);
    return { nome: fictionalName(seed, documento), documento, tipoDocumento: 'CNPJ' };
  }
  return { nome: fictionalName(seed, cpf), documento: cpf, tipoDocumento: 'CPF' };
}

export function aircraftRow(maker: RowMaker, index: number, kind: 'plane' | 'drone'): JsonObject {
  const chance = new Chance(maker, kind, index);
  const mark =
    kind === 'plane' ? `PT-${chance.letters(3, 'mark')}` : `PP-${chance.digits(9, 'mark')}`;
  return {
    matricula: mark,
    fabricante: kind === 'plane' ? 'NEIVA' : 'DJI',
    modelo: kind === 'plane' ? 'EMB-202' : 'MAVIC 3',
    ano_fabricacao: chance.between(1990, 2024, 'built'),
    proprietario: fictionalName(maker.seed, maker.cpf),
  };
}

export function patentRow(maker: RowMaker, index: number): JsonObject {
  const chance = new Chance(maker, 'patent', index);
  const date = (word: string) =>
    chance.of([`${chance.between(10, 28, word)}/03/2014`, '2014-03-11', ''], `${word} form`);
  return {
    numero_inpi: `BR 10 2014 ${chance.digits(6, 'number')} ${chance.below(10, 'check')}`,
    codigo_interno: chance.digits(7, 'code'),
    depositante: fictionalName(maker.seed, maker.cpf),
    cgccpfdepositante: maker.cpf,
    tipopessoadepositante: 'F',
    pais: 'BR',
    estado: chance.of(cities, 'state').uf,
    data_inicio_depositante: date('begin'),
    data_fim_depositante: '',
    titulo: 'DISPOSITIVO SIMULADO PARA ENSAIO',
    resumo: chance.of(['Resumo simulado; com "aspas"; e\nduas linhas.', ''], 'abstract'),
    natureza: chance.of(['Patente de Invencao', 'Modelo de Utilidade'], 'nature'),
    data_deposito: date('filed'),
    data_publicacao: date('published'),
    data_concessao: '',
    classificacao_ipc: 'G01N 3/00',
    despacho_codigo: chance.of(['3.1', '11.2', ''], 'dispatch'),
    despacho_texto: '',
    despacho_data_rpi: date('rpi'),
    inventores: fictionalName(maker.seed, maker.cpf),
    procuradores: '',
  };
}
