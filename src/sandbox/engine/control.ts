/** `/_sandbox`: what a test looks at and turns. Needs no token, is not in the log of requests. */

import type { IncomingMessage, ServerResponse } from 'node:http';
import { z } from 'zod';
import { acknowledgeBody, changesBody, monitorBody } from '../monitors/monitor-control';
import { ScenarioError } from '../scenario';
import { jsonAnswer, writeAnswer } from './answer';
import { problemBody, Refusal } from './problem';
import { readBody, readBodyAs } from './request-body';

/** What the control routes turn; the sandbox itself. */
export interface Controls {
  health(): object;
  state(): object;
  received(): unknown[];
  clearReceived(): void;
  counts(): unknown[];
  scenario(): object;
  replaceScenario(scenario: unknown): void;
  configure(patch: unknown): void;
  clock: { mode: string; isoNow(): string; advance(ms: number): void; set(iso: string): void };
  setToken(token: string, valid: boolean): void;
  credit: {
    state(): object;
    received(): unknown[];
    clearReceived(): void;
    counts(): unknown[];
    setToken(token: string, valid: boolean): void;
  };
  monitors: {
    state(): object;
    changes(): object[];
    received(): unknown[];
    clearReceived(): void;
    counts(): object;
    addChanges(monitorId: string, changes: z.output<typeof changesBody>['changes']): string[];
    acknowledgeElsewhere(body: z.output<typeof acknowledgeBody>): object;
    set(body: z.output<typeof monitorBody>): object;
  };
  reset(): void;
}

export const controlPrefix = '/_sandbox/';

const clockBody = z.union(
  [z.strictObject({ advanceMs: z.number().min(0) }), z.strictObject({ set: z.iso.datetime() })],
  { error: 'expected {"advanceMs": milliseconds} or {"set": "an ISO 8601 instant"}' },
);
const tokenBody = z.strictObject({ token: z.string().min(1), valid: z.boolean() });

interface ControlBody {
  as<Shape extends z.ZodType>(schema: Shape): z.output<Shape>;
}

export function createControl(controls: Controls) {
  const done = { ok: true };
  const clock = () => ({ mode: controls.clock.mode, now: controls.clock.isoNow() });
  const routes: Record<string, (body: ControlBody) => object> = {
    'GET health': () => controls.health(),
    'GET state': () => controls.state(),
    'GET received': () => controls.received(),
    'DELETE received': () => {
      controls.clearReceived();
      return done;
    },
    'GET counts': () => controls.counts(),
    'GET scenario': () => controls.scenario(),
    'PUT scenario': (body) => {
      controls.replaceScenario(body.as(z.unknown()));
      return controls.scenario();
    },
    'PATCH scenario': (body) => {
      controls.configure(body.as(z.unknown()));
      return controls.scenario();
    },
    'GET clock': clock,
    'POST clock': (body) => {
      const move = body.as(clockBody);
      if ('set' in move) controls.clock.set(move.set);
      else controls.clock.advance(move.advanceMs);
      return clock();
    },
    'PUT token': (body) => {
      const { token, valid } = body.as(tokenBody);
      controls.setToken(token, valid);
      return done;
    },
    'GET credit/state': () => controls.credit.state(),
    'GET credit/received': () => controls.credit.received(),
    'DELETE credit/received': () => {
      controls.credit.clearReceived();
      return done;
    },
    'GET credit/counts': () => controls.credit.counts(),
    'PUT credit/token': (body) => {
      const { token, valid } = body.as(tokenBody);
      controls.credit.setToken(token, valid);
      return done;
    },
    'GET monitors/state': () => controls.monitors.state(),
    'PUT monitors/state': (body) => controls.monitors.set(body.as(monitorBody)),
    'GET monitors/changes': () => controls.monitors.changes(),
    'POST monitors/changes': (body) => {
      const { monitorId, changes } = body.as(changesBody);
      return { added: controls.monitors.addChanges(monitorId, changes) };
    },
    'POST monitors/acknowledge': (body) =>
      controls.monitors.acknowledgeElsewhere(body.as(acknowledgeBody)),
    'GET monitors/received': () => controls.monitors.received(),
    'DELETE monitors/received': () => {
      controls.monitors.clearReceived();
      return done;
    },
    'GET monitors/counts': () => controls.monitors.counts(),
    'POST reset': () => {
      controls.reset();
      return done;
    },
  };

  /** @throws Refusal */
  function run(request: { method: string; path: string; contentType: string; body: Buffer }) {
    const name = request.path.slice(controlPrefix.length);
    const route = routes[`${request.method} ${name}`];
    if (route === undefined) {
      const known = Object.keys(routes).join(', ');
      throw new Refusal(404, 'unknown_route', `No such control; there are: ${known}.`);
    }
    try {
      return route({ as: (schema) => readBodyAs(schema, request) });
    } catch (error) {
      if (error instanceof ScenarioError) {
        throw new Refusal(400, 'invalid_scenario', error.message);
      }
      throw error;
    }
  }

  return async function serveControl(
    incoming: IncomingMessage,
    response: ServerResponse,
    path: string,
  ): Promise<void> {
    const body = await readBody(incoming);
    if (body === 'aborted') return;
    try {
      if (body === 'too_large') {
        throw new Refusal(413, 'body_too_large', 'The body is larger than 1 MiB.');
      }
      const method = incoming.method ?? '';
      const contentType = incoming.headers['content-type'] ?? '';
      writeAnswer(response, jsonAnswer(200, run({ method, path, contentType, body })));
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      const problem = problemBody(error, 'req_control', path);
      writeAnswer(response, jsonAnswer(error.status, problem, error.headers));
    }
  };
}
