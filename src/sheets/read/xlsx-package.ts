import { readFile, stat } from 'node:fs/promises';

import { SaxesParser } from 'saxes';

import type { Words } from '../../domain/job';
import { takenFormats, wrongFormat } from '../file-format';
import { fileError, type SheetError } from '../sheet-error';
import { missingPart, ZipError, zipEntries, type ZipEntry } from './zip-entries';

/**
 * Maximum of a workbook's unpacked bytes: 100,000 rows of twenty columns, or 500,000 of three. The
 * reader holds all of it in memory, about seven times over.
 */
export const largestWorkbook = 100 * 1024 * 1024;

export interface WorkbookSheet {
  name: string;
  hidden: boolean;
  /** Position among all sheets of the workbook, from 1: the reader's name of it. */
  position: number;
  hasValues: boolean;
  /** Its XML, one character a byte. */
  xml(): Promise<string>;
}

const [taken, aceitos] = takenFormats;
const officePart = /\.xml(?:\.rels)?$/;

/**
 * Opens an .xlsx or .xlsm up to its list of sheets, and checks the size and the
 * checksum of every part, so that later unpacking cannot fail. Throws SheetError
 * `spreadsheet_format` and `too_large`.
 */
export async function openWorkbook(path: string): Promise<WorkbookSheet[]> {
  try {
    const { size } = await stat(path);
    if (size > largestWorkbook) throw tooLarge(path, size);
    const entries = await zipEntries(await readFile(path));
    await checkKind(path, entries);
    checkSize(path, entries);
    return await listSheets(entries);
  } catch (error) {
    if (error instanceof ZipError) throw damaged(path, error.words, error);
    throw error;
  }
}

export function damaged(path: string, [en, pt]: Words, cause?: unknown): SheetError {
  const words: Words = [
    ` is not a whole .xlsx file: ${en}. Open it in a spreadsheet program and ${taken}.`,
    ` não é um arquivo .xlsx íntegro: ${pt}. Abra-o em um programa de planilhas e ${aceitos}.`,
  ];
  return fileError('spreadsheet_format', path, words, { cause });
}

async function checkKind(path: string, entries: readonly ZipEntry[]): Promise<void> {
  const named = (name: string) => entries.find((entry) => entry.name === name);
  if (entries.some(({ isEncrypted }) => isEncrypted)) {
    throw wrongFormat(path, [
      'is a zip file with a password: save the workbook without one',
      'é um arquivo zip com senha: salve a pasta de trabalho sem senha',
    ]);
  }
  if (named('xl/workbook.xml') !== undefined) return;
  if (named('xl/workbook.bin') !== undefined) {
    throw wrongFormat(path, [
      `is a binary workbook (.xlsb): ${taken}`,
      `é uma pasta de trabalho binária (.xlsb): ${aceitos}`,
    ]);
  }
  const mimetype = named('mimetype');
  if (mimetype !== undefined && mimetype.size < 200) {
    const kind = (await mimetype.content()).toString('latin1');
    if (kind.includes('opendocument')) {
      throw wrongFormat(path, [
        `is an OpenDocument file (.ods): ${taken}`,
        `é um arquivo OpenDocument (.ods): ${aceitos}`,
      ]);
    }
  }
  throw wrongFormat(path, [
    `is a zip file without an Excel workbook in it: ${taken}`,
    `é um arquivo zip sem pasta de trabalho do Excel: ${aceitos}`,
  ]);
}

function checkSize(path: string, entries: readonly ZipEntry[]): void {
  const size = entries.reduce(
    (sum, entry) => sum + (officePart.test(entry.name) ? entry.size : 0),
    0,
  );
  if (size > largestWorkbook) throw tooLarge(path, size);
}

async function listSheets(entries: readonly ZipEntry[]): Promise<WorkbookSheet[]> {
  const parts = new Map<string, { entry: ZipEntry; hasValues: boolean }>();
  const small = new Map<string, string>();
  for (const entry of entries) {
    if (!officePart.test(entry.name)) continue;
    const content = await entry.content();
    const hasValues = content.includes('v>') || content.includes('is>');
    parts.set(entry.name, { entry, hasValues });
    if (/^xl\/(?:_rels\/workbook\.xml\.rels|workbook\.xml)$/.test(entry.name)) {
      small.set(entry.name, content.toString('utf8'));
    }
  }
  const targets = worksheetTargets(small.get('xl/_rels/workbook.xml.rels') ?? '');
  const named = elementsOf(small.get('xl/workbook.xml') ?? '', 'sheet');
  return named.flatMap(({ id = '', name = '', state = 'visible' }, at) => {
    const target = targets.get(id);
    // Charts and macros have tabs too, but no cells.
    if (target === undefined) return [];
    const found = parts.get(target);
    if (found === undefined) throw new ZipError(missingPart(target));
    return {
      name: unescaped(name),
      hidden: state !== 'visible',
      position: at + 1,
      hasValues: found.hasValues,
      xml: async () => (await found.entry.content()).toString('latin1'),
    };
  });
}

function worksheetTargets(relations: string): Map<string, string> {
  const worksheets = elementsOf(relations, 'Relationship').filter(({ Type = '' }) =>
    Type.endsWith('/worksheet'),
  );
  return new Map(
    worksheets.map(({ Id = '', Target = '' }) => [
      Id,
      Target.startsWith('/') ? Target.slice(1) : `xl/${Target}`,
    ]),
  );
}

/** Attributes of each element of this name, all without prefixes. */
function elementsOf(xml: string, wanted: string): Record<string, string>[] {
  const local = (name: string): string => name.slice(name.indexOf(':') + 1);
  const found: Record<string, string>[] = [];
  const parser = new SaxesParser();
  parser.on('opentag', ({ name, attributes }) => {
    if (local(name) !== wanted) return;
    found.push(
      Object.fromEntries(Object.entries(attributes).map(([key, value]) => [local(key), value])),
    );
  });
  try {
    parser.write(xml).close();
  } catch (cause) {
    throw new ZipError(['its list of sheets is damaged', 'a sua lista de abas está corrompida'], {
      cause,
    });
  }
  return found;
}

/** A spreadsheet writes `_x000D_` for a character that XML does not have. */
function unescaped(name: string): string {
  return name.replaceAll(/_x([0-9a-f]{4})_/gi, (_, hex) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
}

function tooLarge(path: string, size: number): SheetError {
  const megabytes = (bytes: number) => Math.ceil(bytes / 1024 / 1024);
  return fileError('too_large', path, [
    ` unpacks to ${megabytes(size)} MB, and ${megabytes(largestWorkbook)} MB is the most that is read: delete the sheets and columns that are not needed, or save it as CSV (UTF-8).`,
    ` descompactado tem ${megabytes(size)} MB, e o máximo lido são ${megabytes(largestWorkbook)} MB: apague as abas e colunas desnecessárias, ou salve-o como CSV (UTF-8).`,
  ]);
}
