import { open } from 'node:fs/promises';
import { extname } from 'node:path';

import type { Words } from '../domain/job';
import { SheetError } from './sheet-error';

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

/** `found` continues the sentence after the file name: `is ...`. */
export function wrongFormat(path: string, [en, pt]: Words): SheetError {
  return new SheetError('spreadsheet_format', [`${path} ${en}.`, `${path} ${pt}.`], { file: path });
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

/**
 * A compound file is an .xls, or a workbook with a password. Its
 * directory of names shows which ([MS-CFB] 2.2 and 2.6).
 */
async function refuseCompoundFile(path: string): Promise<SheetError> {
  const file = await open(path);
  try {
    const header = Buffer.alloc(512);
    await file.read(header, 0, header.length, 0);
    const sectorSize = 2 ** Math.min(header.readUInt16LE(30), 12);
    const directory = Buffer.alloc(64 * 1024);
    await file.read(directory, 0, directory.length, (header.readUInt32LE(48) + 1) * sectorSize);
    return directory.toString('utf16le').includes('EncryptedPackage')
      ? wrongFormat(path, [
          'is a workbook with a password: save it without one, as .xlsx',
          'é uma pasta de trabalho com senha: salve-a sem senha, como .xlsx',
        ])
      : wrongFormat(path, [
          `is an old Excel file (.xls): ${taken}`,
          `é um arquivo antigo do Excel (.xls): ${aceitos}`,
        ]);
  } finally {
    await file.close();
  }
}
