import type { ProfileOutcome } from '../../../src/domain/profiles/lookup';
import { findingSection } from '../../../src/domain/core/findings';
import { profileSections } from '../../../src/domain/profiles/sections';
import { findingsHtml } from '../../../src/report/findings/page';
import {
  personProfile,
  propertyRow,
  ruralOfPerson,
  vehicleRow,
} from '../../support/profile-answers';

function textOf(fields: object = {}, outcome: Partial<ProfileOutcome> = {}): string {
  const result = { ...personProfile(), ...fields };
  const sections = profileSections(result).map(({ name, rows }) =>
    findingSection(name, rows, { file: `${name}.csv` }),
  );
  const page = findingsHtml(
    {
      kind: 'profile' as const,
      id: 'profile/a/1',
      subject: '***.982.247-**',
      status: 'found',
      needsAttention: false,
      label: null,
      createdBy: 'ana',
      error: null,
      picture: null,
      createdAt: '2026-01-05T12:00:00Z',
      settledAt: '2026-01-05T12:00:01Z',
      findings: {
        result,
        facts: {},
        sections,
      },
      outcome: {
        call: 1,
        ...outcome,
      },
      cost: [],
      files: [],
      writtenAt: 0,
    },
    'en',
  );
  return page.replaceAll(/<style>[\s\S]*<\/style>|<[^>]+>/g, ' ').replaceAll(/\s+/g, ' ');
}

const noTransports = { total: 0, produtos: [], por_produto: [], por_ano: [], parceiros: [] };
const noRural = {
  propriedades_sncr: [],
  propriedades_cafir: [],
  autorizacoes: [],
  infracoes: [],
  produtor_organico: [],
  transportes: noTransports,
};
const noAircraft = { avioes: [], drones: [] };
const empty = { veiculos: [], imoveis: [], aeronaves: noAircraft, patentes: [], rural: noRural };

test('sums values exactly, and says how many have none', () => {
  const worth = (valor_venal: number | undefined) => ({ ...propertyRow, valor_venal });
  const text = textOf({ imoveis: [worth(0.1), worth(0.2), worth(undefined)] });
  expect(text).toContain('R$0.30, 1 without a value');
});

test('a section that was not told is another thing than one that is empty', () => {
  expect(textOf({ patentes: [] })).toMatch(/Asked for, and nothing there [^.]*Patents/);
  expect(textOf({ patentes: undefined })).toContain(
    'Patents The service did not tell this section.',
  );
});

test('a missing rural part is said, and how to ask for it', () => {
  const text = textOf({ rural: null });
  expect(text).toContain('; the rural part is missing.');
  expect(text).toContain('timed out or failed: this page says nothing about rural properties');
  expect(text).not.toContain('both times that it was asked');
  expect(textOf()).not.toContain('rural part is missing');
  expect(textOf({ rural: null }, { call: 2 })).toContain('both times that it was asked');
});

test.each<[string, object, string | RegExp]>([
  ['rural lists count', {}, /Vehicles: \d+, .*Rural entries: \d+\./],
  ['rural lists alone', { ...empty, rural: ruralOfPerson }, /982.247-\*\* Rural entries: \d+\./],
  ['all told, and empty', empty, 'Nothing was found.'],
  ['a section is not told', { ...empty, veiculos: null }, 'Nothing was found in what was told.'],
  ['no rural part', { ...empty, rural: null }, 'in what was told; the rural part is missing.'],
])('the headline tells what was found: %s', (_, fields, told) => {
  expect(textOf(fields)).toMatch(told);
});

test('shows restrictions of vehicles, and counts the vehicles that have some', () => {
  const free = { restricao_1: '', restricao_2: '', restricao_3: '', restricao_4: '' };
  const text = textOf({
    veiculos: [
      { ...vehicleRow, ...free },
      { ...vehicleRow, ...free, restricao_3: 'ALIENACAO' },
    ],
  });
  expect(text).toContain('1 with restrictions');
  expect(text).toContain('ALIENACAO');
});

test('shows five hundred rows, and how many more there are', () => {
  const text = textOf({ veiculos: Array.from({ length: 503 }, () => vehicleRow) });
  expect(text).toContain('3 more rows: veiculos.csv');
});
