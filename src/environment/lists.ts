import type { ListAssumptions } from '../apis/assumptions';
import { ConfigError } from './variables';

const parameters = ['PAGE_SIZE_PARAM', 'CURSOR_PARAM', 'STATUS_PARAM', 'TYPE_PARAM'] as const;

/** @throws ConfigError as `refuseSameNames` */
export function listNamesOf(found: Record<(typeof parameters)[number], string>): ListAssumptions {
  refuseSameNames(found, parameters);
  return {
    pageSizeParam: found.PAGE_SIZE_PARAM,
    cursorParam: found.CURSOR_PARAM,
    statusParam: found.STATUS_PARAM,
    typeParam: found.TYPE_PARAM,
  };
}

/** @throws ConfigError when two parameters of one call have one name: the second would hide the first */
export function refuseSameNames<Name extends string>(
  found: Record<Name, string>,
  variables: readonly Name[],
): void {
  const taken = new Map<string, string>();
  for (const variable of variables) {
    const other = taken.get(found[variable]);
    if (other !== undefined) {
      throw new ConfigError(variable, `expected another name than ${other} has`);
    }
    taken.set(found[variable], variable);
  }
}
