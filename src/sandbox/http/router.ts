/** How a request finds its route. */

import { Refusal } from './answer';

type Address = readonly [method: string, path: string, ...rest: unknown[]];

export function createRouter<Route extends Address>(routes: readonly Route[]) {
  const patterns = routes.map((route) => {
    const named = route[1].replaceAll('.', '\\.').replaceAll(/:(\w+)/g, '(?<$1>[^/]+)');
    return { route, pattern: new RegExp(`^${named}$`) };
  });

  /** @throws Refusal 404 `unknown_route` or 405 */
  return (method: string, path: string): { route: Route; params: Record<string, string> } => {
    const matches = patterns.flatMap(({ route, pattern }) => {
      const match = pattern.exec(path);
      return match === null ? [] : [{ route, params: { ...match.groups } }];
    });
    // A path spelled out in full is never taken for an identifier.
    const spelledOut = matches.filter(({ route }) => route[1] === path);
    const candidates = spelledOut.length > 0 ? spelledOut : matches;
    const found = candidates.find(({ route }) => route[0] === method);
    if (found !== undefined) return found;
    if (candidates.length === 0)
      throw new Refusal(404, 'unknown_route', `The sandbox knows no route ${method} ${path}.`);
    const allow = candidates.map(({ route }) => route[0]).join(', ');
    const detail = `${method} is not allowed on ${path}.`;
    throw new Refusal(405, 'method_not_allowed', detail, { headers: { allow } });
  };
}
