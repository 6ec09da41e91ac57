import { openAsBlob } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { FormData, fetch } from 'undici';
import { invoiceZip, writeCnabFile } from '../test/support/cnab-files';
import { Parts } from './parts';
import type { Samples } from './run';

const analysisMs = 2_000;
const pollMs = 200;

/** One operation from end to end, with the ZIP of its invoices, by a worker that has done nothing else. */
export async function analysed(): Promise<Samples> {
  const receivables = 50_000;
  const parts = await Parts.start({
    processingMs: [1, 1],
    credit: { analysis: { waitingMs: [0, 0], processingMs: [analysisMs, analysisMs] } },
  });
  try {
    const files = { cnab: join(parts.folder, 'file.rem'), xmls: join(parts.folder, 'file.zip') };
    await writeCnabFile(files.cnab, { bank: 'paulista', receivables });
    await writeFile(files.xmls, invoiceZip(receivables));
    const floorMs = await runFloor(parts, files);
    await parts.startEngine();
    const startedAt = performance.now();
    const words = ['--input', files.cnab, '--xmls', files.xmls, '--out', 'out', '--json'];
    await parts.run(['credit', 'analyze', ...words]);
    const tookMs = performance.now() - startedAt;
    const name = 'analysis of 50,000 titulos';
    return {
      [`${name}: against the floor`]: tookMs / floorMs,
      [`${name}: MiB of the worker`]: parts.workerPeakMib(),
    };
  } finally {
    await parts.stop();
  }
}

interface Files {
  cnab: string;
  xmls: string;
}

/** What somebody would write in an hour: nothing is checked, and whatever dies is lost. */
async function runFloor(parts: Parts, { cnab, xmls }: Files): Promise<number> {
  const { CREDIT_BASE_URL: base = '', CREDIT_TOKEN: token = '' } = parts.environment();
  const startedAt = performance.now();
  const headers = { authorization: `Bearer ${token}` };
  const body = new FormData();
  body.set('file', await openAsBlob(cnab), 'file.rem');
  body.set('xmls', await openAsBlob(xmls, { type: 'application/zip' }), 'file.zip');
  const posted = await fetch(`${base}/v1/operations`, { method: 'POST', headers, body });
  if (!posted.ok) throw new Error(`the upload was answered ${posted.status}`);
  const { id } = (await posted.json()) as { id: string };
  for (const filter of ['issues', 'all']) {
    for (;;) {
      const got = await fetch(`${base}/v1/operations/${id}/result?filter=${filter}`, { headers });
      if (got.status === 200 && got.body !== null) {
        await writeFile(join(parts.folder, `${filter}.json`), Readable.fromWeb(got.body));
        break;
      }
      await got.arrayBuffer();
      await sleep(pollMs);
    }
  }
  return performance.now() - startedAt;
}
