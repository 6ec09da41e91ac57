/**
 * The service's own reading of a remittance: CNAB 400, and both 444 shapes (every line 444, or the
 * titulos alone). Bytes are latin1; columns below are 1-based and inclusive, as layouts print them.
 */

import { Refusal } from '../http/refusal';

/** What the file says of one titulo. Text is trimmed; amounts are cents. */
export interface TituloRead {
  line: number;
  numero: string;
  cents: number;
  /** YYYY-MM-DD, or the six characters of the file when they are no date. */
  dueOn: string;
  /** 44 characters, or empty. */
  nfeKey: string;
  sacado: SacadoRead;
}

export interface SacadoRead {
  document: string;
  tipo: 'PJ' | 'PF';
  name: string;
}

export interface RemittanceRead {
  cedente: { document: string; name: string };
  titulos: TituloRead[];
}

/** The file is not a CNAB 400 or 444 remittance. */
function notCnab(where: string): Refusal {
  return new Refusal(422, 'invalid_cnab', `Not a CNAB 400 file: ${where}.`);
}

/** Bytes after which a line without an end is given up. */
const longestLine = 2000;
const lf = 0x0a;
const cr = 0x0d;
const titleTypes = ['1', '7'];

export class CnabReader {
  #rest: Buffer = Buffer.alloc(0);
  #endedWithCr = false;
  #refused: Refusal | null = null;
  #line = 0;
  #blankSince: number | null = null;
  #headerWidth = 0;
  #companyName = '';
  #last = '';
  #cedenteDocument = '';
  #cedenteName = '';
  readonly #titulos: TituloRead[] = [];
  readonly #sacados = new Map<string, SacadoRead>();

  /** Keeps a refusal until the end: the sum of the bytes is told in any case. */
  push(chunk: Buffer): void {
    if (this.#refused !== null) return;
    try {
      this.#read(chunk);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      this.#refused = error;
    }
  }

  /** @throws Refusal 422 */
  #read(chunk: Buffer): void {
    const bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    let start = 0;
    for (let at = this.#rest.length; at < bytes.length; at += 1) {
      const byte = bytes[at];
      if (byte !== lf && byte !== cr) continue;
      const isSecondOfCrLf = byte === lf && at === start && this.#endedWithCr;
      if (!isSecondOfCrLf) this.#readLine(bytes.subarray(start, at));
      this.#endedWithCr = byte === cr;
      start = at + 1;
    }
    this.#rest = Buffer.from(bytes.subarray(start));
    if (this.#rest.length > longestLine) {
      throw notCnab(`line ${this.#line + 1} is longer than ${longestLine} bytes`);
    }
  }

  /** @throws Refusal 422 */
  end(): RemittanceRead {
    if (this.#refused !== null) throw this.#refused;
    if (this.#rest.length > 0) this.#readLine(this.#rest);
    if (this.#line === 0) throw notCnab('the file is empty');
    if (this.#last !== '9') throw notCnab('the last record is no trailer (type 9)');
    if (this.#titulos.length === 0) throw notCnab('the file has no titulo');
    return {
      cedente: { document: this.#cedenteDocument, name: this.#cedenteName || this.#companyName },
      titulos: this.#titulos,
    };
  }

  #readLine(line: Buffer): void {
    // DOS end of file, NUL padding and empty lines may stand at the end, and only there.
    if (line.every((byte) => byte === 0x1a || byte === 0 || byte === 0x20)) {
      this.#blankSince ??= this.#line + 1;
      return;
    }
    if (this.#blankSince !== null) throw notCnab(`line ${this.#blankSince} is blank`);
    this.#line += 1;
    if (line.length !== 400 && line.length !== 444) {
      throw notCnab(`line ${this.#line} has ${line.length} bytes; expected 400 or 444`);
    }
    const type = column(line, 1, 1);
    if (this.#line === 1) this.#readHeader(line, type);
    else if (this.#last === '9') throw notCnab(`line ${this.#line} follows the trailer`);
    else if (type === '0') throw notCnab(`line ${this.#line} is a second header`);
    else if (titleTypes.includes(type)) this.#readTitulo(line);
    this.#last = type;
  }

  #readHeader(line: Buffer, type: string): void {
    if (type !== '0') throw notCnab('line 1 is no header (type 0)');
    if (column(line, 2, 2) !== '1') throw notCnab('the file is no remittance (column 2)');
    this.#headerWidth = line.length;
    this.#companyName = column(line, 47, 76).trim();
  }

  #readTitulo(line: Buffer): void {
    this.#readCedente(line);
    const amount = column(line, 127, 139);
    if (!/^\d{13}$/.test(amount)) {
      throw notCnab(`line ${this.#line}, columns 127 to 139: expected 13 digits`);
    }
    this.#titulos.push({
      line: this.#line,
      numero: column(line, 111, 120).trim(),
      cents: Number(amount),
      dueOn: dateOf(column(line, 121, 126)),
      nfeKey: this.#keyOf(line),
      sacado: this.#sacadoOf(line),
    });
  }

  #keyOf(line: Buffer): string {
    if (line.length < 444) return '';
    const key = this.#headerWidth === 444 ? column(line, 395, 438) : column(line, 401, 444);
    return /^0*$/.test(key.trim()) ? '' : key.trim();
  }

  #sacadoOf(line: Buffer): SacadoRead {
    const isPerson = column(line, 219, 220) === '01';
    const document = column(line, 221, 234)
      .trim()
      .slice(isPerson ? 3 : 0);
    let sacado = this.#sacados.get(document);
    if (sacado === undefined) {
      const name = column(line, 235, 274).trim();
      sacado = { document, tipo: isPerson ? 'PF' : 'PJ', name };
      this.#sacados.set(document, sacado);
    }
    return sacado;
  }

  /** A cession names the assignor at 335; most banks put its document at 4; Bradesco nowhere. */
  #readCedente(line: Buffer): void {
    if (this.#cedenteDocument !== '') return;
    if (this.#headerWidth === 444) {
      this.#cedenteDocument = column(line, 381, 394).trim();
      this.#cedenteName = column(line, 335, 380).trim();
      return;
    }
    const kind = column(line, 2, 3);
    const document = column(line, 4, 17);
    const isDocument = /^[0-9A-Z]{12}\d\d$/.test(document) && !/^0+$/.test(document);
    if (isDocument && kind === '02') this.#cedenteDocument = document;
    else if (isDocument && kind === '01') this.#cedenteDocument = document.slice(3);
  }
}

function column(line: Buffer, from: number, to: number): string {
  return line.toString('latin1', from - 1, to);
}

/** DDMMAA of this century. */
function dateOf(text: string): string {
  const [, day, month, year] = /^(\d\d)(\d\d)(\d\d)$/.exec(text) ?? [];
  const iso = `20${year}-${month}-${day}`;
  const isDate = !Number.isNaN(Date.parse(iso)) && new Date(iso).toISOString().startsWith(iso);
  return isDate ? iso : text;
}
