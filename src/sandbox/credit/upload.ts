/** Reads the form of an upload: the file, the ZIP of invoices, the engine chosen. */

import { createHash } from 'node:crypto';
import { Response } from 'undici';
import { fromBufferPromise, type ZipFile } from 'yauzl';
import { Refusal } from '../http/answer';
import type { Request } from '../http/request';
import type { CreditNames } from './credit-scenario';
import { readRemittance, type RemittanceRead } from './remittance';

export interface Upload {
  file: { name: string; sha256: string; remittance: RemittanceRead };
  /** Null without a ZIP. */
  xmls: { sha256: string; invoiceKeys: ReadonlySet<string> } | null;
  /** Id of the engine chosen, null when none was. */
  engineId: string | null;
}

const xmlsPart = 'xmls';

/** @throws Refusal 400, 413, 415, 422 */
export async function readUpload(
  request: Request,
  { names, maxFileBytes }: { names: CreditNames; maxFileBytes: number },
): Promise<Upload> {
  const { filePart, enginePart, requiredPart, engineRequired } = names;
  const parts = new Map<string, { fileName: string | null; sha256: string; bytes: Buffer }>();
  for (const [name, value] of await formOf(request)) {
    const isFile = typeof value !== 'string';
    const bytes = isFile ? Buffer.from(await value.arrayBuffer()) : Buffer.from(value);
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    const fileName = isFile ? value.name : null;
    const contentType = isFile ? value.type : 'text/plain';
    request.entry.parts.push({ name, fileName, contentType, bytes: bytes.length, sha256 });
    if (![filePart, xmlsPart, enginePart, requiredPart].includes(name)) {
      throw wrongPart(`Unknown part ${name}.`);
    }
    if (parts.has(name)) throw wrongPart(`The part ${name} came twice.`);
    if ([filePart, xmlsPart].includes(name) && !isFile) throw wrongPart(`${name} is no file.`);
    if (name === enginePart && isFile) throw wrongPart(`${name} is a file.`);
    if (bytes.length > maxFileBytes) {
      throw new Refusal(413, 'file_too_large', `${name} is larger than ${maxFileBytes} bytes.`);
    }
    parts.set(name, { fileName, sha256, bytes });
  }
  for (const name of [filePart, requiredPart, engineRequired ? enginePart : null]) {
    if (name !== null && !parts.has(name)) {
      throw new Refusal(400, 'missing_part', `The part ${name} is missing.`);
    }
  }
  const { fileName, sha256 = '', bytes = Buffer.alloc(0) } = parts.get(filePart) ?? {};
  const zip = parts.get(xmlsPart);
  return {
    file: { name: fileName ?? '', sha256, remittance: readRemittance(bytes) },
    xmls: zip ? { sha256: zip.sha256, invoiceKeys: await invoiceKeysIn(zip.bytes) } : null,
    engineId: parts.get(enginePart)?.bytes.toString() ?? null,
  };
}

const wrongPart = (detail: string) => new Refusal(400, 'invalid_part', detail);

/** @throws Refusal 415 or 400 */
async function formOf({ body, contentType }: Request) {
  if (!/^multipart\/form-data\b/i.test(contentType)) {
    throw new Refusal(415, 'unsupported_media_type', 'Expected content-type multipart/form-data.');
  }
  return new Response(body, { headers: { 'content-type': contentType } }).formData().catch(() => {
    throw new Refusal(400, 'malformed_multipart', 'The body is no multipart form.');
  });
}

/** The ZIP cannot be used. */
const unusable = (what: string) => new Refusal(422, 'invalid_xmls', `${what}.`);
const entryLimitBytes = 4 * 1024 * 1024;

/** Entries that are no XML, and XML that is no NF-e, are passed over. @throws Refusal 422 */
async function invoiceKeysIn(zip: Buffer): Promise<Set<string>> {
  const file = await fromBufferPromise(zip, { lazyEntries: true }).catch((): never => {
    throw unusable('xmls is no ZIP archive');
  });
  const keys = new Set<string>();
  try {
    for await (const entry of file.eachEntry()) {
      if (!/\.xml$/i.test(entry.fileName)) continue;
      if (entry.uncompressedSize > entryLimitBytes) {
        throw new Error(`${entry.fileName} is too large when unpacked`);
      }
      const key = /<infNFe\b[^>]*\bId="NFe(\w{44})"/.exec(await textOf(file, entry))?.[1];
      if (key !== undefined) keys.add(key);
    }
  } catch (error) {
    throw unusable(`xmls: ${(error as Error).message}`);
  }
  return keys;
}

type Entry = Parameters<ZipFile['openReadStreamPromise']>[0];

async function textOf(file: ZipFile, entry: Entry): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of await file.openReadStreamPromise(entry)) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}
