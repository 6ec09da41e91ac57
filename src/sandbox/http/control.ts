/** `/_sandbox`: what a test looks at and turns. Needs no token, is not in the log of requests. */

import type { IncomingMessage, ServerResponse } from 'node:http';
import { z } from 'zod';
import { ScenarioError } from '../core/scenario-parts';
import { jsonAnswer, problem, Refusal } from './answer';
import { readBody, readBodyAs } from './request';

export const controlPrefix = '/_sandbox/';

interface ControlBody {
  as<Shape extends z.ZodType>(schema: Shape): z.output<Shape>;
}

/** By method and path below `/_sandbox/`; without a value: `{"ok": true}`. */
export type ControlRoutes = Record<string, (body: ControlBody) => object | void>;

/** What can be looked at of each resource. */
interface ResourceControls {
  state?: () => object;
  received: () => unknown[];
  clearReceived: () => void;
  counts: () => object;
  setToken?: (token: string, valid: boolean) => void;
  /** What it has besides. */
  controls?: ControlRoutes;
}

const tokenBody = z.strictObject({ token: z.string().min(1), valid: z.boolean() });

function routesOf(resource: ResourceControls): ControlRoutes {
  const { clearReceived, counts, received, setToken, state } = resource;
  return {
    ...(state && { 'GET state': state }),
    'GET received': received,
    'DELETE received': clearReceived,
    'GET counts': counts,
    ...(setToken && {
      'PUT token': (body: ControlBody) => {
        const { token, valid } = body.as(tokenBody);
        setToken(token, valid);
      },
    }),
    ...resource.controls,
  };
}

/**
 * @param own routes of the sandbox itself
 * @param resources by the name below which their routes stand; those of '' have none
 */
export function createControl(own: ControlRoutes, resources: Record<string, ResourceControls>) {
  const routes = { ...own };
  for (const [name, resource] of Object.entries(resources)) {
    for (const [route, serve] of Object.entries(routesOf(resource))) {
      routes[name === '' ? route : route.replace(' ', ` ${name}/`)] = serve;
    }
  }

  function answer({ headers, method }: IncomingMessage, body: Buffer, path: string) {
    const route = routes[`${method} ${path.slice(controlPrefix.length)}`];
    if (route === undefined) {
      const known = Object.keys(routes).join(', ');
      throw new Refusal(404, 'unknown_route', `No such control; there are: ${known}.`);
    }
    const contentType = headers['content-type'] ?? '';
    const read: ControlBody = { as: (schema) => readBodyAs(schema, { contentType, body }) };
    return jsonAnswer(200, route(read) ?? { ok: true });
  }

  function refusal(error: unknown, path: string) {
    const occasion = { requestId: 'req_control', instance: path };
    if (error instanceof Refusal) return problem(error, occasion);
    if (!(error instanceof ScenarioError)) throw error;
    return problem(new Refusal(400, 'invalid_scenario', error.message), occasion);
  }

  return async (incoming: IncomingMessage, response: ServerResponse, path: string) => {
    const answered = await readBody(incoming)
      .then((body) => (body === 'aborted' ? null : answer(incoming, body, path)))
      .catch((error: unknown) => refusal(error, path));
    if (answered !== null) response.writeHead(answered.status, answered.headers).end(answered.body);
  };
}
