/** `/_sandbox`: what a test looks at and turns. Needs no token, is not in the log of requests. */

import type { IncomingMessage, ServerResponse } from 'node:http';
import { z } from 'zod';
import type { SandboxClock } from '../core/clock';
import { ScenarioError } from '../core/scenario-parts';
import { jsonAnswer, type RawAnswer } from './answer';
import { problem, Refusal } from './refusal';
import { readBody, readBodyAs } from './request-body';

export const controlPrefix = '/_sandbox/';

interface ControlBody {
  as<Shape extends z.ZodType>(schema: Shape): z.output<Shape>;
}

/** By method and path below `/_sandbox/`. */
export type ControlRoutes = Record<string, (body: ControlBody) => object>;

/** What can be looked at of each resource. */
interface ResourceControls {
  state?: () => object;
  received(): unknown[];
  clearReceived(): void;
  counts(): object;
  setToken?: (token: string, valid: boolean) => void;
  /** What it has besides. */
  controls?: ControlRoutes;
}

/** What the control routes turn; the sandbox itself. */
export interface Controls {
  health(): object;
  scenario(): object;
  replaceScenario(scenario: unknown): void;
  configure(patch: unknown): void;
  clock: SandboxClock;
  reset(): void;
  /** By the name below which their routes stand; those of '' have none. */
  resources: Record<string, ResourceControls>;
}

const clockBody = z.union(
  [z.strictObject({ advanceMs: z.number().min(0) }), z.strictObject({ set: z.iso.datetime() })],
  { error: 'expected {"advanceMs": milliseconds} or {"set": "an ISO 8601 instant"}' },
);
const tokenBody = z.strictObject({ token: z.string().min(1), valid: z.boolean() });
const done = { ok: true };

function routesOf(resource: ResourceControls): ControlRoutes {
  const { setToken, state } = resource;
  return {
    ...(state && { 'GET state': () => state() }),
    'GET received': () => resource.received(),
    'DELETE received': () => {
      resource.clearReceived();
      return done;
    },
    'GET counts': () => resource.counts(),
    ...(setToken && {
      'PUT token': (body: ControlBody) => {
        const { token, valid } = body.as(tokenBody);
        setToken(token, valid);
        return done;
      },
    }),
    ...resource.controls,
  };
}

export function createControl({ resources, ...controls }: Controls) {
  const clock = () => ({ mode: controls.clock.mode, now: controls.clock.isoNow() });
  const routes: ControlRoutes = {
    'GET health': () => controls.health(),
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
    'POST reset': () => {
      controls.reset();
      return done;
    },
  };
  for (const [name, resource] of Object.entries(resources)) {
    for (const [route, serve] of Object.entries(routesOf(resource))) {
      routes[name === '' ? route : route.replace(' ', ` ${name}/`)] = serve;
    }
  }

  async function answer(incoming: IncomingMessage, path: string): Promise<RawAnswer | null> {
    try {
      const body = await readBody(incoming);
      if (body === 'aborted') return null;
      const route = routes[`${incoming.method} ${path.slice(controlPrefix.length)}`];
      if (route === undefined) {
        const known = Object.keys(routes).join(', ');
        throw new Refusal(404, 'unknown_route', `No such control; there are: ${known}.`);
      }
      const contentType = incoming.headers['content-type'] ?? '';
      const read: ControlBody = { as: (schema) => readBodyAs(schema, { contentType, body }) };
      return jsonAnswer(200, route(read));
    } catch (error) {
      const occasion = { requestId: 'req_control', instance: path };
      if (error instanceof ScenarioError) {
        return problem(new Refusal(400, 'invalid_scenario', error.message), occasion);
      }
      if (error instanceof Refusal) return problem(error, occasion);
      throw error;
    }
  }

  return async (incoming: IncomingMessage, response: ServerResponse, path: string) => {
    const answered = await answer(incoming, path);
    if (answered === null) return;
    response.writeHead(answered.status, answered.headers).end(answered.body);
  };
}
