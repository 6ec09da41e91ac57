import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import type { PayloadCodec } from '@temporalio/common';
import { JSONToPayload, payloadToJSON, type JSONPayload } from '@temporalio/common/lib/proto-utils';
import { KeyRing } from '../../src/protection/key-ring';
import { dataConverterOf } from '../../src/temporal/payload/data-converter';

/** Histories of workflows as they once ran, a folder a version: later code is held to what it did then. */
export const historiesFolder = join(__dirname, '..', 'replay', 'histories');

const ending = '.json.gz';

/** What payloads are sealed with: written beside the histories when they are recorded. */
export interface Seal {
  namespace: string;
  payloadKeys: string;
}

type Json = string | number | boolean | null | Json[] | { [key: string]: Json };
type JsonObject = { [key: string]: Json };

/** As the engine's own tools write one. */
export interface HistoryJson {
  events: ({ eventType: string } & JsonObject)[];
}

export interface RecordedHistory {
  /** `<workflow>-<case>`, and which run of several; of another version too where that has it. */
  name: string;
  workflowId: string;
  history: HistoryJson;
}

/** In place of who did something. */
export const nobody = 'recorder';

export function seal(): Seal {
  return JSON.parse(readFileSync(join(historiesFolder, 'seal.json'), 'utf8')) as Seal;
}

export function converterOf({ namespace, payloadKeys }: Seal) {
  return dataConverterOf(KeyRing.parse(payloadKeys), namespace);
}

export function recordedHistories(): RecordedHistory[] {
  const files = readdirSync(historiesFolder, { recursive: true, encoding: 'utf8' });
  const recorded = files.filter((file) => file.endsWith(ending)).sort();
  return recorded.map((file) => ({
    name: basename(file, ending),
    ...(JSON.parse(gunzipSync(readFileSync(join(historiesFolder, file))).toString()) as Omit<
      RecordedHistory,
      'name'
    >),
  }));
}

export function fileOf({ name, ...content }: RecordedHistory): { name: string; bytes: Buffer } {
  return { name: `${name}${ending}`, bytes: gzipSync(JSON.stringify(content), { level: 9 }) };
}

export function typeOf({ history }: RecordedHistory): string {
  const started = history.events[0]?.['workflowExecutionStartedEventAttributes'] as
    { workflowType: { name: string } } | undefined;
  return started?.workflowType.name ?? '';
}

/** What happened in it, each word once. */
export function eventTypes({ history }: RecordedHistory): Set<string> {
  return new Set(history.events.map(({ eventType }) => eventType));
}

/**
 * The same history without what tells of the machine that it was recorded on: names of processes
 * and machines, and the stacks of failures, none of which a replay looks at.
 */
export async function withoutMachine(history: HistoryJson, under: Seal): Promise<HistoryJson> {
  const codec = codecOf(under);
  const clean = async (value: Json, key: string): Promise<Json> => {
    if (key === 'identity') return nobody;
    if (Array.isArray(value)) return Promise.all(value.map((one) => clean(one, '')));
    if (typeof value !== 'object' || value === null) return value;
    if (key === 'encodedAttributes') return withoutStack(value, codec);
    // Of a worker's own queue, whose name is that of its process.
    if (value['kind'] === 'TASK_QUEUE_KIND_STICKY') return { ...value, name: nobody };
    const entries = Object.entries(value).map(async ([name, one]) => [
      name,
      await clean(one, name),
    ]);
    return Object.fromEntries(await Promise.all(entries)) as JsonObject;
  };
  return (await clean(history as unknown as JsonObject, '')) as unknown as HistoryJson;
}

/** All that stands in a history, what is sealed opened, as one text. */
export async function openedText({ history, workflowId }: RecordedHistory, under: Seal) {
  const codec = codecOf(under);
  const texts: string[] = [workflowId];
  const read = async (value: Json): Promise<void> => {
    if (typeof value !== 'object' || value === null) {
      texts.push(String(value));
    } else if (isPayload(value)) {
      texts.push(textOf(await opened(value, codec)));
    } else {
      for (const [key, one] of Object.entries(value)) {
        texts.push(key);
        await read(one);
      }
    }
  };
  await read(history as unknown as JsonObject);
  return texts.join('\n');
}

function codecOf(under: Seal): PayloadCodec {
  const [codec] = converterOf(under).payloadCodecs ?? [];
  if (codec === undefined) throw new Error('histories are recorded with a key');
  return codec;
}

function isPayload(value: Json): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && 'data' in value;
}

async function opened(value: JSONPayload, codec: PayloadCodec) {
  const payload = JSONToPayload(value);
  const encoding = Buffer.from(payload.metadata?.['encoding'] ?? []).toString();
  // Search attributes are not sealed.
  if (encoding !== 'binary/encrypted') return payload;
  const [inside] = await codec.decode([payload]);
  if (inside === undefined) throw new Error('a payload that holds none');
  return inside;
}

function textOf({ data }: { data?: Uint8Array | null }): string {
  return Buffer.from(data ?? []).toString();
}

async function withoutStack(value: JSONPayload, codec: PayloadCodec): Promise<Json> {
  const inside = await opened(value, codec);
  const attributes = JSON.parse(textOf(inside)) as { stack_trace?: string };
  const data = Buffer.from(JSON.stringify({ ...attributes, stack_trace: '' }));
  const [sealed] = await codec.encode([{ ...inside, data }]);
  if (sealed === undefined) throw new Error('nothing was sealed');
  return payloadToJSON(sealed) as Json;
}
