import { createHash } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'undici';

const pollMs = 200;

interface Answer {
  certidao_id: string;
  status: string;
  evidence?: { pdf_url?: string; sha256?: string };
}

/**
 * What somebody would write in an afternoon: a loop that requests, polls every 0.2 s, downloads and
 * checks, `inFlight` at a time. No file of claims, no recovery: whatever dies, is lost.
 *
 * @returns milliseconds from the first request to the last file
 */
export async function runFloor(
  service: { baseUrl: string; token: string },
  documents: readonly string[],
  inFlight: number,
  folder: string,
): Promise<number> {
  await mkdir(folder, { recursive: true });
  const base = new URL(service.baseUrl);
  const pool = new Pool(base.origin, { connections: inFlight });
  const headers = { authorization: `Bearer ${service.token}`, 'content-type': 'application/json' };
  const root = base.pathname.replace(/\/$/, '');
  const query = `?token=${service.token}`;

  const call = async (method: 'GET' | 'POST', path: string, body?: object): Promise<Buffer> => {
    const answer = await pool.request({
      method,
      path,
      headers,
      ...(body && { body: JSON.stringify(body) }),
    });
    const bytes = Buffer.from(await answer.body.arrayBuffer());
    if (answer.statusCode >= 300) throw new Error(`${method} ${path}: ${answer.statusCode}`);
    return bytes;
  };
  const json = (bytes: Buffer): Answer => JSON.parse(bytes.toString()) as Answer;

  const issue = async (document: string): Promise<void> => {
    let answer = json(await call('POST', `${root}/certidoes/cnpj${query}`, { cnpj: document }));
    while (!['completed', 'failed'].includes(answer.status)) {
      await sleep(pollMs);
      answer = json(await call('GET', `${root}/certidoes/${answer.certidao_id}${query}`));
    }
    const address = new URL(answer.evidence?.pdf_url ?? '', base.origin);
    address.searchParams.set('token', service.token);
    const pdf = await call('GET', address.pathname + address.search);
    const sum = createHash('sha256').update(pdf).digest('hex');
    if (sum !== answer.evidence?.sha256) throw new Error(`${document}: sha256 differs`);
    await writeFile(join(folder, `${answer.certidao_id}.pdf`), pdf);
  };

  const startedAt = performance.now();
  // One iterator for all: each takes the next document when it is free.
  const queue = documents.values();
  const worker = async (): Promise<void> => {
    for (const document of queue) await issue(document);
  };
  await Promise.all(Array.from({ length: inFlight }, worker));
  const took = performance.now() - startedAt;
  await pool.close();
  return took;
}
