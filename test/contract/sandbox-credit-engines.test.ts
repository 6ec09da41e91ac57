import { startCreditCaller, type CreditCaller } from '../unit/sandbox/credit-caller';
import { errorCodeOf } from '../unit/sandbox/raw-caller';

const unknownId = '8e3d0a52-93a5-4b0c-a3b8-1b9c1d1a7a11';

describe('engines of the credit sandbox', () => {
  let caller: CreditCaller;
  beforeEach(async () => {
    caller = await startCreditCaller();
  });
  afterEach(() => caller.close());

  const list = async () =>
    (await caller.call('GET', '/v1/engines')).json as unknown as Record<string, unknown>[];
  const create = (body: unknown) => caller.call('POST', '/v1/engines', { body });
  const change = (id: string, body: unknown) => caller.call('PUT', `/v1/engines/${id}`, { body });

  test('the list is an array of engines without their rules, templates first', async () => {
    await caller.createEngine({ titulo_vencido: {} });
    expect(await list()).toMatchObject([
      { name: 'Padrao', isTemplate: true, ruleCount: 7 },
      { name: 'Conservador', isTemplate: true, ruleCount: 7 },
      { name: 'Sem NF-e', isTemplate: true, description: null },
      { name: 'Motor', isTemplate: false, ruleCount: 1 },
    ]);
    expect((await list())[0]).not.toHaveProperty('rules');
  });

  test('an engine has the fields of the document', async () => {
    const { status, json } = await create({
      name: 'Meu motor',
      description: 'Teste',
      rules: {
        valor_minimo: { threshold: 50, severity: 'alert' },
        nfe_ausente: { enabled: false },
      },
    });
    expect(status).toBe(201);
    const engine = {
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      name: 'Meu motor',
      description: 'Teste',
      isTemplate: false,
      ruleCount: 2,
      rules: [
        { id: 'valor_minimo', name: 'Valor minimo', severity: 'alert', enabled: true },
        {
          id: 'nfe_ausente',
          name: 'Chave da NF-e ausente',
          severity: 'alert',
          enabled: false,
        },
      ],
    };
    expect(json).toEqual(engine);
    const read = await caller.call('GET', `/v1/engines/${String(json['id'])}`);
    expect(read).toMatchObject({ status: 200, json: engine });
  });

  test('cloneFrom copies the rules, and rules given besides are laid over them', async () => {
    const source = await caller.createEngine({ titulo_vencido: {}, valor_maximo: {} });
    const { json } = await create({
      name: 'Copia',
      cloneFrom: source,
      rules: { valor_maximo: { enabled: false } },
    });
    expect(json).toMatchObject({
      isTemplate: false,
      rules: [{ id: 'titulo_vencido' }, { id: 'valor_maximo', enabled: false }],
    });
    const [template] = await list();
    const clone = (await create({ name: 'Do modelo', cloneFrom: template?.['id'] })).json;
    expect(clone).toMatchObject({ isTemplate: false, ruleCount: 7 });
  });

  test('two engines may have one name', async () => {
    await caller.createEngine({}, 'Igual');
    await caller.createEngine({}, 'Igual');
    expect((await list()).filter(({ name }) => name === 'Igual')).toHaveLength(2);
  });

  test('a change touches only what it gives; rules given replace those that were there', async () => {
    const id = await caller.createEngine({ titulo_vencido: {}, valor_maximo: {} }, 'Antes');
    const renamed = await change(id, { name: 'Depois' });
    expect(renamed).toMatchObject({
      status: 200,
      json: { id, name: 'Depois', description: null, ruleCount: 2 },
    });
    await change(id, { description: 'Nova', rules: { nfe_ausente: {} } });
    const { json } = await caller.call('GET', `/v1/engines/${id}`);
    expect(json).toMatchObject({
      name: 'Depois',
      description: 'Nova',
      rules: [{ id: 'nfe_ausente' }],
    });
  });

  test('a removed engine is gone, and removing it again is 404', async () => {
    const id = await caller.createEngine({});
    const removed = await caller.call('DELETE', `/v1/engines/${id}`);
    expect(removed.status).toBe(204);
    expect(removed.bytes).toHaveLength(0);
    for (const method of ['GET', 'DELETE']) {
      const { status, json } = await caller.call(method, `/v1/engines/${id}`);
      expect(status).toBe(404);
      expect(json).toMatchObject({ status: 404, title: 'engine not found' });
    }
  });

  test('a template is neither changed nor removed', async () => {
    const id = String((await list())[0]?.['id']);
    expect((await change(id, { name: 'Outro' })).status).toBe(409);
    expect((await caller.call('DELETE', `/v1/engines/${id}`)).status).toBe(409);
    expect((await list())[0]).toMatchObject({ name: 'Padrao' });
  });

  const long = (length: number) => 'á'.repeat(length);
  test.each([
    ['no name', { rules: {} }, 400],
    ['an empty name', { name: '', rules: {} }, 400],
    ['a name of 101 characters', { name: long(101), rules: {} }, 400],
    ['a description of 501 characters', { name: 'x', description: long(501), rules: {} }, 400],
    ['neither rules nor cloneFrom', { name: 'x' }, 400],
    ['rules as a GET shows them', { name: 'x', rules: [{ id: 'valor_minimo' }] }, 400],
    ['a setting nobody knows', { name: 'x', rules: { valor_minimo: { limit: 1 } } }, 400],
    ['a severity nobody knows', { name: 'x', rules: { valor_minimo: { severity: 'x' } } }, 400],
    ['a rule nobody knows', { name: 'x', rules: { nenhuma: {} } }, 422],
    [
      'a threshold where there is none',
      { name: 'x', rules: { nfe_ausente: { threshold: 1 } } },
      422,
    ],
    ['cloneFrom that is no id', { name: 'x', cloneFrom: 'x' }, 422],
    ['cloneFrom of nobody', { name: 'x', cloneFrom: unknownId }, 422],
    ['an unknown field', { name: 'x', rules: {}, isTemplate: true }, 400],
    ['no JSON', '{"name": ', 400],
  ])('refuses a new engine with %s', async (_, body, status) => {
    const reply = await create(body);
    expect(reply.status).toBe(status);
    expect(reply.headers['content-type']).toMatch(/^application\/problem\+json/);
    expect(await list()).toHaveLength(3);
  });

  test.each([
    ['an empty name', { name: '' }],
    ['a name of 101 characters', { name: long(101) }],
    ['a description of 501 characters', { description: long(501) }],
    ['rules as a GET shows them', { rules: [] }],
    ['cloneFrom', { cloneFrom: unknownId }],
  ])('refuses a change with %s', async (_, body) => {
    const id = await caller.createEngine({}, 'Antes');
    expect((await change(id, body)).status).toBe(400);
    expect((await caller.call('GET', `/v1/engines/${id}`)).json).toMatchObject({ name: 'Antes' });
  });

  test('takes names of 100 and descriptions of 500 characters', async () => {
    const { status } = await create({ name: long(100), description: long(500), rules: {} });
    expect(status).toBe(201);
  });

  test.each([
    ['GET', unknownId, 404],
    ['PUT', unknownId, 404],
    ['DELETE', unknownId, 404],
    ['GET', 'Padrao', 400],
    ['PATCH', unknownId, 405],
  ])('%s of an engine %s is refused with %i', async (method, id, status) => {
    const withBody = method === 'PUT' ? { body: { name: 'x' } } : {};
    expect((await caller.call(method, `/v1/engines/${id}`, withBody)).status).toBe(status);
  });

  test.each([
    ['engine_create', 'POST', '/v1/engines'],
    ['engine_list', 'GET', '/v1/engines'],
    ['engine_read', 'GET', '/v1/engines/:id'],
    ['engine_update', 'PUT', '/v1/engines/:id'],
    ['engine_delete', 'DELETE', '/v1/engines/:id'],
  ] as const)('%s goes wrong when told to', async (stage, method, path) => {
    const id = await caller.createEngine({});
    caller.configure({ calls: { [stage]: ['502', '504_after', 'ok'] } });
    const body = { POST: { name: 'x', rules: {} }, PUT: { name: 'y' } }[method as string];
    const statuses = [];
    for (let call = 0; call < 2; call += 1) {
      const options = body === undefined ? {} : { body };
      statuses.push((await caller.call(method, path.replace(':id', id), options)).status);
    }
    expect(statuses).toEqual([502, 504]);
    expect(caller.sandbox.credit.received().slice(-2)).toMatchObject([
      { fault: '502', accepted: false },
      { fault: '504_after', accepted: true },
    ]);
  });

  test('an engine created although its answer was lost is in the list', async () => {
    caller.configure({ calls: { engine_create: ['reset_after'] } });
    expect(await errorCodeOf(create({ name: 'Perdido', rules: {} }))).toMatch(/ECONNRESET|UND_ERR/);
    expect(await list()).toContainEqual(expect.objectContaining({ name: 'Perdido' }));
  });
});
