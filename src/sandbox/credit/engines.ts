/** Rule engines: the calls about them, and those that are held. Two engines may have one name. */

import { z } from 'zod';
import { seededUuid } from '../core/chance';
import { Refusal, sandboxFull, type JsonObject } from '../http/answer';
import { readBodyAs, uuidIn, type Request } from '../http/request';
import type { PreparedCall, Route } from '../http/service';
import { without } from '../http/corruptions';
import type { CreditNames, CreditStage } from './credit-scenario';
import { ruleIds, ruleSettings, withSettings, type RuleSet, type RuleSettings } from './rules';

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

const change = z.strictObject({
  name: atMost(100).min(1, 'expected at least 1 character').optional(),
  description: atMost(500).nullable().optional(),
  rules: ruleSettings.optional(),
});
const creation = change
  .extend({
    name: change.shape.name.unwrap(),
    cloneFrom: z.uuid('expected a uuid').optional(),
  })
  .refine(
    ({ rules, cloneFrom }) => (rules ?? cloneFrom) !== undefined,
    'expected rules, or cloneFrom',
  );

/** All rules, each with the severity and threshold of its kind but for these settings. */
const allRules = (settings: RuleSettings) =>
  withSettings(withSettings({}, Object.fromEntries(ruleIds.map((id) => [id, {}]))), settings);
const templates = [
  { name: 'Padrao', description: 'Todas as regras, limites usuais.', rules: allRules({}) },
  {
    name: 'Conservador',
    description: 'Alertas bloqueiam.',
    rules: allRules({
      concentracao_sacado: { severity: 'blocking', threshold: 30 },
      nfe_ausente: { severity: 'blocking' },
      documento_invalido: { severity: 'blocking' },
    }),
  },
  {
    name: 'Sem NF-e',
    description: null,
    rules: allRules({ nfe_ausente: { enabled: false }, nfe_nao_encontrada: { enabled: false } }),
  },
];
const capacity = 10_000;

export type Engines = ReturnType<typeof createEngines>;

export function createEngines(seed: number) {
  const held = new Map<string, Engine>();
  let made = 0;

  function add(draft: Omit<Engine, 'id'>): Engine {
    made += 1;
    const engine = { id: seededUuid(`${seed}|engine|${made}`), ...draft };
    held.set(engine.id, engine);
    return engine;
  }

  for (const template of templates) add({ ...template, isTemplate: true });

  /** @throws Refusal 400, 404 */
  function find(request: Request): Engine {
    const engine = held.get(uuidIn(request, 'id'));
    if (engine === undefined) throw new Refusal(404, 'engine_not_found', 'No such engine.');
    return engine;
  }

  /** One that may be changed or removed. @throws Refusal 400, 404, 409 */
  function findOwn(request: Request): Engine {
    const engine = find(request);
    if (engine.isTemplate) {
      throw new Refusal(409, 'template_engine', 'A template cannot be changed or removed.');
    }
    return engine;
  }

  function prepareCreation(request: Request): PreparedCall {
    const { name, description = null, rules = {}, cloneFrom } = readBodyAs(creation, request);
    if (held.size >= capacity) throw sandboxFull(capacity);
    const source = cloneFrom === undefined ? { rules: {} } : held.get(cloneFrom);
    if (source === undefined) {
      throw new Refusal(422, 'unknown_engine', 'There is no engine with the id of cloneFrom.');
    }
    const draft = {
      name,
      description,
      isTemplate: false,
      rules: withSettings(source.rules, rules),
    };
    return call(() => ({ status: 201, json: engineOnWire(add(draft)) }));
  }

  function prepareRead(request: Request): PreparedCall {
    const engine = find(request);
    return call(() => ({ status: 200, json: engineOnWire(engine) }));
  }

  function prepareChange(request: Request): PreparedCall {
    const engine = findOwn(request);
    const { name = engine.name, description, rules } = readBodyAs(change, request);
    const changed: Engine = {
      ...engine,
      name,
      description: description === undefined ? engine.description : description,
      rules: rules === undefined ? engine.rules : withSettings({}, rules),
    };
    return call(() => {
      held.set(engine.id, changed);
      return { status: 200, json: engineOnWire(changed) };
    });
  }

  function prepareRemoval(request: Request): PreparedCall {
    const { id } = findOwn(request);
    return call(() => {
      held.delete(id);
      return { status: 204 };
    });
  }

  return {
    all: (): Engine[] => [...held.values()],
    find: (id: string): Engine | undefined => held.get(id),
    /** @param prefix path below which they stand */
    routes(prefix: string, { engineList }: CreditNames): Route<CreditStage>[] {
      const all = `${prefix}/engines`;
      const one = `${all}/:id`;
      const prepareList = () =>
        call(() => {
          const list = [...held.values()].map((engine) => without(engineOnWire(engine), 'rules'));
          return { status: 200, json: engineList === 'bare' ? list : { [engineList]: list } };
        });
      return [
        ['GET', all, 'engine_list', prepareList],
        ['POST', all, 'engine_create', prepareCreation],
        ['GET', one, 'engine_read', prepareRead],
        ['PUT', one, 'engine_update', prepareChange],
        ['DELETE', one, 'engine_delete', prepareRemoval],
      ];
    },
  };
}

const call = (act: PreparedCall['act']): PreparedCall => ({ subject: '', id: null, act });

/** An engine as the service shows it. */
export function engineOnWire({ rules, ...engine }: Engine): JsonObject {
  const shown = Object.values(rules).map((rule) => without({ ...rule }, 'threshold'));
  return { ...engine, ruleCount: shown.length, rules: shown };
}
