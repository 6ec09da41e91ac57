/** Calls the sandbox over real sockets, as a stranger would: nothing of the product's own client. */

import { Agent, request } from 'undici';
import { startSandbox, type Sandbox, type SandboxOptions } from '../../../src/sandbox';

export interface Reply {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  bytes: Buffer;
  /** The body as JSON, undefined when it is none. */
  json: Record<string, unknown>;
}

export interface CallOptions {
  /** null: no token at all. */
  token?: string | null;
  body?: unknown;
  headers?: Record<string, string>;
  signal?: AbortSignal;
}

export const company = '11222333000181';
export const person = '52998224725';

/** One second in the queue, two at the source. */
export const steadyIssuance = {
  waitingMs: [1000, 1000] as [number, number],
  processingMs: [2000, 2000] as [number, number],
};
export const untilSettledMs = 3000;

export async function startManualSandbox(options: SandboxOptions = {}) {
  const scenario = { issuance: steadyIssuance, ...options.scenario };
  const sandbox = await startSandbox({ clock: 'manual', ...options, scenario });
  const agent = new Agent({ connections: 20 });

  async function call(method: string, path: string, withWhat: CallOptions = {}): Promise<Reply> {
    const url = new URL(path, sandbox.origin);
    const { token = 'sandbox-token', body, headers, signal = null } = withWhat;
    if (token !== null && !path.startsWith('/_sandbox')) url.searchParams.set('token', token);
    const reply = await request(url, {
      method: method as 'GET',
      dispatcher: agent,
      headers: {
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      body: body === undefined || typeof body === 'string' ? (body ?? null) : JSON.stringify(body),
      signal,
    });
    const bytes = Buffer.from(await reply.body.arrayBuffer());
    return { status: reply.statusCode, headers: reply.headers, bytes, json: asJson(bytes) };
  }

  const poll = (certidaoId: string) => call('GET', `/api/v1/certidoes/${certidaoId}`);
  const pdf = (certidaoId: string) => call('GET', `/api/v1/certidoes/${certidaoId}/pdf`);
  const order = (documento: string, withWhat: CallOptions = {}) =>
    call('POST', '/api/v1/certidoes/trabalhista', { body: { documento }, ...withWhat });

  return {
    sandbox,
    call,
    order,
    poll,
    pdf,

    orderId: async (documento: string) => String((await order(documento)).json['certidao_id']),

    /** Orders a certificate and moves the clock until it has settled. */
    async settled(documento: string): Promise<string> {
      const { certidao_id: certidaoId } = (await order(documento)).json;
      sandbox.clock.advance(untilSettledMs);
      return String(certidaoId);
    },

    async close(): Promise<void> {
      await sandbox.close();
      await agent.close();
    },
  };
}

export type RawCaller = Awaited<ReturnType<typeof startManualSandbox>>;

/** The code of the error that a call ends with. */
export async function errorCodeOf(call: Promise<unknown>): Promise<string> {
  try {
    await call;
  } catch (error) {
    return String((error as { code?: unknown }).code);
  }
  throw new Error('the call was answered');
}

/** Resolves once the sandbox has seen so many requests. */
export async function untilReceived(sandbox: Sandbox, requests: number): Promise<void> {
  const deadline = Date.now() + 5000;
  while (sandbox.received().length < requests) {
    if (Date.now() > deadline) throw new Error(`the sandbox never received ${requests} requests`);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

function asJson(bytes: Buffer): Record<string, unknown> {
  try {
    return JSON.parse(bytes.toString('utf8')) as Record<string, unknown>;
  } catch {
    return undefined as unknown as Record<string, unknown>;
  }
}
