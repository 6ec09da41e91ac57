import { workFolder } from '../../store/certificates/works';
import type { BatchSummary } from '../../domain/certificates/certificates';
import {
  decisionFolder,
  type DecisionRecord,
  type WorkRecord,
} from '../../domain/certificates/work';
import type { CommandContext } from '../jobs/context';

/** A batch, a single issuance, or a person's decision about rows of one. */
export interface WorkOnFile {
  /** Folder of the batch or issuance; a decision's results stand there too. */
  folder: string;
  record: WorkRecord;
  /** Null for the batch or issuance itself. */
  decision: DecisionRecord | null;
}

const decisionEnd = /\/decision-(\d{1,9})$/;

/** What people call the work, and `status`, `result` and `cancel` take. */
export function workIdOf({ record, decision }: WorkOnFile): string {
  return decision === null ? record.workId : `${record.workId}/decision-${decision.number}`;
}

/** Folder of the job. */
export function jobFolderOf({ folder, decision }: WorkOnFile): string {
  return decision === null ? folder : decisionFolder(folder, decision.number);
}

/** The workflow that does the work: a single issuance has one, whatever instant it was asked at. */
export function engineIdOf(work: WorkOnFile): string {
  const id = workIdOf(work);
  if (work.decision !== null || work.record.kind !== 'certificate') return id;
  return id.split('/').slice(0, 3).join('/');
}

/** Lanes that a batch or decision may have: they outlive it when it is terminated. */
export const mostLanes = 8;

export function laneId(work: WorkOnFile, number: number): string {
  const { decision } = work;
  const prefix = decision === null ? 'lane' : `decision-${decision.number}-lane`;
  return `${workIdOf(work)}/${prefix}-${String(number).padStart(4, '0')}`;
}

/** Whether the workflow of this id is a decision's, which is driven as a batch is. */
export function isDecisionId(workflowId: string): boolean {
  return decisionEnd.test(workflowId);
}

/** The results of the work as they stand; of a decision, those it wrote. Null before its end. */
export function summaryOf(place: CommandContext, work: WorkOnFile): Promise<BatchSummary | null> {
  const { folder, decision } = work;
  return decision === null
    ? place.works.summary(folder)
    : place.works.decisionSummary(folder, decision.number);
}

/**
 * A work by the id that its command printed. A single issuance has one id for every time it was
 * asked for: the last one is meant. `newest` looks for later runs of a batch too.
 */
export async function findWork(
  place: CommandContext,
  id: string,
  which: 'named' | 'newest' = 'named',
): Promise<WorkOnFile | null> {
  if (!/^[\w/-]+$/.test(id) || id.split('/').includes('')) return null;
  const number = decisionEnd.exec(id)?.[1];
  if (number !== undefined) return findDecision(place, id.replace(decisionEnd, ''), Number(number));
  const folder = workFolder(id);
  const record = await place.works.record(folder);
  if (record !== null && which === 'named') return { folder, record, decision: null };
  const newest = await place.store.jobs.last<WorkRecord>(`${folder}/`);
  if (newest !== null) return { ...newest, decision: null };
  return record === null ? null : { folder, record, decision: null };
}

async function findDecision(
  place: CommandContext,
  workId: string,
  number: number,
): Promise<WorkOnFile | null> {
  const work = await findWork(place, workId);
  if (work === null) return null;
  const decision = await place.works.decision(work.folder, number);
  return decision === null ? null : { ...work, decision };
}

/** The decisions about a work, in order. */
export async function decisionsOn(place: CommandContext, work: WorkOnFile): Promise<WorkOnFile[]> {
  const { folder, record } = work;
  const decisions = await place.works.decisions(folder);
  return decisions.map((decision) => ({ folder, record, decision }));
}

export function beganAt({ record, decision }: WorkOnFile): string {
  return decision?.at ?? record.createdAt;
}
