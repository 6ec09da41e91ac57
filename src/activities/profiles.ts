import { createHash } from 'node:crypto';
import { profileFromWire, type ProfileAnswer } from '../apis/investigation/profile.wire';
import type { ProfilesApi } from '../apis/investigation/profile';
import type { Archive } from '../archive/archive';
import type { AuditTrail } from '../archive/audit-trail';
import { DocumentIndexWriter, type NameOf } from '../archive/document-index';
import { ProfileFile } from '../archive/profiles';
import { documentsInText } from '../domain/held-documents';
import { profileOutcomeEntry } from '../domain/profiles/audit';
import {
  mostCalls,
  refusalOf,
  type LookedUp,
  type ProfileOutcome,
  type ProfileRef,
} from '../domain/profiles/lookup';
import type { WaitOrder, Waited } from '../domain/settled-wait';
import { archiveIncomplete } from './failures';
import { SettledWait, type WaitDependencies } from './settled-wait';

export interface ProfileDependencies extends WaitDependencies {
  profiles: ProfilesApi;
  archive: Archive;
  audit: AuditTrail;
  /** `IdKey.nameOf('document', ...)`: answers are put in the index by which a purge finds them. */
  nameOf: NameOf;
  metrics: ProfileMetrics;
}

export interface ProfileMetrics {
  /** An outcome was put on file. */
  lookupEnded(outcome: ProfileOutcome): void;
}

export interface LookUpInput extends WaitOrder {
  ref: ProfileRef;
  /** Number of the call, from 1. */
  call: number;
  /** As of `LookUpProfileInput`. */
  interactive?: boolean;
}

const fromFile = { method: 'GET', pathTemplate: '/perfil/patrimonial/cpf/{cpf}' } as const;

/** A lookup is a read: what was not answered is asked again, and what was is on file. */
export function createProfileActivities(deps: ProfileDependencies) {
  const { archive, audit, now, profiles } = deps;
  const file = new ProfileFile(archive);
  const wait = new SettledWait(deps);

  /** Asks until there is an answer. One on file is not asked for again: it may be charged for. */
  async function lookUpProfile(input: LookUpInput): Promise<Waited<LookedUp>> {
    const { folder } = input.ref;
    const filed = await file.answer(folder, input.call);
    if (filed !== null) {
      await index(`${folder}/answer-${input.call}`, filed);
      return { kind: 'settled', value: toldBy(filed, input.call) };
    }
    const record = await file.record(folder);
    if (record === null) throw archiveIncomplete(`${folder}/asked.json`);
    const priority = input.interactive === false ? 'request' : 'interactive';
    const waited = await wait.until<LookedUp>(
      async (signal) => {
        const { read, body } = await profiles.lookUp(record.cpf, priority, signal);
        if (read.kind !== 'profile') return { kind: 'settled', value: noOf(read) };
        const stands = await file.putAnswer(folder, input.call, body);
        await index(`${folder}/answer-${input.call}`, stands);
        return { kind: 'settled', value: toldBy(stands, input.call) };
      },
      { ...input, what: 'a profile' },
    );
    if (waited.kind !== 'refused') return waited;
    const { status, code, message } = waited;
    return { kind: 'settled', value: refusalOf(status, code, message) };
  }

  /** Whom an answer names: an owner beside the person, a holder of a patent... */
  async function index(of: string, answer: Buffer): Promise<void> {
    const writer = new DocumentIndexWriter(archive, of, deps.nameOf);
    for (const document of documentsInText(answer.toString('latin1'))) {
      await writer.addDocument(document);
    }
    await writer.flush();
  }

  /** By the newest answer on file; null when none is. */
  async function answerOnFile(folder: string): Promise<Partial<ProfileOutcome> | null> {
    const calls = Array.from({ length: mostCalls }, (_, at) => at + 1);
    const told = await Promise.all(
      calls.map(async (call) => {
        const filed = await file.answer(folder, call);
        return filed === null ? null : toldBy(filed, call);
      }),
    );
    const answers = told.filter((one) => one?.kind === 'found');
    const newest = answers.at(-1);
    if (newest === undefined) return null;
    const { kind: status, ...found } = newest;
    return { ...found, status, answered: answers.length, error: null };
  }

  /**
   * Puts the end on file and on the audit trail. Repeated, what was filed first stands. An answer
   * that is on file was given, and may have been charged for, whatever became of who waited for it.
   */
  async function concludeProfile(input: {
    ref: ProfileRef;
    outcome: Omit<ProfileOutcome, 'workId' | 'settledAt'>;
  }): Promise<ProfileOutcome> {
    const { ref, outcome } = input;
    const settledAt = new Date(now()).toISOString();
    const end = { ...outcome, ...(await answerOnFile(ref.folder)), workId: ref.workId, settledAt };
    const filed = await file.putOutcome(ref.folder, end);
    if (filed === end) deps.metrics.lookupEnded(filed);
    const record = await file.record(ref.folder);
    await audit.append([
      profileOutcomeEntry(filed, {
        by: record?.createdBy ?? 'unknown',
        subject: record?.name ?? null,
      }),
    ]);
    return filed;
  }

  return { lookUpProfile, concludeProfile };
}

function toldBy(body: Buffer, call: number): LookedUp {
  const read = profileFromWire(fromFile, body);
  if (read.kind !== 'profile') return noOf(read);
  const { vehicles, properties, planes, drones, patents, rural } = read.profile;
  const count = (list: readonly unknown[] | null): number | null => list?.length ?? null;
  return {
    kind: 'found',
    call,
    sha256: createHash('sha256').update(body).digest('hex'),
    rural: rural === null ? 'failed' : 'told',
    counts: {
      vehicles: count(vehicles),
      properties: count(properties),
      planes: count(planes),
      drones: count(drones),
      patents: count(patents),
    },
  };
}

function noOf(read: Exclude<ProfileAnswer, { kind: 'profile' }>): LookedUp {
  if (read.kind === 'invalid') {
    return { kind: 'no', status: 'invalid', code: null, message: read.message };
  }
  return refusalOf(200, read.code, read.message ?? 'refused');
}
