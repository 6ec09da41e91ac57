import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startCreditCaller } from '../unit/sandbox/credit-caller';
import {
  sha256Of,
  startResourceCaller,
  untilSettledMs,
  type ResourceCaller,
} from '../unit/sandbox/resource-caller';
import { cnabFile } from './cnab-files';

/** Words of others, as long and as hostile as they come. */
export const hostile = `<script>alert("1")</script>'&`;
export const long = 'EmpreendimentosImobiliariosEParticipacoesSociedadeLimitada';

export interface Answer {
  body: Buffer;
  json: Record<string, unknown>;
}

/** What the sandbox answers, once for both languages. */
export interface Answers {
  profile: Answer;
  trace: Answer;
  geo: Answer;
  face: Answer;
  dossier: Answer;
  analysis: Buffer;
  picture: Buffer;
}

export async function sandboxAnswers(): Promise<Answers> {
  const picture = await readFile(join(__dirname, '../../docs/report.png'));
  const caller = await startResourceCaller({
    traces: {
      targets: {
        'ana@example.com': {
          result: {
            ocorrencias: [
              {
                fonte: 'redes_sociais',
                identificador: 'ana.s',
                confianca: 0.97,
                url: 'https://rede.example/ana.s',
              },
              {
                fonte: 'redes_sociais',
                identificador: long,
                confianca: 0.4,
                url: `https://rede.example/${long.repeat(3)}`,
              },
              {
                fonte: 'vazamentos',
                identificador: hostile,
                confianca: 0.12,
                url: 'javascript:alert(1)',
              },
            ],
          },
          missingSources: ['vazamentos'],
        },
      },
    },
    dossiers: {
      held: { '8d5b9f3e-2c1a-4e7d-9b60-1f2e3d4c5b6a': { risk: 'classified', missingPhases: [] } },
    },
  });
  const credit = await startCreditCaller();
  try {
    const profile = await caller.call('GET', '/api/v1/perfil/patrimonial/cpf/52998224725');
    const made = await caller.call('POST', '/api/v1/rastro', {
      key: 't',
      body: { target: 'ana@example.com' },
    });
    const geo = await uploaded(caller, picture, 'geo');
    const face = await uploaded(caller, picture, 'face');
    caller.sandbox.clock.advance(untilSettledMs);
    const read = async (path: string): Promise<Answer> => {
      const { bytes, json } = await caller.call('GET', `/api/v1/${path}`);
      return { body: bytes, json };
    };
    const engineId = await credit.createEngine({
      valor_minimo: { threshold: 2_000 },
      concentracao_sacado: {},
      nfe_ausente: {},
    });
    const file = cnabFile({ bank: 'paulista', receivables: 40 });
    const operation = await credit.analysed({ file, engineId });
    return {
      profile: { body: profile.bytes, json: profile.json },
      trace: await read(`rastro/${String(made.json['id'])}`),
      geo: await read(`lente/analyses/${geo}`),
      face: await read(`lente/analyses/${face}`),
      dossier: await read('dossies/8d5b9f3e-2c1a-4e7d-9b60-1f2e3d4c5b6a/status'),
      analysis: (await credit.result(operation, '?filter=all')).bytes,
      picture,
    };
  } finally {
    await caller.close();
    await credit.close();
  }
}

async function uploaded(
  caller: ResourceCaller,
  bytes: Buffer,
  mode: 'geo' | 'face',
): Promise<string> {
  const sha256 = sha256Of(bytes);
  const hypotheses = [
    { rotulo: 'Rosto 1', semelhanca: 0.91, bbox: [0.1, 0.2, 0.2, 0.3] },
    { rotulo: hostile, semelhanca: 0.42, bbox: { x: 300, y: 120, width: 120, height: 140 } },
  ];
  const result = mode === 'face' ? { hypotheses } : {};
  caller.sandbox.configure({ lens: { files: { [sha256]: { result } } } });
  const file = { size_bytes: bytes.length, sha256 };
  const { json } = await caller.call('POST', '/api/v1/lente/analyses', {
    key: mode,
    body: { file, mode },
  });
  const upload = json['upload'] as { method: string; url: string; headers: Record<string, string> };
  await caller.follow(upload.method, upload.url, upload.headers, bytes);
  return String(json['id']);
}
