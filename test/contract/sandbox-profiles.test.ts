import type { ScenarioPatch } from '../../src/sandbox';
import { isValidCnpj } from '../../src/domain/core/documents/documents';
import { startResourceCaller, type ResourceCaller } from '../unit/sandbox/resource-caller';

type ProfilePatch = NonNullable<ScenarioPatch['profiles']>;
type Script = NonNullable<NonNullable<ProfilePatch['people']>[string]>;
type Row = Record<string, unknown>;

const cpf = '52998224725';
const words = (text: string) => text.trim().split(/\s+/);

const vehicleWords = words(`
  documento tipo nome_proprietario placa placa_antiga placa_nova renavam chassi marca modelo
  cor combustivel tipo_veiculo especie_veiculo potencia cilindradas quantidade_passageiro
  municipio uf situacao_veiculo restricao_1 restricao_2 restricao_3 restricao_4 nacionalidade
  carroceria tipo_montagem peso_bruto_total cap_maxima_tracao capacidade_carga motor
  caixa_cambio situacao_chassi eixos media_preco
`);
const vehicleNumbers = ['ano_documento', 'ano_fabricacao', 'ano_modelo', 'updated_at'];
const patentWords = words(`
  numero_inpi codigo_interno depositante cgccpfdepositante tipopessoadepositante pais estado
  data_inicio_depositante data_fim_depositante titulo resumo natureza data_deposito
  data_publicacao data_concessao classificacao_ipc despacho_codigo despacho_texto
  despacho_data_rpi inventores procuradores
`);

describe('the profiles of the sandbox', () => {
  let caller: ResourceCaller;
  beforeEach(async () => {
    caller = await startResourceCaller();
  });
  afterEach(() => caller.close());

  const script = (of: Script, more: ProfilePatch = {}) =>
    caller.sandbox.configure({ profiles: { ...more, people: { [cpf]: of } } });
  const lookup = (of = cpf) => caller.call('GET', `/api/v1/perfil/patrimonial/cpf/${of}`);
  const answered = () => caller.sandbox.profiles.counts().items[0];
  const profile = async () => (await lookup()).json as Record<string, Row[]>;

  test('has every field of the document, where rows are not odd', async () => {
    script({ vehicles: 5, properties: 5, planes: 1, drones: 2, patents: 3 }, { oddRows: false });
    const { status, json } = await lookup();
    expect(status).toBe(200);
    expect(Object.keys(json)).toEqual(['veiculos', 'imoveis', 'aeronaves', 'patentes', 'rural']);
    const typed = (names: string[], type: unknown) =>
      Object.fromEntries(names.map((name) => [name, type]));
    for (const vehicle of json['veiculos'] as Row[]) {
      expect(vehicle).toEqual({
        ...typed(vehicleWords, expect.any(String)),
        ...typed(vehicleNumbers, expect.any(Number)),
      });
      expect(vehicle).toMatchObject({ documento: cpf, tipo: 'PF', updated_at: 0 });
      expect(String(vehicle['modelo']).split('/')[0]).toBe(vehicle['marca']);
    }
    for (const property of json['imoveis'] as Row[]) {
      expect(property).toEqual({
        ...typed(['id', 'fonte', 'sql_iptu', 'inscricao', 'tipo_uso'], expect.any(String)),
        ...typed(['area_terreno', 'area_construida', 'ano_construcao'], expect.any(Number)),
        ...typed(['valor_venal', 'valor_iptu'], expect.any(Number)),
        localizacao: typed(
          ['logradouro', 'numero', 'complemento', 'bairro', 'cidade', 'uf', 'cep'],
          expect.any(String),
        ),
        proprietario: { nome: expect.any(String), documento: cpf, tipoDocumento: 'CPF' },
      });
    }
    for (const patent of json['patentes'] as Row[]) {
      expect(patent).toEqual(typed(patentWords, expect.any(String)));
    }
    expect(json['aeronaves']).toMatchObject({ avioes: [{}], drones: [{}, {}] });
  });

  test('has odd rows: empty strings, unknown fields, fields and owners that are missing', async () => {
    script({ vehicles: 60, properties: 60 });
    const { veiculos = [], imoveis = [] } = await profile();
    const some = (rows: Row[], is: (row: Row) => boolean) => rows.filter(is).length;
    expect(some(veiculos, (row) => 'lote_importacao' in row)).toBeGreaterThan(0);
    expect(some(veiculos, (row) => !('media_preco' in row))).toBeGreaterThan(0);
    expect(some(veiculos, (row) => row['nome_proprietario'] === '')).toBeGreaterThan(0);
    expect(some(veiculos, (row) => row['cor'] === '')).toBeGreaterThan(0);
    expect(some(imoveis, (row) => !('ano_construcao' in row))).toBeGreaterThan(0);
    const owners = imoveis.map((row) => row['proprietario'] as Row);
    const nobody = owners.filter(({ documento }) => documento === null);
    expect(nobody.length).toBeGreaterThan(0);
    expect(nobody.some((owner) => 'tipoDocumento' in owner)).toBe(false);
    const companies = owners.filter(({ tipoDocumento }) => tipoDocumento === 'CNPJ');
    expect(companies.length).toBeGreaterThan(0);
    expect(companies.every(({ documento }) => isValidCnpj(String(documento)))).toBe(true);
  });

  test('is the same for the same CPF and seed, and another for another CPF', async () => {
    script({ vehicles: 3 });
    const first = (await lookup()).json;
    caller.sandbox.reset();
    script({ vehicles: 3 });
    expect((await lookup()).json).toEqual(first);
    expect((await lookup('11144477735')).json).not.toEqual(first);
  });

  test('has the rural part in both forms, and null', async () => {
    script({ rural: ['null', 'person', 'company'] });
    expect((await lookup()).json['rural']).toBeNull();
    expect((await lookup()).json['rural']).toMatchObject({
      documento: cpf,
      tipo: 'PF',
      propriedades_sncr: expect.any(Array),
      propriedades_cafir: expect.any(Array),
      transportes: {
        total: expect.any(Number),
        volume_total: expect.any(Number),
        valor_total: expect.any(Number),
        produtos: expect.any(Array),
        por_produto: expect.any(Array),
        por_ano: expect.any(Array),
        parceiros: expect.any(Array),
      },
      autorizacoes: expect.any(Array),
      infracoes: expect.any(Array),
      produtor_organico: expect.any(Array),
      resumo: {
        area_total_ha: expect.any(Number),
        qtd_imoveis_sncr: expect.any(Number),
        qtd_imoveis_cafir: expect.any(Number),
        qtd_infracoes: expect.any(Number),
        valor_total_multas: expect.any(Number),
        qtd_autorizacoes: expect.any(Number),
        qtd_transportes: expect.any(Number),
        estados: expect.any(Array),
      },
    });
    const company = (await lookup()).json['rural'] as Row;
    expect(Object.keys(company)).toEqual(['imoveisRurais', 'perfil']);
    expect(answered()).toEqual({ cpf, requested: 3, answered: 3 });
  });

  test('leaves the rural part out when its query takes longer than five seconds', async () => {
    script({ ruralMs: 20_000 });
    const answer = lookup();
    while (answered()?.answered !== 1) await new Promise(setImmediate);
    caller.sandbox.clock.advance(5_000);
    expect((await answer).json['rural']).toBeNull();
  });

  test('can be empty, and can be laid over', async () => {
    script({ answer: 'empty', profile: { patentes: null } });
    expect((await lookup()).json).toMatchObject({
      veiculos: [],
      imoveis: [],
      aeronaves: { avioes: [], drones: [] },
      patentes: null,
    });
  });

  test.each([
    ['a CPF with wrong check digits', '52998224724', {}, 200, { erro: 'CPF invalido' }],
    [
      'a CPF that the scenario calls invalid',
      cpf,
      { answer: 'invalid_cpf' } as const,
      200,
      { erro: expect.any(String) },
    ],
    [
      'ten digits',
      '5299822472',
      {},
      400,
      { success: false, erro: { codigo: 'VALIDATION_ERROR', mensagem: expect.any(String) } },
    ],
    [
      'a refusal',
      cpf,
      { answer: 'refused' } as const,
      400,
      { success: false, erro: { codigo: 'VALIDATION_ERROR', mensagem: expect.any(String) } },
    ],
    [
      'nobody',
      cpf,
      { answer: 'not_found' } as const,
      404,
      { success: false, erro: { codigo: 'NOT_FOUND', mensagem: expect.any(String) } },
    ],
  ])('%s is answered no', async (_, of, how, status, body) => {
    script(how);
    const reply = await lookup(of);
    expect([reply.status, reply.json]).toEqual([status, body]);
    expect(caller.sandbox.profiles.counts().items.every(({ answered: n }) => n === 0)).toBe(true);
  });

  test('no token, a wrong one and a revoked one are 401 in the body of profiles', async () => {
    const at = `/api/v1/perfil/patrimonial/cpf/${cpf}`;
    const unauthorized = { success: false, erro: { codigo: 'UNAUTHORIZED' } };
    for (const authorization of ['', 'Bearer other', 'sandbox-token']) {
      const reply = await caller.call('GET', `${at}?token=sandbox-token`, {
        headers: { authorization },
      });
      expect(reply).toMatchObject({ status: 401, json: unauthorized });
    }
    caller.sandbox.setToken('sandbox-token', false);
    expect(await lookup()).toMatchObject({ status: 401, json: unauthorized });
  });

  test.each([
    ['429', 429, false],
    ['503', 503, false],
    ['401', 401, false],
    ['404', 404, false],
    ['500_html_after', 500, true],
    ['unreadable_2xx', 200, true],
  ] as const)('%s strikes a lookup once', async (kind, status, acts) => {
    script({ lookup: [kind] });
    expect((await lookup()).status).toBe(status);
    expect(answered()).toMatchObject({ requested: 1, answered: acts ? 1 : 0 });
    expect((await lookup()).json).toHaveProperty('veiculos');
  });

  test.each([
    ['an unknown parameter', 'GET', `cpf/${cpf}?full=1`, 400],
    ['another method', 'POST', `cpf/${cpf}`, 405],
    ['a company', 'GET', 'cnpj/11222333000181', 404],
  ])('%s is told', async (_, method, path, status) => {
    expect((await caller.call(method, `/api/v1/perfil/patrimonial/${path}`)).status).toBe(status);
  });

  test('the rate limit of profiles is their own', async () => {
    script({}, { rateLimitPerSecond: 1 });
    expect([(await lookup()).status, (await lookup()).status]).toEqual([200, 429]);
  });
});
