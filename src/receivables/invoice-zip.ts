import { type Entry, validateFileName, type ZipFile } from 'yauzl';

import type { Words } from '../domain/job';
import { documentsInText } from '../domain/core/documents/held-documents';
import { FindingCollector } from '../domain/cnab/finding';
import { isValidInvoiceKey, maskInvoiceKey } from '../domain/cnab/invoice-key';
import { type InvoiceCode, invoiceChecks } from './invoice-checks';
import { type Invoice, XmlFault, readInvoiceXml } from './invoice-xml';
import {
  type OpenZip,
  ZipRefused,
  contentOf,
  damaged,
  entriesOf,
  hasControl,
  isDocument,
  isPassedOver,
  isSymbolicLink,
  nameOf,
  openZip,
  shownEntry,
} from './zip-entries';

export interface ZipLimits {
  entries: number;
  /** Unpacked bytes of one entry. */
  entryBytes: number;
  totalBytes: number;
  /** Unpacked bytes for each packed byte, of entries beyond 1 MiB. */
  ratio: number;
}

/** An NF-e has at most 990 lines: a few megabytes, and XML packs to a twentieth. */
export const zipLimits: ZipLimits = {
  entries: 100_000,
  entryBytes: 16 * 2 ** 20,
  totalBytes: 4 * 2 ** 30,
  ratio: 100,
};

export interface InvoiceZip {
  findings: FindingCollector<InvoiceCode>;
  /** By key; of two with the same key, the first. */
  invoices: ReadonlyMap<string, Invoice & { entry: string }>;
  /** Documents in its names and texts: for the subject index. */
  documents: ReadonlySet<string>;
  entries: number;
}

const ratioFromBytes = 2 ** 20;
const mostPerCode = 20;
const mostUnsearched = 2 ** 20;

/**
 * Checks every entry of a ZIP of invoices, unpacking one at a time in memory. Problems
 * are findings. Throws InputFileError when there is no such file.
 */
export async function readInvoiceZip(
  path: string,
  limits: ZipLimits = zipLimits,
): Promise<InvoiceZip> {
  const reading = new ZipReading(limits);
  try {
    await reading.read(await openZip(path));
  } catch (error) {
    if (!(error instanceof ZipRefused)) throw error;
    reading.refuse(error);
  }
  return reading.result();
}

class ZipReading {
  readonly #limits: ZipLimits;
  readonly #findings = new FindingCollector<InvoiceCode>(invoiceChecks, mostPerCode);
  readonly #invoices = new Map<string, Invoice & { entry: string }>();
  readonly #names = new Set<string>();
  readonly #documents = new Set<string>();
  #unsearched = '';
  #entries = 0;
  #unpacked = 0;
  #packed = 0;
  #refused = false;

  constructor(limits: ZipLimits) {
    this.#limits = limits;
  }

  async read(file: OpenZip): Promise<void> {
    const { zip } = file;
    try {
      if (zip.entryCount > this.#limits.entries) {
        const { entries } = this.#limits;
        throw new ZipRefused('zip_too_large', [
          `${zip.entryCount} entries, at most ${entries} are taken`,
          `${zip.entryCount} entradas, no máximo ${entries} são aceitas`,
        ]);
      }
      for await (const entry of entriesOf(zip)) await this.#entry(file, entry);
    } finally {
      zip.close();
    }
  }

  refuse({ code, words, entry }: ZipRefused): void {
    this.#refused = true;
    this.#findings.add(code, words, entry === null ? {} : { entry: shownEntry(entry) });
  }

  result(): InvoiceZip {
    this.#search();
    if (this.#invoices.size === 0 && !this.#refused) {
      this.#findings.add('no_invoice', [
        `${this.#entries} entries, none of them an NF-e`,
        `${this.#entries} entradas, nenhuma delas uma NF-e`,
      ]);
    }
    return {
      findings: this.#findings,
      invoices: this.#invoices,
      documents: this.#documents,
      entries: this.#entries,
    };
  }

  async #entry(file: OpenZip, entry: Entry): Promise<void> {
    this.#entries += 1;
    const name = nameOf(entry);
    this.#checkName(name, entry);
    this.#checkSize(file.zip, name, entry);
    this.#addDocuments(name);
    if (isPassedOver(name)) return;
    if (entry.isEncrypted())
      throw new ZipRefused(
        'zip_encrypted',
        ['an encrypted entry', 'uma entrada criptografada'],
        name,
      );
    if (!isDocument(name)) {
      this.#findings.add('not_xml', ['another kind of file', 'outro tipo de arquivo'], {
        entry: shownEntry(name),
      });
      return;
    }
    await this.#document(file, name, entry);
  }

  #checkName(name: string, entry: Entry): void {
    const wrong = validateFileName(name);
    if (wrong !== null) {
      const why = wrong.split(':')[0] ?? '';
      throw new ZipRefused('zip_path', [why, `um nome inválido (${why})`], name);
    }
    if (hasControl(name))
      throw new ZipRefused('zip_path', ['a control character', 'um caractere de controle'], name);
    if (isSymbolicLink(entry))
      throw new ZipRefused('zip_path', ['a symbolic link', 'um link simbólico'], name);
    if (this.#names.has(name))
      throw new ZipRefused('zip_repeated_name', ['the name again', 'o nome repetido'], name);
    this.#names.add(name);
  }

  /** Enforces the size in the directory: an entry that unpacks to more is refused. */
  #checkSize(zip: ZipFile, name: string, entry: Entry): void {
    const { uncompressedSize: size, compressedSize: packed } = entry;
    const { entryBytes, totalBytes, ratio } = this.#limits;
    this.#unpacked += size;
    this.#packed += packed;
    const refuse = (...found: Words): never => {
      throw new ZipRefused('zip_too_large', found, name);
    };
    if (size > entryBytes)
      refuse(
        `unpacks to ${size} bytes, at most ${entryBytes} are taken`,
        `descompactada tem ${size} bytes, no máximo ${entryBytes} são aceitos`,
      );
    if (packed > entryBytes)
      refuse(
        `is packed in ${packed} bytes, at most ${entryBytes} are taken`,
        `compactada tem ${packed} bytes, no máximo ${entryBytes} são aceitos`,
      );
    if (size > ratioFromBytes && size > packed * ratio) {
      const times = Math.round(size / Math.max(packed, 1));
      refuse(`unpacks to ${times} times its size`, `descompactada é ${times} vezes maior`);
    }
    if (this.#unpacked > totalBytes)
      refuse(
        `all unpack to more than ${totalBytes} bytes`,
        `todas descompactadas têm mais de ${totalBytes} bytes`,
      );
    // Entries that share their bytes: a ZIP bomb without any one large entry.
    if (this.#packed > zip.fileSize) refuse('the entries overlap', 'as entradas se sobrepõem');
  }

  async #document(file: OpenZip, name: string, entry: Entry): Promise<void> {
    const position = { entry: shownEntry(name) };
    const content = await contentOf(file, name, entry);
    this.#addDocuments(content.toString('latin1'));
    try {
      const reading = readInvoiceXml(content);
      if (reading.kind === 'other') {
        const root = reading.root.slice(0, 60);
        this.#findings.add(
          'not_an_invoice',
          [`a document of type ${root}`, `um documento do tipo ${root}`],
          position,
        );
        return;
      }
      for (const invoice of reading.invoices) this.#invoice(invoice, name);
    } catch (error) {
      if (error instanceof XmlFault) this.#findings.add(error.code, error.words, position);
      else if (error instanceof ZipRefused) throw error;
      else throw damaged(name);
    }
  }

  /** Of many entries at once: starting a search takes longer than searching a few kB. */
  #addDocuments(text: string): void {
    this.#unsearched += `${text}\n`;
    if (this.#unsearched.length > mostUnsearched) this.#search();
  }

  #search(): void {
    // Digits have their own bytes in every encoding but UTF-16, which has a NUL beside each.
    const text = this.#unsearched.replaceAll('\0', '');
    for (const document of documentsInText(text)) this.#documents.add(document);
    this.#unsearched = '';
  }

  #invoice(invoice: Invoice, name: string): void {
    const position = { entry: shownEntry(name) };
    const { key, protocolKey } = invoice;
    if (!isValidInvoiceKey(key)) {
      this.#findings.add(
        'xml_key',
        key === '' ? ['no key', 'nenhuma chave'] : ['another text', 'outro texto'],
        position,
      );
    }
    if (protocolKey !== null && protocolKey !== key) {
      this.#findings.add('xml_protocol', maskInvoiceKey(protocolKey), position);
    }
    const before = this.#invoices.get(key);
    if (before === undefined) this.#invoices.set(key, { ...invoice, entry: name });
    else
      this.#findings.add(
        'repeated_invoice',
        [`also in ${shownEntry(before.entry)}`, `também em ${shownEntry(before.entry)}`],
        position,
      );
  }
}
