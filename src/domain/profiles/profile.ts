/** The asset profile of one individual: raw database rows, shown to people under the service's own column names. */

const names = (text: string): readonly string[] => text.trim().split(/\s+/);

export const vehicleTexts = names(`
  documento tipo nome_proprietario placa placa_antiga placa_nova renavam chassi marca modelo cor
  combustivel tipo_veiculo especie_veiculo potencia cilindradas quantidade_passageiro municipio uf
  situacao_veiculo restricao_1 restricao_2 restricao_3 restricao_4 nacionalidade carroceria
  tipo_montagem peso_bruto_total cap_maxima_tracao capacidade_carga motor caixa_cambio
  situacao_chassi eixos media_preco
`);
export const vehicleNumbers = names(`
  ano_documento ano_fabricacao ano_modelo updated_at
`);

export const propertyTexts = ['id', 'fonte', 'sql_iptu', 'inscricao', 'tipo_uso'];
/** Square metres and BRL. */
export const propertyNumbers = names(`
  area_terreno area_construida ano_construcao valor_venal valor_iptu
`);
export const addressTexts = names(`
  logradouro numero complemento bairro cidade uf cep
`);
/** `tipoDocumento` is absent when the document is empty or invalid. */
export const ownerTexts = ['nome', 'documento', 'tipoDocumento'];

/** Dates are in the stored format, not necessarily ISO. */
export const patentTexts = names(`
  numero_inpi codigo_interno depositante cgccpfdepositante tipopessoadepositante pais estado
  data_inicio_depositante data_fim_depositante titulo resumo natureza data_deposito
  data_publicacao data_concessao classificacao_ipc despacho_codigo despacho_texto
  despacho_data_rpi inventores procuradores
`);

export const ruralLists = names(`
  propriedades_sncr propriedades_cafir autorizacoes infracoes produtor_organico
`);
export const transportNumbers = ['total', 'volume_total', 'valor_total'];
export const transportLists = ['produtos', 'por_produto', 'por_ano', 'parceiros'];
export const ruralSummaryNumbers = names(`
  area_total_ha qtd_imoveis_sncr qtd_imoveis_cafir qtd_infracoes valor_total_multas
  qtd_autorizacoes qtd_transportes
`);
