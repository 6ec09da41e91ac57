import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkPlan, readSubject } from '../../../src/domain/investigations/check-plan';
import { neededBy, emptySubject } from '../../../src/domain/investigations/plan';
import { planError, readPlan, readyPlans } from '../../../src/starters/investigations/plan-file';
import { cnpj, cpf } from '../../support/documents';

let folder: string;
beforeAll(() => (folder = mkdtempSync(join(tmpdir(), 'diligence-plans-'))));
afterAll(() => rmSync(folder, { recursive: true }));

const whom = `subject: { cnpj: '${cnpj(1)}', cpf: '${cpf(1)}' }`;

/** What `investigate` refuses it with; empty: nothing is wrong with it. */
async function faultsOf(steps: string, subject = whom): Promise<string> {
  const path = join(folder, 'plan.yaml');
  writeFileSync(path, `name: odd\n${subject}\nsteps:\n${steps}`);
  try {
    const written = await readPlan(path);
    const { faults, subject: read } = readSubject(written.subject ?? emptySubject());
    const all = faults.length > 0 ? faults : checkPlan(written.plan, read);
    return all.length === 0 ? '' : planError(path, all).message;
  } catch (error) {
    return (error as Error).message;
  }
}

const manyAddresses = Array.from({ length: 10_000 }, (_, n) => `a${n}@example.com`);

test.each([
  [
    'a cycle',
    `  - { id: a, kind: profile, needs: [b] }
  - { id: b, kind: trace, needs: [c] }
  - { id: c, kind: dossier, needs: [a] }`,
    whom,
    ['steps[0].needs: it needs itself, through', 'steps[1].needs:', 'steps[2].needs:'],
  ],
  [
    'a step that needs itself',
    `  - { id: a, kind: profile, needs: [a] }`,
    whom,
    ['steps[0].needs: it needs itself'],
  ],
  [
    'an unknown step',
    `  - { id: a, kind: profile, needs: [gone] }
  - { id: b, kind: trace, of: '{{nowhere.x[]}}' }
  - { id: c, kind: dossier, when: { step: never, status: completed } }`,
    whom,
    [
      'steps[0].needs[0]: there is no step gone',
      'steps[1].of[0]: there is no step nowhere',
      'steps[2].when.step: there is no step never',
    ],
  ],
  [
    'a missing need',
    `  - { id: a, kind: profile }
  - { id: b, kind: certificate, type: cnpj, of: '{{a.imoveis[].documento}}' }
  - { id: c, kind: dossier, when: { step: a, has: imoveis } }`,
    whom,
    [
      'steps[1].of[0]: reads step a, which is not among what this step needs',
      'steps[2].when.step: reads step a, which is not among what this step needs',
    ],
  ],
  [
    'two subjects alike',
    `  - { id: a, kind: profile }`,
    `subject: { cpf: '${cpf(1)}', cnpj: ['${cnpj(1)}', '${cnpj(2)}', '${cnpj(1)}'] }`,
    ['subject.cnpj[2]: is there already, as subject.cnpj[0]'],
  ],
  ['a bad document', `  - { id: a, kind: profile, of: '11111111111' }`, whom, ['steps[0].of[0]: ']],
  [
    'a bad document of the subject',
    `  - { id: a, kind: profile }`,
    `subject: { cpf: ['${cpf(1)}', '12345678900'] }`,
    ['subject.cpf[1]: '],
  ],
  [
    'a template that yields 10,000 things',
    `  - { id: a, kind: trace, of: '{{subject.email[]}}' }`,
    `subject: { email: ${JSON.stringify(manyAddresses)} }`,
    ['steps[0].of[0]: yields 10000 things to ask about, more than 1000'],
  ],
  [
    'two steps that ask for the same, and two of one name',
    `  - { id: a, kind: trace, of: 'x@example.com' }
  - { id: a, kind: trace, of: 'x@example.com' }`,
    whom,
    ['steps[1].id: there is a step a already', 'steps[1].of: asks for the same as step a'],
  ],
  [
    'a word that the kind of a step does not know, a kind that is none, and no text',
    `  - { id: a, kind: profile, type: cnpj }
  - { id: b, kind: phone_call }
  - { id: c, kind: trace, of: 5511987654321 }`,
    whom,
    ['steps[0]: ', 'steps[1].kind: ', 'steps[2].of: '],
  ],
  [
    'a duration and a budget that are none',
    `  - { id: a, kind: profile, deadline: soon }`,
    `budget: 0\n${whom}`,
    ['steps[0].deadline: expected a duration like 90s', 'budget: '],
  ],
  [
    'a required step that the subject says nothing for',
    `  - { id: a, kind: trace, required: true }`,
    whom,
    ['steps[0].of[0]: the step is required, and the subject has no targets'],
  ],
])('%s is refused with its path in the file', async (_, steps, subject, expected) => {
  const said = await faultsOf(steps, subject);
  for (const one of expected) expect(said).toContain(`\n  ${one}`);
  expect(said).toMatch(/^--plan .*plan\.yaml: nothing was sent:/);
});

test('what is no YAML is refused with its line', async () => {
  expect(await faultsOf('  - { id: a,')).toMatch(/plan\.yaml: .*line \d+/s);
});

test('a plan without faults is taken, and what a step needs is found at any distance', async () => {
  const steps = `  - { id: a, kind: profile }
  - { id: b, kind: certificate, type: cnpj, of: '{{a.imoveis[].documento}}', needs: [a] }
  - { id: c, kind: dossier, needs: [b], when: { step: a, has: imoveis } }`;
  expect(await faultsOf(steps)).toBe('');
  const { plan } = await readPlan(join(folder, 'plan.yaml'));
  expect([...neededBy(plan.steps, 'c')].toSorted()).toEqual(['a', 'b']);
});

test('the ready plans have no fault where the subject says all they require', async () => {
  const { subject } = readSubject({
    ...emptySubject(),
    cnpj: [cnpj(1)],
    cpf: [cpf(1)],
    receivables: 'f'.repeat(64),
  });
  const names = await readyPlans();
  expect(names.toSorted()).toEqual(['assignor', 'individual', 'supplier']);
  for (const name of names) expect(checkPlan((await readPlan(name)).plan, subject)).toEqual([]);
});
