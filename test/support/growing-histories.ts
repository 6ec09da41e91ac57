import { setTimeout as breathe } from 'node:timers/promises';
import type { Client as GrpcClient } from '@grpc/grpc-js';
import type { Connection } from '@temporalio/client';
import type { History } from '@temporalio/common/lib/proto-utils';
import { temporal } from '@temporalio/proto';
import { Reader } from 'protobufjs/minimal';

const { HistoryEvent } = temporal.api.history.v1;
const { GetWorkflowExecutionHistoryRequest: Request } = temporal.api.workflowservice.v1;
const method = '/temporal.api.workflowservice.v1.WorkflowService/GetWorkflowExecutionHistory';

export type HistoryEvents = NonNullable<History['events']>;

export interface Run {
  workflowId: string;
  runId: string;
}

/**
 * Histories that are read again and again while they grow. The server sends each time all of it; only
 * what has come to it is decoded, which otherwise takes most of the time of a suite.
 */
export class GrowingHistories {
  readonly #connection: Connection;
  readonly #namespace: string;
  readonly #known = new Map<string, HistoryEvents>();

  constructor(connection: Connection, namespace: string) {
    this.#connection = connection;
    this.#namespace = namespace;
  }

  /** All events so far; the same list each time. */
  async of({ workflowId, runId }: Run): Promise<HistoryEvents> {
    const response = await this.#ask({ workflowId, runId });
    const events = this.#known.get(runId) ?? [];
    this.#known.set(runId, events);
    const fields = Reader.create(response);
    let place = 0;
    forEachFirst(fields, fields.len, () => {
      forEachFirst(fields, fields.uint32() + fields.pos, () => {
        const length = fields.uint32();
        const { pos } = fields;
        // Its own bytes: payloads are views of what they were decoded from.
        if (place === events.length)
          events.push(HistoryEvent.decode(Uint8Array.from(response.subarray(pos, pos + length))));
        fields.skip(length);
        place += 1;
      });
    });
    return events;
  }

  /** A run is over. */
  forget({ runId }: Run): void {
    this.#known.delete(runId);
  }

  async #ask(execution: Run): Promise<Uint8Array> {
    const request = Request.encode({ namespace: this.#namespace, execution }).finish();
    const { client } = this.#connection as unknown as { client: GrpcClient };
    const same = (bytes: Buffer): Buffer => bytes;
    for (let triesLeft = 9; ; triesLeft -= 1) {
      try {
        return await new Promise((done, fail) => {
          client.makeUnaryRequest(method, same, same, Buffer.from(request), (error, response) =>
            error === null ? done(response as Buffer) : fail(error),
          );
        });
      } catch (error) {
        if (triesLeft === 0) throw error;
      }
      await breathe(50);
    }
  }
}

/** Of a message up to its end: its field 1, which is repeated or a message; others are passed over. */
function forEachFirst(fields: Reader, end: number, take: () => void): void {
  while (fields.pos < end) {
    const tag = fields.uint32();
    if (tag >>> 3 === 1) take();
    else fields.skipType(tag & 7);
  }
}
