import type { ReportLanguage } from './formats';

/** Words of ours and of the services, in the languages of the readers. Others stand as they came. */

type Pair = readonly [en: string, pt: string];

const statuses: Readonly<Record<string, Pair>> = {
  completed: ['Completed', 'Concluído'],
  found: ['Found', 'Encontrado'],
  issued: ['Issued', 'Emitido'],
  approved: ['Approved', 'Aprovado'],
  alerted: ['Alerted', 'Com alerta'],
  blocked: ['Blocked', 'Bloqueado'],
  failed: ['Failed', 'Falhou'],
  refused: ['Refused by the service', 'Recusado pelo serviço'],
  not_found: ['Not found', 'Não encontrado'],
  invalid: ['Invalid', 'Inválido'],
  unsupported: ['Not served', 'Não atendido'],
  unreadable: ['Unreadable answer', 'Resposta ilegível'],
  unknown_outcome: ['Unknown outcome', 'Resultado desconhecido'],
  expired: ['Out of time', 'Prazo esgotado'],
  cancelled: ['Cancelled', 'Cancelado'],
  needs_review: ['Needs a review', 'Precisa de revisão'],
  duplicate: ['Duplicate', 'Duplicado'],
  lost: ['Lost', 'Perdido'],
  followed: ['Still followed', 'Ainda acompanhado'],
  erased: ['Erased', 'Eliminado'],
  pending: ['Pending', 'Pendente'],
  running: ['Running', 'Em andamento'],
  queued: ['Queued', 'Na fila'],
  unavailable: ['Unavailable', 'Indisponível'],
  told: ['Told', 'Informada'],
  skipped: ['Skipped', 'Não consultada'],
  complete: ['Complete', 'Completa'],
  partial: ['Partial', 'Parcial'],
  classified: ['Classified', 'Classificado'],
  insufficient_data: ['Insufficient data', 'Dados insuficientes'],
  critical: ['Critical', 'Crítica'],
  warn: ['Warning', 'Atenção'],
  info: ['Information', 'Informativa'],
  unknown: ['Unknown', 'Desconhecida'],
  filed: ['Recorded', 'Registrada'],
  delivered: ['Delivered', 'Entregue'],
  acknowledged: ['Acknowledged', 'Confirmada'],
  acknowledged_elsewhere: ['Acknowledged by others', 'Confirmada por outros'],
  gone: ['Gone at the service', 'Não existe mais no serviço'],
  failing: ['Failing', 'Com falha'],
};

/** Sections, columns and single values, by the last word of their paths. */
const names: Readonly<Record<string, Pair>> = {
  aeronaves_avioes: ['Planes', 'Aviões'],
  aeronaves_drones: ['Drones', 'Drones'],
  answered: ['Answers', 'Respostas'],
  answers_lost: ['Answers lost', 'Respostas perdidas'],
  artifacts: ['Artifacts', 'Artefatos'],
  assessed_value: ['Assessed value of properties', 'Valor venal dos imóveis'],
  'credit-batch': ['Credit analyses', 'Análises de crédito'],
  'dossier-batch': ['Dossiers', 'Dossiês'],
  'profile-batch': ['Asset profiles', 'Perfis patrimoniais'],
  'trace-batch': ['Trace searches', 'Buscas de rastros'],
  'investigation-batch': ['Investigations', 'Investigações'],
  attempts: ['Attempts', 'Tentativas'],
  billing_amount: ['Charged', 'Cobrado'],
  billing_status: ['Billing', 'Cobrança'],
  billing_unit: ['Unit', 'Unidade'],
  call: ['Call', 'Chamada'],
  caused: ['Caused here', 'Causadas aqui'],
  completed: ['Completed', 'Concluídas'],
  confidence: ['Confidence', 'Confiança'],
  coverage: ['Coverage', 'Cobertura'],
  description: ['Description', 'Descrição'],
  drones: ['Drones', 'Drones'],
  eligible: ['Eligible', 'Elegíveis'],
  evidence: ['Evidence told by the service', 'Indícios informados pelo serviço'],
  faces: ['Faces', 'Rostos'],
  files: ['Files', 'Arquivos'],
  id: ['Id', 'Id'],
  imoveis: ['Properties', 'Imóveis'],
  kind: ['Kind', 'Espécie'],
  latitude: ['Latitude', 'Latitude'],
  level: ['Level', 'Nível'],
  link: ['Link', 'Link'],
  longitude: ['Longitude', 'Longitude'],
  matched_rules: ['Rules that matched', 'Regras que casaram'],
  matrix_id: ['Matrix', 'Matriz'],
  matrix_version: ['Version of the matrix', 'Versão da matriz'],
  missing_fields: ['Missing data', 'Dados ausentes'],
  mode: ['Mode', 'Modo'],
  ocorrencias: ['Occurrences', 'Ocorrências'],
  partial: ['Some sources did not answer', 'Algumas fontes não responderam'],
  patentes: ['Patents', 'Patentes'],
  patents: ['Patents', 'Patentes'],
  phase: ['Phase', 'Etapa'],
  phases: ['Phases', 'Etapas'],
  places: ['Places', 'Lugares'],
  planes: ['Planes', 'Aviões'],
  possible_attempt: ['A further attempt?', 'Mais uma tentativa?'],
  possible_double_charge: ['Charged twice?', 'Cobrança em dobro?'],
  properties: ['Properties', 'Imóveis'],
  reason: ['Reason', 'Motivo'],
  records: ['Records', 'Registros'],
  remote: ['At the service', 'No serviço'],
  report_schema: ['Sections of the report', 'Seções do relatório'],
  risk: ['Risk', 'Risco'],
  rural: ['Rural part', 'Parte rural'],
  rural_autorizacoes: ['Authorisations', 'Autorizações'],
  rural_infracoes: ['Environmental infractions', 'Infrações ambientais'],
  rural_produtor_organico: ['Organic producer', 'Produtor orgânico'],
  rural_propriedades_cafir: ['Rural properties (CAFIR)', 'Propriedades rurais (CAFIR)'],
  rural_propriedades_sncr: ['Rural properties (SNCR)', 'Propriedades rurais (SNCR)'],
  rural_resumo: ['Rural summary', 'Resumo rural'],
  rural_transportes: ['Transports, in total', 'Transportes, no total'],
  rural_transportes_parceiros: ['Transport partners', 'Parceiros de transporte'],
  rural_transportes_por_ano: ['Transports by year', 'Transportes por ano'],
  rural_transportes_por_produto: ['Transports by product', 'Transportes por produto'],
  rural_transportes_produtos: ['Products transported', 'Produtos transportados'],
  score: ['Score', 'Pontuação'],
  source: ['Source', 'Fonte'],
  sources: ['Sources', 'Fontes'],
  stale: ['Newer data at the service', 'Dados mais novos no serviço'],
  status: ['Status', 'Situação'],
  strategy: ['Strategy', 'Estratégia'],
  subject_type: ['Subject', 'Sujeito'],
  titulos: ['Titulos', 'Títulos'],
  total: ['Total', 'Total'],
  trace_id: ['Search', 'Busca'],
  operation_id: ['Operation', 'Operação'],
  type: ['Type', 'Tipo'],
  vehicles: ['Vehicles', 'Veículos'],
  veiculos: ['Vehicles', 'Veículos'],
};

/** What may be decided: the words of the table of attention. */
const actions: Readonly<Record<string, Pair>> = {
  reissue: ['Ask for it again', 'Pedir de novo'],
  abandon: [
    'Give it up: what was sent is looked for no longer',
    'Desistir: o que foi enviado não é mais procurado',
  ],
  watch: [
    'Go on with what was sent; sends nothing new',
    'Continuar com o que foi enviado; não envia nada novo',
  ],
  adopt: [
    'Take the id that the service has named, to its end',
    'Adotar o id que o serviço informou, até o fim',
  ],
  accept: ['Take it as it is', 'Aceitar como está'],
  retry: ['Ask for another attempt', 'Pedir outra tentativa'],
  acknowledge: ['A person has seen it: leave it as it is', 'Uma pessoa viu: deixar como está'],
};

const reasons: Readonly<Record<string, Pair>> = {
  unknown_outcome: [
    'It may have been accepted and charged: the answer was lost. Nothing is sent again by itself.',
    'Pode ter sido aceito e cobrado: a resposta se perdeu. Nada é reenviado automaticamente.',
  ],
  unreadable: [
    'It was answered, perhaps charged, and the answer cannot be read.',
    'Foi respondido, talvez cobrado, e a resposta não pode ser lida.',
  ],
  expired: ['It had not settled in time.', 'Não terminou dentro do prazo.'],
  needs_review: [
    'The service asks for a review, and nobody has decided.',
    'O serviço pede uma revisão, e ninguém decidiu.',
  ],
};

const somethingMissing: Pair = [
  'Something that was announced is missing, or may have been charged.',
  'Algo que foi anunciado está faltando ou pode ter sido cobrado.',
];

function at({ [0]: en, [1]: pt }: Pair, language: ReportLanguage): string {
  return language === 'pt' ? pt : en;
}

/** How something stands; a word that we do not know, as it came. */
export function statusWord(status: string, language: ReportLanguage): string {
  const pair = Object.hasOwn(statuses, status) ? statuses[status] : undefined;
  return pair === undefined ? plain(status) : at(pair, language);
}

/** Of `risk.matched_rules`, what `matched_rules` is called. */
export function nameOf(path: string, language: ReportLanguage): string {
  const last = path.slice(path.lastIndexOf('.') + 1);
  const known = [path, last].find((one) => Object.hasOwn(names, one));
  const pair = known === undefined ? undefined : names[known];
  return pair === undefined ? plain(path.replace('localizacao.', '')) : at(pair, language);
}

/** The same with the word before it, for values that stand by themselves: `Risk: level`. */
export function pathName(path: string, language: ReportLanguage): string {
  const [last = '', within] = path.split('.').reverse();
  const name = nameOf(last, language);
  return within === undefined ? name : `${nameOf(within, language)}: ${name}`;
}

export function actionWord(action: string, language: ReportLanguage): string {
  const pair = actions[action];
  return pair === undefined ? action : at(pair, language);
}

/** Why something that ended so needs a person. */
export function reasonOf(status: string, language: ReportLanguage): string {
  return at(reasons[status] ?? somethingMissing, language);
}

function plain(word: string): string {
  const spaced = word.replaceAll(/[_.]/g, ' ').trim();
  return spaced.slice(0, 1).toUpperCase() + spaced.slice(1);
}
