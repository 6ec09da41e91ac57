import type { Payload } from '@temporalio/common';
import { z } from 'zod';

/** Payloads as the Temporal UI and CLI send them: protobuf's JSON, bytes as base64. */
const bytes = z.base64().transform((text) => Buffer.from(text, 'base64'));
const payload = z.object({
  metadata: z.record(z.string(), bytes).default({}),
  data: bytes.default(() => Buffer.alloc(0)),
});
const body = z.object({ payloads: z.array(payload) });

/** @returns null when malformed; no details, which could quote it */
export function readPayloads(text: string): Payload[] | null {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return null;
  }
  const read = body.safeParse(json);
  return read.success ? read.data.payloads : null;
}

export function writePayloads(payloads: readonly Payload[]): string {
  const written = payloads.map(({ metadata, data }) => ({
    metadata: Object.fromEntries(
      Object.entries(metadata ?? {}).map(([name, value]) => [name, base64(value)]),
    ),
    data: base64(data),
  }));
  return JSON.stringify({ payloads: written });
}

function base64(value: Uint8Array | null | undefined): string {
  return Buffer.from(value ?? []).toString('base64');
}
