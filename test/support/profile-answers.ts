import { patentTexts, vehicleTexts, type vehicleNumbers } from '../../src/domain/profiles/profile';

/** Profiles as the service answers them, with every field of the specification's tables. */

function texts<Name extends string>(names: readonly Name[]): Record<Name, string> {
  return Object.fromEntries(names.map((name) => [name, `${name} 1`])) as Record<Name, string>;
}

const vehicleYears: Record<(typeof vehicleNumbers)[number], number> = {
  ano_documento: 2024,
  ano_fabricacao: 2018,
  ano_modelo: 2019,
  updated_at: 0,
};

export const vehicleRow = { ...texts(vehicleTexts), ...vehicleYears, restricao_2: '' };

export const propertyRow = {
  id: 'p1',
  fonte: 'SP',
  sql_iptu: '001.002.0003-4',
  inscricao: '77',
  localizacao: {
    logradouro: 'Rua Um',
    numero: '10',
    complemento: '',
    bairro: 'Centro',
    cidade: 'São Paulo',
    uf: 'SP',
    cep: '01001000',
  },
  area_terreno: 250.5,
  area_construida: 120,
  ano_construcao: 1998,
  tipo_uso: 'residential',
  valor_venal: 350_000.1,
  valor_iptu: 1_200.2,
  proprietario: { nome: 'Ana', documento: '52998224725', tipoDocumento: 'CPF' },
};

export const ruralOfPerson = {
  documento: '52998224725',
  tipo: 'PF',
  propriedades_sncr: [{ nome: 'Fazenda Um', area_ha: 12.5 }],
  propriedades_cafir: [{ nirf: '1' }],
  transportes: {
    total: 3,
    volume_total: 40.5,
    valor_total: 9_000,
    produtos: ['soja'],
    por_produto: [{ produto: 'soja', total: 3 }],
    por_ano: [{ ano: 2025, total: 3 }],
    parceiros: [{ nome: 'Cooperativa' }],
  },
  autorizacoes: [{ numero: 'A1' }],
  infracoes: [{ auto: 'I1', valor: 500 }],
  produtor_organico: [],
  resumo: {
    area_total_ha: 12.5,
    qtd_imoveis_sncr: 1,
    qtd_imoveis_cafir: 1,
    qtd_infracoes: 1,
    valor_total_multas: 500,
    qtd_autorizacoes: 1,
    qtd_transportes: 3,
    estados: ['SP'],
  },
};

export function personProfile() {
  return {
    veiculos: [vehicleRow],
    imoveis: [propertyRow],
    aeronaves: { avioes: [{ matricula: 'PR-AAA' }], drones: [] },
    patentes: [texts(patentTexts)],
    rural: ruralOfPerson,
  };
}
