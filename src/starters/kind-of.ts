import type { JobKind as KindName } from '../domain/job';
import * as index from './kinds';
import type { JobKind } from './jobs/job-kind';

export const kinds = Object.values(index) as readonly JobKind[];

export function kindOf(name: KindName): JobKind {
  const found = kinds.find(({ kind }) => kind === name);
  if (found === undefined) throw new RangeError(`jobs of kind ${name} are not registered`);
  return found;
}
