/** What the sandbox does: a JSON file that a person can read and write. */

import { z } from 'zod';
import { certificateFields } from './certificates/certificate-scenario';
import { readAs, ScenarioError, section } from './core/scenario-parts';
import { creditSection } from './credit/credit-scenario';
import { dossierSection } from './dossiers/dossier-scenario';
import { lensSection } from './lens/lens-scenario';
import { monitorSection } from './monitors/monitor-scenario';
import { profileSection } from './profiles/profile-scenario';
import { traceSection } from './traces/trace-scenario';

/** Sections that are merged part by part. */
const sections = {
  credit: creditSection.prefault({}),
  monitors: monitorSection.prefault({}),
  dossiers: dossierSection.prefault({}),
  traces: traceSection.prefault({}),
  lens: lensSection.prefault({}),
  profiles: profileSection.prefault({}),
};
type SectionName = keyof typeof sections;

const scenarioSchema = section({
  description: z.string().optional(),
  ...certificateFields,
  ...sections,
});

export type Scenario = z.output<typeof scenarioSchema>;
export type ScenarioInput = z.input<typeof scenarioSchema>;

/** What is scripted by name: null drops a name. */
type Part<Input> = Input extends undefined
  ? Input
  : string extends keyof Input
    ? { [Name in keyof Input]: Input[Name] | null }
    : Input;
type Parts<Input> = { [Key in keyof Input]?: Part<Input[Key]> };
type Section<Name extends SectionName> = Parts<NonNullable<ScenarioInput[Name]>>;

/** Merged over the scenario in force: its parts by key, and those of a section by key. */
export type ScenarioPatch = Parts<Omit<ScenarioInput, SectionName>> & {
  [Name in SectionName]?: Section<Name> | undefined;
};
export type CreditPatch = Section<'credit'>;
export type MonitorPatch = Section<'monitors'>;

/**
 * Reads a scenario from its JSON text or from an object, and fills in what it leaves out.
 * @param source the name that errors begin with, for instance the file.
 * @throws ScenarioError
 */
export function parseScenario(input: unknown, source = 'scenario'): Scenario {
  const whole = 'the whole scenario';
  let value = input;
  if (typeof input === 'string') {
    try {
      value = JSON.parse(input);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new ScenarioError(source, [{ path: whole, expected: `expected JSON (${reason})` }]);
    }
  }
  return readAs(scenarioSchema, value, source, whole);
}

/** @throws ScenarioError when the merged scenario cannot be used. */
export function patchScenario(current: Scenario, patch: unknown): Scenario {
  const merged = mergeEach(current, patch, (part, partPatch, name) =>
    Object.hasOwn(sections, name)
      ? mergeEach(part, partPatch, mergeByKey)
      : mergeByKey(part, partPatch),
  );
  return parseScenario(merged, 'scenario patch');
}

type Merge = (current: unknown, patch: unknown, name: string) => unknown;

/** What is no object replaces the whole. */
function mergeEach(current: unknown, patch: unknown, merge: Merge): unknown {
  if (!isRecord(current) || !isRecord(patch)) return patch;
  const merged = Object.entries(patch).map(([name, value]) => [
    name,
    merge(current[name], value, name),
  ]);
  return { ...current, ...Object.fromEntries(merged) };
}

function mergeByKey(current: unknown, patch: unknown): unknown {
  if (!isRecord(current) || !isRecord(patch)) return patch;
  const merged = Object.entries({ ...current, ...patch });
  return Object.fromEntries(merged.filter(([, value]) => value !== null));
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
