import { isSameId } from '../../apis/investigation/wire/wire-fields';
import {
  anotherAnalysisCode,
  noInstructionsCode,
  type CreatedLens,
  type SubmittedLens,
} from '../../domain/lens/analyze';
import type { Reading } from '../core/poll-until-settled';

export function submitted(analysisId: string, state: string): Reading<SubmittedLens> {
  return { kind: 'settled', value: { kind: 'submitted', analysisId, state } };
}

export const noInstructions = {
  code: noInstructionsCode,
  message: 'the service does not say where to upload the file',
};

/** Null: one at most. */
export function madeTwice([
  created,
  ...others
]: readonly CreatedLens[]): Reading<SubmittedLens> | null {
  const another = others.find((one) => !isSameId(one.analysisId, created?.analysisId ?? ''));
  if (another === undefined) return null;
  const ids = `${created?.analysisId ?? '-'} and ${another.analysisId}`;
  const message = `the service has made two analyses for one key, ${ids}: no more are requested`;
  return { kind: 'settled', value: { kind: 'unknown', code: anotherAnalysisCode, message } };
}
