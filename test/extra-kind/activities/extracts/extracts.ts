import { withEither } from '../../apis/http/signals';
import type { ExtractsApi } from '../../apis/extracts/extracts';
import type { JobRef } from '../../domain/core/job-record';
import { reissuesOf, subjectState } from '../../domain/core/service/attempts';
import type { Polled } from '../../domain/core/service/poll-request';
import {
  extractOutcomeEntry,
  extractRequestEntry,
  extractSubject,
  type ExtractOutcome,
  type ExtractPoll,
} from '../../domain/extracts/extract';
import { ExtractRepository } from '../../store/extracts/extracts';
import { answerLost, sendKeyed, unsentReading } from '../core/attempt';
import { recordOf, sha256Of, storeOutcome } from '../core/job-records';
import { createPolling, unsettled } from '../core/poll-until-settled';
import type { JobDependencies } from '../dependencies';

export interface ExtractDependencies extends JobDependencies {
  extracts: ExtractsApi;
}

type Ended = Pick<ExtractOutcome, 'status' | 'sha256' | 'error' | 'startedAt'>;

export function createExtractActivities(deps: ExtractDependencies) {
  const { extracts, now, store } = deps;
  const { attempts } = store;
  const file = new ExtractRepository(store);
  const pollUntilSettled = createPolling(deps);

  /** Has the extract made, or finds the one that was. */
  async function startExtract(input: ExtractPoll): Promise<Polled<{ extractId: string }>> {
    const record = await recordOf(file, input.ref);
    const { jobId, document } = record;
    const subject = extractSubject(record.name);
    return pollUntilSettled(
      async (signal) => {
        const history = await attempts.of(subject);
        const standing = subjectState(history, now());
        if (standing.kind === 'accepted')
          return { kind: 'settled', value: { extractId: standing.externalId } };
        const about = { subject, job: input.ref.folder, by: { jobId, number: 1 }, attempts, now };
        const sendBy = input.deadlineAt;
        const key = `${record.name}-${reissuesOf(history)}`;
        const sent = await withEither([signal, deps.stopping], (admitted) =>
          sendKeyed({ ...about, timeoutMs: extracts.timeoutMs, sendBy }, (beforeSend) =>
            extracts.create({ document, key }, admitted, beforeSend),
          ),
        );
        if (sent.kind === 'stopped') return unsentReading(sent.why, 'requesting');
        if (sent.kind === 'refused') throw sent.error;
        const { extractId } = sent.answer;
        const receipt = { kind: 'accepted', externalId: extractId, at: now() } as const;
        const entries = [extractRequestEntry(record, extractId, now())];
        await attempts.putReceipt(subject, sent.taken, receipt, entries);
        return { kind: 'settled', value: { extractId } };
      },
      { ...input, what: 'the request for an extract' },
    );
  }

  async function awaitExtract(
    input: ExtractPoll & { extractId: string },
  ): Promise<Polled<{ status: string; sha256: string }>> {
    return pollUntilSettled(
      async (signal) => {
        const { answer, status } = await extracts.read(input.extractId, signal);
        if (status === 'queued') return unsettled(status);
        const body = Buffer.from(JSON.stringify(answer));
        await file.putAnswer(input.ref.folder, body);
        return { kind: 'settled', value: { status, sha256: sha256Of(body) } };
      },
      { ...input, what: 'an extract' },
    );
  }

  async function finalizeExtract(input: { ref: JobRef; ended: Ended }): Promise<ExtractOutcome> {
    const { ref, ended } = input;
    const record = await recordOf(file, ref);
    const standing = subjectState(await attempts.of(extractSubject(record.name)), now());
    const isLost = standing.kind === 'in_flight' || standing.kind === 'unknown';
    const outcome = {
      ...ended,
      ...(isLost && answerLost),
      jobId: ref.jobId,
      extractId: standing.kind === 'accepted' ? standing.externalId : null,
      settledAt: new Date(now()).toISOString(),
    };
    const entries = [extractOutcomeEntry(record, outcome)];
    return storeOutcome(deps, 'extract', file, ref, outcome, entries);
  }

  return { startExtract, awaitExtract, finalizeExtract };
}
