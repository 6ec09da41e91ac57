import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';

import type { CnabReport, ScanOptions } from '../domain/cnab/report';
import { CnabScan } from '../domain/cnab/scan';
import { plainWidth } from '../domain/cnab/layout';
import { LineCutter } from './lines';
import { unreadable, openInput } from './open-input';

export interface ScannedFile extends CnabReport {
  /** Of the bytes on the disk: lower-case hex. */
  sha256: string;
  bytes: number;
}

const chunkBytes = 1_048_576;

/**
 * Scans a CNAB file once, in two buffers of 1 MiB. Throws
 * InputFileError when there is no such file, or it cannot be read.
 */
export async function scanFile(
  path: string,
  options: Omit<ScanOptions, 'expectedLines'>,
): Promise<ScannedFile> {
  const file = await openInput(path);
  try {
    const { size } = await file.stat();
    const scan = new CnabScan({ ...options, expectedLines: Math.ceil(size / plainWidth) });
    const cutter = new LineCutter(scan);
    const hash = createHash('sha256');
    let bytes = 0;
    for await (const chunk of chunksOf(file, path)) {
      hash.update(chunk);
      cutter.push(chunk);
      bytes += chunk.length;
    }
    cutter.end();
    return { ...scan.finish(), sha256: hash.digest('hex'), bytes };
  } finally {
    await file.close();
  }
}

/** A chunk is valid until the next one is requested: one buffer is scanned while the other is read. */
async function* chunksOf(file: FileHandle, path: string): AsyncGenerator<Buffer, void> {
  let filling = Buffer.allocUnsafe(chunkBytes);
  let full = Buffer.allocUnsafe(chunkBytes);
  const fill = (buffer: Buffer) =>
    file.read(buffer, 0, chunkBytes, null).catch((error: unknown) => {
      throw unreadable(path, error);
    });
  let { bytesRead } = await fill(full);
  while (bytesRead > 0) {
    const next = fill(filling);
    try {
      yield full.subarray(0, bytesRead);
    } finally {
      ({ bytesRead } = await next);
    }
    [filling, full] = [full, filling];
  }
}
