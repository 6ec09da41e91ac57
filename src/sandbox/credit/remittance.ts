/**
 * The service's own reading of a remittance: CNAB 400, and both 444 shapes (every line 444, or the
 * titulos alone). Bytes are latin1; columns below are 1-based and inclusive, as layouts print them.
 */

import { Refusal } from '../http/answer';

/** What the file says of one titulo. Text is trimmed; amounts are cents. */
export interface TituloRead {
  line: number;
  numero: string;
  cents: number;
  /** YYYY-MM-DD, or the six characters of the file when they are no date. */
  dueOn: string;
  /** 44 characters, or empty. */
  nfeKey: string;
  /** Document of the sacado. */
  sacado: string;
}

export interface SacadoRead {
  document: string;
  tipo: 'PJ' | 'PF';
  name: string;
}

export interface RemittanceRead {
  cedente: { document: string; name: string };
  titulos: TituloRead[];
  /** By document, in order of appearance. */
  sacados: Map<string, SacadoRead>;
}

/** DOS end of file, NUL padding and empty lines: they may stand at the end, and only there. */
const isBlank = (line: string) => line.replaceAll('\x1a', '').replaceAll('\0', '').trim() === '';

/** @throws Refusal 422 */
export function readRemittance(file: Buffer): RemittanceRead {
  const lines = file.toString('latin1').split(/\r\n|\r|\n/);
  lines.length = lines.findLastIndex((line) => !isBlank(line)) + 1;
  const [header = ''] = lines;
  const read: RemittanceRead = {
    cedente: { document: '', name: column(header, 47, 76).trim() },
    titulos: [],
    sacados: new Map(),
  };
  let last = '';
  for (const [index, line] of lines.entries()) {
    const type = line.charAt(0);
    const fault = faultOf(line, index === 0, last);
    if (fault !== null) throw notCnab(`line ${index + 1} ${fault}`);
    if (index > 0 && '17'.includes(type)) readTitulo(line, index + 1, header.length === 444, read);
    last = type;
  }
  if (last === '') throw notCnab('the file is empty');
  if (last !== '9') throw notCnab('the last record is no trailer (type 9)');
  if (read.titulos.length === 0) throw notCnab('the file has no titulo');
  return read;
}

/** The file is not a CNAB 400 or 444 remittance. */
function notCnab(what: string): Refusal {
  return new Refusal(422, 'invalid_cnab', `Not a CNAB 400 file: ${what}.`);
}

function faultOf(line: string, isFirst: boolean, last: string): string | null {
  if (isBlank(line)) return 'is blank';
  if (line.length !== 400 && line.length !== 444) {
    return `has ${line.length} bytes; expected 400 or 444`;
  }
  if (isFirst) return line.startsWith('01') ? null : 'is no header of a remittance (01)';
  if (last === '9') return 'follows the trailer';
  return line.startsWith('0') ? 'is a second header' : null;
}

/** @throws Refusal 422 */
function readTitulo(line: string, number: number, isWide: boolean, read: RemittanceRead): void {
  const { cedente, sacados, titulos } = read;
  const amount = column(line, 127, 139);
  if (!/^\d{13}$/.test(amount)) {
    throw notCnab(`line ${number}, columns 127 to 139: expected 13 digits`);
  }
  if (cedente.document === '') {
    cedente.document = isWide ? column(line, 381, 394).trim() : cedenteOf(line);
    if (isWide) cedente.name = column(line, 335, 380).trim() || cedente.name;
  }
  const isPerson = column(line, 219, 220) === '01';
  const document = withoutPadding(column(line, 221, 234).trim(), isPerson);
  if (!sacados.has(document)) {
    const name = column(line, 235, 274).trim();
    sacados.set(document, { document, tipo: isPerson ? 'PF' : 'PJ', name });
  }
  titulos.push({
    line: number,
    numero: column(line, 111, 120).trim(),
    cents: Number(amount),
    dueOn: dateOf(column(line, 121, 126)),
    nfeKey: keyOf(line, isWide),
    sacado: document,
  });
}

/** Most banks put the document of the assignor at 4, behind its kind; Bradesco nowhere. */
function cedenteOf(line: string): string {
  const [, kind, document = ''] = /^.(0[12])((?!0{14})[0-9A-Z]{12}\d\d)/.exec(line) ?? [];
  return withoutPadding(document, kind === '01');
}

const withoutPadding = (document: string, isPerson: boolean) => document.slice(isPerson ? 3 : 0);

function keyOf(line: string, isWide: boolean): string {
  const key = (isWide ? column(line, 395, 438) : column(line, 401, 444)).trim();
  return line.length < 444 || /^0*$/.test(key) ? '' : key;
}

function column(line: string, from: number, to: number): string {
  return line.slice(from - 1, to);
}

/** DDMMAA of this century. */
function dateOf(text: string): string {
  const iso = text.replace(/^(\d\d)(\d\d)(\d\d)$/, '20$3-$2-$1');
  const at = Date.parse(iso);
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(iso) ? iso : text;
}
