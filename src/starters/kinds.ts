import type { JobKind as KindName } from '../domain/job';
import type { JobKind } from './jobs/job-kind';

/** Every kind of job that commands know, and the module that is loaded for it. A new one is a line here. */
const families: readonly (readonly [kinds: string, module: string])[] = [
  ['certificate certificate-batch decision', './certificates/kind'],
  ['credit-analysis credit-batch', './credit/kind'],
  ['dossier dossier-batch', './dossiers/kind'],
  ['investigation investigation-batch', './investigations/kind'],
  ['lens', './lens/kind'],
  ['monitor-sweep monitor-scan', './monitors/kind'],
  ['profile profile-batch', './profiles/kind'],
  ['trace trace-batch', './traces/kind'],
];

export function kindOf(name: KindName): JobKind {
  const [, module] = families.find(([kinds]) => kinds.split(' ').includes(name)) ?? [];
  const made = module === undefined ? {} : (require(module) as Record<string, JobKind>);
  const found = Object.values(made).find(({ kind }) => kind === name);
  if (found === undefined) throw new RangeError(`jobs of kind ${name} are not registered`);
  return found;
}
