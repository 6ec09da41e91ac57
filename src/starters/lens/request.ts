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
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import type { Words } from '../../domain/job';
import { OtherBytesError, findLarge, putLarge } from '../../store/core/large-objects';
import {
  isPictureOrVideo,
  mediaTypeBytes,
  mediaTypeOf,
  unknownMediaType,
} from '../../domain/core/media-type';
import { CommandError, UsageError, reasonMissing, changedMeanwhile } from '../jobs/errors';

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

/** Size, sha256 and type of a file, streamed once. */
export async function readInput(path: string, maxBytes: number): Promise<ReadInput> {
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
    throw unusable(path, notRead(error));
  });
  if (found.isDirectory()) throw unusable(path, ['is a folder', 'é uma pasta']);
  if (!found.isFile()) throw unusable(path, ['is no regular file', 'não é um arquivo comum']);
  if (found.size > maxBytes) throw tooLarge(path, maxBytes);
  const hash = createHash('sha256');
  let beginning = Buffer.alloc(0);
  let bytes = 0;
  try {
    for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
      hash.update(chunk);
      bytes += chunk.length;
      if (bytes > maxBytes) throw tooLarge(path, maxBytes);
      if (beginning.length < mediaTypeBytes) beginning = Buffer.concat([beginning, chunk]);
    }
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw unusable(path, notRead(error as NodeJS.ErrnoException));
  }
  if (bytes === 0) throw unusable(path, ['is empty', 'está vazio']);
  const mediaType = mediaTypeOf(beginning);
  return { fileName: basename(path), bytes, sha256: hash.digest('hex'), mediaType };
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

/** Streams an unchanged copy into the store; the request is sent from it. */
export async function storeInput(
  { store }: CommandContext,
  path: string,
  input: ReadInput,
): Promise<LensInput> {
  const { sha256 } = input;
  const key = lensInputKey(sha256);
  try {
    if ((await findLarge(store, key)) === null) {
      await putLarge(store, key, createReadStream(path), { sha256 });
    }
    return { ...input, key };
  } catch (error) {
    if (!(error instanceof OtherBytesError)) throw error;
    throw new CommandError(changedMeanwhile(path));
  }
}

function tooLarge(path: string, maxBytes: number): UsageError {
  return unusable(path, [
    `is larger than ${maxBytes} bytes (lens.maxFileBytes)`,
    `tem mais de ${maxBytes} bytes (lens.maxFileBytes)`,
  ]);
}

function notRead({ code = 'unreadable' }: NodeJS.ErrnoException): Words {
  return [`cannot be read (${code})`, `não pode ser lido (${code})`];
}

function unusable(path: string, [en, pt]: Words): UsageError {
  return new UsageError([
    `--input: ${path} ${en}; nothing was sent`,
    `--input: ${path} ${pt}; nada foi enviado`,
  ]);
}
