/**
 * Documents as PDF files. One page is built by pdf-lib once per process; every document is a
 * copy of it with its own words in places of fixed width, so that offsets and lengths stay true.
 */

/** Widths of the places in the page, in bytes; longer words are cut. */
const places = { heading: 56, name: 64, document: 14, id: 36, outcome: 44 } as const;
type Place = keyof typeof places;

export type PdfWords = Record<Place, string>;

export interface FictionalPdf {
  /** The bytes of one document: the same words always give the same bytes. */
  print(words: PdfWords): Buffer;
}

/** Never moves, so that the same words give the same bytes tomorrow. */
const printedAt = new Date('2026-01-01T00:00:00.000Z');

const placeholder = (place: Place) => `@${place}`.padEnd(places[place], '@');

async function buildTemplate(): Promise<Buffer> {
  // Not before the first sandbox starts: it takes a while to load.
  const { PDFDocument, StandardFonts } = await import('pdf-lib');
  const document = await PDFDocument.create({ updateMetadata: false });
  document.setTitle('Certidao (sandbox)');
  document.setProducer('diligence sandbox');
  document.setCreationDate(printedAt);
  document.setModificationDate(printedAt);
  const page = document.addPage([595, 842]);
  const font = await document.embedFont(StandardFonts.Courier);
  const fontName = page.node.newFontDictionary('F', font.ref);
  const lines = [
    placeholder('heading'),
    `Nome:      ${placeholder('name')}`,
    `Documento: ${placeholder('document')}`,
    `Certidao:  ${placeholder('id')}`,
    `Resultado: ${placeholder('outcome')}`,
    'Documento ficticio, emitido pelo sandbox. Sem valor legal.',
  ];
  const shown = lines.map((line) => `(${line}) Tj T*`).join('\n');
  // A plain stream: pdf-lib would compress the one that it draws itself.
  const content = document.context.stream(
    `BT\n${fontName.toString()} 10 Tf\n20 TL\n50 780 Td\n${shown}\nET`,
  );
  page.node.addContentStream(document.context.register(content));
  return Buffer.from(await document.save({ useObjectStreams: false }));
}

let template: Promise<FictionalPdf> | undefined;

export function fictionalPdf(): Promise<FictionalPdf> {
  template ??= buildTemplate().then(printer);
  return template;
}

function printer(page: Buffer): FictionalPdf {
  const offsets = (Object.keys(places) as Place[]).map((place) => {
    const offset = page.indexOf(placeholder(place), 0, 'latin1');
    if (offset < 0) throw new Error(`sandbox: the PDF page has no place for ${place}`);
    return { place, offset };
  });
  return {
    print(words) {
      const copy = Buffer.from(page);
      for (const { place, offset } of offsets) {
        // Parentheses and backslashes would end or bend the PDF string.
        const word = words[place].replaceAll(/[()\\]/g, ' ').padEnd(places[place]);
        copy.write(word, offset, places[place], 'latin1');
      }
      return copy;
    },
  };
}
