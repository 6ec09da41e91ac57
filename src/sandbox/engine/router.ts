/** Routes and how a request finds its own. */

import type { Subject } from '../faults/fault-plan';
import type { CallStage } from '../faults/fault-words';
import type { Answer } from './answer';
import type { AuthScheme } from './credentials';
import { Refusal } from './problem';

export interface ServiceRequest {
  method: string;
  path: string;
  params: Readonly<Record<string, string>>;
  query: URLSearchParams;
  contentType: string;
  body: Buffer;
}

/** A request that was understood: what it is about, and what acting on it does. */
export interface PreparedCall {
  stage: CallStage;
  subject: Subject;
  /** Counts the arrival, whatever comes of it. */
  arrived(): void;
  /** Does what was asked. Never refuses: whatever can be refused was refused in `prepare`. */
  act(): Answer;
}

export interface Route {
  method: string;
  /** Whole path; a segment `:name` matches anything and lands in `params`. */
  path: string;
  auth: AuthScheme;
  /** Query parameters the route knows besides the token. */
  query: readonly string[];
  /** Changes nothing. @throws Refusal */
  prepare(request: ServiceRequest): PreparedCall;
}

/** What finds a route. */
type Address = Pick<Route, 'method' | 'path'>;

export class Router<Found extends Address = Route> {
  readonly #routes: readonly { route: Found; segments: readonly string[] }[];

  constructor(routes: readonly Found[]) {
    this.#routes = routes.map((route) => ({ route, segments: route.path.split('/') }));
  }

  /** @throws Refusal 404 `unknown_route` or 405 */
  find(method: string, path: string): { route: Found; params: Record<string, string> } {
    const segments = path.split('/');
    const matches = this.#routes.flatMap(({ route, segments: pattern }) => {
      const params = match(pattern, segments);
      return params === null ? [] : [{ route, params }];
    });
    // A path spelled out in full is never taken for an identifier.
    const spelledOut = matches.filter(({ route }) => !route.path.includes(':'));
    const candidates = spelledOut.length > 0 ? spelledOut : matches;
    const found = candidates.find(({ route }) => route.method === method);
    if (found !== undefined) return found;
    if (candidates.length === 0) {
      throw new Refusal(404, 'unknown_route', `The sandbox knows no route ${method} ${path}.`);
    }
    const allowed = candidates.map(({ route }) => route.method);
    throw new Refusal(405, 'method_not_allowed', `${method} is not allowed on ${path}.`, {
      headers: { allow: allowed.join(', ') },
    });
  }
}

function match(
  pattern: readonly string[],
  segments: readonly string[],
): Record<string, string> | null {
  if (pattern.length !== segments.length) return null;
  const params: Record<string, string> = {};
  for (const [index, expected] of pattern.entries()) {
    const actual = segments[index] ?? '';
    if (expected.startsWith(':')) {
      if (actual === '') return null;
      params[expected.slice(1)] = actual;
    } else if (expected !== actual) return null;
  }
  return params;
}

/** @throws Refusal 400 */
export function refuseUnknownQuery(route: Route, query: URLSearchParams): void {
  for (const name of query.keys()) {
    const known = route.query.includes(name) || (route.auth === 'query_token' && name === 'token');
    if (!known) {
      throw new Refusal(400, 'unknown_parameter', `Unknown query parameter ${name}.`);
    }
  }
}
