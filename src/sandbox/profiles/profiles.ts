/** Profiles: one call that gives all, or says no in one of four ways. */

import { draw } from '../core/chance';
import { isDocument } from '../core/document-digits';
import { createTally } from '../core/tally';
import { profileError, Refusal, type JsonObject } from '../http/answer';
import type { Request } from '../http/request';
import { createService, type PreparedCall, type ResourceParts } from '../http/service';
import { aircraftRow, patentRow, propertyRow, vehicleRow, type RowMaker } from './asset-rows';
import { profileRoles, type PersonScript, type ProfileStage } from './profile-scenario';
import { ruralOf } from './rural';

const profilesPath = '/api/v1/perfil/patrimonial';

const noCounts = {
  cpf: '',
  /** Calls that arrived for it, whatever came of them. */
  requested: 0,
  /** Profiles that the service really drew up: each may be paid for. */
  answered: 0,
};

const ruralTimeoutMs = 5000;

export function createProfiles(parts: ResourceParts) {
  const { seed } = parts;
  const scenario = () => parts.scenario().profiles;
  const tally = createTally(noCounts);

  const scriptOf = (cpf: string) => scenario().people[cpf] ?? scenario().people['*'];

  function prepareLookup({ params }: Request): PreparedCall {
    const cpf = params['cpf'] ?? '';
    if (!/^\d{11}$/.test(cpf)) throw new Refusal(400, 'validation', 'cpf: expected 11 digits.');
    const line = tally.of(cpf, { cpf });
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
      act: () => {
        line.answered += 1;
        const maker = { seed, cpf, odd: scenario().oddRows };
        return { status: 200, json: profileOf(maker, script, line.answered) };
      },
    };
  }

  const path = `${profilesPath}/cpf/:cpf`;
  const service = createService<ProfileStage>({
    ...parts,
    name: 'profile',
    paths: [profilesPath],
    roles: profileRoles,
    section: scenario,
    refusal: profileError,
    scriptOf: ({ subject }) => scriptOf(subject),
    routes: () => [['GET', path, 'lookup', prepareLookup]],
  });

  return { ...service, counts: () => ({ calls: service.calls(), items: tally.all() }) };
}

/** @param answered which answer for this CPF, from 1 */
function profileOf(
  maker: RowMaker,
  script: PersonScript | undefined,
  answered: number,
): JsonObject {
  const { cpf, seed } = maker;
  const rows = (
    kind: 'vehicles' | 'properties' | 'planes' | 'drones' | 'patents',
    most: number,
    make: (index: number) => JsonObject,
  ) => {
    const drawn = Math.floor(draw(seed, 'profile', cpf, kind) * (most + 1));
    const length = script?.[kind] ?? (script?.answer === 'empty' ? 0 : drawn);
    return Array.from({ length }, (_, index) => make(index));
  };
  return {
    veiculos: rows('vehicles', 4, (index) => vehicleRow(maker, index)),
    imoveis: rows('properties', 3, (index) => propertyRow(maker, index)),
    aeronaves: {
      avioes: rows('planes', 1, (index) => aircraftRow(maker, index, 'plane')),
      drones: rows('drones', 1, (index) => aircraftRow(maker, index, 'drone')),
    },
    patentes: rows('patents', 1, (index) => patentRow(maker, index)),
    rural: ruralOf(maker, ruralForm(script, answered)),
    ...script?.profile,
  };
}

function ruralForm(script: PersonScript | undefined, answered: number) {
  if ((script?.ruralMs ?? 0) > ruralTimeoutMs) return 'null';
  const forms = script?.rural ?? [];
  return forms[answered - 1] ?? forms.at(-1) ?? 'person';
}
