/** Profiles: one call that gives all, or says no in one of four ways. */

import { draw } from '../chance';
import { isDocument } from '../credit/document-digits';
import type { Answer, JsonObject } from '../engine/answer';
import { Refusal } from '../engine/problem';
import {
  createResourceService,
  profileRefusal,
  type PreparedResourceCall,
  type ResourceRequest,
} from '../engine/resource-service';
import type { ResourceParts } from '../resource-parts';
import { aircraftRow, patentRow, propertyRow, vehicleRow, type RowMaker } from './asset-rows';
import { profileRoles, type PersonScript, type ProfileStage } from './profile-scenario';
import { ruralOf } from './rural';

export const profilesPath = '/api/v1/perfil/patrimonial';

export interface ProfileCounts {
  /** Calls by kind. */
  calls: Record<ProfileStage, number>;
  items: {
    cpf: string;
    /** Calls that arrived for it, whatever came of them. */
    requested: number;
    /** Profiles that the service really drew up: each may be paid for. */
    answered: number;
  }[];
}

const ruralTimeoutMs = 5000;

export function createProfiles(parts: ResourceParts) {
  const { seed } = parts;
  const scenario = () => parts.scenario().profiles;
  const counts = new Map<string, { requested: number; answered: number }>();

  const scriptOf = (cpf: string) => scenario().people[cpf] ?? scenario().people['*'];

  function prepareLookup({ params }: ResourceRequest): PreparedResourceCall {
    const cpf = params['cpf'] ?? '';
    if (!/^\d{11}$/.test(cpf)) throw new Refusal(400, 'validation', 'cpf: expected 11 digits.');
    const line = counts.get(cpf) ?? { requested: 0, answered: 0 };
    counts.set(cpf, line);
    line.requested += 1;
    const script = scriptOf(cpf);
    const answer = script?.answer ?? 'profile';
    if (answer === 'refused') throw new Refusal(400, 'validation', 'cpf: refused.');
    if (answer === 'not_found') throw new Refusal(404, 'not_found', 'Nothing is known.');
    const about = { subject: cpf, id: null };
    if (answer === 'invalid_cpf' || !isDocument(cpf)) {
      return { ...about, act: () => ({ status: 200, json: { erro: 'CPF invalido' } }) };
    }
    return {
      ...about,
      takesMs: Math.min(script?.ruralMs ?? 0, ruralTimeoutMs),
      act: (): Answer => {
        line.answered += 1;
        const maker = { seed, cpf, odd: scenario().oddRows };
        return { status: 200, json: profileOf(maker, script, line.answered) };
      },
    };
  }

  const service = createResourceService<ProfileStage>({
    ...parts,
    name: 'profile',
    roles: profileRoles,
    latencyMs: () => parts.scenario().latencyMs,
    rateLimitPerSecond: () => scenario().rateLimitPerSecond,
    refusal: profileRefusal,
    stepsOf: (_, cpf) => {
      const own = scriptOf(cpf)?.lookup ?? [];
      return own.length > 0 ? own : scenario().calls.lookup;
    },
    background: () => scenario().background,
    routes: [
      {
        method: 'GET',
        path: `${profilesPath}/cpf/:cpf`,
        stage: 'lookup',
        query: [],
        prepare: prepareLookup,
      },
    ],
  });

  return {
    paths: [profilesPath],
    serve: service.serve,
    received: service.received,
    clearReceived: service.clearReceived,
    counts: (): ProfileCounts => ({
      calls: service.calls(),
      items: [...counts].map(([cpf, line]) => ({ cpf, ...line })),
    }),
    patched: (): void => service.restartFaults(),
    reset(): void {
      service.reset();
      counts.clear();
    },
  };
}

/** @param answered which answer for this CPF, from 1 */
function profileOf(
  maker: RowMaker,
  script: PersonScript | undefined,
  answered: number,
): JsonObject {
  const isEmpty = script?.answer === 'empty';
  const rows = (kind: string, given: number | undefined, most: number) => ({
    length: given ?? (isEmpty ? 0 : drawn(maker, kind, most + 1)),
  });
  return {
    veiculos: Array.from(rows('vehicles', script?.vehicles, 4), (_, i) => vehicleRow(maker, i)),
    imoveis: Array.from(rows('properties', script?.properties, 3), (_, i) => propertyRow(maker, i)),
    aeronaves: {
      avioes: Array.from(rows('planes', script?.planes, 1), (_, i) =>
        aircraftRow(maker, i, 'plane'),
      ),
      drones: Array.from(rows('drones', script?.drones, 1), (_, i) =>
        aircraftRow(maker, i, 'drone'),
      ),
    },
    patentes: Array.from(rows('patents', script?.patents, 1), (_, i) => patentRow(maker, i)),
    rural: ruralOf(maker, ruralForm(script, answered)),
    ...script?.profile,
  };
}

function drawn({ cpf, seed }: RowMaker, kind: string, limit: number): number {
  return Math.floor(draw(seed, 'profile', cpf, kind) * limit);
}

function ruralForm(script: PersonScript | undefined, answered: number) {
  if ((script?.ruralMs ?? 0) > ruralTimeoutMs) return 'null';
  const forms = script?.rural ?? [];
  return forms[answered - 1] ?? forms.at(-1) ?? 'person';
}
