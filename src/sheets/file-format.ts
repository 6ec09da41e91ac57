import { open, readFile } from 'node:fs/promises';
import { extname } from 'node:path';

import type { Words } from '../domain/job';
import { fileError, type SheetError } from './sheet-error';

export type FileFormat = 'text' | 'xlsx';

const zipMagic = '504b0304';
const compoundFileMagic = 'd0cf11e0';
const spreadsheetNames = new Set(['.xlsx', '.xlsm', '.xls', '.xlsb', '.ods']);

/** The fix for every format that is not read. */
export const takenFormats: Words = [
  'save it as .xlsx or as CSV (UTF-8) and use that',
  'salve-o como .xlsx ou como CSV (UTF-8) e use esse arquivo',
];
const [taken, aceitos] = takenFormats;

/**
 * Detects the format by the first bytes; the name counts only when it promises a workbook
 * and the bytes are something else. Throws SheetError `spreadsheet_format`.
 */
export async function findFileFormat(path: string): Promise<FileFormat> {
  const start = await firstBytes(path);
  const magic = start.toString('hex', 0, 4);
  if (magic === zipMagic) return 'xlsx';
  if (magic === compoundFileMagic) throw await refuseCompoundFile(path);
  const extension = extname(path).toLowerCase();
  if (start.length === 0 || !spreadsheetNames.has(extension)) return 'text';
  const [en, pt] = describeOther(start);
  throw wrongFormat(path, [
    `is named ${extension} and is no workbook (${en}): name it .csv if that is what it is, or ${taken}`,
    `tem a extensão ${extension} e não é uma pasta de trabalho (${pt}): renomeie-o para .csv se for o caso, ou ${aceitos}`,
  ]);
}

/** Both texts continue the sentence after the file name. */
export function wrongFormat(path: string, [en, pt]: Words): SheetError {
  return fileError('spreadsheet_format', path, [` ${en}.`, ` ${pt}.`]);
}

function describeOther(start: Buffer): Words {
  if (start.includes(0)) return ['neither zip file nor text', 'nem arquivo zip nem texto'];
  const isMarkup = /^\s*<(?:!doctype|html|\?xml|table|meta)/i.test(start.toString('latin1'));
  return isMarkup ? ['a web page or XML', 'uma página web ou XML'] : ['text', 'texto'];
}

async function firstBytes(path: string): Promise<Buffer> {
  const file = await open(path);
  try {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(512), 0, 512, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

/** A compound file is an .xls, or a workbook with a password: a name in its directory tells which. */
async function refuseCompoundFile(path: string): Promise<SheetError> {
  const isEncrypted = (await readFile(path)).includes(Buffer.from('EncryptedPackage', 'utf16le'));
  return isEncrypted
    ? wrongFormat(path, [
        'is a workbook with a password: save it without one, as .xlsx',
        'é uma pasta de trabalho com senha: salve-a sem senha, como .xlsx',
      ])
    : wrongFormat(path, [
        `is an old Excel file (.xls): ${taken}`,
        `é um arquivo antigo do Excel (.xls): ${aceitos}`,
      ]);
}
