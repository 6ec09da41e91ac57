/**
 * The asset profile of one individual: raw database rows, shown to people under the service's own column
 * names.
 */

/** Text columns of a vehicle; '' means no value. */
export const vehicleTexts = [
  'documento',
  'tipo',
  'nome_proprietario',
  'placa',
  'placa_antiga',
  'placa_nova',
  'renavam',
  'chassi',
  'marca',
  'modelo',
  'cor',
  'combustivel',
  'tipo_veiculo',
  'especie_veiculo',
  'potencia',
  'cilindradas',
  'quantidade_passageiro',
  'municipio',
  'uf',
  'situacao_veiculo',
  'restricao_1',
  'restricao_2',
  'restricao_3',
  'restricao_4',
  'nacionalidade',
  'carroceria',
  'tipo_montagem',
  'peso_bruto_total',
  'cap_maxima_tracao',
  'capacidade_carga',
  'motor',
  'caixa_cambio',
  'situacao_chassi',
  'eixos',
  'media_preco',
] as const;
export const vehicleNumbers = [
  'ano_documento',
  'ano_fabricacao',
  'ano_modelo',
  'updated_at',
] as const;

export const propertyTexts = ['id', 'fonte', 'sql_iptu', 'inscricao', 'tipo_uso'] as const;
/** Square metres and BRL. */
export const propertyNumbers = [
  'area_terreno',
  'area_construida',
  'ano_construcao',
  'valor_venal',
  'valor_iptu',
] as const;
export const addressTexts = [
  'logradouro',
  'numero',
  'complemento',
  'bairro',
  'cidade',
  'uf',
  'cep',
] as const;
/** `tipoDocumento` is absent when the document is empty or invalid. */
export const ownerTexts = ['nome', 'documento', 'tipoDocumento'] as const;

/** Dates are in the stored format, not necessarily ISO. */
export const patentTexts = [
  'numero_inpi',
  'codigo_interno',
  'depositante',
  'cgccpfdepositante',
  'tipopessoadepositante',
  'pais',
  'estado',
  'data_inicio_depositante',
  'data_fim_depositante',
  'titulo',
  'resumo',
  'natureza',
  'data_deposito',
  'data_publicacao',
  'data_concessao',
  'classificacao_ipc',
  'despacho_codigo',
  'despacho_texto',
  'despacho_data_rpi',
  'inventores',
  'procuradores',
] as const;

/** Lists of raw rows in the rural profile of a person. */
export const ruralLists = [
  'propriedades_sncr',
  'propriedades_cafir',
  'autorizacoes',
  'infracoes',
  'produtor_organico',
] as const;
export const transportNumbers = ['total', 'volume_total', 'valor_total'] as const;
export const transportLists = ['produtos', 'por_produto', 'por_ano', 'parceiros'] as const;
export const ruralSummaryNumbers = [
  'area_total_ha',
  'qtd_imoveis_sncr',
  'qtd_imoveis_cafir',
  'qtd_infracoes',
  'valor_total_multas',
  'qtd_autorizacoes',
  'qtd_transportes',
] as const;
