import type { StoredArtifact } from '../../domain/core/artifact';
import { extensionOf } from '../../domain/core/media-type';
import { lensSubject } from '../../domain/core/service/attempts';
import type { LensOutcome, LensRecord } from '../../domain/lens/analyze';
import { largestPicture, shownMediaTypes, type Picture } from '../../report/findings/picture';
import { readLarge } from '../../store/core/large-objects';
import { LensRepository } from '../../store/lens/lens';
import type { Store } from '../../store/store';
import { requestedFor } from '../jobs/job-kind';
import { fileFacts, singleKind, type Fact } from '../jobs/single-kind';
import { billingWords } from '../jobs/text';
import {
  readFindings,
  type Fields,
  type FindingSection,
  type Findings,
} from '../../domain/core/findings';

export const lensKind = singleKind<LensRecord, LensOutcome>({
  kind: 'lens',
  noun: ['analysis of', 'análise de'],
  // A file name may identify a person.
  describe: ({ file: { bytes, mediaType, sha256 } }) =>
    `${mediaType}, ${bytes} bytes, ${sha256.slice(0, 8)}`,
  terms: ({ forced }) => ({ acceptFormat: forced }),
  facts: ({ analysisId, billing, files, replaced, seen }, reader, { forced }) => [
    [['analysis', 'análise'], analysisId],
    [
      ['result', 'resultado'],
      seen?.state === 'completed' && !seen.hasResult
        ? reader.say('none was told', 'nenhum foi informado')
        : null,
    ],
    [['sha256', 'sha256'], seen?.sha256 ?? null],
    [
      ['accepted', 'aceito'],
      forced &&
        `${reader.say('although it is no picture or video', 'embora não seja imagem nem vídeo')}: ${forced}`,
    ],
    [['billing', 'cobrança'], billingWords(billing, reader)],
    ...replaced.map((one): Fact => [
      ['replaced', 'trocada'],
      [
        `${one.analysisId}: ${reader.say('its upload expired', 'o envio do arquivo expirou')}`,
        billingWords(one.billing, reader),
      ]
        .filter((part) => part !== null)
        .join(', '),
    ]),
    [
      ['artifacts', 'artefatos'],
      files === null && (seen?.artifacts ?? 0) > 0
        ? reader.say('could not be fetched', 'não puderam ser baixados')
        : null,
    ],
    ...(files === null ? [] : fileFacts(files, reader)),
  ],
  answer: {
    file: 'lens.json',
    sha256: ({ seen }) => seen?.sha256 ?? null,
    findings: lensFindings,
  },
  files: ({ files }) => filesByName(files?.stored ?? []),
  ours: /^(?:lens\.json|report\.html|artifact-\d+\.\w+)$/,
  charges: ({ outcome: { analysisId, billing, replaced } }) =>
    [{ analysisId, billing }, ...replaced].map((one) => {
      return { of: `lens/${one.analysisId}`, billing: one.billing };
    }),
  args: async ({ store }, { input: { name } }) => ({ attempt: await attemptOf(store, name) }),
  subject: async (store, { input: { name } }) => lensSubject(name, await attemptOf(store, name)),
  requests: (job, ctx) => requestedFor(ctx, `lens/${job.input.name}/`, job),
  picture: ({ store }, { input }) => shownPicture(store, input as LensRecord),
});

async function attemptOf(store: Store, name: string): Promise<number> {
  return (await new LensRepository(store).current(name)).attempt;
}

function filesByName(stored: readonly StoredArtifact[]) {
  const name = (index: number, { mediaType }: StoredArtifact): string =>
    `artifact-${index + 1}${extensionOf(mediaType)}`;
  return new Map(stored.map((one, index) => [name(index, one), one]));
}

/** The stored copy, which is sent. */
async function shownPicture(
  store: Store,
  { file: { bytes, key, mediaType } }: LensRecord,
): Promise<Picture | null> {
  if (!shownMediaTypes.includes(mediaType) || bytes > largestPicture) return null;
  const parts: Buffer[] = [];
  try {
    for await (const part of readLarge(store, key)) parts.push(part);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return null;
  }
  return { mediaType, bytes: Buffer.concat(parts) };
}

const file = 'lens.json';

/** The specification does not show how a hypothesis is written. */
const known = {
  latitude: ['latitude', 'lat'],
  longitude: ['longitude', 'lng', 'lon', 'long'],
  confidence: ['confianca', 'confidence', 'semelhanca', 'similarity', 'probabilidade'],
};

/** Places with coordinates, or faces, with their evidence. */
function lensFindings({ mode, result = {} }: Fields): Pick<Findings, 'facts' | 'sections'> {
  const found = readFindings(result, { file, known });
  return {
    facts: { ...readFindings({ mode }, { file }).facts, ...found.facts },
    sections: found.sections.map((section) => ({ ...section, title: titleOf(section, mode) })),
  };
}

function titleOf({ name, rows }: FindingSection, mode: unknown): string {
  const has = (column: string): boolean => rows.some((row) => row[column] !== null);
  if (has('latitude') && has('longitude')) return 'places';
  return mode === 'face' && has('confidence') ? 'faces' : name;
}
