import type { JobRef } from '../../domain/core/job-record';
import { isOnlyAPage, type Engine } from '../../apis/credit/engines.wire';
import { decisionEntry } from '../../domain/core/audit';
import { attemptState, reissueByRerun, latestAttempt } from '../../domain/core/service/attempts';
import type { Polled, PollRequest } from '../../domain/core/service/poll-request';
import { chooseEngine, type EngineChoice } from '../../domain/credit/engine';
import { analysisText, type AnalysisRecord, type EngineChosen } from '../../domain/credit/job';
import { AnalysisRepository } from '../../store/credit/analyses';
import { recordOf } from '../core/job-records';
import { createPolling, type Reading } from '../core/poll-until-settled';
import type { CreditDependencies } from '../dependencies';
import { subjectOf } from './requests';

export interface ChooseEngineInput extends PollRequest {
  ref: JobRef;
}

/** Engines listed in a refusal. */
const mostNamed = 50;

/** The rule engine of a file: looked up once, before anything is claimed. */
export function createCreditEngineActivities(deps: CreditDependencies) {
  const { store, credit, audit, now } = deps;
  const analyses = new AnalysisRepository(store);
  const pollUntilSettled = createPolling(deps);

  /** The first choice stays: claims, recovery and resolutions concern one engine. */
  async function chooseNamedEngine({
    ref,
    ...request
  }: ChooseEngineInput): Promise<Polled<EngineChosen>> {
    const record = await recordOf(analyses, ref);
    const polled = await pollUntilSettled(() => choice(record, ref), {
      ...request,
      what: 'the list of engines',
      refusesUnreadable: true,
    });
    const isChosen = polled.kind === 'settled' && polled.value.kind === 'chosen';
    if (isChosen && record.rerun === true) await reissue(await recordOf(analyses, ref));
    return polled;
  }

  async function choice(
    record: AnalysisRecord,
    { folder }: JobRef,
  ): Promise<Reading<EngineChosen>> {
    const settled = (value: EngineChosen): Reading<EngineChosen> => ({ kind: 'settled', value });
    if (record.fence !== null) return settled({ kind: 'chosen' });
    const wanted = record.engine ?? '';
    try {
      const found = chooseEngine(await credit.engines.list('interactive'), wanted);
      if (found.kind !== 'found') return settled(refusal(wanted, found));
      const { id: engineId } = found.engine;
      const fence = deps.purchaseName(analysisText(record, engineId.toLowerCase()));
      await analyses.putEngine(folder, { engineId, fence });
      return settled({ kind: 'chosen' });
    } catch (error) {
      if (!isOnlyAPage(error)) throw error;
      const message = `the list of engines cannot be read to its end, and "${wanted}" may be in the rest: choose it by its id; nothing was sent`;
      return settled({ kind: 'refused', code: 'engine_list_in_pages', message });
    }
  }

  /** Gives up an earlier purchase under this engine: whoever ordered it anew could not know of it. */
  async function reissue(record: AnalysisRecord): Promise<void> {
    const { createdAt, createdBy: by, jobId } = record;
    const subject = subjectOf(record);
    const last = latestAttempt(await store.attempts.of(subject));
    const at = now();
    const { kind } = attemptState(last, at);
    if (last === null || (kind !== 'accepted' && kind !== 'unknown')) return;
    // Sent since then by this job: an attempt of this activity may be late.
    if (last.claim.claimedAt >= Date.parse(createdAt)) return;
    await store.attempts.resolve(subject, last.n, reissueByRerun(by, at));
    await audit.append([decisionEntry('reissue', { jobId, by }, {}, at)]);
  }

  return { chooseNamedEngine };
}

function refusal(
  wanted: string,
  found: Exclude<EngineChoice<Engine>, { kind: 'found' }>,
): EngineChosen {
  const { engines, kind } = found;
  const names = engines
    .slice(0, mostNamed)
    .map(({ id, name, isTemplate }) => {
      const template = isTemplate === true ? ' (template)' : '';
      return kind === 'several' ? `${id}${template}` : `"${name.slice(0, 100)}" ${id}${template}`;
    })
    .join(', ');
  const more = engines.length > mostNamed ? `, and ${engines.length - mostNamed} more` : '';
  const message =
    kind === 'several'
      ? `${engines.length} engines have the name "${wanted}": ${names}${more}; choose one by its id; nothing was sent`
      : `there is no engine "${wanted}"; there are ${names === '' ? 'none' : names}${more}; nothing was sent`;
  return {
    kind: 'refused',
    code: kind === 'several' ? 'engine_ambiguous' : 'engine_unknown',
    message,
  };
}
