import { readFile, readdir } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { Connection } from '@temporalio/client';
import { temporal } from '@temporalio/proto';
import { rowName, type Seal } from '../../src/store/sealed/seal';
import { KeyRing } from '../../src/protection/key-ring';
import { EncryptionCodec } from '../../src/temporal/payload/payload-codec';
import type { Installation } from './diligence-process';
import { payloadsOf } from './payloads';
import { tamperWith, testPayloadKeys } from './temporary-store';

/** A place that could hold something, and all its bytes. */
export interface Held {
  place: string;
  bytes: Buffer;
}

const { HistoryEvent } = temporal.api.history.v1;
const { WorkflowExecutionInfo } = temporal.api.workflow.v1;
const { DescribeWorkflowExecutionResponse } = temporal.api.workflowservice.v1;

/**
 * Everything that the engine of an installation holds, as it holds it: the database, and for every
 * run what visibility, `describe` (memo, search attributes, pending work and its last failure) and
 * the history answer. Asked for without a payload converter: nothing is decoded.
 */
export async function everythingHeld(place: Installation): Promise<Held[]> {
  const connection = await Connection.connect({ address: place.server.address });
  try {
    return [...(await filesBelow(join(place.folder, 'server'))), ...(await runsHeld(connection))];
  } finally {
    await connection.close();
  }
}

/** What the same histories say to who holds the keys: shows that there was something to find. */
export async function openedHistories(place: Installation): Promise<Held[]> {
  const client = await place.client();
  const codec = new EncryptionCodec({
    ring: KeyRing.parse(testPayloadKeys),
    namespace: place.namespace,
  });
  const held: Held[] = [];
  for await (const { workflowId, runId } of client.workflow.list()) {
    const { events } = await client.workflow.getHandle(workflowId, runId).fetchHistory();
    const opened = await codec.decode(payloadsOf([{ events: events ?? [] }]));
    const bytes = Buffer.concat(opened.map(({ data }) => Buffer.from(data ?? [])));
    held.push({ place: `history of ${workflowId}`, bytes });
  }
  return held;
}

/** The files of a store, as they lie there. */
export function storedBytes(folder: string): Promise<Held[]> {
  return filesBelow(join(folder, 'data', 'store'));
}

async function filesBelow(root: string): Promise<Held[]> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  const held: Held[] = [];
  for (const entry of entries) {
    const path = join(entry.parentPath, entry.name);
    // The database's journal comes and goes.
    const bytes = entry.isFile() ? await readFile(path).catch(() => null) : null;
    if (bytes !== null) held.push({ place: relative(root, path), bytes });
  }
  return held;
}

async function runsHeld({ workflowService }: Connection): Promise<Held[]> {
  const namespace = 'default';
  const held: Held[] = [];
  let nextPageToken: Uint8Array | undefined;
  do {
    const page = await workflowService.listWorkflowExecutions({
      namespace,
      ...(nextPageToken && { nextPageToken }),
    });
    for (const info of page.executions) {
      const execution = info.execution ?? null;
      const id = execution?.workflowId ?? '';
      held.push({ place: `visibility of ${id}`, bytes: bytesOf(WorkflowExecutionInfo, info) });
      const whole = await workflowService.describeWorkflowExecution({ namespace, execution });
      const bytes = bytesOf(DescribeWorkflowExecutionResponse, whole);
      held.push({ place: `describe of ${id}`, bytes });
      held.push({ place: `history of ${id}`, bytes: await historyOf(workflowService, execution) });
    }
    nextPageToken = page.nextPageToken.length > 0 ? page.nextPageToken : undefined;
  } while (nextPageToken !== undefined);
  return held;
}

async function historyOf(
  workflowService: Connection['workflowService'],
  execution: temporal.api.common.v1.IWorkflowExecution | null,
): Promise<Buffer> {
  const parts: Buffer[] = [];
  let nextPageToken: Uint8Array | undefined;
  do {
    const page = await workflowService.getWorkflowExecutionHistory({
      namespace: 'default',
      execution,
      ...(nextPageToken && { nextPageToken }),
    });
    for (const event of page.history?.events ?? []) parts.push(bytesOf(HistoryEvent, event));
    nextPageToken = page.nextPageToken.length > 0 ? page.nextPageToken : undefined;
  } while (nextPageToken !== undefined);
  return Buffer.concat(parts);
}

function bytesOf<T>(type: { encode(message: T): { finish(): Uint8Array } }, message: T): Buffer {
  return Buffer.from(type.encode(message).finish());
}

/** What must be found nowhere. */
export interface Confidential {
  /** Digits only; found with punctuation too. */
  documents: ReadonlySet<string>;
  names: ReadonlySet<string>;
  tokens: readonly string[];
}

/** One sentence for every place and kind of what was found there; empty when there is nothing. */
export function findings(held: readonly Held[], confidential: Confidential): string[] {
  const found: string[] = [];
  for (const { place, bytes } of held) {
    const text = bytes.toString('latin1');
    const tell = (kind: string, those: readonly string[]): void => {
      if (those.length > 0) found.push(`${place}: ${those.length} ${kind}, ${those[0] ?? ''}`);
    };
    tell('documents', documentsIn(text, confidential.documents));
    tell(
      'names',
      [...confidential.names].filter((name) => text.includes(name)),
    );
    tell(
      'tokens',
      confidential.tokens.filter((token) => text.includes(token)),
    );
  }
  return found;
}

const shapes = [
  /(?=(\d{14}))/g,
  /(?=(\d{11}))/g,
  /(?=(\d{2}\.\d{3}\.\d{3}\/\d{4}-\d{2}))/g,
  /(?=(\d{3}\.\d{3}\.\d{3}-\d{2}))/g,
];

function documentsIn(text: string, documents: ReadonlySet<string>): string[] {
  const found = new Set<string>();
  for (const shape of shapes) {
    for (const [, shown = ''] of text.matchAll(shape)) {
      const bare = shown.replaceAll(/\D/g, '');
      if (documents.has(bare)) found.add(shown);
    }
  }
  return [...found];
}

/**
 * Every text that the store of an installation holds, opened: of each table whatever column is sealed.
 *
 * @param seal opens it
 */
export async function storedTexts(folder: string, seal: Pick<Seal, 'open'>): Promise<Held[]> {
  const named = "SELECT name FROM sqlite_schema WHERE type = 'table'";
  const tables = (await tamperWith(folder, named)) as { name: string }[];
  const held = await Promise.all(tables.map(({ name }) => textsOf(folder, name, seal)));
  return held.flat();
}

async function textsOf(folder: string, table: string, seal: Pick<Seal, 'open'>): Promise<Held[]> {
  const columns = (await tamperWith(folder, `PRAGMA table_info(${table})`)) as {
    name: string;
    type: string;
    pk: number;
  }[];
  const keys = columns.filter(({ pk }) => pk > 0).toSorted((a, b) => a.pk - b.pk);
  const sealed = columns.filter(({ type }) => type === 'BLOB');
  const rows = (await tamperWith(folder, `SELECT * FROM ${table}`)) as Record<string, unknown>[];
  return rows.map((row) => {
    const place = rowName(table, ...keys.map(({ name }) => row[name]));
    const clear = Object.values(row).filter((value) => typeof value === 'string');
    const opened = sealed.flatMap(({ name }) => {
      const body = row[name] as Uint8Array | null;
      return body === null ? [] : [seal.open(sealNameOf(table, place, row), body)];
    });
    return { place, bytes: Buffer.concat([Buffer.from(clear.join('\n')), ...opened]) };
  });
}

/** Sealed for the table and the primary key, but for two. */
function sealNameOf(table: string, place: string, row: Record<string, unknown>): string {
  if (table === 'record') return String(row['key']);
  return table === 'event' ? rowName(table, row['name']) : place;
}
