import { Service } from '../../src/apis/http/service';
import { Token } from '../../src/apis/http/token';
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
const profileWith = async (fields: object) => {
  const read = await readWith({ ...personProfile(), ...fields });
  if (read.kind !== 'profile') throw new Error(read.kind);
  return read.profile;
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
  const { veiculos, imoveis, aeronaves, patentes, rural } = personProfile();
  const profile = await profileWith({});
  expect(profile).toMatchObject({
    planes: aeronaves.avioes,
    drones: aeronaves.drones,
    rural: { kind: 'person', ...rural },
  });
  // Empty text means no value.
  const withNulls = (row: object) =>
    Object.fromEntries(
      Object.entries(row).map(([name, value]) => [name, value === '' ? null : value]),
    );
  expect(profile.vehicles).toEqual(veiculos.map(withNulls));
  expect(profile.patents).toEqual(patentes.map(withNulls));
  expect(profile.properties).toEqual(
    imoveis.map((row) => ({
      ...withNulls(row),
      localizacao: withNulls(row.localizacao),
      proprietario: { tipoDocumento: null, ...withNulls(row.proprietario) },
    })),
  );
});

test.each(['veiculos', 'imoveis', 'patentes', 'aeronaves'])(
  'a profile without %s has not told them, which is another thing than none',
  async (section) => {
    const ours = {
      veiculos: 'vehicles',
      imoveis: 'properties',
      patentes: 'patents',
      aeronaves: 'planes',
    } as const;
    const name = ours[section as keyof typeof ours];
    expect((await profileWith({ [section]: undefined }))[name]).toBeNull();
    expect((await profileWith({ [section]: 'words' }))[name]).toBeNull();
    const none = section === 'aeronaves' ? { avioes: [], drones: [] } : [];
    expect((await profileWith({ [section]: none }))[name]).toEqual([]);
  },
);

test('an odd row reads with what it has', async () => {
  const profile = await profileWith({
    veiculos: [{ placa: '', ano_modelo: '2019', new_field: 1 }, 'no row', vehicleRow],
    imoveis: [{ ...propertyRow, localizacao: null, proprietario: { documento: null } }],
  });
  expect(profile.vehicles).toMatchObject([
    { placa: null, ano_modelo: 2019, renavam: null },
    { placa: null },
    { placa: vehicleRow.placa },
  ]);
  expect(profile.properties).toMatchObject([
    { localizacao: null, proprietario: { nome: null, documento: null, tipoDocumento: null } },
  ]);
});

test('rural that is null timed out or failed', async () => {
  expect((await profileWith({ rural: null })).rural).toBeNull();
});

test('the rural profile of a company reads as one', async () => {
  const rural = { imoveisRurais: [{ x: 1 }], perfil: null };
  expect((await profileWith({ rural })).rural).toEqual({ kind: 'company', ...rural });
  const withPerfil = { imoveisRurais: [], perfil: { x: 1 } };
  expect((await profileWith({ rural: withPerfil })).rural).toEqual({
    kind: 'company',
    ...withPerfil,
  });
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
