import { z } from 'zod';
import {
  type LensOutcome,
  type LensRecord,
  type LensInput,
  lensModes,
} from '../../domain/lens/analyze';
import { lensInputKey, pictures } from '../../store/lens/lens';
import type { CommandContext } from '../jobs/context';
import { startTerms } from '../jobs/begin/request';
import { startable } from '../jobs/begin/startable';
import { lensKind } from './kind';
import { planOne } from '../jobs/begin/same-request';
import type { StartPlan } from '../jobs/begin/start-job';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import type { Words } from '../../domain/job';
import {
  isPictureOrVideo,
  mediaTypeBytes,
  mediaTypeOf,
  unknownMediaType,
} from '../../domain/core/media-type';
import { UsageError, reasonMissing } from '../jobs/errors';
import { storeCopy, sumOf } from '../jobs/written-file';

const lensRequest = z.strictObject({
  input: z.string().meta({ value: 'file', description: 'the picture or video to hand in' }),
  mode: z.enum(lensModes).optional().describe('default: the service chooses'),
  acceptFormat: z.string().optional().meta({
    value: 'reason',
    description: 'send what is no picture or video; the reason is stored with the job',
  }),
  ...startTerms('24h'),
});

async function planLens(
  ctx: CommandContext,
  request: z.output<typeof lensRequest>,
): Promise<StartPlan<LensRecord, LensOutcome>> {
  const { input: path, mode = null, acceptFormat } = request;
  const input = await readInput(path, ctx.environment.lens.maxFileBytes);
  const forced = reasonToSend(path, input, acceptFormat);
  const store = () => storeInput(ctx, path, input);
  const same = pictures(ctx, { sha256: input.sha256, mode, forced }, store);
  const details = forced === null ? {} : { forced: true, mediaType: input.mediaType };
  const plan = await planOne(ctx, same, input, request, details);
  // The copy of a resumed job may be missing.
  return { ...plan, release: async () => void (await store()) };
}

export const lens = startable(lensKind, lensRequest, planLens);

type ReadInput = Omit<LensInput, 'key'>;

/** Size, sha256 and type of a file. */
export async function readInput(path: string, maxBytes: number): Promise<ReadInput> {
  const unread = ({ code = 'unreadable' }: NodeJS.ErrnoException): never => {
    throw unusable(path, [`cannot be read (${code})`, `não pode ser lido (${code})`]);
  };
  const found = await stat(path).catch(unread);
  const faults: [boolean, ...Words][] = [
    [found.isDirectory(), 'is a folder', 'é uma pasta'],
    [!found.isFile(), 'is no regular file', 'não é um arquivo comum'],
    [found.size === 0, 'is empty', 'está vazio'],
    [
      found.size > maxBytes,
      `is larger than ${maxBytes} bytes (lens.maxFileBytes)`,
      `tem mais de ${maxBytes} bytes (lens.maxFileBytes)`,
    ],
  ];
  for (const [isFault, ...words] of faults) if (isFault) throw unusable(path, words);
  const sums = await sumOf(path).catch(unread);
  const beginning = createReadStream(path, { end: mediaTypeBytes - 1 });
  const mediaType = mediaTypeOf(Buffer.concat((await beginning.toArray()) as Buffer[]));
  return { fileName: basename(path), ...sums, mediaType };
}

/** The reason for sending a file that is neither picture nor video; null when it is one. */
export function reasonToSend(
  path: string,
  { bytes, mediaType }: ReadInput,
  reason: string | undefined,
): string | null {
  if (reason?.trim() === '') throw new UsageError(reasonMissing('--accept-format'));
  if (isPictureOrVideo(mediaType)) return null;
  if (reason !== undefined) return reason;
  const [en, pt] =
    mediaType === unknownMediaType
      ? ['of no known format', 'de formato desconhecido']
      : [mediaType, mediaType];
  throw unusable(path, [
    `is no picture or video, but ${en}, ${bytes} bytes (--accept-format REASON sends it all the same)`,
    `não é imagem nem vídeo, e sim ${pt}, ${bytes} bytes (--accept-format MOTIVO envia assim mesmo)`,
  ]);
}

/** The request is sent from this copy. */
export async function storeInput(
  { store }: CommandContext,
  path: string,
  input: ReadInput,
): Promise<LensInput> {
  const key = lensInputKey(input.sha256);
  await storeCopy(store, key, path, input.sha256);
  return { ...input, key };
}

function unusable(path: string, [en, pt]: Words): UsageError {
  return new UsageError([
    `--input: ${path} ${en}; nothing was sent`,
    `--input: ${path} ${pt}; nada foi enviado`,
  ]);
}
