import type { Words } from '../domain/job';
import type { ReportLanguage } from './formats';

/** Words of ours and of the services, in the readers' languages. Others are unchanged. */

const statuses: Readonly<Record<string, Words>> = {
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
  reported: ['Reported', 'Informada'],
  skipped: ['Skipped', 'Não consultada'],
  complete: ['Complete', 'Completa'],
  partial: ['Partial', 'Parcial'],
  classified: ['Classified', 'Classificado'],
  insufficient_data: ['Insufficient data', 'Dados insuficientes'],
  critical: ['Critical', 'Crítica'],
  warn: ['Warning', 'Atenção'],
  info: ['Information', 'Informativa'],
  unknown: ['Unknown', 'Desconhecida'],
  stored: ['Recorded', 'Registrada'],
  delivered: ['Delivered', 'Entregue'],
  acknowledged: ['Acknowledged', 'Confirmada'],
  acknowledged_elsewhere: ['Acknowledged by others', 'Confirmada por outros'],
  gone: ['Gone at the service', 'Não existe mais no serviço'],
  failing: ['Failing', 'Com falha'],
  incomplete: ['Incomplete', 'Incompleto'],
  swept: ['Swept', 'Varrido'],
  partly: ['Partly swept', 'Varrido em parte'],
  interrupted: ['Interrupted', 'Interrompido'],
  answered: ['Answered', 'Respondida'],
  missing: ['Missing', 'Sem resposta'],
  not_requested: ['Not requested', 'Não consultada'],
  open: ['Open', 'Em aberto'],
  undecided: ['Undecided', 'Sem decisão'],
  waiting: ['Waiting', 'Em espera'],
  stands_still: ['Stands still', 'Parado'],
  'stands still': ['Stands still', 'Parado'],
  credentials: ['Credentials', 'Credenciais'],
  review: ['Review', 'Revisão'],
  decision: ['Decision', 'Decisão'],
  budget: ['Budget', 'Orçamento'],
  restored: ['Restored', 'Restaurado'],
  accept: ['Accepted', 'Aceita'],
  retry: ['Tried again', 'Tentada de novo'],
  charged: ['Charged', 'Cobrado'],
  not_charged: ['Not charged', 'Não cobrado'],
  new: ['New', 'Nova'],
  elsewhere: ['Acknowledged by others or gone', 'Confirmada por outros ou inexistente'],
  probed: ['Probed', 'Consultado'],
  not_retryable: ['Not to be tried again', 'Não deve ser tentado de novo'],
  max_attempts: ['Attempts are used up', 'Tentativas esgotadas'],
  attempt_unknown: ['Attempt not told', 'Tentativa não informada'],
  older: ['Older', 'Mais antigo'],
  beyond_limit: ['Beyond the limit', 'Além do limite'],
  high: ['High', 'Alta'],
  medium: ['Medium', 'Média'],
  low: ['Low', 'Baixa'],
};

/** Sections, columns and single values, by the last word of their paths. */
const names: Readonly<Record<string, Words>> = {
  aeronaves_avioes: ['Planes', 'Aviões'],
  aeronaves_drones: ['Drones', 'Drones'],
  answered: ['Answers', 'Respostas'],
  answers_lost: ['Answers lost', 'Respostas perdidas'],
  certificate: ['Certificate', 'Certidão'],
  'certificate-batch': ['Certificates', 'Certidões'],
  'credit-analysis': ['Credit analysis', 'Análise de crédito'],
  decision: ['Decision', 'Decisão'],
  dossier: ['Dossier', 'Dossiê'],
  investigation: ['Investigation', 'Investigação'],
  lens: ['Analysis of a picture', 'Análise de imagem'],
  'monitor-scan': ['Scan of monitors', 'Consulta de monitores'],
  'monitor-sweep': ['Sweep of a monitor', 'Varredura de monitor'],
  profile: ['Asset profile', 'Perfil patrimonial'],
  trace: ['Trace search', 'Busca de rastros'],
  artifacts: ['Artifacts', 'Artefatos'],
  assignorStatus: ['Assignor', 'Cedente'],
  atService: ['Last seen at the service', 'Visto por último no serviço'],
  brl: ['Value', 'Valor'],
  contradictions: ['Contradictions', 'Contradições'],
  count: ['Count', 'Quantidade'],
  credit: ['Credit analysis', 'Análise de crédito'],
  detected: ['Detected', 'Detectada'],
  error: ['Error', 'Erro'],
  hypotheses: ['Hypotheses', 'Hipóteses'],
  name: ['Name', 'Nome'],
  newChanges: ['New changes', 'Alterações novas'],
  notes: ['Notes', 'Observações'],
  occurrences: ['Occurrences', 'Ocorrências'],
  payers: ['Payers', 'Sacados'],
  payersWithIssues: ['Payers with issues', 'Sacados com apontamentos'],
  receivables: ['Receivables', 'Recebíveis'],
  riskLevel: ['Risk level', 'Nível de risco'],
  riskRules: ['Rules that matched', 'Regras acionadas'],
  riskScore: ['Risk score', 'Pontuação de risco'],
  riskStatus: ['Risk status', 'Situação do risco'],
  rural_imoveis: ['Rural properties', 'Imóveis rurais'],
  severity: ['Severity', 'Gravidade'],
  state: ['Status', 'Situação'],
  value: ['Value', 'Valor'],
  what: ['What', 'O quê'],
  assessed_value: ['Assessed value of properties', 'Valor venal dos imóveis'],
  'credit-batch': ['Credit analyses', 'Análises de crédito'],
  'dossier-batch': ['Dossiers', 'Dossiês'],
  'profile-batch': ['Asset profiles', 'Perfis patrimoniais'],
  'trace-batch': ['Trace searches', 'Buscas de rastros'],
  'investigation-batch': ['Investigations', 'Investigações'],
  attempts: ['Attempts', 'Tentativas'],
  alertedValue: ['Alerted value', 'Valor em alerta'],
  approvedValue: ['Approved value', 'Valor aprovado'],
  blockedValue: ['Blocked value', 'Valor bloqueado'],
  engineId: ['Engine id', 'Id do motor de regras'],
  engineName: ['Engine name', 'Motor de regras'],
  operationId: ['Operation id', 'Id da operação'],
  razaoSocial: ['Razao social', 'Razão social'],
  summary: ['Summary', 'Resumo'],
  timestamp: ['Timestamp', 'Data e hora'],
  totalTitulos: ['Total titulos', 'Total de títulos'],
  totalValue: ['Total value', 'Valor total'],
  withIssues: ['With issues', 'Com apontamentos'],
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
  kind: ['Kind', 'Tipo'],
  latitude: ['Latitude', 'Latitude'],
  level: ['Level', 'Nível'],
  link: ['Link', 'Link'],
  longitude: ['Longitude', 'Longitude'],
  matched_rules: ['Rules that matched', 'Regras acionadas'],
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
  baseName: ['Name on record', 'Nome na base'],
  capturedAt: ['Captured at', 'Capturada em'],
  certidaoId: ['Certificate id', 'Id da certidão'],
  certificates: ['Certificates', 'Certidões'],
  classification: ['Classification', 'Classificação'],
  completedAt: ['Ended', 'Terminada em'],
  divergent: ['Differs from the record', 'Diverge do cadastro'],
  document: ['Document', 'Documento'],
  duplicateOf: ['Repeats line', 'Repete a linha'],
  errorCategory: ['Kind of error', 'Tipo do erro'],
  errorCode: ['Error', 'Erro'],
  errorMessage: ['Message', 'Mensagem'],
  holderName: ['Holder', 'Titular'],
  line: ['Line', 'Linha'],
  note: ['Note', 'Nota'],
  officialName: ['Official name', 'Nome oficial'],
  possibleDoubleCharge: ['Charged twice?', 'Cobrança em dobro?'],
  reference: ['Reference', 'Referência'],
  requestedAt: ['Requested', 'Pedida em'],
  retryable: ['May be tried again', 'Pode ser tentada de novo'],
  sourceName: ['Source', 'Fonte'],
  total: ['Total', 'Total'],
  trace_id: ['Search', 'Busca'],
  operation_id: ['Operation', 'Operação'],
  type: ['Type', 'Tipo'],
  analysis: ['Analysis', 'Análise'],
  aside: ['Set aside', 'Reservado'],
  input: ['Input', 'Entrada'],
  'analysis results': ['Analysis results', 'Resultados de análise'],
  batch: ['Batch', 'Lote'],
  'change files': ['Change files', 'Arquivos de alterações'],
  rows: ['Rows', 'Linhas'],
  'deferred rows': ['Deferred rows', 'Linhas adiadas'],
  outcomes: ['Outcomes', 'Resultados'],
  issuance: ['Issuance', 'Emissão'],
  resolutions: ['Resolutions', 'Decisões'],
  change: ['Change', 'Alteração'],
  'unreadable change': ['Unreadable change', 'Alteração ilegível'],
  review: ['Review', 'Revisão'],
  monitor: ['Monitor', 'Monitor'],
  index: ['Index', 'Índice'],
  'audit index': ['Audit index', 'Índice de auditoria'],
  sweep: ['Sweep', 'Varredura'],
  scan: ['Scan', 'Consulta'],
  vehicles: ['Vehicles', 'Veículos'],
  veiculos: ['Vehicles', 'Veículos'],
};

function at({ [0]: en, [1]: pt }: Words, language: ReportLanguage): string {
  return language === 'pt' ? pt : en;
}

function own(words: Readonly<Record<string, Words>>, word: string): Words | undefined {
  return Object.hasOwn(words, word) ? words[word] : undefined;
}

/** A status; an unknown word unchanged. */
export function statusWord(status: string, language: ReportLanguage): string {
  const pair = own(statuses, status);
  return pair === undefined ? plain(status) : at(pair, language);
}

/** For `risk.matched_rules`, the name of `matched_rules`; a count may have the name of a status. */
export function nameOf(path: string, language: ReportLanguage): string {
  const last = path.slice(path.lastIndexOf('.') + 1);
  const inCamel = last.replaceAll(/_(\p{Ll})/gu, (_, letter: string) => letter.toUpperCase());
  const pair =
    [path, last, inCamel].map((one) => own(names, one)).find((one) => one !== undefined) ??
    own(statuses, last);
  return pair === undefined ? plain(path.replace('localizacao.', '')) : at(pair, language);
}

/** The same with the word before it, for single values: `Risk: level`. */
export function pathName(path: string, language: ReportLanguage): string {
  const [last = '', within] = path.split('.').reverse();
  const name = nameOf(last, language);
  return within === undefined ? name : `${nameOf(within, language)}: ${name}`;
}

/** A billing status, in the middle of a sentence. */
export function billingWord(status: string, language: ReportLanguage): string {
  const isOurs = ['charged', 'not_charged'].includes(status);
  return isOurs ? statusWord(status, language).toLowerCase() : statusWord(status, language);
}

/** For a terminal: in English the word of commands and `--json`. */
export function stateWord(status: string, language: ReportLanguage): string {
  return language === 'en' ? status : statusWord(status, language).toLowerCase();
}

/** The same for kinds of jobs. */
export function kindWord(kind: string, language: ReportLanguage): string {
  return language === 'en' ? kind : nameOf(kind, language);
}

function plain(word: string): string {
  const spaced = word
    .replaceAll(
      /(\p{Ll})(\p{Lu})/gu,
      (_, before: string, after: string) => `${before} ${after.toLowerCase()}`,
    )
    .replaceAll(/[_.]/g, ' ');
  return capital(spaced.trim());
}

/** Makes a clause a sentence. */
export function sentence(text: string): string {
  return `${capital(text)}.`;
}

function capital(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}
