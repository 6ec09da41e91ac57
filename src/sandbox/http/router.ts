/** How a request finds its route. */

import { Refusal } from './refusal';

interface Address {
  method: string;
  /** Whole path; a segment `:name` matches anything and lands in `params`. */
  path: string;
}

export class Router<Route extends Address> {
  readonly #routes: readonly { route: Route; segments: readonly string[] }[];

  constructor(routes: readonly Route[]) {
    this.#routes = routes.map((route) => ({ route, segments: route.path.split('/') }));
  }

  /** @throws Refusal 404 `unknown_route` or 405 */
  find(method: string, path: string): { route: Route; params: Record<string, string> } {
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

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** In lower case. @throws Refusal 400 */
export function uuidIn(params: Readonly<Record<string, string>>, name: string): string {
  const id = params[name] ?? '';
  if (!uuid.test(id)) throw new Refusal(400, 'invalid_id', `${name} is no UUID.`);
  return id.toLowerCase();
}

/** @throws Refusal 404 or 405 where the scenario does not serve a route that the document does not show */
export function refuseRoute(presence: 'served' | 'unknown' | 'not_allowed'): void {
  if (presence === 'unknown') {
    throw new Refusal(404, 'unknown_route', 'The sandbox has no such route.');
  }
  if (presence === 'not_allowed') {
    throw new Refusal(405, 'method_not_allowed', 'This is not allowed here.');
  }
}
