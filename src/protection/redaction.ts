import { types } from 'node:util';
import { isValidCnpj, isValidCpf, maskDocument } from '../domain/core/documents/documents';
import { normaliseDocument } from '../domain/core/documents/read-document';

/**
 * What logs and screens never show, in one table. Field names are compared in lower case and
 * without `_` and `-`; fields of the first three kinds are masked whole, whatever their value.
 * In all other text, documents, addresses and secrets are masked.
 */
const table = {
  secretFields: /authorization|cookie|token|secret|passw|apikey|privatekey|credential|signature/,
  documentFields:
    /^(?:numero)?(?:cpf|cnpj|cpfcnpj|documento|document|identifier|taxid|target|alvo)$/,
  contentFields:
    /^(?:nome|nomesocial|nomefantasia|nomemae|razaosocial|body|corpo|payloads?|metadata)$/,
  /** Errors that quote their input. */
  quotingNames: /^(?:SyntaxError|\$?ZodError|ZodRealError|CsvError|InvalidArgumentError|URIError)$/,
  quotingCodes: /^(?:UND_ERR_|HPE_|CSV_|ERR_INVALID_|ERR_HTTP_INVALID_|ERR_UNESCAPED_|ERR_OUT_OF_)/,
} as const;

/** Bounds of the text and structure that one value may show. */
const bounds = { text: 8_000, searched: 50_000, depth: 5, entries: 40, frames: 8, causes: 4 };

const secretMark = '[secret]';
const leftOut = '[left out]';

/** Shorter ones would match ordinary words. */
const shortestSecret = 6;
const secrets = new Set<string>();

/** From now on this value is hidden, plain or URL-encoded. */
export function hideSecret(value: string): void {
  const bare = value.trim();
  if (bare.length < shortestSecret) return;
  secrets.add(bare);
  secrets.add(encodeURIComponent(bare));
}

/** Hides the values of variables whose names denote secrets. */
export function hideSecretsOf(environment: NodeJS.ProcessEnv): void {
  for (const [name, value] of Object.entries(environment)) {
    if (value === undefined || !/TOKEN|SECRET|PASSW|KEYS?$|CREDENTIAL/i.test(name)) continue;
    // A list of keys: `id:key,id:key`; ids are not secret.
    for (const entry of value.split(',')) hideSecret(entry.replace(/^[a-z0-9-]{1,32}:/, ''));
  }
}

const separator = String.raw`(?:[\s./\u2010-\u2015-]|%2[fFdDeE]|%20)?`;
const inWord = String.raw`[0-9A-Za-z]`;
/** A letter before it may belong to an escape, or to its label: `\n11144477735`, `cpf11144477735`. */
const begins = String.raw`(?:(?<!${inWord})|(?<=\\[nrt]|%[0-9A-Fa-f]{2}|[cC][pP][fF]|[cC][nN][pP][jJ]))`;
const hex = '[0-9a-fA-F]';
/** Ids are never documents; matched first so that no part of one is masked. */
const ids = `(?<id>${hex}{8}-${hex}{4}-${hex}{4}-${hex}{4}-${hex}{12}|${hex}{32,})`;
const shapes = [
  [`${inWord}{2}`, `${inWord}{3}`, `${inWord}{3}`, `${inWord}{4}`, String.raw`\d{2}`],
  [String.raw`\d{3}`, String.raw`\d{3}`, String.raw`\d{3}`, String.raw`\d{2}`],
].map((groups) => new RegExp(`${ids}|${begins}${groups.join(separator)}(?!${inWord})`, 'g'));
const asPeopleWrite =
  /^(?:\d{3}[. ]?\d{3}[. ]?\d{3}[- ]?\d{2}|[0-9A-Z]{2}[. ]?[0-9A-Z]{3}[. ]?[0-9A-Z]{3}[/ ]?[0-9A-Z]{4}[- ]?\d{2})$/;
const punctuated = /^.{2,3}\..{3}\..{3}(?:-|\/.{4}-)\d{2}$/;

/**
 * Text without documents: `***.123.456-**`, `12.***.***\/****-90`. A document is punctuated like
 * one, or has the length and the check digits of one: other numbers are times, sizes and ids.
 */
export function maskDocumentsIn(text: string): string {
  return shapes.reduce((shown, shape) => maskShape(shown, shape, false), text);
}

/** The same for text that people typed: mistyped documents with wrong check digits are masked too. */
export function maskTextOfPeople(text: string): string {
  return shapes.reduce((shown, shape) => maskShape(shown, shape, true), text);
}

/** A match that is no document may overlap one: the search continues inside it. */
function maskShape(text: string, shape: RegExp, ofPeople: boolean): string {
  let shown = '';
  let printed = 0;
  shape.lastIndex = 0;
  for (let match = shape.exec(text); match !== null; match = shape.exec(text)) {
    if (match.groups?.['id'] !== undefined) continue;
    const mask = maskOf(match[0], ofPeople);
    if (mask === null) shape.lastIndex = match.index + 1;
    else {
      shown += text.slice(printed, match.index) + mask;
      printed = shape.lastIndex;
    }
  }
  return shown + text.slice(printed);
}

function maskOf(found: string, ofPeople: boolean): string | null {
  const document = normaliseDocument(found.replaceAll(/%2[fFdDeE]|%20|[\u2010-\u2015]/g, ''));
  const isOne = isValidCpf(document) || isValidCnpj(document) || punctuated.test(found);
  return isOne || (ofPeople && isMistyped(found, document)) ? maskDocument(document) : null;
}

/** A word of capitals followed by a year is no document. */
function isMistyped(found: string, document: string): boolean {
  return asPeopleWrite.test(found) && (/\d{8}/.test(document) || /[./-]/.test(found));
}

/** E-mail addresses: the first letter of each part stays. */
const addresses =
  /(?<![\w.+%@-])([\w+%])[\w.+%-]{0,63}@([a-z0-9])[a-z0-9.-]{0,252}\.[a-z]{2,24}\b/gi;

/** Text without documents, e-mail addresses, secrets, user names and query strings of addresses; bounded. */
export function redactText(text: string): string {
  let shown = text.slice(0, bounds.searched);
  for (const secret of secrets) shown = shown.replaceAll(secret, secretMark);
  shown = shown
    .replaceAll(/(:\/\/)[^\s/@"'<>]+@/g, `$1${secretMark}@`)
    .replaceAll(/(\/[^\s?"'<>/]*)\?[^\s"'<>]*/g, '$1?[query]')
    .replaceAll(
      /\b((?:proxy-)?authorization|(?:set-)?cookie)(["']?\s*[:=]\s*["']?)[^\r\n"']+/gi,
      `$1$2${secretMark}`,
    )
    .replaceAll(/\b(bearer|basic)\s+[\w.~+/=-]{6,}/gi, `$1 ${secretMark}`)
    .replaceAll(
      /(\w{0,40}(?:token|secret|password|api[_-]?key|signature)["']?(?:\s*=\s*|\s*:\s*(?=\S*\d))["']?)[^\s"'&,;}[\]]{4,}/gi,
      `$1${secretMark}`,
    );
  shown = maskDocumentsIn(shown.replaceAll(addresses, '$1***@$2***'));
  return shown.length <= bounds.text ? shown : `${shown.slice(0, bounds.text)}…`;
}

/**
 * A value for a log: the same structure without what the table hides, bounded in depth and size.
 * Bytes are counted, errors go through `redactError`; unreadable values are left out.
 */
export function redactValue(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return redactText(value);
  if (typeof value === 'number' || typeof value === 'bigint') return redactNumber(value);
  if (value === null || value === undefined || typeof value === 'boolean') return value;
  if (typeof value !== 'object') return leftOut;
  if (isError(value)) return redactError(value);
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString();
  if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
  if (depth >= bounds.depth) return leftOut;
  try {
    return redactStructure(value, depth);
  } catch {
    return leftOut;
  }
}

function redactStructure(value: object, depth: number): unknown {
  const { toJSON } = value as { toJSON?: unknown };
  if (typeof toJSON === 'function') return redactValue(toJSON.call(value), depth + 1);
  if (Array.isArray(value)) {
    const shown = value.slice(0, bounds.entries).map((one) => redactValue(one, depth + 1));
    return value.length > shown.length ? [...shown, `${value.length - shown.length} more`] : shown;
  }
  const entries = Object.entries(value);
  const shown = entries
    .slice(0, bounds.entries)
    .map(([name, one]) => [redactText(name), redactField(name, one, depth + 1)] as const);
  if (entries.length > shown.length) shown.push(['more', entries.length - shown.length]);
  return Object.fromEntries(shown);
}

function redactField(name: string, value: unknown, depth: number): unknown {
  if (value === null || value === undefined || typeof value === 'boolean') return value;
  const known = name.toLowerCase().replaceAll(/[_-]/g, '');
  if (table.secretFields.test(known)) return secretMark;
  if (table.contentFields.test(known)) return leftOut;
  if (table.documentFields.test(known)) {
    const isText = typeof value === 'string' || typeof value === 'number';
    return isText ? maskDocument(normaliseDocument(String(value))) : leftOut;
  }
  return redactValue(value, depth);
}

function redactNumber(value: number | bigint): unknown {
  const digits = String(value);
  return isValidCpf(digits) || isValidCnpj(digits) ? maskDocument(digits) : digitsOf(value);
}

/** JSON has no bigint. */
function digitsOf(value: number | bigint): number | string {
  return typeof value === 'bigint' ? String(value) : value;
}

/** The shown part of an error. */
export interface RedactedError {
  name: string;
  code: string | null;
  /** Null when errors of its kind quote their input. */
  message: string | null;
  at: string[];
  causes: RedactedError[];
}

/** An error, or any other thrown value, and its causes. Its own fields are never shown. */
export function redactError(error: unknown, depth = 0): RedactedError {
  if (!isError(error)) {
    const message = typeof error === 'string' ? redactText(error) : null;
    return { name: 'Error', code: null, message, at: [], causes: [] };
  }
  const frames = framesOf(error);
  const { errors } = error as { errors?: unknown };
  const below = [error.cause, ...(Array.isArray(errors) ? (errors as unknown[]) : [])];
  const causes = depth < bounds.causes ? below.filter(isError) : [];
  return {
    name: word(error.name) ?? 'Error',
    code: word((error as { code?: unknown }).code),
    message: quotes(error, frames) ? null : redactText(error.message),
    at: (frames ?? []).slice(0, bounds.frames).map((frame) => redactText(frame)),
    causes: causes.slice(0, bounds.causes).map((cause) => redactError(cause, depth + 1)),
  };
}

/** Also for errors of another realm, such as a workflow's. */
export function isError(value: unknown): value is Error {
  return types.isNativeError(value) || value instanceof Error;
}

/** An error in one line, for people. */
export function errorLine(error: unknown): string {
  const { name, code, message } = redactError(error);
  const title = code === null ? name : `${name} (${code})`;
  return message === null
    ? `${title}: the rest of it may quote what was read`
    : `${title}: ${message}`;
}

/**
 * Parsers quote their input, and many of them throw a plain `Error`: of a package's error
 * only the name is shown, except for packages whose messages never quote content.
 */
function quotes(error: Error, frames: readonly string[] | null): boolean {
  const names = [error.name, error.constructor.name];
  if (names.some((name) => table.quotingNames.test(name))) return true;
  const { code } = error as { code?: unknown };
  if (typeof code === 'string' && table.quotingCodes.test(code)) return true;
  if (frames === null) return true;
  const thrower = frames[0] ?? '';
  if (thrower.startsWith('JSON.parse ')) return true;
  const packages = [...thrower.matchAll(/node_modules[\\/]((?:@[^\\/]+[\\/])?[^\\/]+)/g)];
  const thrownBy = packages.at(-1)?.[1];
  return thrownBy !== undefined && !/^(?:@temporalio|@grpc|commander)(?:[\\/]|$)/.test(thrownBy);
}

/** The stack's lines without the message before them; null when they cannot be separated. */
function framesOf(error: Error): string[] | null {
  const { stack, message } = error;
  if (typeof stack !== 'string') return [];
  const end = message === '' ? 0 : stack.indexOf(message);
  if (end < 0) return null;
  const lines = stack.slice(end + message.length).split('\n');
  return lines.filter((line) => /^\s+at /.test(line)).map((line) => line.trim().slice(3));
}

function word(value: unknown): string | null {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && /^[\w.$-]{1,60}$/.test(value) ? value : null;
}
