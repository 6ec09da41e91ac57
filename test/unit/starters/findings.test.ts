import { readerOf } from '../../../src/report/reader';
import type { Findings } from '../../../src/domain/core/findings';
import type { JobKind as KindName } from '../../../src/domain/job';
import { analysisOnWire } from '../../../src/sandbox/lens/analysis';
import { searchOnWire } from '../../../src/sandbox/traces/search';
import { envelopeOf, jobEnvelope } from '../../../src/starters/jobs/envelope';
import { findingsLines } from '../../../src/starters/cli/findings-table';
import { printResult, printView } from '../../../src/starters/cli/print-job';
import type { CommandContext } from '../../../src/starters/jobs/context';
import type { Job } from '../../../src/starters/jobs/job-kind';
import { kindOf } from '../../../src/starters/kinds';
import { DossierRepository } from '../../../src/store/dossiers/dossiers';
import { LensRepository } from '../../../src/store/lens/lens';
import { ProfileRepository } from '../../../src/store/profiles/profiles';
import { TraceRepository } from '../../../src/store/traces/traces';
import { printedByTests } from '../../support/printed';
import { personProfile, vehicleRow } from '../../support/profile-answers';
import { TemporaryStore } from '../../support/temporary-store';

const english = readerOf('en');

let place: TemporaryStore;
const printed = printedByTests();
beforeEach(() => {
  place = new TemporaryStore();
});
afterEach(() => place.remove());

const folder = 'x/1';
const context = () =>
  ({
    store: place.store,
    reader: readerOf('en'),
    environment: { language: 'en' },
  }) as unknown as CommandContext;
const when = { createdAt: 0, startsAt: 0, endsAt: 0 };

function search(result: object = {}) {
  const script = { sources: ['redes_sociais', 'foruns', 'repositorios'], result };
  const one = { id: 's', ordinal: 1, target: 'fulana', type: 'username', strategy: 'all' } as const;
  const all = { ...one, ...when, ending: 'completed', script } as never;
  return searchOnWire(all, 7, 1, null) as Record<string, never>;
}

function picture(mode: 'geo' | 'face') {
  const file = { sizeBytes: 1, sha256: 'a' };
  const work = { ...when, ending: 'completed' };
  const arrived = { at: 0, mediaType: 'image/png', bytes: null };
  const one = { id: 'a', mode, file, ending: 'completed', createdAt: 0, work };
  const scenario = { pollAfterSeconds: null, linkMs: 1, availableMs: 1e9 };
  const view = { seed: 7, now: 1, scenario, link: () => 'https://files.example/1' };
  const answer = analysisOnWire({ ...one, arrived, uploadUntil: 9 } as never, view as never);
  return answer as Record<string, never>;
}

const risk = {
  matrix_id: 'm-1',
  matrix_version: '3',
  status: 'classified',
  level: 'alto',
  score: 72,
  matched_rules: [
    { id: 'processos_ativos', score: 30, description: 'Processos ativos' },
    { id: 'restricoes', score: 42, description: 'Restrições em nome do titular' },
  ],
  missing_fields: [],
};
const dossier = {
  status: {
    id: 'd',
    mode: 'standard',
    coverage: { status: 'complete', phases: [{ phase: 'patrimonio', status: 'completed' }] },
  },
  whole: {
    id: 'd',
    result: { report_schema: [{ secao: 'patrimonio', registros: 4 }], risk_classification: risk },
  },
};

const put = {
  profile: (answer: object) =>
    new ProfileRepository(place.store).putAnswer(folder, Buffer.from(JSON.stringify(answer)), 1),
  trace: (answer: object) =>
    new TraceRepository(place.store).putAnswer(folder, Buffer.from(JSON.stringify(answer))),
  lens: (answer: object) =>
    new LensRepository(place.store).putAnswer(folder, Buffer.from(JSON.stringify(answer))),
  dossier: (answer: object) =>
    new DossierRepository(place.store).putAnswers(folder, answer as typeof dossier),
};

const nothing = { error: null, seen: null, files: null, stored: [], notStored: [], replaced: [] };
const outcome = {
  ...nothing,
  call: 1,
  answered: 1,
  caused: 0,
  possibleAttempt: false,
  attempts: [],
  counts: null,
  coverage: null,
  risk: null,
  review: null,
  billing: null,
  note: null,
  sha256: null,
  remote: null,
};

function jobOf(kind: KindName): Job {
  const input = { name: 'n', cpf: '52998224725', target: 'fulana', dossierId: 'd', file: {} };
  const ended = { status: 'completed', needsAttention: false, waitsFor: null, output: null };
  const at = { createdAt: '', endsAt: '', endedAt: '2026-01-05T11:00:00Z' };
  const status = kind === 'profile' ? 'found' : 'completed';
  return { id: folder, kind, folder, ...ended, ...at, input, outcome: { ...outcome, status } };
}

async function found(kind: keyof typeof put, answer: object): Promise<Findings> {
  await put[kind](answer);
  const findings = await kindOf(kind).findings?.(jobOf(kind), place.store);
  if (findings === undefined) throw new Error(`${kind} finds nothing`);
  return findings;
}

function section({ sections }: Findings, name: string) {
  const one = sections.find((each) => each.name === name);
  if (one === undefined) throw new Error(`no section ${name}`);
  return one;
}

test('a profile: every section that was told, with its rows and its file', async () => {
  const findings = await found('profile', personProfile());
  expect(findings.result).toEqual(personProfile());
  expect(section(findings, 'veiculos')).toMatchObject({ rows: [vehicleRow], file: 'veiculos.csv' });
  expect(section(findings, 'imoveis').rows[0]).toMatchObject({ 'localizacao.uf': 'SP' });
  expect(section(findings, 'aeronaves_drones').rows).toEqual([]);
  expect(section(findings, 'rural_infracoes').rows).toEqual([{ auto: 'I1', valor: 500 }]);
  expect(findings.facts).toEqual({ 'rural.documento': '52998224725', 'rural.tipo': 'PF' });
  const bare = await kindOf('profile').findings?.(
    { folder: 'x/2', outcome: { call: null } },
    place.store,
  );
  expect(bare).toEqual({ result: null, facts: {}, sections: [] });
});

test('a search: occurrences with source, confidence and link, and what each source came to', async () => {
  const answer = search({
    perfis: [{ site: 'forum.example', url: 'https://forum.example/fulana', dados: { ano: 2020 } }],
  });
  const findings = await found('trace', answer);
  const told = answer['result'] as unknown as { ocorrencias: { confianca: number }[] };
  const { columns, rows } = section(findings, 'ocorrencias');
  expect(told.ocorrencias.length).toBeGreaterThan(0);
  expect(rows).toMatchObject(told.ocorrencias);
  expect(rows.map(({ confidence }) => confidence)).toEqual(
    told.ocorrencias.map(({ confianca }) => confianca),
  );
  expect(columns).toEqual(['source', 'confidence', 'link', 'identificador']);
  expect(section(findings, 'perfis').rows).toEqual([
    {
      source: 'forum.example',
      confidence: null,
      link: 'https://forum.example/fulana',
      site: 'forum.example',
      url: 'https://forum.example/fulana',
      'dados.ano': 2020,
    },
  ]);
  expect(section(findings, 'coverage').rows[0]).toMatchObject({ source: 'redes_sociais' });
  expect(findings.facts).toEqual({
    type: 'username',
    strategy: 'all',
    partial: false,
    total: told.ocorrencias.length,
  });
});

test.each([
  ['geo', 'places', { latitude: expect.any(Number), longitude: expect.any(Number) }],
  ['face', 'faces', { latitude: null, rotulo: 'Rosto simulado 1', semelhanca: 0.95 }],
] as const)('a picture, %s: %s with their confidence', async (mode, title, row) => {
  const findings = await found('lens', picture(mode));
  const { rows, ...shown } = section(findings, 'hypotheses');
  expect(shown).toMatchObject({ title, file: 'lens.json' });
  expect(rows).toHaveLength(2);
  expect(rows[0]).toMatchObject({ ...row, confidence: 0.95 });
  expect(section(findings, 'evidence')).toMatchObject({ title: 'evidence' });
  expect(findings.facts).toEqual({ mode });
});

test('a dossier: the risk with the rules that matched, from whichever answer has them', async () => {
  const findings = await found('dossier', dossier);
  expect(findings.result).toEqual(dossier);
  expect(findings.facts).toEqual({
    mode: 'standard',
    'risk.matrix_id': 'm-1',
    'risk.matrix_version': '3',
    'risk.status': 'classified',
    'risk.level': 'alto',
    'risk.score': 72,
    'coverage.status': 'complete',
  });
  expect(section(findings, 'risk.matched_rules').rows).toEqual(risk.matched_rules);
  expect(section(findings, 'report_schema').rows).toEqual([{ secao: 'patrimonio', registros: 4 }]);
  expect(section(findings, 'coverage.phases').rows).toHaveLength(1);
});

const vehicles = Array.from({ length: 40 }, (_, at) => ({ ...vehicleRow, placa: `ABC1D${at}` }));
const samples: [keyof typeof put, () => object, string[]][] = [
  ['profile', () => ({ ...personProfile(), veiculos: vehicles }), ['PLACA', 'ABC1D0', 'marca 1']],
  ['trace', () => search(), ['SOURCE', 'CONFIDENCE', 'IDENTIFICADOR', 'achado-']],
  ['lens', () => picture('geo'), ['LATITUDE', 'LONGITUDE', 'CONFIDENCE', '0.95', 'Local simulado']],
  ['dossier', () => dossier, ['risk.level', 'alto', 'DESCRIPTION', 'processos_ativos', '42']],
];

test.each(samples.flatMap((one) => [80, 140].map((width) => [one[0], width, ...one] as const)))(
  'what a %s found fits a screen of %d columns',
  async (kind, width, _, answer, words) => {
    const lines = findingsLines(await found(kind, answer()), width, english);
    for (const word of words) expect(lines.join('\n')).toContain(word);
    expect(lines.filter((line) => line.length > width)).toEqual([]);
    expect(lines.length).toBeLessThanOrEqual(45);
  },
);

test('of many rows the first are shown, and in which file the others are; a wide screen shows more columns', async () => {
  const findings = await found('profile', { veiculos: vehicles, rural: null });
  const narrow = findingsLines(findings, 80, english);
  const wide = findingsLines(findings, 140, english);
  expect(narrow[0]).toBe('veiculos (40)');
  expect(narrow.filter((line) => line.includes('ABC1D'))).toHaveLength(15);
  expect(narrow.at(-1)).toMatch(/^ {2}25 more rows, \d+ more columns.*: veiculos\.csv$/);
  const heads = (lines: string[]): number => (lines[1] ?? '').trim().split(/ {2,}/).length;
  expect(heads(wide)).toBeGreaterThan(heads(narrow));
});

test('a short list is shown whole beside a long one', () => {
  const rowsOf = (count: number) => Array.from({ length: count }, (_, at) => ({ nome: `n${at}` }));
  const sections = [40, 2].map((count) => ({
    name: `lista${count}`,
    title: `lista${count}`,
    file: 'trace.json',
    columns: ['nome'],
    rows: rowsOf(count),
    total: count,
  }));
  const lines = findingsLines({ result: {}, facts: {}, sections }, 80, english);
  expect(lines.slice(-3)).toEqual(['  NOME', '  n0', '  n1']);
  expect(lines).toContain('  33 more rows: trace.json');
});

test('a cell is cut where it must be, and orders the terminal nothing', () => {
  const rows = [{ nome: 'Conceição '.repeat(10), nota: 'a\u001b[2Jb', vazio: null }];
  const one = { name: 'perfis', title: 'perfis', file: 'trace.json', rows, total: 1 };
  const columns = ['nome', 'nota', 'vazio'];
  const lines = findingsLines(
    { result: {}, facts: {}, sections: [{ ...one, columns }] },
    40,
    english,
  );
  expect(lines).toEqual([
    'perfis (1)',
    `  NOME${' '.repeat(28)}NOTA`.slice(0, 40),
    expect.stringMatching(/^ {2}(?:Conceição )+\S*… * a\?\[2Jb$/),
    '  what is cut: trace.json',
  ]);
});

test.each(samples)(
  'a %s: `--json` has the same, and is as the schema says',
  async (kind, answer) => {
    await put[kind](answer());
    const view = { job: jobOf(kind), state: null, progress: null } as const;
    const envelope = await envelopeOf(context(), kindOf(kind), view, null);
    const { outcome: shown } = jobEnvelope.parse(JSON.parse(JSON.stringify(envelope)));
    const { facts, sections } = await found(kind, answer());
    expect(shown?.result).toEqual(JSON.parse(JSON.stringify(answer())));
    expect(shown?.findings).toEqual({
      facts,
      sections: sections.map(({ name, title, file, rows }) => {
        return { name, title, file, rows, total: rows.length };
      }),
    });
  },
);

test('the last line says where the whole is, and what is left to do', async () => {
  const job = jobOf('trace');
  const view = { job, state: null, progress: null };
  await printView(context(), kindOf('trace'), view, false);
  expect(printed()).not.toContain('the whole');
  await put.trace(search());
  await printView(context(), kindOf('trace'), view, false);
  expect(printed()).toMatch(
    /ocorrencias \(\d+\)\n(?:.+\n)+the whole: `diligence result x\/1`\n(?:.+\n)*left to do: nothing\n$/,
  );
  await printResult(context(), kindOf('trace'), job, { out: place.folder });
  expect(printed()).toMatch(
    /result: .+ \(trace\.json, report\.html: an export, in the clear\)\nleft to do: nothing\n$/,
  );
  await printView(
    context(),
    kindOf('trace'),
    { ...view, job: { ...job, needsAttention: true } },
    false,
  );
  expect(printed()).toMatch(/left to do: `diligence inbox show x\/1` says what can be decided\n$/);
});
