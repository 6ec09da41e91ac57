import { noteInPortuguese } from './notes-pt';
import { problemWords } from '../problem-words';
import type { ReportTexts } from './texts-en';

export const pt: ReportTexts = {
  htmlLanguage: 'pt-BR',
  title: 'Relatório de certidões',
  titleSingle: 'Certidão',
  issuedOf: (issued, total, n) =>
    n === 1 ? `${issued} de 1 linha emitida` : `${issued} de ${total} linhas emitidas`,
  nothingLeft: 'Não há nada pendente.',
  needAPerson: (count, n) =>
    n === 1 ? '1 linha precisa de uma pessoa.' : `${count} linhas precisam de uma pessoa.`,
  onlyCancelled: (count, n) =>
    n === 1 ? '1 linha foi cancelada.' : `${count} linhas foram canceladas.`,

  tiles: {
    issued: 'Emitidas',
    ofTotal: (share, total) => `${share} de ${total}`,
    person: 'Precisam de uma pessoa',
    personNone: 'todas as linhas terminaram bem',
    personSome: 'veja “Pendências”',
    requested: 'Pedidos enviados',
    takenOver: (count) => `${count} aproveitadas de trabalho anterior`,
    requestedNote: 'ou que podem ter sido enviados',
    doubleCharges: 'Possíveis cobranças em dobro',
    doubleChargesNone: 'nada foi reenviado sobre um resultado desconhecido',
    doubleChargesSome: 'veja as linhas abaixo',
    cost: 'Custo',
    costNotReported: 'não informado',
    costNote: 'o serviço não informa o custo das certidões',
    costReported: 'conforme informado pelo serviço',
    wait: 'Espera mediana',
    waitNote: (most) => `9 em cada 10 em até ${most}`,
    waitNone: 'nada foi emitido',
  },

  outcomes: 'Como as linhas terminaram',
  status: 'Situação',
  lines: 'Linhas',
  share: 'Parcela',
  total: 'Total',
  statuses: {
    issued: 'Emitida',
    duplicate: 'Duplicada',
    unknown_outcome: 'Resultado desconhecido',
    failed: 'Falhou',
    expired: 'Prazo esgotado',
    invalid: 'Inválida',
    unsupported: 'Não atendida',
    cancelled: 'Cancelada',
    erased: 'Eliminada',
  },
  statusMeans: {
    issued: 'concluída, com o PDF conferido',
    duplicate: 'mesmo documento e tipo de uma linha anterior; traz o resultado dela',
    unknown_outcome: 'a resposta se perdeu: o serviço pode ou não ter aceitado o pedido',
    failed: 'recusada pelo serviço, ou terminou nele com falha',
    expired: 'não terminou dentro do prazo dado',
    invalid: 'a linha da planilha não pode ser lida como um pedido',
    unsupported: 'válida, mas o serviço ainda não a atende',
    cancelled: 'nunca enviada, deixada no serviço ou abandonada',
    erased: 'dados pessoais, eliminados em definitivo',
  },

  issuedOverTime: 'Emissões ao longo do tempo',
  issuedOverTimeSummary: (count, from, to) =>
    `${count} emitidas entre ${from} e ${to}, pelo relógio do serviço.`,
  laterIssued: (count, last) => `Mais ${count} vieram depois; a última, em ${last}.`,
  untimed: (count) => `Mais ${count} sem horário informado pelo serviço.`,
  waits: 'Do pedido à emissão',
  waitsSummary: (half, most, longest) =>
    `Metade em até ${half}, nove em cada dez em até ${most}; a mais demorada, ${longest}.`,
  longerWaits: (count, longest) =>
    `${count} esperaram mais do que o gráfico mostra, até ${longest}.`,
  waitsUnit: {
    ms: 'em segundos',
    s: 'em segundos',
    min: 'em minutos',
    h: 'em horas',
    d: 'em dias',
  },
  noneIssued: 'Este trabalho não emitiu nada que possa ser desenhado aqui.',
  figures: 'Os números',
  until: 'Até',
  waitedFrom: 'Espera a partir de',
  issuedSoFar: 'Emitidas até então',
  certificates: 'Certidões',

  classifications: 'O que dizem as certidões',
  classification: 'Classificação, conforme informada pelo serviço',
  noClassification: '(não informada)',
  otherClassifications: '(outras palavras)',
  divergent: (count, n) =>
    n === 1
      ? 'Uma tem dados oficiais que divergem dos dados do cadastro (“divergent” em results.csv).'
      : `${count} têm dados oficiais que divergem dos dados do cadastro (“divergent” em results.csv).`,

  issuedRows: 'Certidões emitidas',
  holder: 'Titular',
  says: 'O que diz',
  source: 'Fonte',
  officialName: (name) => `nome oficial: ${name}`,
  differs: (name) => `diverge do nome no cadastro: ${name ?? '–'}`,

  left: 'Pendências',
  leftIntro:
    'Copie um comando, escreva o motivo em --note e execute-o onde o diligence está configurado. O motivo fica registrado.',
  line: 'Linha',
  subject: 'Documento',
  happened: 'O que aconteceu',
  next: 'O que fazer agora',
  reference: 'referência',
  requestedAt: 'pedido em',
  certidaoId: 'certidao_id',
  all: 'Todas de uma vez',
  more: (count) => `e mais ${count} em results.csv`,
  notePlaceholder: 'motivo',
  leftMeans: {
    unknown_outcome:
      'O pedido saiu e a resposta se perdeu. Pedir de novo pode gerar cobrança em dobro; por isso, nada é reenviado automaticamente. Nesta ordem:',
    failed: 'Leia a mensagem antes. Pedir de novo é um novo pedido, que pode ser cobrado.',
    expired:
      'O serviço não terminou dentro do prazo dado. Consultar de novo não envia um novo pedido.',
    invalid:
      'Corrija estas linhas na planilha e execute o arquivo de novo, como um novo lote. O que foi emitido dentro de --max-age (7 dias) não é comprado outra vez; as linhas que falharam são pedidas de novo.',
    unsupported:
      'CNPJs alfanuméricos são válidos, mas o serviço ainda não os atende. Por ora, não há o que fazer.',
    cancelled: 'Contam como encerradas. Se ainda assim forem necessárias:',
  },
  unknownSteps: {
    watch: 'Procure uma resposta que tenha chegado depois. Não envia nada.',
    adopt: 'Pergunte ao suporte do serviço sobre a linha. Se informarem um id, adote-o:',
    reissue: 'Envie de novo, aceitando que os dois pedidos possam ser cobrados:',
    abandon: 'Ou desista dela:',
  },
  advice: {
    look_for_late_answer: 'Procure antes uma resposta tardia. Não envia nada.',
    ask_again: 'Peça de novo.',
    ask_again_in_doubt: 'O serviço diz que pedir de novo não adianta. Se a causa foi resolvida:',
    read_again: 'Consulte de novo. Não envia um novo pedido.',
    mend: 'Corrija a linha.',
    wait: 'Aguarde.',
    nothing: 'Nada: houve desistência por decisão de uma pessoa.',
  },

  doubleCharges: 'Possíveis cobranças em dobro',
  doubleChargesMeans: (count, n) =>
    `${n === 1 ? 'Uma linha foi enviada' : `${count} linhas foram enviadas`} de novo sobre um resultado desconhecido. Se o pedido perdido tinha sido aceito, o serviço pode cobrar os dois. Confira na fatura.`,

  decisions: 'Decisões tomadas',
  decision: 'Decisão',
  decidedAt: 'Quando',
  decidedBy: 'Quem',
  reason: 'Motivo',
  actions: {
    reissue: 'enviar de novo',
    abandon: 'desistir',
    watch: 'consultar de novo',
    adopt: 'adotar um id',
  },
  decidedLines: (count, n) => (n === 1 ? '1 linha' : `${count} linhas`),

  details: 'Sobre este trabalho',
  batchId: 'Id do lote',
  input: 'Entrada',
  singleInput: 'um documento, dado na linha de comando',
  sha256: 'sha256 da entrada',
  blankLines: (count) => `linhas em branco deixadas de fora: ${count}`,
  label: 'Rótulo',
  type: 'Tipo das linhas que não o informam',
  types: { cnpj: 'cnpj', trabalhista: 'trabalhista' },
  createdBy: 'Iniciado por',
  started: 'Início',
  ended: 'Fim',
  took: (duration) => `após ${duration}`,
  edition: 'Resultados gravados',
  times: (count, n) => (n === 1 ? 'uma vez' : `${count} vezes`),
  terms: 'Condições',
  auditHead: 'Trilha de auditoria, cabeça',
  termsNotStored: 'não registradas: o trabalho foi iniciado por uma versão anterior do diligence',
  deadlineTerm: (duration) => `cada linha tem ${duration} a partir do seu pedido`,
  reuseTerm: (since) => `o que foi emitido desde ${since} é aproveitado, sem nova compra`,
  unknownTerms: {
    report: 'uma resposta perdida espera pela decisão de uma pessoa',
    reissue: 'uma resposta perdida leva a um único reenvio automático',
  },
  timeZone: 'Fuso horário',
  footer:
    'Os documentos estão mascarados. As linhas são as da planilha (o cabeçalho é a linha 1), e results.csv, ao lado deste arquivo, traz os documentos por extenso.',
  written: (at) => `Gravado pelo diligence em ${at}.`,

  message: ({ code, category, message }) => {
    if (category === 'refused') return `O serviço recusou o pedido (${code ?? 'sem código'}).`;
    if (code === 'not_sent')
      return 'O pedido nunca saiu, como mostra um recibo tardio: pode ser feito de novo.';
    return problemWords({ code, message: message ?? code ?? '' }, 'pt');
  },
  note: noteInPortuguese,
};
