import { profileSections } from '../../../src/domain/profiles/sections';
import { csvTable } from '../../../src/sheets/write/csv-file';
import { personProfile, propertyRow, vehicleRow } from '../../support/profile-answers';

const sectionOf = (answer: object, name: string) =>
  profileSections(answer).find((section) => section.name === name);

test('every list of a profile is a table, with nothing left out', () => {
  const names = profileSections(personProfile()).map(({ name, rows }) => [name, rows.length]);
  expect(names).toEqual([
    ['veiculos', 1],
    ['imoveis', 1],
    ['aeronaves_avioes', 1],
    ['aeronaves_drones', 0],
    ['patentes', 1],
    ['rural_propriedades_sncr', 1],
    ['rural_propriedades_cafir', 1],
    ['rural_autorizacoes', 1],
    ['rural_infracoes', 1],
    ['rural_produtor_organico', 0],
    ['rural_transportes', 1],
    ['rural_transportes_produtos', 1],
    ['rural_transportes_por_produto', 1],
    ['rural_transportes_por_ano', 1],
    ['rural_transportes_parceiros', 1],
    ['rural_resumo', 1],
  ]);
});

test('columns of the specification come first, and a new one is kept', () => {
  const veiculos = [{ surpresa: 'x', placa: 'AAA0A00' }, vehicleRow];
  const section = sectionOf({ veiculos }, 'veiculos');
  expect(section?.columns[0]).toBe('documento');
  expect(section?.columns.at(-1)).toBe('surpresa');
  expect(section?.rows[0]).toEqual(veiculos[0]);
});

test('what is nested is unfolded once, and deeper it is JSON', () => {
  const section = sectionOf({ imoveis: [{ ...propertyRow, extra: { list: [1] } }] }, 'imoveis');
  expect(section?.rows[0]).toMatchObject({
    'localizacao.cidade': 'São Paulo',
    'proprietario.tipoDocumento': 'CPF',
    'extra.list': '[1]',
  });
});

test('a row that is no object is kept as a value', () => {
  expect(sectionOf({ patentes: ['solta', null] }, 'patentes')?.rows).toEqual([
    { valor: 'solta' },
    { valor: null },
  ]);
});

test('the rural part of a company is tables, too', () => {
  const rural = { imoveisRurais: [{ a: 1 }], perfil: { b: 2 } };
  expect(sectionOf({ rural }, 'rural_imoveis')?.rows).toEqual([{ a: 1 }]);
  expect(sectionOf({ rural }, 'rural_perfil')?.rows).toEqual([{ b: 2 }]);
});

test('a section that was not told is not there', () => {
  expect(profileSections({ veiculos: null, rural: null })).toEqual([]);
});

test('a sheet quotes what parts cells, and in a spreadsheet no cell acts as a formula', () => {
  const table = {
    columns: ['a', 'b'],
    rows: [
      { a: '=1+1', b: 2.5 },
      { a: 'x,"y"\n', b: null },
    ],
  };
  expect(csvTable(table)).toBe('a,b\n=1+1,2.5\n"x,""y""\n",\n');
  expect(csvTable({ ...table, rows: [{ a: true, b: false }] })).toBe('a,b\ntrue,false\n');
  expect(csvTable({ ...table, rows: [{ a: '=x', b: 2.5 }] }, { excel: true })).toBe(
    '\ufeffa;b\r\n\'=x;"2,5"\r\n',
  );
});
