import { operationFolder } from '../credit/analyses';
import type { Store } from '../store';
import { answerKeys, type ErasureClass } from './catalog';
import type { CertificateErasure } from './certificates';
import type { ErasureDraft } from './draft';
import { jobRules, type JobFiles } from './jobs';
import { withoutAnswer, withoutUploads } from './tombstones';

/**
 * One class of what jobs hold that ended before an instant, and that no later job shares.
 *
 * @returns folders of jobs that lose something, with the rows that do
 */
export async function takeClass(
  store: Store,
  draft: ErasureDraft,
  { jobs, certificates }: { jobs: JobFiles; certificates: CertificateErasure },
  { what, endedBefore }: { what: ErasureClass; endedBefore: number },
): Promise<Map<string, number>> {
  const old = new Set<string>();
  for (const { root } of jobRules)
    for (const folder of await jobs.folders(root))
      if (((await jobs.endedAt(folder)) ?? Infinity) < endedBefore) old.add(folder);
  const gone = new Set<string>();
  const shared = { pdf: null, results: 'operations/', inputs: 'inputs/' }[what];
  for (const folder of shared === null ? [] : old)
    for (const use of jobs.usesOf(await jobs.read(folder)))
      if (use.startsWith(shared ?? '') && !(await jobs.hasOther(use, old))) gone.add(use);
  for (const use of gone) await draft.removeShared(use);
  const isWork = (folder: string): boolean => folder.startsWith('works/');
  const lost =
    what === 'inputs'
      ? new Map<string, number>()
      : await certificates.takeClass(draft, new Set([...old].filter(isWork)), what);
  for (const folder of old) {
    const before = draft.size;
    if (what === 'inputs') {
      await draft.rewrite(`${folder}/input`, (job) => withoutUploads(job, gone));
    } else if (!isWork(folder)) {
      const files = /^dossiers\/.+\/artifacts\//;
      for (const key of await store.records.list(`${folder}/`))
        if ((what === 'pdf' ? files : answerKeys).test(key)) await draft.remove(key);
      if (what === 'results') await takeOutcome(draft, jobs, folder, gone);
    }
    if (draft.size > before) lost.set(folder, 0);
  }
  return lost;
}

async function takeOutcome(
  draft: ErasureDraft,
  jobs: JobFiles,
  folder: string,
  gone: ReadonlySet<string>,
): Promise<void> {
  const operationId = (await jobs.read(folder)).outcome?.operationId ?? null;
  // What a later analysis shares stays, and so does what was said of it.
  if (operationId === null || gone.has(operationFolder(operationId)))
    await draft.rewrite(`${folder}/outcome`, (one) => withoutAnswer(one as object));
  // What was asked for tells of the others.
  if (folder.startsWith('lens/')) await draft.removeRows('subject', `${folder}/answer`);
  if (folder.startsWith('dossiers/')) await draft.removeRows('subject', folder);
}
