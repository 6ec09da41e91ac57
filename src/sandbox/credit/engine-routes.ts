/** Calls about engines, and the one for the published specification. */

import { createHash } from 'node:crypto';
import type { Answer } from '../http/answer';
import { Refusal } from '../http/refusal';
import { readBodyAs } from '../http/request-body';
import { uuidIn } from '../http/router';
import type { PreparedCall, Request, Route } from '../http/service';
import { without } from '../http/spoilt-answer';
import type { CreditNames } from './credit-names';
import type { CreditStage } from './credit-scenario';
import { engineChange, engineCreation, engineOnWire, type EngineShelf } from './engines';
import { openApiDocument } from './openapi-document';

const call = (act: PreparedCall['act']): PreparedCall => ({ subject: '', id: null, act });

/** @param prefix path below which the routes stand */
export function engineRoutes(
  prefix: string,
  names: CreditNames,
  engines: EngineShelf,
): Route<CreditStage>[] {
  function prepareList(): PreparedCall {
    return call(() => {
      const list = engines.all().map((engine) => without(engineOnWire(engine), 'rules'));
      return {
        status: 200,
        json: names.engineList === 'bare' ? list : { [names.engineList]: list },
      };
    });
  }

  function prepareCreation(request: Request): PreparedCall {
    const draft = engines.draft(readBodyAs(engineCreation, request));
    return call(() => ({ status: 201, json: engineOnWire(engines.add(draft)) }));
  }

  function prepareRead({ params }: Request): PreparedCall {
    const engine = engines.get(uuidIn(params, 'id'));
    return call(() => ({ status: 200, json: engineOnWire(engine) }));
  }

  function prepareChange(request: Request): PreparedCall {
    const id = uuidIn(request.params, 'id');
    const changed = engines.changed(id, readBodyAs(engineChange, request));
    return call(() => {
      engines.put(changed);
      return { status: 200, json: engineOnWire(changed) };
    });
  }

  function prepareRemoval({ params }: Request): PreparedCall {
    const { id } = engines.own(uuidIn(params, 'id'));
    return call(() => {
      engines.remove(id);
      return { status: 204 };
    });
  }

  const all = `${prefix}/engines`;
  const one = `${prefix}/engines/:id`;
  return [
    { method: 'GET', path: all, stage: 'engine_list', prepare: prepareList },
    { method: 'POST', path: all, stage: 'engine_create', prepare: prepareCreation },
    { method: 'GET', path: one, stage: 'engine_read', prepare: prepareRead },
    { method: 'PUT', path: one, stage: 'engine_update', prepare: prepareChange },
    { method: 'DELETE', path: one, stage: 'engine_delete', prepare: prepareRemoval },
  ];
}

/** The only call that needs no token. */
export function specificationRoute(
  basePath: string,
  prefix: string,
  names: CreditNames,
): Route<CreditStage> {
  const json = openApiDocument(names, basePath);
  const text = JSON.stringify(json);
  const sum = createHash('sha256').update(text).digest('hex');
  const headers = { etag: `"${sum.slice(0, 32)}"`, 'cache-control': 'no-cache' };

  function prepare({ headers: asked }: Request): PreparedCall {
    if (names.document === 'none') {
      throw new Refusal(404, 'not_found', 'There is no specification.');
    }
    return call((trouble): Answer => {
      if (asked['if-none-match'] === headers.etag) return { status: 304, headers };
      const isExtended = trouble?.kind === 'extra_fields';
      // In pieces: extra fields within a schema would be fields of what it describes.
      const told = isExtended ? JSON.stringify({ ...json, 'x-campo-novo': true }) : text;
      return { status: 200, headers, pieces: [told] };
    });
  }

  return {
    method: 'GET',
    path: `${prefix}/openapi.json`,
    stage: 'specification',
    auth: 'open',
    prepare,
  };
}
