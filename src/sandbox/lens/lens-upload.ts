/** What the upload target takes: exactly the file that was announced. */

import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { Refusal } from '../http/refusal';
import type { LensAnalysis } from './analysis';

/** Larger files are summed and let go. */
const keptBytes = 1024 * 1024;

export interface FileArrived {
  mediaType: string;
  bytes: Buffer | null;
}

/** Headers that the upload must carry with exactly these values. */
export function uploadHeadersOf({ file }: LensAnalysis): Record<string, string> {
  return {
    'content-type': 'application/octet-stream',
    'x-checksum-sha256': Buffer.from(file.sha256, 'hex').toString('base64'),
  };
}

/** @throws Refusal 400, 403, 411 */
export function refuseUploadHeaders(
  { file }: LensAnalysis,
  expected: Readonly<Record<string, string>>,
  headers: IncomingHttpHeaders,
): void {
  for (const [name, value] of Object.entries(expected)) {
    if (headers[name] !== value) {
      const detail = `The header ${name} is not the one that was signed.`;
      throw new Refusal(403, 'SignatureDoesNotMatch', detail);
    }
  }
  const length = headers['content-length'];
  if (length === undefined) {
    throw new Refusal(411, 'MissingContentLength', 'The header Content-Length is missing.');
  }
  if (Number(length) !== file.sizeBytes) {
    throw new Refusal(400, 'LengthMismatch', `Expected ${file.sizeBytes} bytes.`);
  }
}

/** @throws Refusal 400 when its sum is another */
export function fileArrived(bytes: Buffer, { file }: LensAnalysis): FileArrived {
  if (createHash('sha256').update(bytes).digest('hex') !== file.sha256) {
    throw new Refusal(400, 'BadDigest', 'The sum of the bytes is not the announced one.');
  }
  return { mediaType: mediaTypeOf(bytes), bytes: bytes.length <= keptBytes ? bytes : null };
}

const beginnings: readonly [string, string][] = [
  ['89504e470d0a1a0a', 'image/png'],
  ['ffd8ff', 'image/jpeg'],
  ['47494638', 'image/gif'],
];

function mediaTypeOf(bytes: Buffer): string {
  const start = bytes.subarray(0, 16).toString('hex');
  const found = beginnings.find(([beginning]) => start.startsWith(beginning));
  return found?.[1] ?? 'application/octet-stream';
}
