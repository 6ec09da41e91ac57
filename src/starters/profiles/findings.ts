import {
  fieldsOf,
  findingSection,
  readFindings,
  type Fields,
  type Findings,
} from '../../domain/core/findings';
import { profileSections } from '../../domain/profiles/sections';

/** The columns that identify an asset, by section; other columns follow. */
const first: Readonly<Record<string, readonly string[]>> = {
  veiculos: [
    'placa',
    'marca',
    'modelo',
    'ano_modelo',
    'municipio',
    'uf',
    'situacao_veiculo',
    'restricao_1',
    'media_preco',
    'renavam',
  ],
  imoveis: [
    'localizacao.logradouro',
    'localizacao.numero',
    'localizacao.cidade',
    'localizacao.uf',
    'valor_venal',
    'tipo_uso',
    'area_construida',
    'inscricao',
    'proprietario.nome',
  ],
  patentes: ['numero_inpi', 'titulo', 'data_deposito', 'natureza', 'depositante'],
};

/** Lists that `profileSections` reads. */
const asSections = ['veiculos', 'imoveis', 'aeronaves', 'patentes', 'rural'];

/** A person's assets, a section each; sections that the service did not report are left out. */
export function profileFindings(result: Fields): Pick<Findings, 'facts' | 'sections'> {
  const assets = profileSections(result).map(({ name, columns, rows }) => {
    return findingSection(name, rows, { file: `${name}.csv`, first: first[name] ?? columns });
  });
  const { documento, tipo } = fieldsOf(result['rural']);
  const more = Object.entries(result).filter(([name]) => !asSections.includes(name));
  const beside = { ...Object.fromEntries(more), rural: { documento, tipo } };
  const rest = readFindings(beside, { file: 'profile.json' });
  return { facts: rest.facts, sections: [...assets, ...rest.sections] };
}
