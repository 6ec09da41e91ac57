/** How a request finds its route. */

import { Refusal } from './answer';

interface Address {
  method: string;
  /** Whole path; a segment `:name` matches anything and lands in `params`. */
  path: string;
}

export function createRouter<Route extends Address>(routes: readonly Route[]) {
  const patterns = routes.map((route) => ({
    route,
    pattern: new RegExp(
      `^${route.path.replaceAll('.', '\\.').replaceAll(/:(\w+)/g, '(?<$1>[^/]+)')}$`,
    ),
  }));

  /** @throws Refusal 404 `unknown_route` or 405 */
  return (method: string, path: string): { route: Route; params: Record<string, string> } => {
    const matches = patterns.flatMap(({ route, pattern }) => {
      const match = pattern.exec(path);
      return match === null ? [] : [{ route, params: { ...match.groups } }];
    });
    // A path spelled out in full is never taken for an identifier.
    const spelledOut = matches.filter(({ route }) => route.path === path);
    const candidates = spelledOut.length > 0 ? spelledOut : matches;
    const found = candidates.find(({ route }) => route.method === method);
    if (found !== undefined) return found;
    if (candidates.length === 0) {
      throw new Refusal(404, 'unknown_route', `The sandbox knows no route ${method} ${path}.`);
    }
    const allow = candidates.map(({ route }) => route.method).join(', ');
    const detail = `${method} is not allowed on ${path}.`;
    throw new Refusal(405, 'method_not_allowed', detail, { headers: { allow } });
  };
}
