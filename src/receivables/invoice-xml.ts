import type { Words } from '../domain/job';
import { WordedError } from '../domain/core/worded-error';
import { TextDecoder } from 'node:util';

import { SaxesParser } from 'saxes';

/** Fields of an NF-e as text: no value is parsed to a number. */
export interface Invoice {
  /** Normally 44 characters; '' when it has none. */
  key: string;
  /** The key in the tax authority's protocol; null when the document has none. */
  protocolKey: string | null;
  issuer: string | null;
  recipient: string | null;
  /** vNF, such as `1500.00`. */
  value: string | null;
  /** Due dates of the instalments, `YYYY-MM-DD`. */
  dueOn: string[];
}

export type XmlReading =
  /** One NF-e, or several in a lot. */
  | { kind: 'invoices'; invoices: Invoice[] }
  /** Another document, by its root element. */
  | { kind: 'other'; root: string };

/** The document has entities, or cannot be parsed; gives the position and quotes nothing. */
export class XmlFault extends WordedError {
  override readonly name = 'XmlFault';
  readonly code: 'xml_entities' | 'xml_broken';

  constructor(code: XmlFault['code'], words: Words) {
    super(words);
    this.code = code;
  }
}

const roots = new Set(['nfeProc', 'NFe', 'enviNFe']);
const deepest = 64;
const longestText = 200;
const mostInstalments = 1_000;
/** Long enough for an XML declaration, which names the encoding. */
const declarationBytes = 256;

/** Paths below `infNFe`. */
const places: Readonly<Record<string, (invoice: Invoice, text: string) => void>> = {
  'emit/CNPJ': (invoice, text) => (invoice.issuer = text),
  'emit/CPF': (invoice, text) => (invoice.issuer = text),
  'dest/CNPJ': (invoice, text) => (invoice.recipient = text),
  'dest/CPF': (invoice, text) => (invoice.recipient = text),
  'total/ICMSTot/vNF': (invoice, text) => (invoice.value = text),
  'cobr/dup/dVenc': (invoice, text) => {
    if (invoice.dueOn.length < mostInstalments) invoice.dueOn.push(text);
  },
};

const leaves = new Set(Object.keys(places).map((path) => path.slice(path.lastIndexOf('/') + 1)));

/** @throws XmlFault */
export function readInvoiceXml(content: Buffer): XmlReading {
  return new InvoiceReader().read(content);
}

class InvoiceReader {
  readonly #parser = new SaxesParser({ position: true });
  #root = '';
  /** Names of the open elements, without prefixes. */
  readonly #open: string[] = [];
  /** How many elements were open at the start of `infNFe`; -1 outside of it. */
  #base = -1;
  #text = '';
  #takes: ((invoice: Invoice, text: string) => void) | null = null;
  #protocolKey: string | null = null;
  readonly #invoices: Invoice[] = [];

  constructor() {
    const parser = this.#parser;
    parser.on('doctype', () => {
      throw new XmlFault('xml_entities', [
        `DOCTYPE in line ${parser.line}`,
        `DOCTYPE na linha ${parser.line}`,
      ]);
    });
    parser.on('error', (error) => {
      const [en, pt] = [
        `line ${parser.line}, column ${parser.column}`,
        `linha ${parser.line}, coluna ${parser.column}`,
      ];
      if (error.message.includes('entity'))
        throw new XmlFault('xml_entities', [`entity in ${en}`, `entidade em ${pt}`]);
      throw new XmlFault('xml_broken', [`cannot be read at ${en}`, `não pode ser lido em ${pt}`]);
    });
    parser.on('opentag', ({ name, attributes }) => this.#opened(local(name), attributes.Id));
    parser.on('closetag', () => this.#closed());
    parser.on('text', (text) => this.#addText(text));
    parser.on('cdata', (text) => this.#addText(text));
  }

  read(content: Buffer): XmlReading {
    this.#parser.write(decoderFor(content).decode(content)).close();
    if (!roots.has(this.#root)) return { kind: 'other', root: this.#root };
    for (const invoice of this.#invoices) invoice.protocolKey = this.#protocolKeyOf();
    return { kind: 'invoices', invoices: this.#invoices };
  }

  /** A lot has several invoices and no protocol. */
  #protocolKeyOf(): string | null {
    return this.#invoices.length === 1 ? this.#protocolKey : null;
  }

  #opened(name: string, id: unknown): void {
    if (this.#open.length === 0) this.#root = name;
    this.#open.push(name);
    if (this.#open.length > deepest) {
      throw new XmlFault('xml_broken', [
        `more than ${deepest} elements inside each other`,
        `mais de ${deepest} elementos uns dentro dos outros`,
      ]);
    }
    this.#text = '';
    this.#takes = null;
    if (this.#base < 0 && name === 'infNFe') {
      this.#base = this.#open.length;
      const key = (typeof id === 'string' ? id : '').replace(/^NFe/, '').slice(0, longestText);
      const nothing = { protocolKey: null, issuer: null, recipient: null, value: null };
      this.#invoices.push({ key, ...nothing, dueOn: [] });
    } else if (this.#base >= 0) {
      // Joining a path for each element takes as long as parsing it.
      if (leaves.has(name)) this.#takes = places[this.#open.slice(this.#base).join('/')] ?? null;
    } else if (name === 'chNFe' && this.#open.at(-2) === 'infProt') {
      this.#takes = (_, text) => (this.#protocolKey = text);
    }
  }

  #closed(): void {
    const invoice = this.#invoices.at(-1);
    if (this.#takes !== null && invoice !== undefined) this.#takes(invoice, this.#text.trim());
    this.#takes = null;
    if (this.#open.length === this.#base) this.#base = -1;
    this.#open.pop();
  }

  #addText(text: string): void {
    if (this.#takes !== null) this.#text = (this.#text + text).slice(0, longestText);
  }
}

function local(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}

const utf8 = new TextDecoder();

/** From the byte order mark or the declaration; UTF-8 when neither names an encoding. */
function decoderFor(content: Buffer): TextDecoder {
  const mark = content.subarray(0, 2).toString('hex');
  if (mark === 'fffe') return new TextDecoder('utf-16le');
  if (mark === 'feff') return new TextDecoder('utf-16be');
  const declaration = content.subarray(0, declarationBytes).toString('latin1');
  const named = /^(?:\xef\xbb\xbf)?\s*<\?xml[^>]*\sencoding\s*=\s*["']([\w.-]+)["']/.exec(
    declaration,
  );
  const encoding = named?.[1]?.toLowerCase() ?? 'utf-8';
  if (encoding === 'utf-8') return utf8;
  try {
    return new TextDecoder(encoding);
  } catch {
    return utf8;
  }
}
