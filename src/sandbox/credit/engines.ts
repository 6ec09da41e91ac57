/** Rule engines: the routes' work on what is held. Two engines may have one name. */

import { z } from 'zod';
import { seededUuid } from '../core/chance';
import type { JsonObject } from '../http/answer';
import { Refusal, sandboxFull } from '../http/refusal';
import {
  ruleIds,
  ruleSettings,
  standardRules,
  withSettings,
  type RuleSet,
  type RuleSettings,
} from './rules';

export interface Engine {
  id: string;
  name: string;
  description: string | null;
  isTemplate: boolean;
  rules: RuleSet;
}

/** Characters as people count them, not UTF-16 units. */
const atMost = (limit: number) =>
  z
    .string()
    .refine((text) => Array.from(text).length <= limit, `expected at most ${limit} characters`);
const name = atMost(100).min(1, 'expected at least 1 character');
const description = atMost(500).nullable();

export const engineCreation = z
  .strictObject({
    name,
    description: description.optional(),
    rules: ruleSettings.optional(),
    cloneFrom: z.uuid('expected a uuid').optional(),
  })
  .refine(
    (body) => body.rules !== undefined || body.cloneFrom !== undefined,
    'expected rules, or cloneFrom',
  );
export const engineChange = z.strictObject({
  name: name.optional(),
  description: description.optional(),
  rules: ruleSettings.optional(),
});

const templates: readonly Omit<Engine, 'id' | 'isTemplate'>[] = [
  {
    name: 'Padrao',
    description: 'Todas as regras, limites usuais.',
    rules: standardRules,
  },
  {
    name: 'Conservador',
    description: 'Alertas bloqueiam.',
    rules: withSettings(standardRules, {
      vencimento_proximo: { severity: 'blocking', threshold: 10 },
      concentracao_sacado: { severity: 'blocking', threshold: 30 },
      nfe_ausente: { severity: 'blocking' },
      documento_invalido: { severity: 'blocking' },
    }),
  },
  {
    name: 'Sem NF-e',
    description: null,
    rules: withSettings(
      standardRules,
      Object.fromEntries(
        ruleIds.filter((id) => id.startsWith('nfe_')).map((id) => [id, { enabled: false }]),
      ),
    ),
  },
];

export class EngineShelf {
  readonly #seed: number;
  readonly #capacity: number;
  readonly #engines = new Map<string, Engine>();
  #made = 0;

  constructor(seed: number, capacity: number) {
    this.#seed = seed;
    this.#capacity = capacity;
    this.reset();
  }

  all(): Engine[] {
    return [...this.#engines.values()];
  }

  find(id: string): Engine | undefined {
    return this.#engines.get(id);
  }

  /** @throws Refusal 404 */
  get(id: string): Engine {
    const engine = this.#engines.get(id);
    if (engine === undefined) throw new Refusal(404, 'engine_not_found', 'No such engine.');
    return engine;
  }

  /** What would be created. @throws Refusal 422, 507 */
  draft(wish: z.output<typeof engineCreation>): Omit<Engine, 'id'> {
    if (this.#engines.size >= this.#capacity) throw sandboxFull(this.#capacity);
    return {
      name: wish.name,
      description: wish.description ?? null,
      isTemplate: false,
      rules: this.#rulesOf(wish.cloneFrom, wish.rules),
    };
  }

  add(draft: Omit<Engine, 'id'>): Engine {
    this.#made += 1;
    const engine = { id: seededUuid(`${this.#seed}|engine|${this.#made}`), ...draft };
    this.#engines.set(engine.id, engine);
    return engine;
  }

  /** The engine as it would be; `put` makes it so. @throws Refusal 404, 409, 422 */
  changed(id: string, change: z.output<typeof engineChange>): Engine {
    const engine = this.own(id);
    return {
      ...engine,
      name: change.name ?? engine.name,
      description: change.description === undefined ? engine.description : change.description,
      rules: change.rules === undefined ? engine.rules : withSettings({}, change.rules),
    };
  }

  put(engine: Engine): void {
    this.#engines.set(engine.id, engine);
  }

  remove(id: string): void {
    this.#engines.delete(id);
  }

  /** One that may be changed or removed. @throws Refusal 404, 409 */
  own(id: string): Engine {
    const engine = this.get(id);
    if (engine.isTemplate) {
      throw new Refusal(409, 'template_engine', 'A template cannot be changed or removed.');
    }
    return engine;
  }

  reset(): void {
    this.#engines.clear();
    this.#made = 0;
    for (const template of templates) this.add({ ...template, isTemplate: true });
  }

  /** @throws Refusal 422 */
  #rulesOf(cloneFrom: string | undefined, settings: RuleSettings = {}): RuleSet {
    if (cloneFrom === undefined) return withSettings({}, settings);
    const source = this.#engines.get(cloneFrom);
    if (source === undefined) {
      throw new Refusal(422, 'unknown_engine', 'There is no engine with the id of cloneFrom.');
    }
    return withSettings(source.rules, settings);
  }
}

/** An engine as the service shows it. */
export function engineOnWire(engine: Engine): JsonObject {
  const { id, name: title, description: text, isTemplate } = engine;
  const rules = Object.values(engine.rules);
  return {
    id,
    name: title,
    description: text,
    isTemplate,
    ruleCount: rules.length,
    rules: rules.map((each) => ({
      id: each.id,
      name: each.name,
      severity: each.severity,
      enabled: each.enabled,
    })),
  };
}
