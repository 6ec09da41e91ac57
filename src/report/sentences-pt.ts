import { statusWord } from './words';

/**
 * Sentences of ours that are stored in English, in whole or in part: of errors, rows and steps. `#` is a number, `@` a
 * word, `%` a quoted name, `*` any text; `^` and `$` are the ends of a sentence. What those hold, and what a service
 * said, is unchanged.
 */
const sentences: Readonly<Record<string, string>> = {
  // Calls.
  '^the service answered # empty pages, one after the other, and says that there is more$':
    'o serviço devolveu $1 páginas vazias seguidas, e informa que há mais',
  'answered #': 'respondeu $1',
  '(request @)': '(pedido $1)',
  'no answer within # ms': 'sem resposta em $1 ms',
  'no answer (': 'sem resposta (',
  'nothing was sent': 'nada foi enviado',
  'the request may have arrived': 'o pedido pode ter chegado',
  'the answer cannot be read': 'a resposta não pode ser lida',
  'the answer is empty': 'a resposta veio vazia',
  '^it is in the store: ': 'está guardada em: ',
  '^the service refused the request with status #': 'o serviço recusou o pedido com o status $1',
  '^the service refused the upload: it respondeu': 'o serviço recusou o envio: respondeu',
  '^the service respondeu': 'o serviço respondeu',
  '^the operation failed$': 'a operação falhou',
  'the address at @ is not followed: ': 'o endereço em $1 não é seguido, pela regra: ',
  // Rows of certificates.
  '^1 leading zero restored$': '1 zero à esquerda restaurado',
  '^# leading zeros restored$': '$1 zeros à esquerda restaurados',
  '^cancelled before it was requested$': 'cancelada antes de ser pedida',
  '^the deadline passed before it was requested$': 'o prazo terminou antes que fosse pedida',
  '^the deadline of the batch passed before it was requested$':
    'o prazo terminou antes que fosse pedida',
  '^the deadline passed before it could be requested$': 'o prazo terminou antes que fosse pedida',
  '^requested by another job$': 'pedida por outro trabalho',
  '^reused: issued *$': 'aproveitada: emitida em $1',
  '^unknown in *$': 'resultado desconhecido em $1',
  '^abandoned by *: *$': 'abandonada por $1: $2',
  '^adopt by * refused: the service does not know *$':
    'adopt de $1 recusado: o serviço não conhece $2',
  '^other issuances: *$': 'outras emissões: $1',
  '^no evidence$': 'sem PDF',
  '^sha256 unchecked$': 'sha256 não conferida',
  '^invisible characters removed$': 'caracteres invisíveis removidos',
  // Dossiers, pictures and credit.
  '^it failed, and no further attempt may be caused (--max-attempts)':
    'falhou, e nenhuma outra tentativa é permitida (--max-attempts)',
  '^it failed, and the service says that another attempt is not worth it':
    'falhou, e o serviço informa que não adianta tentar de novo',
  '^it failed, and the service does not tell the number of its attempt':
    'falhou, e o serviço não informa o número da tentativa',
  '^it failed, and the next attempt would begin after the deadline':
    'falhou, e a próxima tentativa começaria depois do prazo',
  '^the list does not show that it has ended$': 'a lista ainda não mostra que terminou',
  '^the list does not have the dossier$': 'o dossiê não está na lista',
  '^the list repeats itself: lists.cursorParam may be another$':
    'a lista se repete: lists.cursorParam pode ter outro nome',
  '^the list cannot be read$': 'a lista não pode ser lida',
  '^the list could not be read: *$': 'a lista não pôde ser lida: $1',
  '^the list respondeu': 'a lista respondeu',
  '^its report could not be fetched in time$': 'o relatório não pôde ser baixado a tempo',
  '^not stored$': 'não guardado',
  '^not fetched in time$': 'não baixado a tempo',
  '^no address$': 'sem endereço',
  '^no longer available$': 'não está mais disponível',
  '^larger than # bytes$': 'maior que $1 bytes',
  '^not whole in time$': 'não veio inteiro a tempo',
  '^no whole answer$': 'não veio inteiro',
  '^no answer$': 'sem resposta',
  '^credentials$': 'credencial recusada',
  '^# uploads in a row did not arrive in time$': '$1 envios seguidos não chegaram a tempo',
  '^the service let the analysis expire after its file was uploaded$':
    'o serviço deixou a análise expirar depois do envio do arquivo',
  '^the service does not say where to upload the file$':
    'o serviço não informa para onde enviar o arquivo',
  '^summary.@ is @, the tree holds @$': 'summary.$1 é $2, e a árvore tem $3',
  '^summary.@ is @, the tree adds up to @$': 'summary.$1 é $2, e a árvore soma $3',
  '^titulo @ stands among the issues and not in the complete tree$':
    'o título $1 está nos apontamentos e não na árvore completa',
  '^titulo @ is @ among the issues and @ in the complete tree$':
    'o título $1 é $2 nos apontamentos e $3 na árvore completa',
  '^and # more like these$': 'e mais $1 como estes',
  '^@ is another one in the result of issues than in the complete one$':
    '$1 difere entre o resultado dos apontamentos e o completo',
  '^the summary says @ for @ beside the issues, and @ beside the complete tree$':
    'o resumo informa $1 em $2 com os apontamentos, e $3 com a árvore completa',
  '^the result names operation @, not @$': 'o resultado é da operação $1, e não da $2',
  '^the result is of engine @, @ was chosen$': 'o resultado é do motor $1, e o escolhido foi o $2',
  'there is no engine %; there are none': 'não há motor $1, nem nenhum outro',
  'there is no engine %; there are ': 'não há motor $1; há ',
  '# engines have the name %': '$1 motores têm o nome $2',
  '^choose one by its id$': 'escolha um pelo id',
  '^the list of engines cannot be read to its end, and % may be in the rest: choose it by its id':
    'a lista de motores não pode ser lida até o fim, e $1 pode estar no resto: escolha-o pelo id',
  ' (template)': ' (modelo)',
  ', and # more$': ', e mais $1',
  ': refused by the local scan (line #: @)': ': recusado pela verificação local (linha $1: $2)',
  '^it failed, and the service did not say why$': 'falhou, e o serviço não disse por quê',
  // Changes of monitors.
  '^the service answered a cursor that it had answered before: it may know the cursor by another name than lists.cursorParam says$':
    'o serviço devolveu um cursor que já tinha devolvido: o cursor pode ter outro nome que o de lists.cursorParam',
  '^the service answers the same page to one cursor after the other: it may know the cursor by another name than lists.cursorParam says$':
    'o serviço devolve a mesma página para um cursor após o outro: o cursor pode ter outro nome que o de lists.cursorParam',
  '^the service says that there is more and names no cursor: not all changes acknowledged by others can be listed$':
    'o serviço informa que há mais e não traz cursor: nem todas as alterações confirmadas por outros podem ser listadas',
  '^open although it was acknowledged before$':
    'ainda em aberto, embora já tenha sido confirmada antes',
  '^its record could not be read or written (*): see the log of the worker$':
    'o seu registro não pôde ser lido ou gravado ($1): veja o log do worker',
  '^the sink did not say what became of it$': 'o destino não informou o que houve com ela',
  'the webhook respondeu #: it wants no more changes':
    'o webhook respondeu $1: não quer mais alterações',
  'the webhook respondeu #: redirects are not followed':
    'o webhook respondeu $1: redirecionamentos não são seguidos',
  'the webhook respondeu': 'o webhook respondeu',
  'the webhook did not answer in time': 'o webhook não respondeu a tempo',
  'the webhook could not be reached': 'o webhook não pôde ser alcançado',
  'the webhook was not called: ': 'o webhook não foi chamado: ',
  'the webhook took nothing for minutes: not tried':
    'o webhook nada recebeu por minutos: não foi tentado',
  'the webhook is slow: not tried in the time that a page has':
    'o webhook está lento: não foi tentado a tempo',
  ', as for others before it: not tried$': ', como para outras antes dela: não foi tentada',
  // Subjects of investigations.
  'the step is required, and the subject has no @': 'a etapa é obrigatória, e o sujeito não tem $1',
  'line # says something else of the same subject: put all of it into one row':
    'a linha $1 informa outra coisa do mesmo sujeito: junte tudo em uma linha',
  'is there already, as @': 'já está em $1',
  'expected an id of the service, a UUID': 'espera-se um id do serviço, um UUID',
  'expected an e-mail address, such as @':
    'espera-se um endereço de e-mail, como nome@exemplo.com.br',
  'expected a phone number with its area code, such as ': 'espera-se um telefone com DDD, como ',
  ', or an empty cell': ', ou uma célula vazia',
  'says nothing: whom is it about?': 'está vazio: sobre quem é a investigação?',
  'yields # things to ask about, more than #: nothing is asked':
    'resulta em $1 consultas, mais de $2: nada é pedido',
  // Folders of reports.
  '@ is missing, or is none$': 'falta o arquivo $1, ou ele não é válido',
  '@ is not what was signed$': '$1 não é o que foi assinado',
  'it was not signed with the key that was given, but with @$':
    'não foi assinado com a chave informada, e sim com $1',
  '@ names a file twice$': '$1 cita um arquivo duas vezes',
  '@ names another investigation$': '$1 cita outra investigação',
  '@ is not in the manifest$': '$1 não está no manifesto',
  '@ is not as it was written$': '$1 não está como foi escrito',
  '@ is missing$': 'falta o arquivo $1',
  '@ is no plain file$': '$1 não é um arquivo comum',
  '@ is of another investigation than the manifest$':
    '$1 é de outra investigação que não a do manifesto',
  '@ names other evidence than the manifest$': '$1 cita outras evidências que não as do manifesto',
  'the end of the investigation is not among its records$':
    'o fim da investigação não está entre os seus registros',
  'it has another end of the investigation than @$':
    'o fim da investigação difere do que consta em $1',
  'it has another sha256 than the evidence of @$': 'a sha256 difere da evidência de $1',
  '^audit: ': 'auditoria: ',
  '^there is no Chromium or Chrome on the PATH$': 'não há Chromium nem Chrome no PATH',
  '^@ did not print it: ': '$1 não o imprimiu: ',
  // Steps of investigations.
  'there is nothing to ask about': 'não há o que perguntar',
  'it needs @, which had no result': 'depende de $1, que nada trouxe',
  '# more things were left out': 'mais $1 ficaram de fora',
  'it was not requested': 'não foi consultado',
  'nothing had been requested': 'nada havia sido consultado',
  'the budget was reached, and # more requests were not allowed':
    'o orçamento se esgotou, e mais $1 pedidos não foram permitidos',
  'stopped before its answer': 'interrompido antes da resposta',
  'without an end': 'sem fim',
};

const wildcards: Readonly<Record<string, string>> = {
  '#': String.raw`(\d+)`,
  '@': String.raw`(\S+)`,
  '%': '("[^"]*")',
  '*': '(.*?)',
  '^': '^',
  $: '$',
};

const patterns = Object.entries(sentences).map(([english, own]) => {
  const pattern = english.replaceAll(/[^\w\s]/g, (mark) => wildcards[mark] ?? `\\${mark}`);
  // Whole words.
  const [start, end] = [/^\w/.test(english) ? '\\b' : '', /[\w#]$/.test(english) ? '\\b' : ''];
  return [new RegExp(`${start}${pattern}${end}`, 'g'), own] as const;
});

/** Parts that say more than their pattern, such as messages of services, stay as they are. */
function translated(part: string): string {
  return patterns.reduce((text, [english, own]) => text.replace(english, own), part);
}

/** Sentences joined by semicolons, each in Portuguese where it is one of ours. */
export function inPortuguese(text: string): string {
  return text.split('; ').map(translated).join('; ');
}

/** Why a step ended so; it names the statuses of its jobs. */
export function whyInPortuguese(text: string): string {
  return inPortuguese(text).replaceAll(
    /\b(?:unknown_outcome|needs_review|failed|refused|expired|cancelled|invalid|unreadable)\b/g,
    (status) => statusWord(status, 'pt').toLowerCase(),
  );
}
