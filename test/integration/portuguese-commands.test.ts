import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ScenarioInput } from '../../src/sandbox';
import { cnabFile } from '../support/cnab-files';
import { configured } from '../support/configured';
import { outOfSequence } from '../support/credit-installation';
import { creditSettings, eventually, Installation } from '../support/diligence-process';
import { cnpj, cpf } from '../support/documents';
import { holdMonitor } from '../support/monitor-installation';

/** On a Portuguese screen no command prints an English sentence: each kind, from its start to its cost. */

const soon = {
  waitingMs: [0, 0] as [number, number],
  processingMs: [20, 50] as [number, number],
};
const [review, failed] = [randomUUID(), randomUUID()];
const scenario: ScenarioInput = {
  issuance: { ...soon, distribution: 'uniform' },
  documents: { [cnpj(3)]: { request: ['reset_after'] }, [cnpj(4)]: { request: ['400_refused'] } },
  traces: {
    pollAfterSeconds: 1,
    targets: {
      'failed@example.com': { ...soon, end: ['failed'] },
      'refused@example.com': { ...soon, create: ['400_refused'] },
      '*': soon,
    },
  },
  profiles: { people: { [cpf(9)]: { answer: 'not_found' } } },
  lens: { pollAfterSeconds: 1 },
  dossiers: {
    pollAfterSeconds: 1,
    held: { [review]: { ...soon, end: ['needs_review'] }, [failed]: { ...soon, end: ['failed'] } },
  },
};
let place: Installation;

jest.setTimeout(120_000);
beforeAll(async () => {
  place = await Installation.start(scenario, (sandbox) => ({
    ...creditSettings(sandbox),
    ...configured({ investigation: { timeoutSeconds: 3 }, monitors: { escalateAfter: 2 } }),
    INVESTIGATION_RPS: '400',
    DILIGENCE_LANG: 'pt',
    // No browser: nothing is printed to a PDF.
    PATH: '/nowhere',
  }));
  await place.startWorkerHere();
});
afterAll(() => place.stop());

/** Function words, and the words that sentences of this program are made of. Portuguese has none of them. */
const english = new RegExp(
  `(?<!\\p{L})(?:${[
    'the|is|are|was|were|been|has|have|had|its?|this|that|there|which|what|who|whom|whose|why|how',
    'of|with|without|from|into|for|to|by|at|on|and|or|not|nothing|nobody|but|than|until|while|when|where',
    'will|would|can|cannot|could|may|might|must|should|does|did|one|each|every|any|other|another',
    'more|most|first|last|already|again|only|yet|still|before|after|since',
    'lines?|rows?|attempts?|requests?|requested|required|optional|found|failed|ended|running|waiting',
    'answered|asked|asking|waits|needs|unknown|expected|given|missing|left|done|error|warning|issues?',
    'accept|abandon|reissue|approved|blocked|fired|messages?|rules?|steps?|plan',
  ].join('|')})(?!\\p{L})`,
  'iu',
);

/** Lines with such a word, outside commands, quotes, flags, paths, codes, and what the service says. */
function englishIn(text: string): string[] {
  return text.split('\n').filter((line) => {
    const ours = line
      .replaceAll(/`[^`]*`|"[^"]*"|'[^']*'|\{\{[^}]*\}\}/g, ' ')
      .replaceAll(/^ +diligence [a-z].*|\(\w+\):/g, ' ')
      .replaceAll(/: (?:The request is refused|Nothing is known|No such \w+)\.$/g, ' ')
      .replaceAll(/^ +(?:ações: .*|(?:accept|abandon|reissue): )/g, ' ')
      .replaceAll(/\((?:possíveis: [^)]*|(?:failing|failed)[^)]*)\)/g, ' ')
      .replaceAll(
        /\S*[/@]\S*|\w+\[\d+\]\S*|\bplano \w+|--[a-z-]+|\w+_\w+|\S+\.(?:csv|html|json|yaml|rem|pdf)/g,
        ' ',
      );
    return english.test(ours);
  });
}

let problems: string[] = [];
async function run(...words: string[]): Promise<void> {
  const { code, stderr, stdout } = await place.run(words);
  expect({ words, code, printed: `${stdout}${stderr}` !== '' }).toMatchObject({ printed: true });
  const left = englishIn(`${stdout}${stderr}`);
  if (left.length > 0) problems.push(`$ ${words.join(' ')} (${code})`, ...left);
}
beforeEach(() => (problems = []));

async function newest(kind: string): Promise<string> {
  const { stdout } = await place.run(['list', '--kind', kind, '--json', '--limit', '1']);
  const [job] = (JSON.parse(stdout) as { jobs: { id: string }[] }).jobs;
  if (job === undefined) throw new Error(`there is no ${kind}`);
  return job.id;
}

/** The last job of a kind, by every command that shows one. */
async function everywhere(...kinds: string[]): Promise<void> {
  for (const kind of kinds) {
    const id = await newest(kind);
    await run('show', id);
    await run('result', id, '--out', id.replaceAll('/', '-'));
    await run('inbox', 'show', id);
  }
}

async function file(name: string, content: string | Buffer | string[]): Promise<string> {
  const path = join(place.folder, name);
  await writeFile(path, Array.isArray(content) ? `${content.join('\n')}\n` : content);
  return path;
}

/** Dry, and to its end. */
async function twice(...words: string[]): Promise<void> {
  await run(...words, '--dry-run');
  await run(...words);
}

/** And the same again. */
async function thrice(...words: string[]): Promise<void> {
  await twice(...words);
  await run(...words);
}

async function waiting(kind: string): Promise<string> {
  const inbox = ['inbox', '--json', '--kind', kind];
  await eventually('it waits', async () => (await place.run(inbox)).stdout.includes('"waiting"'));
  return newest(kind);
}

test('certificates', async () => {
  const issue = ['certificate', 'issue', '--type', 'cnpj', '--document'];
  await thrice(...issue, cnpj(1));
  await run(...issue, cnpj(4));
  await run(...issue, cnpj(3));
  await everywhere('certificate');
  await run(...issue, '123');
  const lost = await newest('certificate');
  await run('resolve', lost, '--action', 'accept', '--note', 'x');
  await run('resolve', lost, '--action', 'abandon', '--note', 'x');
  const lines = ['cnpj;nome', `${cnpj(1)};A`, `${cnpj(2)};B`, `${cnpj(2)};B`, '123;C', ';E'];
  const sheet = await file('f.csv', [...lines, '11.222.333/0001-82;F', 'Total;7']);
  await run('certificate', 'batch', '--input', sheet);
  await twice('certificate', 'batch', '--input', sheet, '--type', 'cnpj');
  await everywhere('certificate-batch');
  await run('expiring');
  await run('renew', '--dry-run');
  expect(problems).toEqual([]);
});

test('traces', async () => {
  await thrice('trace', 'search', '--target', 'a@example.com');
  await Promise.all(
    ['failed', 'refused'].map((who) => run('trace', 'search', '--target', `${who}@example.com`)),
  );
  await run('trace', 'search', '--target', ' ');
  const sheet = await file('t.csv', ['alvo;ref', 'a@example.com;1', 'b@example.com;2', ';3']);
  await twice('trace', 'search', '--input', sheet);
  await everywhere('trace', 'trace-batch');
  await run('trace', 'list');
  expect(problems).toEqual([]);
});

test('profiles', async () => {
  await thrice('profile', 'lookup', '--cpf', cpf(1));
  await run('profile', 'lookup', '--cpf', cpf(9));
  await run('profile', 'lookup', '--cpf', '123');
  const sheet = await file('p.csv', ['cpf', cpf(1), cpf(2), cpf(9), '123']);
  await twice('profile', 'lookup', '--input', sheet);
  await everywhere('profile', 'profile-batch');
  expect(problems).toEqual([]);
});

test('pictures', async () => {
  const picture = await file('a.png', Buffer.from('89504e470d0a1a0a00112233', 'hex'));
  await thrice('lens', 'analyze', '--input', picture);
  await everywhere('lens');
  await run('lens', 'analyze', '--input', await file('e.csv', 'a@b.com'));
  await run('lens', 'analyze', '--input', 'nada.png');
  expect(problems).toEqual([]);
});

test('dossiers', async () => {
  const followed = run('dossier', 'follow', review);
  const id = await waiting('dossier');
  await run('show', id);
  await run('inbox');
  await run('inbox', 'show', id);
  await run('resolve', id, '--action', 'accept');
  await run('resolve', id, '--action', 'watch', '--note', 'visto');
  await run('resolve', id, '--action', 'accept', '--note', 'visto');
  await followed;
  await everywhere('dossier');
  await thrice('dossier', 'follow', failed);
  await run('dossier', 'follow', 'x');
  await run('dossier', 'follow', randomUUID());
  await run('dossier', 'list');
  await run('dossier', 'retry-failed', '--dry-run');
  await twice('dossier', 'follow', '--input', await file('d.csv', ['dossie', failed, 'x']));
  await everywhere('dossier-batch');
  expect(problems).toEqual([]);
});

test('receivables', async () => {
  const good = await file('a.rem', cnabFile({ receivables: 4 }));
  const broken = await file('b.rem', outOfSequence(4));
  await run('credit', 'check', good);
  await run('credit', 'check', broken);
  await thrice('credit', 'analyze', '--input', good);
  await everywhere('credit-analysis');
  await run('credit', 'analyze', '--input', broken);
  await run('credit', 'analyze', '--input', 'nada.rem');
  await run('credit', 'analyze', '--input', place.folder);
  await everywhere('credit-batch');
  await run('engine', 'list');
  await run('engine', 'get', 'nenhum');
  expect(problems).toEqual([]);
});

test('monitors', async () => {
  const id = holdMonitor(place, {
    status: 'paused',
    health: { status: 'failing', consecutive_failures: 3 },
    changes: [{ ack: 'refused' }, { ack: 'gone' }, { answer: 'no_id' }, {}],
  });
  const locked = holdMonitor(place, { changes: [{}], list: ['401', '401', '401', '401'] });
  const sweep = ['monitor', 'sweep', '--monitors'];
  await run(...sweep, id);
  await run(...sweep, id);
  await run(...sweep, locked);
  await run(...sweep, randomUUID());
  await run(...sweep, `${id},${locked},${randomUUID()}`);
  await everywhere('monitor-sweep', 'monitor-scan');
  await run('monitor', 'sink');
  await run('monitor', 'list');
  await run('monitor', 'schedule', '--name', 'x', '--monitors', id, '--every', '15m');
  await run('monitor', 'list');
  await run('monitor', 'pause', 'x');
  await run('monitor', 'unschedule', 'x');
  await run('monitor', 'report', '--out', 'm.html');
  await run(...sweep, 'a b');
  expect(problems).toEqual([]);
});

test('investigations', async () => {
  await run('investigate', 'plans');
  const plan = ['investigate', '--plan', 'supplier'];
  await thrice(...plan, '--cnpj', cnpj(11), '--email', 'n@example.com');
  await everywhere('investigation');
  await run('report', 'verify', (await newest('investigation')).replaceAll('/', '-'));
  await run(...plan, '--cnpj', '123');
  await run('investigate');
  const followed = run(...plan, '--cnpj', cnpj(21), '--budget', '1');
  const id = await waiting('investigation');
  await run('show', id);
  await run('inbox', 'show', id);
  await run('cancel', id);
  await followed;
  const lines = [`${cnpj(12)};Nona;n@example.com`, `${cpf(12)};;`, '123;;', `${cnpj(12)};Outra;`];
  await twice(...plan, '--input', await file('s.csv', ['documento;Nome;E-mail', ...lines]));
  await everywhere('investigation-batch');
  expect(problems).toEqual([]);
});

test('what is common to all kinds', async () => {
  await run('list');
  await run('show');
  await run('inbox');
  for (const by of ['kind', 'label', 'actor', 'month']) await run('cost', '--by', by);
  for (const command of ['show', 'result', 'cancel', 'pause']) await run(command, 'nada');
  const trace = await newest('trace');
  for (const command of ['cancel', 'pause', 'resume']) await run(command, trace);
  for (const flag of ['--limit', '--kind', '--since', '--nada']) await run('list', flag, 'x');
  await run('trace', 'search', '--deadline', 'x', '--target', 'a');
  await run('trace', 'search');
  await run('trace', 'find');
  await run('traces');
  await run('resolve');
  for (const command of ['list', 'show', 'inbox', 'cost']) {
    const { stdout } = await place.run([command, '--lang', 'pt'], { DILIGENCE_LANG: 'en' });
    problems.push(...englishIn(stdout));
    expect({ command, stdout }).toMatchObject({ stdout: expect.stringMatching(/[ãáâçéêíóú]/i) });
  }
  const unset = { INVESTIGATION_BASE_URL: '', INVESTIGATION_TOKEN: '' };
  const { stderr } = await place.run(['trace', 'list'], unset);
  problems.push(...englishIn(stderr));
  expect(stderr).toContain('falta definir');
  expect(problems).toEqual([]);
});
