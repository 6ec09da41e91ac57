/** Reads a multipart upload while it arrives; the file itself is never held. */

import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { Busboy, type BusboyFileStream, type BusboyInstance } from '@fastify/busboy';
import { Refusal } from '../http/refusal';
import type { PartReceived } from '../http/request-log';
import { CnabReader, type RemittanceRead } from './cnab-reading';
import type { CreditNames } from './credit-names';
import { readInvoices, type InvoiceRead } from './invoice-reading';

export interface Upload {
  file: { name: string; sha256: string; remittance: RemittanceRead };
  /** Null without a ZIP. */
  xmls: { sha256: string; invoices: Map<string, InvoiceRead> } | null;
  /** Id of the engine chosen, null when none was. */
  engineId: string | null;
}

interface UploadTerms {
  names: CreditNames;
  maxFileBytes: number;
  /** Filled while the parts arrive, also when the upload is refused. */
  parts: PartReceived[];
}

const xmlsPart = 'xmls';
const fieldLimitBytes = 64 * 1024;

/** @throws Refusal 400, 413, 415, 422. `aborted`: the client went away meanwhile. */
export async function readUpload(
  request: IncomingMessage,
  terms: UploadTerms,
): Promise<Upload | 'aborted'> {
  const collected = await collect(request, terms);
  if (collected === 'aborted') return collected;
  const { names, parts } = terms;
  refuseParts(parts, names);
  const file = parts.find(({ name }) => name === names.filePart);
  const zip = parts.find(({ name }) => name === xmlsPart);
  const engineId = collected.fields.get(names.enginePart) ?? null;
  if (engineId === null && names.engineRequired) throw missing(names.enginePart);
  return {
    file: {
      name: file?.fileName ?? '',
      sha256: file?.sha256 ?? '',
      remittance: collected.remittance(),
    },
    xmls:
      zip === undefined
        ? null
        : { sha256: zip.sha256, invoices: await readInvoices(Buffer.concat(collected.zip)) },
    engineId,
  };
}

interface Collected {
  fields: Map<string, string>;
  zip: Buffer[];
  /** @throws Refusal 422 */
  remittance(): RemittanceRead;
}

function collect(
  request: IncomingMessage,
  { names, maxFileBytes, parts }: UploadTerms,
): Promise<Collected | 'aborted'> {
  const form = openForm(request, maxFileBytes);
  const reading = new CnabReader();
  const fields = new Map<string, string>();
  const zip: Buffer[] = [];
  return new Promise((resolve, reject) => {
    const refuse = (refusal: Refusal) => {
      request.unpipe(form);
      request.resume();
      reject(refusal);
    };
    const readFile = (
      name: string,
      stream: BusboyFileStream,
      fileName: string,
      _encoding: string,
      contentType: string,
    ) => {
      const hash = createHash('sha256');
      const part: PartReceived = { name, fileName, contentType, bytes: 0, sha256: '' };
      parts.push(part);
      stream.on('data', (chunk: Buffer) => {
        hash.update(chunk);
        part.bytes += chunk.length;
        if (name === names.filePart) reading.push(chunk);
        if (name === xmlsPart) zip.push(chunk);
      });
      stream.once('limit', () => {
        refuse(new Refusal(413, 'file_too_large', `${name} is larger than ${maxFileBytes} bytes.`));
      });
      stream.once('end', () => (part.sha256 = hash.digest('hex')));
      // A form that breaks off fails as a whole, below.
      stream.on('error', () => undefined);
    };
    form.on('file', readFile);
    form.on('field', (name, value, _name, _value, _encoding, contentType) => {
      const bytes = Buffer.byteLength(value);
      const sha256 = createHash('sha256').update(value).digest('hex');
      parts.push({ name, fileName: null, contentType, bytes, sha256 });
      fields.set(name, value);
    });
    form.once('finish', () => resolve({ fields, zip, remittance: () => reading.end() }));
    form.once('error', (error: Error) => refuse(malformed(error.message)));
    request.once('close', () => {
      if (!request.complete) resolve('aborted');
    });
    request.pipe(form);
  });
}

/** @throws Refusal 415 or 400 */
function openForm(request: IncomingMessage, maxFileBytes: number): BusboyInstance {
  const contentType = request.headers['content-type'] ?? '';
  if (!/^multipart\/form-data\s*;/i.test(contentType)) {
    throw new Refusal(415, 'unsupported_media_type', 'Expected content-type multipart/form-data.');
  }
  const limits = { fileSize: maxFileBytes, fieldSize: fieldLimitBytes, parts: 20 };
  try {
    return new Busboy({ headers: { ...request.headers, 'content-type': contentType }, limits });
  } catch (error) {
    throw malformed((error as Error).message);
  }
}

/** @throws Refusal 400 */
function refuseParts(parts: readonly PartReceived[], names: CreditNames): void {
  const files = [names.filePart, xmlsPart];
  const known = [...files, names.enginePart, names.requiredPart];
  const seen = new Set<string>();
  for (const { name, fileName } of parts) {
    if (!known.includes(name)) throw wrongPart(`Unknown part ${name}.`);
    if (seen.has(name)) throw wrongPart(`The part ${name} came twice.`);
    seen.add(name);
    if (files.includes(name) && fileName === null) throw wrongPart(`${name} is no file.`);
    if (name === names.enginePart && fileName !== null) throw wrongPart(`${name} is a file.`);
  }
  for (const name of [names.filePart, names.requiredPart]) {
    if (name !== null && !seen.has(name)) throw missing(name);
  }
}

const wrongPart = (detail: string) => new Refusal(400, 'invalid_part', detail);
const missing = (name: string) => new Refusal(400, 'missing_part', `The part ${name} is missing.`);
const malformed = (reason: string) =>
  new Refusal(400, 'malformed_multipart', `The body is no multipart form: ${reason}.`);
