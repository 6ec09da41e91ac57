import { Readable } from 'node:stream';
import { Service } from '../../src/apis/http/service';
import { Token } from '../../src/apis/http/token';
import { fetchArtifact } from '../../src/apis/investigation/artifacts';
import { DossiersApi } from '../../src/apis/investigation/dossiers';
import { LensApi } from '../../src/apis/investigation/lens';
import { profileSections } from '../../src/domain/profiles/sections';
import { patentTexts, vehicleNumbers, vehicleTexts } from '../../src/domain/profiles/profile';
import { ProfilesApi } from '../../src/apis/investigation/profile';
import { TracesApi } from '../../src/apis/investigation/traces';
import { readEnvironment } from '../../src/environment';
import { seededDossierId, startSandbox, type Sandbox } from '../../src/sandbox';
import { houseGuard } from '../support/loopback-server';
import { sha256Of } from '../unit/sandbox/resource-caller';

const none: [number, number] = [0, 0];
const atOnce = { waitingMs: none, processingMs: none };

/** Paths of everything that was read as not told. */
function untold(value: unknown, path = ''): string[] {
  if (value === null) return [path];
  if (typeof value !== 'object') return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    untold(inner, path === '' ? key : `${path}.${key}`),
  );
}

describe('what the sandbox tells, the clients read', () => {
  let sandbox: Sandbox;
  let service: Service;
  const assumptions = readEnvironment({});

  beforeEach(async () => {
    sandbox = await startSandbox({
      scenario: {
        dossiers: { timing: atOnce },
        traces: { timing: atOnce },
        lens: { timing: atOnce },
        profiles: { oddRows: false },
      },
    });
    service = new Service({
      baseUrl: sandbox.baseUrl,
      token: Token.of('sandbox-token'),
      ratePerSecond: 10_000,
      guard: houseGuard,
    });
  });
  afterEach(async () => {
    await service.close();
    await sandbox.close();
  });

  const download = (url: string | null | undefined) =>
    fetchArtifact(
      service,
      url ?? '',
      async ({ body }) => {
        const chunks: Buffer[] = [];
        for await (const chunk of body) chunks.push(Buffer.from(chunk as Uint8Array));
        return Buffer.concat(chunks);
      },
      { timeoutMs: 10_000, maxBytes: 1024 * 1024 },
    );

  test('a completed dossier, with every field but a failure and an interval', async () => {
    sandbox.configure({
      dossiers: { seeded: { dossiers: 3 }, pattern: { risk: 'classified', end: 'completed' } },
    });
    const api = new DossiersApi(service, assumptions.dossierNames);
    const { dossier } = await api.status(seededDossierId(1));
    expect(dossier.state).toBe('completed');
    expect(untold(dossier)).toEqual(['failure', 'pollAfterMs']);
    expect(dossier.pollAfterMs).toBeNull();
    const pdf = await download(dossier.artifacts?.[0]?.url);
    expect(pdf.subarray(0, 5).toString()).toBe('%PDF-');

    const states: string[] = [];
    for await (const { items } of api.pages({ pageSize: 2 })) {
      for (const listed of items) if (listed.kind === 'item') states.push(listed.item.state);
    }
    expect(states).toEqual(['completed', 'completed', 'completed']);
    await expect(api.retry(seededDossierId(1), 'k-1')).rejects.toMatchObject({ status: 409 });
  });

  test('a dossier that failed, is retried, and shows its report in the list alone', async () => {
    const end = ['failed', 'completed'] as const;
    sandbox.configure({
      dossiers: {
        seeded: { dossiers: 1 },
        pattern: { shownIn: 'list', end: end.map((kind) => ({ kind, times: 1 })) },
      },
    });
    const api = new DossiersApi(service, assumptions.dossierNames);
    const failed = (await api.status(seededDossierId(1))).dossier;
    expect(failed.failure).toMatchObject({ code: 'coleta_falhou', retryable: false });
    expect((await api.retry(seededDossierId(1), 'k-1')).dossier.attempt?.number).toBe(2);
    expect((await api.status(seededDossierId(1))).dossier).toMatchObject({
      state: 'completed',
      artifacts: null,
      reportSchema: null,
    });
    const listed = await api.read(seededDossierId(1));
    expect(listed?.dossier.artifacts).toHaveLength(1);
    expect(listed?.dossier.reportSchema?.length).toBeGreaterThan(0);
  });

  test.each(['served', 'unknown', 'not_allowed'] as const)(
    'a search, where the read by id is %s',
    async (readRoute) => {
      sandbox.configure({ traces: { readRoute } });
      const api = new TracesApi(service, assumptions.traceNames);
      const request = { target: 'ana@example.com', strategy: null, key: 'k-1' };
      const created = (await api.create(request)).trace;
      expect(created).toMatchObject({ state: 'queued', pollAfterMs: 2_000 });
      const { trace } = await api.read(created.traceId);
      expect(trace).toMatchObject({ state: 'completed', type: 'email', partial: false });
      expect(untold(trace)).toEqual(['failure', 'pollAfterMs']);
    },
  );

  test('an analysis from its upload to its artifacts', async () => {
    const bytes = Buffer.from('ffd8ffe0', 'hex');
    const api = new LensApi(service, assumptions.lens);
    const request = { sizeBytes: 4, sha256: sha256Of(bytes), mode: 'face', key: 'k-1' } as const;
    const created = (await api.create(request)).analysis;
    if (created.upload === null) throw new Error('no upload instructions');
    expect(untold(created.upload)).toEqual([]);
    const sized = { sizeBytes: 4, timeoutMs: 10_000 };
    await api.upload(created.upload, () => Readable.from([bytes]), sized);
    const { analysis } = await api.read(created.analysisId);
    expect(analysis).toMatchObject({ state: 'completed', mode: 'face' });
    expect(untold(analysis).filter((path) => !path.endsWith('mediaType'))).toEqual([
      'upload',
      'failure',
      'pollAfterMs',
    ]);
    expect((await download(analysis.artifacts[0]?.url)).equals(bytes)).toBe(true);
    expect(sandbox.lens.counts().items).toMatchObject([{ created: 1, uploads: 1, artifacts: 1 }]);
    expect(
      sandbox.lens.received().filter(({ path, hasAuthorization }) => {
        return path.startsWith('/files/') && hasAuthorization;
      }),
    ).toEqual([]);
  });

  test('a profile with every row there can be, in both rural forms', async () => {
    const cpf = '52998224725';
    sandbox.configure({
      profiles: {
        people: {
          [cpf]: {
            vehicles: 9,
            properties: 9,
            planes: 1,
            drones: 1,
            patents: 9,
            rural: ['person', 'company', 'null'],
          },
        },
      },
    });
    const api = new ProfilesApi(service);
    for (const rural of ['object', 'object', 'null']) {
      const { read } = await api.lookUp(cpf);
      if (read.kind !== 'profile') throw new Error(read.kind);
      const sections = new Map(profileSections(read.answer).map((one) => [one.name, one]));
      // No column that we do not know.
      expect(sections.get('veiculos')?.columns).toEqual([...vehicleTexts, ...vehicleNumbers]);
      expect(sections.get('patentes')?.columns).toEqual(patentTexts);
      const hasRural = [...sections.keys()].some((name) => name.startsWith('rural_'));
      expect(hasRural).toBe(rural !== 'null');
    }
  });

  test('a profile with odd rows, and the ways to say no', async () => {
    const cpf = '52998224725';
    sandbox.configure({
      profiles: { oddRows: true, people: { [cpf]: { vehicles: 60, properties: 60 } } },
    });
    const api = new ProfilesApi(service);
    const { read } = await api.lookUp(cpf);
    expect(read).toMatchObject({ kind: 'profile' });
    expect((await api.lookUp('52998224724')).read).toMatchObject({ kind: 'invalid' });
    sandbox.configure({ profiles: { people: { [cpf]: { answer: 'not_found' } } } });
    await expect(api.lookUp(cpf)).rejects.toMatchObject({ status: 404, code: 'NOT_FOUND' });
    sandbox.setToken('sandbox-token', false);
    await expect(api.lookUp(cpf)).rejects.toMatchObject({ status: 401, code: 'UNAUTHORIZED' });
  });
});
