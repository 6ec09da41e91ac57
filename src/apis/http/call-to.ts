import type { HttpCall } from './service';

/** A call to the service, its token in the header; ids fill `{name}` of the path, encoded. */
export function callTo(
  method: string,
  pathTemplate: string,
  ids: Readonly<Record<string, string>>,
  limits: Pick<HttpCall, 'timeoutMs' | 'maxBytes'>,
): HttpCall {
  const path = pathTemplate.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(ids[name] ?? ''),
  );
  return { method, pathTemplate, path, token: 'bearer', ...limits };
}
