/** NF-e out of the ZIP of an upload. Values stay text until they are compared. */

import { SaxesParser } from 'saxes';
import { fromBufferPromise, type Entry, type ZipFile } from 'yauzl';
import { Refusal } from '../http/refusal';

export interface InvoiceRead {
  key: string;
  /** `nNF`, without leading zeros as the XML has it. */
  number: string;
  issuer: string;
  recipient: string;
  /** `vNF`, in cents. */
  cents: number;
}

/** The ZIP cannot be used. @param what names the entry */
function unusable(what: string): Refusal {
  return new Refusal(422, 'invalid_xmls', `${what}.`);
}

const entriesLimit = 100_000;
const entryLimitBytes = 4 * 1024 * 1024;
const totalLimitBytes = 1024 * 1024 * 1024;

/**
 * The invoices by key. Entries that are no XML, and XML that is no NF-e, are passed over.
 * @throws Refusal 422
 */
export async function readInvoices(zip: Buffer): Promise<Map<string, InvoiceRead>> {
  const file = await openZip(zip);
  const invoices = new Map<string, InvoiceRead>();
  let total = 0;
  try {
    for await (const entry of file.eachEntry()) {
      total += entry.uncompressedSize;
      refuseTooLarge(entry, total);
      if (!/\.xml$/i.test(entry.fileName)) continue;
      const invoice = await readEntry(file, entry);
      if (invoice !== null) invoices.set(invoice.key, invoice);
    }
  } catch (error) {
    if (error instanceof Refusal) throw error;
    throw unusable(`xmls: ${(error as Error).message}`);
  }
  return invoices;
}

async function openZip(zip: Buffer): Promise<ZipFile> {
  const file = await fromBufferPromise(zip, { lazyEntries: true }).catch(() => {
    throw unusable('xmls is no ZIP archive');
  });
  if (file.entryCount > entriesLimit) {
    throw unusable(`xmls has ${file.entryCount} entries; at most ${entriesLimit}`);
  }
  return file;
}

function refuseTooLarge(entry: Entry, total: number): void {
  if (entry.uncompressedSize > entryLimitBytes || total > totalLimitBytes) {
    throw unusable(`xmls: ${entry.fileName} is too large when unpacked`);
  }
}

async function readEntry(file: ZipFile, entry: Entry): Promise<InvoiceRead | null> {
  const reader = new InvoiceReader();
  try {
    const decoder = new TextDecoder();
    for await (const chunk of await file.openReadStreamPromise(entry)) {
      reader.write(decoder.decode(chunk as Buffer, { stream: true }));
    }
    return reader.end();
  } catch (error) {
    throw unusable(`xmls: ${entry.fileName}: ${(error as Error).message}`);
  }
}

/** Where each field stands below `infNFe`. */
const places: Record<string, 'number' | 'issuer' | 'recipient' | 'amount'> = {
  'ide/nNF': 'number',
  'emit/CNPJ': 'issuer',
  'emit/CPF': 'issuer',
  'dest/CNPJ': 'recipient',
  'dest/CPF': 'recipient',
  'total/ICMSTot/vNF': 'amount',
};

class InvoiceReader {
  readonly #parser = new SaxesParser();
  readonly #path: string[] = [];
  readonly #found = { key: '', number: '', issuer: '', recipient: '', amount: '' };
  #below = -1;
  #text = '';

  constructor() {
    this.#parser.on('error', (error) => {
      throw error;
    });
    this.#parser.on('doctype', () => {
      throw new Error('a document type is not allowed');
    });
    this.#parser.on('opentag', ({ name, attributes }) => this.#open(name, attributes));
    this.#parser.on('text', (text) => (this.#text += text));
    this.#parser.on('closetag', () => this.#close());
  }

  write(text: string): void {
    this.#parser.write(text);
  }

  /** Null when the document is no NF-e. */
  end(): InvoiceRead | null {
    this.#parser.close();
    const { key, number, issuer, recipient, amount } = this.#found;
    if (key === '') return null;
    return { key, number, issuer, recipient, cents: Math.round(Number(amount) * 100) };
  }

  #open(name: string, attributes: Record<string, string>): void {
    this.#text = '';
    if (name === 'infNFe') {
      this.#below = this.#path.length + 1;
      this.#found.key = (attributes['Id'] ?? '').replace(/^NFe/, '');
    }
    this.#path.push(name);
  }

  #close(): void {
    const field = this.#below < 0 ? undefined : places[this.#path.slice(this.#below).join('/')];
    if (field !== undefined && this.#found[field] === '') this.#found[field] = this.#text.trim();
    this.#text = '';
    this.#path.pop();
    if (this.#path.length < this.#below) this.#below = -1;
  }
}
