import type { ReportLanguage } from '../formats';

/** Notes that this program itself adds to a row. */
const ownNotes: [RegExp, string][] = [
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
];

function translatedNote(note: string): string {
  for (const [own, words] of ownNotes) if (own.test(note)) return note.replace(own, words);
  return note;
}

/** Our notes in the reader's language; others unchanged. */
export function noteWords(note: string, language: ReportLanguage): string {
  return language === 'en' ? note : note.split('; ').map(translatedNote).join('; ');
}
