/** The rural part of a profile, in both forms of the document (section Rural). */

import { draw } from '../core/chance';
import type { JsonObject } from '../http/answer';
import type { RowMaker } from './asset-rows';
import type { RuralForm } from './profile-scenario';

export function ruralOf(maker: RowMaker, form: RuralForm): JsonObject | null {
  if (form === 'null') return null;
  return form === 'person' ? personRural(maker) : companyRural(maker);
}

function number(maker: RowMaker, word: string, limit: number): number {
  return Math.floor(draw(maker.seed, 'rural', maker.cpf, word) * limit);
}

function estates(maker: RowMaker, register: string): JsonObject[] {
  const count = number(maker, register, 3);
  return Array.from({ length: count }, (_, index) => ({
    codigo_imovel: String(100_000 + number(maker, `${register} code ${index}`, 900_000)),
    denominacao: `FAZENDA SIMULADA ${index + 1}`,
    municipio: 'RIO VERDE',
    uf: 'GO',
    area_ha: 20 + number(maker, `${register} area ${index}`, 400),
  }));
}

function personRural(maker: RowMaker): JsonObject {
  const sncr = estates(maker, 'sncr');
  const cafir = estates(maker, 'cafir');
  const fines = Array.from({ length: number(maker, 'fines', 2) }, () => ({
    auto: 'AI-9021',
    orgao: 'IBAMA (simulado)',
    valor: 1500.5,
    data: '2021-08-03',
  }));
  const transports = number(maker, 'transports', 5);
  return {
    documento: maker.cpf,
    tipo: 'PF',
    propriedades_sncr: sncr,
    propriedades_cafir: cafir,
    transportes: {
      total: transports,
      volume_total: transports * 42.5,
      valor_total: transports * 18_000,
      produtos: transports > 0 ? ['SOJA'] : [],
      por_produto: transports > 0 ? [{ produto: 'SOJA', total: transports }] : [],
      por_ano: transports > 0 ? [{ ano: 2024, total: transports }] : [],
      parceiros: [],
    },
    autorizacoes: [],
    infracoes: fines,
    produtor_organico: [],
    resumo: {
      area_total_ha: sncr.reduce((sum, { area_ha: area }) => sum + Number(area), 0),
      qtd_imoveis_sncr: sncr.length,
      qtd_imoveis_cafir: cafir.length,
      qtd_infracoes: fines.length,
      valor_total_multas: fines.length * 1500.5,
      qtd_autorizacoes: 0,
      qtd_transportes: transports,
      estados: sncr.length > 0 ? ['GO'] : [],
    },
    ...(maker.odd && number(maker, 'oddity', 4) === 0 ? { origem: 'lote 2025-11' } : {}),
  };
}

function companyRural(maker: RowMaker): JsonObject {
  const imoveisRurais = estates(maker, 'company');
  return {
    imoveisRurais,
    perfil: imoveisRurais.length === 0 ? null : { porte: 'medio', atividade: 'SOJA' },
  };
}
