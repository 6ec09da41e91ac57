import { block, override, warn, type Check } from './finding';

/**
 * What a CNAB 400 or 444 file is looked at for. Banks differ, so only what no bank can read is
 * `block`; the rest of the shape is `override`; what a bank may well take is `warn`.
 */
export const cnabChecks = {
  empty: block(
    'a header, receivables and a trailer',
    'um header, recebíveis e um trailer',
    'The file is empty.',
    'O arquivo está vazio.',
  ),
  utf16: block(
    'ISO-8859-1, one byte a column',
    'ISO-8859-1, um byte por coluna',
    'The file is text in UTF-16: save it as ISO-8859-1 (Windows-1252).',
    'O arquivo é texto em UTF-16: salve-o como ISO-8859-1 (Windows-1252).',
  ),
  nul_byte: block(
    'text',
    'texto',
    'A NUL byte stands inside the file: it is damaged, or it is not text.',
    'Há um byte NUL dentro do arquivo: ele está corrompido, ou não é texto.',
  ),
  returned: block(
    '01REMESSA',
    '01REMESSA',
    'This is a return file (retorno), which the bank writes: the service reads remittances (remessa).',
    'É um arquivo de retorno, gravado pelo banco: o serviço lê remessas.',
  ),
  cnab_240: block(
    '400 or 444 columns',
    '400 ou 444 colunas',
    'Every line has 240 columns: this is a CNAB 240 file; export it again as CNAB 400.',
    'Todas as linhas têm 240 colunas: é um arquivo CNAB 240; exporte-o de novo como CNAB 400.',
  ),
  cnab_500: override(
    '400 or 444 columns',
    '400 ou 444 colunas',
    'Every line has 500 columns: this is a CNAB 500 file; export it again as CNAB 400.',
    'Todas as linhas têm 500 colunas: é um arquivo CNAB 500; exporte-o de novo como CNAB 400.',
  ),
  other_format: override(
    'a CNAB 400 file',
    'um arquivo CNAB 400',
    'The file begins like one of another format.',
    'O arquivo começa como um de outro formato.',
  ),
  utf8_mark: override(
    'the header from the first byte',
    'o header a partir do primeiro byte',
    'The file begins with the mark of UTF-8, which moves the header by three columns: save it as ISO-8859-1 (Windows-1252).',
    'O arquivo começa com a marca do UTF-8, que desloca o header em três colunas: salve-o como ISO-8859-1 (Windows-1252).',
  ),
  utf8_width: override(
    'ISO-8859-1, one byte a column',
    'ISO-8859-1, um byte por coluna',
    'Accents are written in UTF-8, two bytes each, so that what follows them is in the wrong column: save the file as ISO-8859-1 (Windows-1252).',
    'Os acentos estão em UTF-8, com dois bytes cada, e o que vem depois deles fica na coluna errada: salve o arquivo como ISO-8859-1 (Windows-1252).',
  ),
  width: override(
    '400 or 444 columns',
    '400 ou 444 colunas',
    'The line does not have the width of a record.',
    'A linha não tem a largura de um registro.',
  ),
  blank_line: override(
    'a record',
    'um registro',
    'A blank line stands between records.',
    'Há uma linha em branco entre os registros.',
  ),
  cut_short: override(
    'a whole record',
    'um registro inteiro',
    'The file ends in the middle of a line: it was cut short.',
    'O arquivo termina no meio de uma linha: está truncado.',
  ),
  first_record: override(
    'record type 0',
    'registro tipo 0',
    'The file does not begin with a header.',
    'O arquivo não começa com um header.',
  ),
  last_record: override(
    'record type 9',
    'registro tipo 9',
    'The file does not end with a trailer: it may have been cut short.',
    'O arquivo não termina com um trailer: pode estar truncado.',
  ),
  header_inside: override(
    'one header, on line 1',
    'um só header, na linha 1',
    'A second header stands inside: two files may have been joined.',
    'Há um segundo header no meio: dois arquivos podem ter sido juntados.',
  ),
  trailer_inside: override(
    'one trailer, on the last line',
    'um só trailer, na última linha',
    'Records follow a trailer: two files may have been joined.',
    'Há registros depois de um trailer: dois arquivos podem ter sido juntados.',
  ),
  no_receivable: override(
    'at least one receivable',
    'ao menos um recebível',
    'The file holds no receivable.',
    'O arquivo não tem nenhum recebível.',
  ),
  sequence: override(
    'the number after that of the record before',
    'o número seguinte ao do registro anterior',
    'Records are missing, repeated or out of order.',
    'Há registros faltando, repetidos ou fora de ordem.',
  ),
  trailer_count: override(
    'the number of records',
    'a quantidade de registros',
    'The trailer does not count the records that are there.',
    'O trailer não confere com a quantidade de registros.',
  ),
  sequence_wraps: warn(
    'at most 999999 records',
    'no máximo 999999 registros',
    'Six digits do not hold the number of records: the sequence starts over at 000000.',
    'Seis dígitos não comportam a quantidade de registros: a sequência recomeça em 000000.',
  ),
  extended_layout: warn(
    '400 columns',
    '400 colunas',
    'Lines of 444 columns carry an NF-e key; the service documents CNAB 400, and does not say whether it takes them.',
    'Linhas de 444 colunas têm uma chave de NF-e; o serviço documenta o CNAB 400 e não diz se as aceita.',
  ),
  mixed_widths: warn(
    'one width',
    'uma só largura',
    'Some lines have 400 columns and some 444; the service documents CNAB 400, and does not say whether it takes them.',
    'Algumas linhas têm 400 colunas e outras 444; o serviço documenta o CNAB 400 e não diz se as aceita.',
  ),
  record_type: warn(
    'one of 0 to 9',
    'um de 0 a 9',
    'The type of the record is not known.',
    'O tipo do registro não é conhecido.',
  ),
  bank_differs: warn(
    'the bank of the header',
    'o banco do header',
    'The receivable names another bank than the header.',
    'O recebível indica um banco diferente do header.',
  ),
  end_mark: warn(
    'the end of the trailer',
    'o fim do trailer',
    'Blank lines, NUL or 0x1A stand at the end; the file is sent as it is.',
    'Há linhas em branco, NUL ou 0x1A no fim; o arquivo é enviado como está.',
  ),
  line_end: warn(
    'one kind of line end, CRLF or LF',
    'um só tipo de fim de linha, CRLF ou LF',
    'The line ends in another way than the first one, or in a lone CR.',
    'A linha termina de modo diferente da primeira, ou só com CR.',
  ),
  control_character: warn(
    'printable characters',
    'caracteres imprimíveis',
    'A control character stands in the line.',
    'Há um caractere de controle na linha.',
  ),
  utf8_text: warn(
    'ISO-8859-1',
    'ISO-8859-1',
    'The line fits, but its accents look like UTF-8: names may be read wrongly.',
    'A largura da linha confere, mas os acentos parecem UTF-8: nomes podem ser lidos errado.',
  ),
  payer_document: warn(
    'a CPF or CNPJ whose check digits agree',
    'um CPF ou CNPJ com dígitos verificadores corretos',
    'The document of the payer cannot be right.',
    'O documento do sacado não pode estar certo.',
  ),
  due_date: warn(
    'a date as DDMMYY',
    'uma data DDMMAA',
    'The due date cannot be read (000000, 888888 and 999999 stand for "on demand").',
    'O vencimento não pode ser lido (000000, 888888 e 999999 significam "à vista").',
  ),
  due_date_past: warn(
    'today or later',
    'hoje ou depois',
    'The receivable is overdue.',
    'O recebível está vencido.',
  ),
  value: warn(
    '13 digits, the last two of them cents',
    '13 dígitos, os dois últimos de centavos',
    'The value cannot be read.',
    'O valor não pode ser lido.',
  ),
  value_zero: warn(
    'more than zero',
    'mais do que zero',
    'The value of the receivable is zero.',
    'O valor do recebível é zero.',
  ),
  invoice_key: warn(
    'an NF-e key of 44 characters whose check digit agrees',
    'uma chave de NF-e de 44 caracteres com dígito verificador correto',
    'The NF-e key cannot be right.',
    'A chave da NF-e não pode estar certa.',
  ),
  repeated_line: warn(
    'different receivables',
    'recebíveis diferentes',
    'The line is the same as an earlier one but for its sequence number.',
    'A linha é igual a uma anterior, exceto pelo número sequencial.',
  ),
  repeated_receivable: warn(
    'different receivables',
    'recebíveis diferentes',
    'Payer, number, due date and value are those of an earlier receivable.',
    'Sacado, número, vencimento e valor são os de um recebível anterior.',
  ),
} as const satisfies Record<string, Check>;

export type CnabCode = keyof typeof cnabChecks;

/** What the file is instead; next to one of these, everything else that was found is noise. */
export const identityCodes: ReadonlySet<CnabCode> = new Set([
  'empty',
  'utf16',
  'returned',
  'cnab_240',
  'cnab_500',
  'other_format',
]);
