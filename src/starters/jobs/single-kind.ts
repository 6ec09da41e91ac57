import { mkdir } from 'node:fs/promises';
import { fieldsOf, noFindings, type Fields, type Findings } from '../../domain/core/findings';
import type { ArtifactFiles, StoredArtifact } from '../../domain/core/artifact';
import type { JobInput, OutcomeFields } from '../../domain/core/job-record';
import { jsonOfBytes } from '../../domain/core/json-text';
import { billed } from '../../domain/core/service/billing-totals';
import { kindFacts, workflowIdOf, type Words } from '../../domain/job';
import type { Reader } from '../../report/reader';
import { stateWord } from '../../report/words';
import { readLarge } from '../../store/core/large-objects';
import { answerOf } from '../../store/core/jobs/jobs-of-kind';
import type { Store } from '../../store/store';
import { CommandError } from './errors';
import { requestedFor, type EndedJob, type JobKind } from './job-kind';
import { progressOfOne } from './progress';
import { errorWords, factLines } from './text';
import { removeOthers, writeWhole } from './written-file';

/** A line about an outcome: its name and its value; null: it is not shown. */
export type Fact = readonly [name: Words, value: string | number | null];

interface Answer<Outcome> {
  file: string;
  sha256(outcome: Outcome): string | null;
  /** As it came; null: none is stored. Default: the only one of the job. */
  read?(store: Store, folder: string, outcome: Outcome): Promise<Buffer | null>;
  findings(answer: Fields): Pick<Findings, 'facts' | 'sections'>;
}

type Derived = 'service' | 'workflow' | 'workflowId' | 'lines' | 'answer';
type Defaulted = 'readProgress' | 'cost' | 'heeds' | 'orders' | 'artifacts' | 'terms';

/** What differs in a kind of single jobs: one request, and one answer. The rest follows. */
export interface SingleKind<Input, Outcome>
  extends
    Omit<JobKind<Input, Outcome>, Derived | Defaulted>,
    Partial<Pick<JobKind<Input, Outcome>, Defaulted>> {
  /** How it ended, where the word of its status does not tell all. */
  ending?: (outcome: Outcome) => Words | undefined;
  facts: (outcome: Outcome, reader: Reader, input: Input) => readonly Fact[];
  answer?: Answer<Outcome>;
  files?: (outcome: Outcome) => ReadonlyMap<string, StoredArtifact>;
  /** Tables of the answer, beside it. */
  sheets?: (answer: Buffer, how: { excel: boolean }) => Iterable<readonly [name: string, string]>;
  /** Names that its result folder may have: those of an earlier result are removed. */
  ours?: RegExp;
}

export function singleKind<Input extends JobInput, Outcome extends OutcomeFields>(
  own: SingleKind<Input, Outcome>,
): JobKind<Input, Outcome> {
  const { answer, ending, facts, files, kind, ours, sheets, terms, ...more } = own;
  const { charges, subject } = more;
  const { service, workflow = '' } = kindFacts[kind];
  const read = (
    store: Store,
    { folder, outcome }: Pick<EndedJob<Input, Outcome>, 'folder' | 'outcome'>,
  ) => answer?.read?.(store, folder, outcome) ?? answerOf(store, folder);
  return {
    kind,
    service,
    workflow,
    workflowId: (_, id) => workflowIdOf(id),
    terms: (input) => {
      const { deadlineMs: deadline, label, rerun } = input;
      return { deadline, label, rerun, ...terms?.(input) };
    },
    readProgress: progressOfOne,
    lines: ({ input, outcome }, { reader }) => {
      const { language, say } = reader;
      const { error, status } = outcome;
      const words = ending?.(outcome);
      const all: Fact[] = [
        ...facts(outcome, reader, input),
        [['error', 'erro'], errorWords(error, reader)],
      ];
      return [
        words === undefined ? stateWord(status, language) : say(...words),
        ...factLines(all.map(([name, value]) => [say(...name), value])),
      ];
    },
    artifacts: ({ outcome }) => {
      const sha256 = answer?.sha256(outcome) ?? null;
      const told = { bytes: null, sha256, mediaType: 'application/json' };
      return [
        ...(answer === undefined || sha256 === null ? [] : [{ name: answer.file, ...told }]),
        ...[...(files?.(outcome) ?? [])].map(([name, { bytes, mediaType, sha256: sum }]) => {
          return { name, bytes, sha256: sum, mediaType };
        }),
      ];
    },
    cost: (job) => billed((charges?.(job) ?? []).map(({ billing }) => billing)),
    ...(subject !== undefined && {
      requests: async (job, ctx) => requestedFor(ctx, (await subject(ctx.store, job)) ?? '', job),
    }),
    heeds: ['lang'],
    orders: ['cancel', 'cancel_now'],
    ...(answer !== undefined && {
      answer: read,
      findings: async (job, store) => {
        const body = await read(store, job as EndedJob<Input, Outcome>);
        if (body === null) return noFindings;
        const result = fieldsOf(jsonOfBytes(body));
        return { result, ...answer.findings(result) };
      },
      export: async ({ store }, job, folder, how) => {
        const body = await read(store, job);
        const stored = (body === null ? null : files?.(job.outcome)) ?? new Map();
        const answers =
          body === null ? [] : [[answer.file, body] as const, ...(sheets?.(body, how) ?? [])];
        return writeFolder({ store, id: job.id, folder, ours }, answers, stored);
      },
    }),
    ...more,
  };
}

/** Files of an outcome, stored and missing. */
export function fileFacts({ notStored, stored }: ArtifactFiles, reader: Reader): Fact[] {
  const file = reader.say('file', 'arquivo');
  return [
    ...stored.map(({ bytes, sha256, type }): Fact => [
      ['stored', 'guardado'],
      `${type ?? file}, ${bytes} bytes, sha256 ${sha256}`,
    ]),
    ...notStored.map(({ artifactId, type, why }): Fact => [
      ['missing', 'falta'],
      `${type ?? file} ${artifactId}: ${reader.stored(why)}`,
    ]),
  ];
}

type Body = Parameters<typeof writeWhole>[2];

interface ResultFolder {
  store: Store;
  id: string;
  folder: string;
  /** Names of files of an earlier result, which may be about another subject. */
  ours?: RegExp | undefined;
}

/** Writes a result folder: an unencrypted export. @returns file names; empty: there was nothing to write */
export async function writeFolder(
  { store, id, folder, ours = /^$/ }: ResultFolder,
  own: Iterable<readonly [name: string, Body]>,
  stored: ReadonlyMap<string, StoredArtifact> = new Map(),
): Promise<string[]> {
  const files = new Map<string, Body>(own);
  for (const [name, { key }] of stored) files.set(name, readLarge(store, key));
  await removeOthers(folder, ours, files);
  if (files.size > 0) await mkdir(folder, { recursive: true });
  for (const [name, body] of files)
    await writeWhole(folder, name, body).catch((error: unknown) => {
      if (!(error instanceof RangeError)) throw error;
      throw new CommandError([
        `${id}: its artifacts are not in the store any more`,
        `${id}: os seus arquivos não estão mais armazenados`,
      ]);
    });
  return [...files.keys()];
}
