import { createWriteStream } from 'node:fs';
import { rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { EnvHttpProxyAgent, fetch } from 'undici';
import { z } from 'zod';
import { run } from './process';

/** Where the Temporal SDKs get their servers from (sdk-core, `ephemeral_server`). */
export const sdkDownloadOrigin = 'https://temporal.download';

const answerSchema = z.object({
  archiveUrl: z.url({ protocol: /^https?$/ }),
  fileToExtract: z.string().regex(/^[A-Za-z0-9_][\w./-]*$/),
});

export interface DownloadOptions {
  origin: string;
  artifact: 'cli' | 'temporal-test-server';
  /** The file that is written; its folder must exist. */
  target: string;
  signal?: AbortSignal | undefined;
}

/**
 * The SDK's own download: asks which archive fits this machine, and unpacks the one executable in it.
 * Without a network it fails within five seconds; a transfer that stalls, within fifteen. Throws
 * whatever went wrong; `target` may then hold a part, which the caller throws away.
 */
export async function downloadTool(options: DownloadOptions): Promise<void> {
  const agent = new EnvHttpProxyAgent({
    connect: { timeout: 5_000 },
    headersTimeout: 10_000,
    bodyTimeout: 15_000,
  });
  const whole = AbortSignal.timeout(10 * 60_000);
  const signal = options.signal ? AbortSignal.any([options.signal, whole]) : whole;
  try {
    const question = new URL(`/${options.artifact}/default`, options.origin);
    question.search = new URLSearchParams({
      arch: architecture(),
      platform: process.platform === 'darwin' ? 'darwin' : 'linux',
      format: 'tar.gz',
      'sdk-name': 'sdk-typescript',
      'sdk-version': '1.24.0',
    }).toString();
    const answer = await fetch(question, {
      dispatcher: agent,
      signal: AbortSignal.any([signal, AbortSignal.timeout(8_000)]),
    });
    if (!answer.ok) throw new Error(`${question.host} answered ${answer.status}`);
    const { archiveUrl, fileToExtract } = answerSchema.parse(await answer.json());
    if (!new URL(archiveUrl).pathname.endsWith('.tar.gz')) {
      throw new Error(`${question.host} offers no .tar.gz archive`);
    }
    const archive = await fetch(archiveUrl, { dispatcher: agent, signal });
    if (!archive.ok || !archive.body) throw new Error(`the archive answered ${archive.status}`);
    const packed = `${options.target}.tar.gz`;
    await pipeline(Readable.fromWeb(archive.body), createWriteStream(packed));
    const folder = dirname(options.target);
    const words = ['-xzf', packed, '-C', folder, fileToExtract];
    const unpacked = await run('tar', words, { env: process.env, timeoutMs: 60_000, signal });
    if (!unpacked.ok) throw new Error(`tar: ${unpacked.reason}`);
    await rename(join(folder, fileToExtract), options.target);
  } finally {
    await agent.destroy();
  }
}

function architecture(): string {
  if (process.arch === 'x64') return 'amd64';
  if (process.arch === 'arm64') return 'arm64';
  throw new Error(`there is no download for ${process.arch}`);
}
