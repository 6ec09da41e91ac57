import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Words } from '../../../src/domain/job';
import type { ManifestRow } from '../../../src/domain/certificates/certificates';
import { emptySubject, type Subject } from '../../../src/domain/investigations/plan';
import { planItems } from '../../../src/sheets/read/plan-rows';
import { readSheet } from '../../../src/sheets/read/read-rows';
import { subjectWordOf } from '../../../src/sheets/read/subject-columns';
import { readPlan } from '../../../src/starters/investigations/plan-file';
import { subjectReader } from '../../../src/starters/investigations/subject-row';
import { cnpj, cpf } from '../../support/documents';

/** A line of a sheet is a subject, with all that its columns say of it. */

let folder: string;
beforeAll(() => (folder = mkdtempSync(join(tmpdir(), 'diligence-subjects-'))));
afterAll(() => rmSync(folder, { recursive: true }));

async function planned(lines: readonly string[], plan = 'supplier') {
  const path = join(folder, 'subjects.csv');
  writeFileSync(path, `${lines.join('\n')}\n`);
  const told: string[] = [];
  const choice = { holds: 'subjects', onNotice: ([line]: Words) => told.push(line) } as const;
  const rows: ManifestRow<string>[] = [];
  const reader = subjectReader((await readPlan(plan)).plan);
  for await (const row of planItems(readSheet(path, choice), reader)) rows.push(row);
  return { rows, told };
}

/** What the investigation of a row is about. */
function subjectIn(row: ManifestRow<string> | undefined): Subject {
  return JSON.parse((row?.kind === 'item' && row.requested) || '{}') as Subject;
}

async function planOf(step: string): Promise<string> {
  const path = join(folder, 'own.yaml');
  writeFileSync(path, `name: own\nsteps:\n  - ${step}\n`);
  return path;
}

test.each([
  ['Nome', 'name'],
  ['Razão Social', 'name'],
  ['NOME DO FORNECEDOR', 'name'],
  ['Nome / Razão social', 'name'],
  ['E-mail', 'email'],
  ['e_mail', 'email'],
  ['E-mail de contato', 'email'],
  ['Correio eletrônico', 'email'],
  ['Telefone', 'phone'],
  ['Tel.', 'phone'],
  ['Telefone / Celular (com DDD)', 'phone'],
  ['Dossiê', 'dossier'],
  ['monitor_id', 'monitor'],
  ['Nome fantasia', null],
  ['Nome do contato', null],
  ['E-mail enviado em', null],
  ['Contato', null],
  ['CNPJ', null],
  ['Valor', null],
])('a column "%s" says the %s of a subject', (name, word) => {
  expect(subjectWordOf(name)).toBe(word);
});

test('all that its columns say is what the investigation is about, as flags would say it', async () => {
  const { rows, told } = await planned([
    'Fornecedores de 2026;;;;;;',
    'CNPJ;CPF do sócio;Razão social;E-mail;Telefone;Cidade;ref',
    `${cnpj(1)};${cpf(2)};Ação Ltda;"a@example.com; b@example.com";(11) 98765-4321 / 11 3333-4444;Itu;R-1`,
    `${cnpj(2)};;;;;;R-2`,
    'Total;;;;;;',
  ]);
  expect(rows.map(({ document, kind, reference }) => [kind, document, reference])).toEqual([
    ['item', cnpj(1), 'R-1'],
    ['item', cnpj(2), 'R-2'],
  ]);
  expect(subjectIn(rows[0])).toEqual({
    ...emptySubject(),
    cnpj: [cnpj(1)],
    cpf: [cpf(2)],
    name: 'Ação Ltda',
    email: ['a@example.com', 'b@example.com'],
    phone: ['(11) 98765-4321', '11 3333-4444'],
  });
  expect(JSON.stringify(subjectIn(rows[1]))).toBe(
    JSON.stringify({ ...emptySubject(), cnpj: [cnpj(2)] }),
  );
  expect(told[0]).toMatch(
    /columns read: A "CNPJ" \(document\), B "CPF do sócio" \(document\), C "Razão social" \(name\), D "E-mail" \(email\), E "Telefone" \(phone\)$/,
  );
});

test('cells at fault are named, with what was expected, and never with what they hold', async () => {
  const { rows } = await planned([
    'CNPJ;E-mail;Telefone;Dossiê',
    `${cnpj(1)};nao tem;12;x`,
    `${cnpj(2).slice(0, 13)}0;a@b.example;;`,
    ';c@d.example;;',
  ]);
  const [contacts, digits, lacking] = rows.map((row) => ('code' in row ? row.message : ''));
  expect(contacts).toMatch(/^B2: expected an e-mail address.* C2: expected a phone number/);
  expect(contacts).toMatch(/D2: expected an id of the service, a UUID/);
  expect(contacts).not.toMatch(/nao|tem\b|12/);
  expect(digits).toMatch(/^A3: /);
  expect(lacking).toBe('A4: steps[0].of[0]: the step is required, and the subject has no cnpj');
});

test('of a subject with other facts on two lines the second is refused; alike it is a duplicate', async () => {
  const { rows } = await planned([
    'CNPJ;E-mail',
    `${cnpj(1)};a@example.com`,
    `${cnpj(1)};a@example.com`,
    `${cnpj(1)};b@example.com`,
  ]);
  expect(rows.map(({ kind }) => kind)).toEqual(['item', 'duplicate', 'invalid']);
  expect(rows[2]).toMatchObject({ code: 'subject_twice', line: 4 });
  expect(rows[2]).toMatchObject({ message: expect.stringContaining('line 2 says something else') });
});

test('two columns that say the same are told, and nothing is guessed', async () => {
  const about = planned(['CNPJ;E-mail;E-mail 2', `${cnpj(1)};a@example.com;b@example.com`]);
  await expect(about).rejects.toMatchObject({
    code: 'ambiguous_columns',
    message: expect.stringMatching(/line 1: B "E-mail" and C "E-mail 2" may each be the email of/),
  });
});

test('where a plan asks about contacts alone, no column of documents is needed', async () => {
  const plan = await planOf('{ id: contacts, kind: trace, required: true }');
  const { rows } = await planned(['Nome;E-mail', 'Ana;ana@example.com', 'Bia;'], plan);
  expect(rows[0]).toMatchObject({ kind: 'item', document: 'ana@example.com' });
  expect(rows[1]).toMatchObject({ kind: 'invalid', code: 'plan' });
});
