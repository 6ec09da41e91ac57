import { profileFromWire } from '../../../src/apis/investigation/profile.wire';
import type { ProfileOutcome } from '../../../src/domain/profiles/lookup';
import { profileSections } from '../../../src/domain/profiles/sections';
import { profileHtml } from '../../../src/report/profile-html';
import {
  personProfile,
  propertyRow,
  ruralOfPerson,
  vehicleRow,
} from '../../support/profile-answers';

const cpf = '52998224725';

function pageOf(fields: object = {}, outcome: Partial<ProfileOutcome> = {}): string {
  const answer = { ...personProfile(), ...fields };
  const call = { method: 'GET', pathTemplate: '/x' };
  const read = profileFromWire(call, Buffer.from(JSON.stringify(answer)));
  if (read.kind !== 'profile') throw new Error(read.kind);
  return profileHtml({
    cpf,
    profile: read.profile,
    sections: profileSections(answer),
    outcome: {
      workId: 'profile/a/1',
      status: 'found',
      rural: 'told',
      counts: null,
      sha256: 'ab'.repeat(32),
      call: 1,
      answered: 1,
      error: null,
      startedAt: '2026-01-05T12:00:00Z',
      settledAt: '2026-01-05T12:00:01Z',
      ...outcome,
    },
    writtenAt: 0,
  });
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

const textOf = (page: string) =>
  page.replaceAll(/<style>[\s\S]*<\/style>|<[^>]+>/g, ' ').replaceAll(/\s+/g, ' ');

test('sums values exactly, and says how many have none', () => {
  const worth = (valor_venal: number | undefined) => ({ ...propertyRow, valor_venal });
  const text = textOf(pageOf({ imoveis: [worth(0.1), worth(0.2), worth(undefined)] }));
  expect(text).toContain('R$0.30');
  expect(text).toContain('1 without a value');
});

test('the CPF is masked, and nothing is loaded', () => {
  const page = pageOf();
  expect(page).toContain('***.982.247-**');
  expect(page).not.toMatch(/52998224725|529\.982\.247-25|src=|href=/);
});

test('what came from the service is escaped', () => {
  const page = pageOf({ veiculos: [{ ...vehicleRow, modelo: '<img onerror=x>' }] });
  expect(page).toContain('&lt;img onerror=x&gt;');
  expect(page).not.toContain('<img');
});

test('a section that was not told is another thing than one that is empty', () => {
  expect(textOf(pageOf({ patentes: [] }))).toContain('Patents None.');
  expect(textOf(pageOf({ patentes: undefined }))).toContain(
    'Patents The service did not tell this section.',
  );
});

test('a missing rural part is said, and how to ask for it', () => {
  const text = textOf(pageOf({ rural: null }, { rural: 'failed' }));
  expect(text).toContain('; the rural part is missing.');
  expect(text).toContain('timed out or failed: this page says nothing about rural properties');
  expect(textOf(pageOf())).not.toContain('rural part is missing');
  const of = (outcome: Partial<ProfileOutcome>) => textOf(pageOf({ rural: null }, outcome));
  expect(of({ call: 1, answered: 2 })).not.toContain('both times that it was asked');
  expect(of({ call: 2, answered: 2 })).toContain('both times that it was asked');
});

test.each<[string, object, string]>([
  ['rural lists count', {}, '4 rural entries, rural transports.'],
  ['rural lists alone', { ...empty, rural: ruralOfPerson }, '4 rural entries, rural transports.'],
  ['all told, and empty', empty, 'Nothing was found.'],
  ['a section is not told', { ...empty, veiculos: null }, 'Nothing was found in what was told.'],
  ['a rural list is not told', { ...empty, rural: { tipo: 'PF' } }, 'found in what was told.'],
  ['no rural part', { ...empty, rural: null }, 'in what was told; the rural part is missing.'],
])('the headline tells what was found: %s', (_, fields, told) => {
  const [, headline] = /<p class="headline">([^<]*)/.exec(pageOf(fields)) ?? [];
  expect(headline).toContain(told);
});

test('shows restrictions of vehicles, and counts the vehicles that have some', () => {
  const free = { restricao_1: '', restricao_2: '', restricao_3: '', restricao_4: '' };
  const text = textOf(
    pageOf({
      veiculos: [
        { ...vehicleRow, ...free },
        { ...vehicleRow, ...free, restricao_3: 'ALIENACAO' },
      ],
    }),
  );
  expect(text).toContain('1 with restrictions');
  expect(text).toContain('ALIENACAO');
});

test('shows five hundred rows, and how many more there are', () => {
  const text = textOf(pageOf({ veiculos: Array.from({ length: 503 }, () => vehicleRow) }));
  expect(text).toContain('3 more stand in the sheet.');
});
