import { statusWord } from './words';

/**
 * Sentences of ours that are stored in English, in whole or in part: of errors, rows and steps. What they hold, and what a
 * service said, is unchanged.
 */
const sentences: readonly (readonly [RegExp, string])[] = [
  // Calls.
  [/\banswered (\d{3})\b(?! empty)/, 'respondeu $1'],
  [/\(request ([\w-]+)\)/, '(pedido $1)'],
  [/\bno answer within (\d+) ms\b/, 'sem resposta em $1 ms'],
  [/\bno answer \(/, 'sem resposta ('],
  [/\bnothing was sent\b/, 'nada foi enviado'],
  [/\bthe request may have arrived\b/, 'o pedido pode ter chegado'],
  [/\bthe answer cannot be read\b/, 'a resposta não pode ser lida'],
  [/\bthe answer is empty\b/, 'a resposta veio vazia'],
  [/^it is in the store: /, 'está guardada em: '],
  [
    /^the service refused the request with status (\d+)/,
    'o serviço recusou o pedido com o status $1',
  ],
  [/^the service refused the upload: it respondeu/, 'o serviço recusou o envio: respondeu'],
  [/^the service respondeu/, 'o serviço respondeu'],
  [/^the operation failed$/, 'a operação falhou'],
  [/the address at (\S+) is not followed: /, 'o endereço em $1 não é seguido, pela regra: '],

  // Rows of certificates.
  [/^1 leading zero restored$/, '1 zero à esquerda restaurado'],
  [/^(\d+) leading zeros restored$/, '$1 zeros à esquerda restaurados'],
  [/^cancelled before it was requested$/, 'cancelada antes de ser pedida'],
  [
    /^the deadline (?:of the batch )?passed before it (?:was|could be) requested$/,
    'o prazo terminou antes que fosse pedida',
  ],
  [/^requested by another job$/, 'pedida por outro trabalho'],
  [/^reused: issued (.*)$/, 'aproveitada: emitida em $1'],
  [/^unknown in (.*)$/, 'resultado desconhecido em $1'],
  [/^abandoned by ([^:]*): (.*)$/, 'abandonada por $1: $2'],
  [
    /^adopt by (.*) refused: the service does not know (.*)$/,
    'adopt de $1 recusado: o serviço não conhece $2',
  ],
  [/^other issuances: (.*)$/, 'outras emissões: $1'],
  [/^no evidence$/, 'sem PDF'],
  [/^sha256 unchecked$/, 'sha256 não conferida'],
  [/^invisible characters removed$/, 'caracteres invisíveis removidos'],

  // Dossiers, pictures and credit.
  [
    /^it failed, and no further attempt may be caused \(--max-attempts\)/,
    'falhou, e nenhuma outra tentativa é permitida (--max-attempts)',
  ],
  [
    /^it failed, and the service says that another attempt is not worth it/,
    'falhou, e o serviço informa que não adianta tentar de novo',
  ],
  [
    /^it failed, and the service does not tell the number of its attempt/,
    'falhou, e o serviço não informa o número da tentativa',
  ],
  [
    /^it failed, and the next attempt would begin after the deadline/,
    'falhou, e a próxima tentativa começaria depois do prazo',
  ],
  [/^the list does not show that it has ended$/, 'a lista ainda não mostra que terminou'],
  [/^the list does not have the dossier$/, 'o dossiê não está na lista'],
  [
    /^the list repeats itself: lists\.cursorParam may be another$/,
    'a lista se repete: lists.cursorParam pode ter outro nome',
  ],
  [/^the list cannot be read$/, 'a lista não pode ser lida'],
  [/^the list could not be read: (.*)$/, 'a lista não pôde ser lida: $1'],
  [/^the list respondeu/, 'a lista respondeu'],
  [/^its report could not be fetched in time$/, 'o relatório não pôde ser baixado a tempo'],
  [/^not stored$/, 'não guardado'],
  [/^not fetched in time$/, 'não baixado a tempo'],
  [/^no address$/, 'sem endereço'],
  [/^no longer available$/, 'não está mais disponível'],
  [/^larger than (\d+) bytes$/, 'maior que $1 bytes'],
  [/^not whole in time$/, 'não veio inteiro a tempo'],
  [/^no whole answer$/, 'não veio inteiro'],
  [/^no answer$/, 'sem resposta'],
  [/^credentials$/, 'credencial recusada'],
  [/^(\d+) uploads in a row did not arrive in time$/, '$1 envios seguidos não chegaram a tempo'],
  [
    /^the service let the analysis expire after its file was uploaded$/,
    'o serviço deixou a análise expirar depois do envio do arquivo',
  ],
  [
    /^the service does not say where to upload the file$/,
    'o serviço não informa para onde enviar o arquivo',
  ],
  [/^summary\.([\w.]+) is (\S+), the tree holds (\S+)$/, 'summary.$1 é $2, e a árvore tem $3'],
  [
    /^summary\.([\w.]+) is (\S+), the tree adds up to (\S+)$/,
    'summary.$1 é $2, e a árvore soma $3',
  ],
  [
    /^titulo (\S+) stands among the issues and not in the complete tree$/,
    'o título $1 está nos apontamentos e não na árvore completa',
  ],
  [
    /^titulo (\S+) is (\S+) among the issues and (\S+) in the complete tree$/,
    'o título $1 é $2 nos apontamentos e $3 na árvore completa',
  ],
  [/^and (\d+) more like these$/, 'e mais $1 como estes'],
  [
    /^(\w+) is another one in the result of issues than in the complete one$/,
    '$1 difere entre o resultado dos apontamentos e o completo',
  ],
  [
    /^the summary says (\S+) for (\w+) beside the issues, and (\S+) beside the complete tree$/,
    'o resumo informa $1 em $2 com os apontamentos, e $3 com a árvore completa',
  ],
  [/^the result names operation (\S+), not (\S+)$/, 'o resultado é da operação $1, e não da $2'],
  [
    /^the result is of engine (\S+), (\S+) was chosen$/,
    'o resultado é do motor $1, e o escolhido foi o $2',
  ],
  [/there is no engine ("[^"]*"); there are none/, 'não há motor $1, nem nenhum outro'],
  [/there is no engine ("[^"]*"); there are /, 'não há motor $1; há '],
  [/(\d+) engines have the name ("[^"]*")/, '$1 motores têm o nome $2'],
  [/^choose one by its id$/, 'escolha um pelo id'],
  [
    /^the service lists its engines page by page, and ("[^"]*") may be on another one: choose it by its id/,
    'o serviço lista os motores em páginas, e $1 pode estar em outra: escolha-o pelo id',
  ],
  [/ \(template\)/g, ' (modelo)'],
  [/, and (\d+) more$/, ', e mais $1'],
  [
    /: refused by the local scan \(line (\d+): (\w+)\)/,
    ': recusado pela verificação local (linha $1: $2)',
  ],

  // Changes of monitors.
  [
    /^the service answered a cursor that it had answered before: it may know the cursor by another name than lists\.cursorParam says$/,
    'o serviço devolveu um cursor que já tinha devolvido: o cursor pode ter outro nome que o de lists.cursorParam',
  ],
  [
    /^the service answers the same page to one cursor after the other: it may know the cursor by another name than lists\.cursorParam says$/,
    'o serviço devolve a mesma página para um cursor após o outro: o cursor pode ter outro nome que o de lists.cursorParam',
  ],
  [
    /^the service answered (\d+) empty pages, one after the other, and says that there is more$/,
    'o serviço devolveu $1 páginas vazias seguidas, e informa que há mais',
  ],
  [
    /^the service says that there is more and names no cursor: not all changes acknowledged by others can be listed$/,
    'o serviço informa que há mais e não traz cursor: nem todas as alterações confirmadas por outros podem ser listadas',
  ],
  [
    /^open although it was acknowledged before$/,
    'ainda em aberto, embora já tenha sido confirmada antes',
  ],
  [
    /^its record could not be read or written \((.*)\): see the log of the worker$/,
    'o seu registro não pôde ser lido ou gravado ($1): veja o log do worker',
  ],
  [/^the sink did not say what became of it$/, 'o destino não informou o que houve com ela'],
  [
    /\bthe webhook respondeu (\d+): it wants no more changes/,
    'o webhook respondeu $1: não quer mais alterações',
  ],
  [
    /\bthe webhook respondeu (\d+): redirects are not followed/,
    'o webhook respondeu $1: redirecionamentos não são seguidos',
  ],
  [/\bthe webhook respondeu/, 'o webhook respondeu'],
  [/\bthe webhook did not answer in time\b/, 'o webhook não respondeu a tempo'],
  [/\bthe webhook could not be reached\b/, 'o webhook não pôde ser alcançado'],
  [/\bthe webhook was not called: /, 'o webhook não foi chamado: '],
  [
    /\bthe webhook took nothing for minutes: not tried/,
    'o webhook nada recebeu por minutos: não foi tentado',
  ],
  [
    /\bthe webhook is slow: not tried in the time that a page has/,
    'o webhook está lento: não foi tentado a tempo',
  ],
  [/, as for others before it: not tried$/, ', como para outras antes dela: não foi tentada'],

  // Subjects of investigations.
  [
    /\bthe step is required, and the subject has no (\S+)/,
    'a etapa é obrigatória, e o sujeito não tem $1',
  ],
  [
    /\bline (\d+) says something else of the same subject: put all of it into one row/,
    'a linha $1 informa outra coisa do mesmo sujeito: junte tudo em uma linha',
  ],
  [/\bis there already, as (\S+)/, 'já está em $1'],
  [/\bexpected an id of the service, a UUID/, 'espera-se um id do serviço, um UUID'],
  [
    /\bexpected an e-mail address, such as \S+/,
    'espera-se um endereço de e-mail, como nome@exemplo.com.br',
  ],
  [
    /\bexpected a phone number with its area code, such as /,
    'espera-se um telefone com DDD, como ',
  ],
  [/, or an empty cell/, ', ou uma célula vazia'],
  [/\bsays nothing: whom is it about\?/, 'está vazio: sobre quem é a investigação?'],
  [
    /\byields (\d+) things to ask about, more than (\d+): nothing is asked/,
    'resulta em $1 consultas, mais de $2: nada é pedido',
  ],

  // Folders of reports.
  [/(\S+) is missing, or is none$/, 'falta o arquivo $1, ou ele não é válido'],
  [/(\S+) is not what was signed$/, '$1 não é o que foi assinado'],
  [
    /it was not signed with the key that was given, but with (\S+)$/,
    'não foi assinado com a chave informada, e sim com $1',
  ],
  [/(\S+) names a file twice$/, '$1 cita um arquivo duas vezes'],
  [/(\S+) names another investigation$/, '$1 cita outra investigação'],
  [/(\S+) is not in the manifest$/, '$1 não está no manifesto'],
  [/(\S+) is not as it was written$/, '$1 não está como foi escrito'],
  [/(\S+) is missing$/, 'falta o arquivo $1'],
  [/(\S+) is no plain file$/, '$1 não é um arquivo comum'],
  [
    /(\S+) is of another investigation than the manifest$/,
    '$1 é de outra investigação que não a do manifesto',
  ],
  [
    /(\S+) names other evidence than the manifest$/,
    '$1 cita outras evidências que não as do manifesto',
  ],
  [
    /the end of the investigation is not among its records$/,
    'o fim da investigação não está entre os seus registros',
  ],
  [
    /it has another end of the investigation than (\S+)$/,
    'o fim da investigação difere do que consta em $1',
  ],
  [/it has another sha256 than the evidence of (\S+)$/, 'a sha256 difere da evidência de $1'],
  [/^audit: /, 'auditoria: '],
  [/^there is no Chromium or Chrome on the PATH$/, 'não há Chromium nem Chrome no PATH'],
  [/^(\S+) did not print it: /, '$1 não o imprimiu: '],

  // Steps of investigations.
  [/\bthere is nothing to ask about\b/, 'não há o que perguntar'],
  [/\bit needs (\S+), which had no result\b/, 'depende de $1, que nada trouxe'],
  [/\b(\d+) more things were left out\b/, 'mais $1 ficaram de fora'],
  [/\bit was not requested\b/, 'não foi consultado'],
  [/\bnothing had been requested\b/, 'nada havia sido consultado'],
  [
    /\bthe budget was reached, and (\d+) more requests were not allowed\b/,
    'o orçamento se esgotou, e mais $1 pedidos não foram permitidos',
  ],
  [/\bstopped before its answer\b/, 'interrompido antes da resposta'],
  [/\bwithout an end\b/, 'sem fim'],
];

/** Parts that say more than their pattern, such as messages of services, stay as they are. */
function translated(part: string): string {
  return sentences.reduce((text, [english, own]) => text.replace(english, own), part);
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
