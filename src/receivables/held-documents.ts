import { createReadStream } from 'node:fs';
import { openPromise } from 'yauzl';
import { documentsInCnabLine, documentsInText } from '../domain/held-documents';

/** Every document that a CNAB file may hold: for the index by which a purge finds the file. */
export async function* documentsInCnab(path: string): AsyncGenerator<string> {
  let rest = '';
  for await (const chunk of createReadStream(path, 'latin1')) {
    const lines = `${rest}${String(chunk)}`.split(/[\r\n]/);
    rest = lines.pop() ?? '';
    for (const line of lines) yield* documentsInCnabLine(line);
  }
  yield* documentsInCnabLine(rest);
}

/**
 * Every document that a ZIP of invoices may hold, in names and texts of its entries. The ZIP was
 * checked before: its entries are held to the sizes that they tell.
 */
export async function* documentsInInvoices(path: string): AsyncGenerator<string> {
  const zip = await openPromise(path, { lazyEntries: true, autoClose: false });
  try {
    for await (const entry of zip.eachEntry()) {
      yield* documentsInText(entry.fileName);
      if (!/\.xml$/i.test(entry.fileName)) continue;
      const chunks: Buffer[] = [];
      for await (const chunk of await zip.openReadStreamPromise(entry)) {
        chunks.push(chunk as Buffer);
      }
      // Digits are bytes of their own in every encoding but UTF-16, which has a NUL beside each.
      yield* documentsInText(Buffer.concat(chunks).toString('latin1').replaceAll('\0', ''));
    }
  } finally {
    zip.close();
  }
}
