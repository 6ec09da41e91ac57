/** Calls about engines. */

import { answerOf, jsonBody, readId, without } from './credit-call';
import { withExtraFields } from '../engine/spoilt-answer';
import type { CreditFaultPlan } from './credit-fault-plan';
import type { OtherStage } from './credit-fault-words';
import type { CreditNames } from './credit-names';
import type { CreditRequest, CreditRoute, PreparedCreditCall } from './credit-service';
import { engineChange, engineCreation, engineOnWire, type EngineShelf } from './engines';

export interface EngineParts {
  /** Path below which the routes stand. */
  prefix: string;
  names: CreditNames;
  faults: CreditFaultPlan;
  engines: EngineShelf;
}

export function engineRoutes({ prefix, names, faults, engines }: EngineParts): CreditRoute[] {
  function engineCall(stage: OtherStage, act: PreparedCreditCall['act']): PreparedCreditCall {
    return { trouble: () => faults.nextOf(stage), act };
  }

  async function prepareEngineList(): Promise<PreparedCreditCall> {
    return engineCall('engine_list', (trouble) => {
      const list = engines.all().map((engine) => without(engineOnWire(engine), 'rules'));
      const told = trouble?.kind === 'extra_fields' ? list.map(withExtraFields) : list;
      const json = names.engineList === 'bare' ? told : { [names.engineList]: told };
      return { status: 200, body: { json } };
    });
  }

  async function prepareEngineCreation(request: CreditRequest) {
    const wish = await jsonBody(request, engineCreation);
    if (wish === 'aborted') return wish;
    const draft = engines.draft(wish);
    return engineCall('engine_create', (trouble) => {
      const json = engineOnWire(engines.add(draft));
      return answerOf(201, without(json, trouble?.kind === 'missing_id' ? 'id' : null), trouble);
    });
  }

  async function prepareEngineRead({ params }: CreditRequest): Promise<PreparedCreditCall> {
    const engine = engines.get(readId(params));
    return engineCall('engine_read', (trouble) => answerOf(200, engineOnWire(engine), trouble));
  }

  async function prepareEngineChange(request: CreditRequest) {
    const id = readId(request.params);
    const change = await jsonBody(request, engineChange);
    if (change === 'aborted') return change;
    const changed = engines.changed(id, change);
    return engineCall('engine_update', (trouble) => {
      engines.put(changed);
      return answerOf(200, engineOnWire(changed), trouble);
    });
  }

  async function prepareEngineRemoval({ params }: CreditRequest): Promise<PreparedCreditCall> {
    const { id } = engines.own(readId(params));
    return engineCall('engine_delete', () => {
      engines.remove(id);
      return { status: 204, body: null };
    });
  }

  const all = `${prefix}/engines`;
  const one = `${prefix}/engines/:id`;
  return [
    { method: 'GET', path: all, query: [], prepare: prepareEngineList },
    { method: 'POST', path: all, query: [], prepare: prepareEngineCreation },
    { method: 'GET', path: one, query: [], prepare: prepareEngineRead },
    { method: 'PUT', path: one, query: [], prepare: prepareEngineChange },
    { method: 'DELETE', path: one, query: [], prepare: prepareEngineRemoval },
  ];
}
