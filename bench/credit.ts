import { openAsBlob } from 'node:fs';
import { stat, writeFile } from 'node:fs/promises';
import { once } from 'node:events';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { FormData, fetch } from 'undici';
import { invoiceZip, writeCnabFile } from '../test/support/cnab-files';
import { Parts, peakMibOf } from './parts';

export interface AnalysisFigures {
  receivables: number;
  /** Of file and ZIP, and of the complete result. */
  sentMegabytes: number;
  resultMegabytes: number;
  /** The whole command, from the scan of the file to the written folder. */
  commandMs: number;
  /** A plain script that uploads, polls and writes both results. */
  floorMs: number;
  idleWorkerMib: number;
  workerPeakMib: number;
  commandPeakMib: number;
  /** Processor time of worker and server. */
  processorMs: { worker: number; server: number };
}

const analysisMs = 2_000;
const pollMs = 200;

/** One operation from end to end, store sealed, by a worker that has done nothing else. */
export async function measureAnalysis(receivables: number): Promise<AnalysisFigures> {
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
    const idleWorkerMib = parts.workerPeakMib();
    const before = parts.processorMs();
    const { commandMs, commandPeakMib } = await runCommand(parts, files);
    const after = parts.processorMs();
    const megabytes = async (path: string): Promise<number> => (await stat(path)).size / 1e6;
    return {
      receivables,
      sentMegabytes: (await megabytes(files.cnab)) + (await megabytes(files.xmls)),
      resultMegabytes: await megabytes(join(parts.folder, 'out', 'result.json')),
      commandMs,
      floorMs,
      idleWorkerMib,
      workerPeakMib: parts.workerPeakMib(),
      commandPeakMib,
      processorMs: {
        worker: after.worker - before.worker,
        server: after.server - before.server,
      },
    };
  } finally {
    await parts.stop();
  }
}

interface Files {
  cnab: string;
  xmls: string;
}

async function runCommand(parts: Parts, { cnab, xmls }: Files) {
  const startedAt = performance.now();
  const words = ['credit', 'analyze', '--input', cnab, '--xmls', xmls, '--out', 'out', '--json'];
  const command = parts.begin(words);
  let output = '';
  command.stdout?.on('data', (chunk: Buffer) => (output += chunk.toString()));
  let commandPeakMib = 0;
  const looks = setInterval(() => {
    if (command.exitCode === null) commandPeakMib = peakMibOf(command.pid) || commandPeakMib;
  }, 100);
  const [code] = (await once(command, 'close')) as [number];
  clearInterval(looks);
  if (code !== 0) throw new Error(`ended with ${code}: ${output}`);
  return { commandMs: performance.now() - startedAt, commandPeakMib };
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
