import type {
  InvestigationReport,
  ReportTable,
  TimelineRow,
} from '../../../src/report/investigations/schema';
import { cnpj, cpf } from '../../support/documents';

const name = 'Padaria Três Irmãos Ltda';
const validity = {
  validUntil: '2027-05-20',
  rule: 'cndt-180',
  source: 'CLT art. 642-A § 4 (Lei 12.440/2011)',
};
const job = (kind: string): string => `${kind}/${'4f'.repeat(8)}/20261121T101530123Z`;

function evidence(step: string, file: string, from: object = {}) {
  return {
    path: `evidence/${step}/${file}`,
    bytes: 2_048,
    sha256: 'c0ffee'.padEnd(64, '1'),
    step,
    job: job(step),
    source: 'investigation',
    endpoint: 'POST /certidoes/trabalhista',
    requestId: '0b7d0c52-6a61-4f7e-9c6b-0d1a6c1f3a10',
    capturedAt: '2026-11-21T13:15:30Z',
    requestedBy: 'ana',
    validity: null,
    ...from,
  };
}

function list(step: string, title: string, columns: string[], rows: ReportTable['rows']) {
  const file = `evidence/${step}/${step}.json`;
  return { step, name: title, file, columns, rows, total: rows.length };
}

function times(step: string, kind: TimelineRow['kind'], minute: number): TimelineRow {
  const at = (seconds: number): string =>
    new Date(Date.UTC(2026, 10, 21, 13, minute, seconds)).toISOString();
  return {
    step,
    job: job(step),
    kind,
    status: 'completed',
    result: 'answered',
    reused: false,
    from: '',
    startedAt: at(1),
    endedAt: at(44),
    requested: 1,
    unanswered: 0,
    cost: [{ status: 'charged', unit: 'tokens', count: 1, amount: 2.5 }],
  };
}

/** A report with something in every section. */
export function sampleReport(over: Partial<InvestigationReport> = {}): InvestigationReport {
  return {
    version: 1,
    id: `investigation/${'4f'.repeat(16)}/20261121T101530123Z`,
    status: 'incomplete',
    error: 'labour: failed',
    plan: { name: 'assignor', title: 'A company whose receivables we buy' },
    subject: {
      cpf: [cpf(1)],
      cnpj: [cnpj(1)],
      name,
      email: ['contato@example.com'],
      phone: ['11987654321'],
      dossier: [],
      monitor: [],
      photo: null,
      receivables: null,
      xmls: null,
    },
    requested: { by: 'ana', at: '2026-11-21T13:15:00.000Z', label: 'committee 12' },
    settledAt: '2026-11-22T02:30:00.000Z',
    findings: [
      {
        step: 'registration',
        kind: 'certificate',
        job: job('registration'),
        status: 'issued',
        facts: [
          { what: 'officialName', value: 'PADARIA 3 IRMAOS LTDA' },
          { what: 'divergent', value: true },
        ],
      },
      {
        step: 'owner',
        kind: 'profile',
        job: job('owner'),
        status: 'found',
        facts: [
          { what: 'vehicles', value: 2 },
          { what: 'properties', value: 1 },
          { what: 'rural', value: 'failed' },
        ],
      },
      {
        step: 'dossier',
        kind: 'dossier',
        job: job('dossier'),
        status: 'completed',
        facts: [
          { what: 'riskLevel', value: 'high' },
          { what: 'riskScore', value: 720 },
          { what: 'riskRules', value: 1 },
        ],
      },
    ],
    coverage: [
      asked('registration', 'certificate', { required: true }),
      asked('labour', 'certificate', {
        required: true,
        status: 'missing',
        why: 'failed',
        answered: 0,
      }),
      asked('owner', 'profile'),
      asked('companies', 'certificate', {
        needs: ['owner'],
        status: 'partial',
        why: 'refused (owner: imoveis[0].proprietario.documento)',
        requested: 2,
      }),
      asked('contacts', 'trace'),
      asked('face', 'lens', {
        status: 'not_requested',
        why: 'there is nothing to ask about',
        requested: 0,
        answered: 0,
      }),
      asked('dossier', 'dossier', { needs: ['owner', 'companies'] }),
      asked('credit', 'credit', { needs: ['registration'] }),
      asked('changes', 'monitor'),
    ],
    certificates: [
      {
        step: 'registration',
        document: cnpj(1),
        type: 'cnpj',
        status: 'issued',
        officialName: 'PADARIA 3 IRMAOS LTDA',
        holderName: 'PADARIA 3 IRMAOS LTDA',
        baseName: 'PADARIA TRES IRMAOS',
        sourceName: 'Receita Federal',
        classification: null,
        divergent: true,
        capturedAt: '2026-11-21T13:15:30Z',
        validity: null,
        file: 'evidence/registration/cnpj.pdf',
      },
      {
        step: 'companies',
        document: cnpj(2),
        type: 'trabalhista',
        status: 'issued',
        officialName: 'AGRO CAMPO VERDE S/A',
        holderName: null,
        baseName: null,
        sourceName: null,
        classification: 'negativa',
        divergent: false,
        capturedAt: '2026-11-22T01:15:30Z',
        validity,
        file: 'evidence/companies/trabalhista.pdf',
      },
    ],
    assets: {
      totals: [
        { name: 'veiculos', count: 2, value: 81_500.5 },
        { name: 'imoveis', count: 1, value: 750_000 },
        { name: 'rural_infracoes', count: 4, value: null },
      ],
      people: [
        {
          step: 'owner',
          document: cpf(1),
          rural: 'failed',
          tables: [
            list(
              'owner',
              'veiculos',
              ['placa', 'marca', 'modelo', 'ano_modelo', 'municipio', 'uf'],
              [
                ['ABC1D23', 'VW', 'GOL 1.6 MSI FLEX', 2019, 'SÃO PAULO', 'SP'],
                ['XYZ9K87', 'FIAT', 'STRADA VOLCANO 1.3', 2022, 'CAMPINAS', 'SP'],
              ],
            ),
            {
              ...list(
                'owner',
                'imoveis',
                ['localizacao.cidade', 'valor_venal'],
                [['SÃO PAULO', 750_000]],
              ),
              total: 41,
            },
          ],
        },
      ],
    },
    occurrences: [
      list(
        'contacts',
        'occurrences',
        ['source', 'link', 'confidence'],
        [['rede_social', 'https://example.com/p/1', 0.91]],
      ),
    ],
    pictures: [],
    risk: [
      list(
        'dossier',
        'risk',
        ['what', 'value'],
        [
          ['risk.level', 'high'],
          ['risk.score', 720],
        ],
      ),
      list(
        'dossier',
        'risk.matched_rules',
        ['id', 'points', 'explanation'],
        [['R7', 40, 'protestos em aberto acima do limite']],
      ),
    ],
    credit: [
      list(
        'credit',
        'receivables',
        ['what', 'count', 'brl'],
        [
          ['receivables', 12, 120_000],
          ['approved', 9, 90_000],
          ['alerted', 2, 20_000],
          ['blocked', 1, 10_000],
        ],
      ),
    ],
    changes: [
      list(
        'changes',
        '7d6b7f1c-0d9c-4d38-8a0e-2b8b5dc0a111',
        ['detected', 'severity', 'type', 'state', 'change'],
        [
          ['2026-11-20T09:00:00Z', 'critical', 'debts', 'open', 'c-1'],
          ['2026-11-20T10:00:00Z', 'warn', 'partners', 'acknowledged', 'c-2'],
        ],
      ),
    ],
    divergences: [
      {
        document: cnpj(1),
        about: 'name',
        values: [
          { value: name, sources: ['as asked'] },
          {
            value: 'PADARIA 3 IRMAOS LTDA',
            sources: ['evidence/registration/cnpj.pdf', 'evidence/dossier/dossier.json'],
          },
        ],
      },
    ],
    timeline: [
      { ...times('registration', 'certificate', 15), status: 'issued', cost: [] },
      { ...times('labour', 'certificate', 15), status: 'failed', result: 'refused', cost: [] },
      { ...times('owner', 'profile', 16), reused: true },
      {
        ...times('companies', 'certificate', 17),
        from: 'owner: imoveis[0].proprietario.documento',
      },
    ],
    requests: { requested: 3, reused: 1, possibleDoubleCharges: 0, unanswered: 0 },
    cost: [{ status: 'charged', unit: 'tokens', count: 3, amount: 7.5 }],
    evidence: [
      evidence('registration', 'cnpj.pdf', { endpoint: 'POST /certidoes/cnpj' }),
      evidence('companies', 'trabalhista.pdf', { validity }),
      evidence('owner', 'profile.json', {
        endpoint: 'GET /perfil/patrimonial/cpf/{cpf}',
        requestId: null,
      }),
    ],
    ...over,
  };
}

function asked(
  id: string,
  kind: string,
  more: Partial<InvestigationReport['coverage'][number]> = {},
): InvestigationReport['coverage'][number] {
  const plain = { needs: [], required: false, status: 'answered', why: null } as const;
  return { step: id, kind, ...plain, requested: 1, answered: 1, ...more, needs: more.needs ?? [] };
}
