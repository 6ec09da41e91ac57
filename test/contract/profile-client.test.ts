import { Service } from '../../src/apis/http/service';
import { Token } from '../../src/apis/http/token';
import { profileSections } from '../../src/domain/profiles/sections';
import { ProfilesApi } from '../../src/apis/investigation/profile';
import { LoopbackServer, sendJson } from '../support/loopback-server';
import { personProfile, propertyRow, vehicleRow } from '../support/profile-answers';

const cpf = '52998224725';

let server: LoopbackServer;
let service: Service;
let api: ProfilesApi;

beforeEach(async () => {
  server = await LoopbackServer.start((_, response) => sendJson(response, 200, personProfile()));
  service = new Service({
    baseUrl: `${server.origin}/api/v1`,
    token: Token.of('t'),
    ratePerSecond: 10_000,
  });
  api = new ProfilesApi(service);
});
afterEach(async () => {
  await service.close();
  await server.close();
});

const readWith = async (body: unknown) => {
  server.reply = (_, response) => sendJson(response, 200, body);
  return (await api.lookUp(cpf)).read;
};
const sectionsWith = async (fields: object) => {
  const read = await readWith({ ...personProfile(), ...fields });
  if (read.kind !== 'profile') throw new Error(read.kind);
  return new Map(profileSections(read.answer).map(({ name, rows }) => [name, rows]));
};

test('a profile is asked for by its digits, with the token as a bearer', async () => {
  await api.lookUp(cpf);
  expect(server.received).toMatchObject([
    {
      method: 'GET',
      path: `/api/v1/perfil/patrimonial/cpf/${cpf}`,
      headers: { authorization: 'Bearer t' },
    },
  ]);
});

test('every section of a profile reads as it was told', async () => {
  const { veiculos, aeronaves, patentes, rural } = personProfile();
  const sections = await sectionsWith({});
  expect(sections.get('veiculos')).toEqual(veiculos);
  expect(sections.get('patentes')).toEqual(patentes);
  expect(sections.get('imoveis')).toMatchObject([
    {
      valor_venal: propertyRow.valor_venal,
      'localizacao.cidade': propertyRow.localizacao.cidade,
      'proprietario.documento': propertyRow.proprietario.documento,
    },
  ]);
  expect(sections.get('aeronaves_avioes')).toHaveLength(aeronaves.avioes.length);
  expect(sections.get('aeronaves_drones')).toHaveLength(aeronaves.drones.length);
  expect(sections.get('rural_infracoes')).toHaveLength(rural.infracoes.length);
  expect(sections.get('rural_resumo')).toMatchObject([
    { area_total_ha: rural.resumo.area_total_ha },
  ]);
});

test.each(['veiculos', 'imoveis', 'patentes', 'aeronaves'])(
  'a profile without %s has not told them, which is another thing than none',
  async (section) => {
    const name = section === 'aeronaves' ? 'aeronaves_avioes' : section;
    expect((await sectionsWith({ [section]: undefined })).has(name)).toBe(false);
    expect((await sectionsWith({ [section]: 'words' })).has(name)).toBe(false);
    const none = section === 'aeronaves' ? { avioes: [], drones: [] } : [];
    expect((await sectionsWith({ [section]: none })).get(name)).toEqual([]);
  },
);

test('an odd row reads with what it has', async () => {
  const rows = [{ placa: '', ano_modelo: '2019', new_field: 1 }, 'no row', vehicleRow];
  const sections = await sectionsWith({ veiculos: rows });
  expect(sections.get('veiculos')).toMatchObject([
    { placa: '', ano_modelo: '2019', new_field: 1 },
    {},
    { placa: vehicleRow.placa },
  ]);
});

test('rural that is null timed out or failed', async () => {
  const names = [...(await sectionsWith({ rural: null })).keys()];
  expect(names.filter((name) => name.startsWith('rural'))).toEqual([]);
});

test('the rural profile of a company reads as one', async () => {
  const rural = { imoveisRurais: [{ x: 1 }], perfil: { y: 2 } };
  const sections = await sectionsWith({ rural });
  expect(sections.get('rural_imoveis')).toEqual([{ x: 1 }]);
  expect(sections.get('rural_perfil')).toEqual([{ y: 2 }]);
});

test('a 200 with only `erro` finds the CPF invalid', async () => {
  expect(await readWith({ erro: 'CPF inválido' })).toEqual({
    kind: 'invalid',
    message: 'CPF inválido',
  });
});

test('the error body under a 200 is a refusal', async () => {
  const body = { success: false, erro: { codigo: 'NOT_FOUND', mensagem: 'não há' } };
  expect(await readWith(body)).toEqual({ kind: 'refused', code: 'NOT_FOUND', message: 'não há' });
});

test.each([
  [400, 'VALIDATION_ERROR', false],
  [401, 'UNAUTHORIZED', true],
  [404, 'NOT_FOUND', false],
])('%i %s is told by its code', async (status, codigo, meansCredentials) => {
  server.reply = (_, response) =>
    sendJson(response, status, { success: false, erro: { codigo, mensagem: `CPF ${cpf}` } });
  const error = await api.lookUp(cpf).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ name: 'StatusError', status, code: codigo, meansCredentials });
  expect(String(error) + JSON.stringify(error)).not.toContain(cpf);
});

test.each([[{}], [[]], ['text'], [{ erro: { codigo: 'X' } }], [null]])(
  'a 200 that holds %j is no profile',
  async (body) => {
    const answer = Buffer.from(JSON.stringify(body));
    await expect(readWith(body)).rejects.toMatchObject({ name: 'ContractError', answer });
  },
);

test('a call that cannot be put on file before does not leave', async () => {
  const notOnFile = new Error('ENOSPC');
  const lookUp = api.lookUp(cpf, 'interactive', undefined, () => Promise.reject(notOnFile));
  await expect(lookUp).rejects.toBe(notOnFile);
  expect(server.received).toEqual([]);
});
