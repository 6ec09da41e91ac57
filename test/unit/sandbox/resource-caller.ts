/** Calls about dossiers, searches, analyses and profiles, as a stranger to the product makes them. */

import { createHash } from 'node:crypto';
import type { ScenarioPatch } from '../../../src/sandbox';
import { startManualSandbox, type CallOptions, type Reply } from './raw-caller';

/** One second in the queue, two of work. */
export const steady = {
  waitingMs: [1000, 1000] as [number, number],
  processingMs: [2000, 2000] as [number, number],
};
export const untilSettledMs = 3000;

export const sha256Of = (bytes: Buffer | string) =>
  createHash('sha256').update(bytes).digest('hex');

export async function startResourceCaller(scenario: ScenarioPatch = {}) {
  const caller = await startManualSandbox();
  const { sandbox } = caller;
  sandbox.configure({
    dossiers: { timing: steady },
    traces: { timing: steady },
    lens: { timing: steady },
  });
  sandbox.configure(scenario);

  const bearer = { authorization: 'Bearer sandbox-token' };

  /** With the token as a header, and a key where one is given. */
  const call = (
    method: string,
    path: string,
    { key, headers, ...more }: CallOptions & { key?: string } = {},
  ): Promise<Reply> => {
    const keyed = key === undefined ? {} : { 'idempotency-key': key };
    return caller.call(method, path, {
      token: null,
      headers: { ...bearer, ...keyed, ...headers },
      ...more,
    });
  };

  return {
    sandbox,
    call,
    /** Without the token, as any control route. */
    control: (method: string, name: string, body?: unknown) =>
      caller.call(method, `/_sandbox/${name}`, body === undefined ? {} : { body }),
    /** An address that the service gave, with these headers alone. */
    follow: (method: string, url: string, headers: Record<string, string> = {}, body?: Buffer) =>
      fetch(url, { method, headers, body: body ?? null, redirect: 'manual' }),
    close: () => caller.close(),
  };
}

export type ResourceCaller = Awaited<ReturnType<typeof startResourceCaller>>;
