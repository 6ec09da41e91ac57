export interface Divergence {
  document: string;
  about: 'name' | 'situation';
  /** Each value once, with all its sources. */
  values: { value: string; sources: string[] }[];
}

export interface Source {
  source: string;
  /** The document that all of it is about; null: none. */
  about: string | null;
  facts: unknown;
}

const words: Readonly<Record<Divergence['about'], readonly string[]>> = {
  name: ['officialname', 'razaosocial', 'nome', 'nomeproprietario', 'name', 'nomeempresarial'],
  situation: ['situacaocadastral', 'statuscadastral', 'situacao'],
};
const documentWords = ['documento', 'document', 'cpf', 'cnpj', 'cpfcnpj', 'cnpjcpf'];
const deepest = 8;

/** Lists differing values; does not decide which is right. */
export function divergencesIn(
  documents: readonly string[],
  sources: readonly Source[],
): Divergence[] {
  const found: Divergence[] = [];
  for (const document of new Set(documents))
    for (const about of ['name', 'situation'] as const) {
      const values = new Map<string, { value: string; sources: Set<string> }>();
      for (const { source, about: whole, facts } of sources)
        for (const value of valuesFor(facts, document, whole === document, words[about], 0)) {
          const key = plain(value);
          if (key === '') continue;
          const known = values.get(key) ?? { value, sources: new Set() };
          values.set(key, known);
          known.sources.add(source);
        }
      if (values.size < 2) continue;
      const reported = [...values.values()].map((one) => ({ ...one, sources: [...one.sources] }));
      found.push({ document, about, values: reported });
    }
  return found;
}

/** Values of the wanted fields in objects that name the document, or name none within facts about it. */
function* valuesFor(
  value: unknown,
  document: string,
  isAbout: boolean,
  wanted: readonly string[],
  depth: number,
): Generator<string> {
  if (typeof value !== 'object' || value === null || depth > deepest) return;
  if (Array.isArray(value)) {
    // Elements of a list are about others, unless they name the document.
    for (const one of value) yield* valuesFor(one, document, false, wanted, depth + 1);
    return;
  }
  const fields = Object.entries(value as Readonly<Record<string, unknown>>);
  const own = fields.find(([word]) => documentWords.includes(plainWord(word)))?.[1];
  const isNamed = typeof own === 'string' ? own.replaceAll(/[./-]/g, '') === document : isAbout;
  for (const [word, one] of fields) {
    if (isNamed && typeof one === 'string' && wanted.includes(plainWord(word))) yield one;
    yield* valuesFor(one, document, isNamed && depth === 0, wanted, depth + 1);
  }
}

function plainWord(word: string): string {
  return plain(word).replaceAll(' ', '').toLowerCase();
}

function plain(text: string): string {
  return text
    .normalize('NFD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
    .toUpperCase();
}
