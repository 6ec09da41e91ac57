import { z } from 'zod';
import { ContractError } from '../http/errors';
import { callTo, type BeforeSend, type HttpCall } from '../http/call';
import { parseJson } from '../http/problem';
import type { Service } from '../http/service';

const wire = z.object({
  id: z.string(),
  status: z.string(),
  lines: z.array(z.string()).optional(),
});

export interface Extract {
  extractId: string;
  status: string;
  answer: object;
}

export class ExtractsApi {
  readonly timeoutMs: number;
  readonly #service: Service;

  constructor(service: Service, timeoutMs: number) {
    this.#service = service;
    this.timeoutMs = timeoutMs;
  }

  create(
    { document, key }: { document: string; key: string },
    signal?: AbortSignal,
    beforeSend?: BeforeSend,
  ): Promise<Extract> {
    const headers = { 'Idempotency-Key': key };
    const call = { ...this.#call('POST', '/extracts'), headers, seenThrough: true };
    return this.#read({ ...call, beforeSend, json: { document } }, 'request', signal);
  }

  read(extractId: string, signal?: AbortSignal): Promise<Extract> {
    return this.#read(this.#call('GET', '/extracts/{id}', extractId), 'poll', signal);
  }

  async #read(
    call: HttpCall,
    priority: 'request' | 'poll',
    signal?: AbortSignal,
  ): Promise<Extract> {
    const { body } = await this.#service.call(call, priority, signal);
    const answer = parseJson(body) as object;
    const found = wire.safeParse(answer);
    if (!found.success) throw new ContractError(call, [{ path: 'id', code: 'unreadable' }]);
    return { extractId: found.data.id, status: found.data.status, answer };
  }

  #call(method: string, pathTemplate: string, id = ''): HttpCall {
    return callTo(method, pathTemplate, { id }, { timeoutMs: this.timeoutMs, maxBytes: 1_000_000 });
  }
}
