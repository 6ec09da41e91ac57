import { maskDocument } from '../../domain/core/documents/documents';
import { profileSubject, sentBy } from '../../domain/core/service/attempts';
import type { ProfileStatus } from '../../domain/profiles/kinds';
import type { ProfileOutcome, ProfileRecord } from '../../domain/profiles/lookup';
import type { Words } from '../../domain/job';
import { nameOf } from '../../report/words';
import { answerOf } from '../../store/core/jobs/jobs-of-kind';
import { jobBatchKind } from '../jobs/batches/batch-kind';
import { singleKind, type Fact } from '../jobs/single-kind';
import {
  fieldsOf,
  findingSection,
  readFindings,
  type Fields,
  type Findings,
} from '../../domain/core/findings';
import { profileSectionNames, profileSections } from '../../domain/profiles/sections';

/** Why there is no profile, where the service has answered. */
const endings: Partial<Record<ProfileStatus, Words>> = {
  invalid: [
    'invalid: the service finds the CPF invalid',
    'inválido: o serviço considera o CPF inválido',
  ],
  not_found: [
    'not_found: the service knows nothing about the CPF',
    'não encontrado: o serviço nada sabe sobre o CPF',
  ],
};

export const profileKind = singleKind<ProfileRecord, ProfileOutcome>({
  kind: 'profile',
  noun: ['profile of', 'perfil de'],
  describe: ({ cpf }) => maskDocument(cpf),
  terms: ({ retryRural }) => ({ retryRural }),
  ending: ({ status }) => endings[status],
  facts: ({ answered, answersLost, call, counts, rural }, reader) => [
    ...Object.entries(counts ?? {}).map(([section, count]): Fact => [
      [section, nameOf(section, 'pt')],
      count ?? reader.say('not told', 'não informado'),
    ]),
    [['rural', 'Rural'], rural && reader.say(...ruralWords(rural, call))],
    [
      ['charges', 'cobranças'],
      answered > 1
        ? reader.say(
            `answered ${answered} times, and may be charged as often`,
            `respondido ${answered} vezes, e pode ser cobrado outras tantas`,
          )
        : null,
    ],
    [
      ['lost', 'perdidas'],
      answersLost > 0
        ? reader.say(
            `${answersLost} without a readable answer: perhaps charged, too`,
            `${answersLost} sem resposta legível: talvez também cobradas`,
          )
        : null,
    ],
  ],
  answer: {
    file: 'profile.json',
    sha256: ({ sha256 }) => sha256,
    read: async (store, folder, { call }) => (call === null ? null : answerOf(store, folder, call)),
    findings: profileFindings,
  },
  /** The service reports no cost: an answered request may be charged. */
  charges: ({ id, outcome }) =>
    Array.from({ length: outcome.answered }, (_, at) => {
      return { of: `${id}/${at}`, billing: { status: null, amount: null, unit: 'answer' } };
    }),
  args: (_, { input: { retryRural } }) => ({ retryRural }),
  subject: (_, { input }) => profileSubject(input.name),
  heeds: ['excel', 'lang'],
  sheets: (answer, how) => (require('./sheets') as typeof import('./sheets')).tablesOf(answer, how),
  ours: new RegExp(`^(?:profile\\.json|report\\.html|(?:${profileSectionNames.join('|')})\\.csv)$`),
});

function ruralWords(rural: 'reported' | 'failed', call: number | null): Words {
  if (rural === 'reported') return ['reported', 'informada'];
  return call === 2
    ? ['timed out or failed (twice)', 'sem resposta ou com falha (duas vezes)']
    : [
        'timed out or failed (`--retry-rural` looks it up anew, twice at most: each answer may be charged for)',
        'sem resposta ou com falha (`--retry-rural` consulta de novo, duas vezes no máximo: cada resposta pode ser cobrada)',
      ];
}

export const profileBatchKind = jobBatchKind({
  child: profileKind,
  noun: ['lookups', 'consultas'],
  columns: {
    vehicles: ({ counts }) => counts?.vehicles ?? null,
    properties: ({ counts }) => counts?.properties ?? null,
    planes: ({ counts }) => counts?.planes ?? null,
    drones: ({ counts }) => counts?.drones ?? null,
    patents: ({ counts }) => counts?.patents ?? null,
    rural: ({ rural }) => rural,
    answered: ({ answered }) => answered,
    sha256: ({ sha256 }) => sha256,
    answers_lost: ({ answersLost }) => answersLost,
  },
  chargeColumns: ['answered', 'answers_lost'],
  sheets: (folder, how) => {
    const { profileSheets } = require('./sheets') as typeof import('./sheets');
    return profileSheets(folder, how);
  },
  hasPages: true,
  hasStarted: async ({ attempts }, { id, input }) =>
    sentBy(await attempts.of(profileSubject(input.name)), id) > 0,
});

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
function profileFindings(result: Fields): Pick<Findings, 'facts' | 'sections'> {
  const assets = profileSections(result).map(({ name, columns, rows }) => {
    return findingSection(name, rows, { file: `${name}.csv`, first: first[name] ?? columns });
  });
  const { documento, tipo } = fieldsOf(result['rural']);
  const more = Object.entries(result).filter(([name]) => !asSections.includes(name));
  const beside = { ...Object.fromEntries(more), rural: { documento, tipo } };
  const rest = readFindings(beside, { file: 'profile.json' });
  return { facts: rest.facts, sections: [...assets, ...rest.sections] };
}
