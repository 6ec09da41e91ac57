import { mkdir } from 'node:fs/promises';
import { DossierRepository } from '../../store/dossiers/dossiers';
import type { StoredArtifact } from '../../domain/core/artifact';
import type { DossierOutcome, DossierRecord } from '../../domain/dossiers/follow';
import type { CommandContext } from '../jobs/context';
import type { EndedJob } from '../jobs/job-kind';
import { writeArtifact, writeWhole } from '../jobs/written-file';

/**
 * Writes `dossier.json` (the answers as they came, and how it ended) and the files of a dossier whose report
 * is in the store: an export, in the clear.
 *
 * @returns names of the files
 * @throws CommandError when a file is not in the store any more
 */
export async function writeDossierFolder(
  { store }: CommandContext,
  {
    folder: from,
    id,
    outcome,
  }: Pick<EndedJob<DossierRecord, DossierOutcome>, 'folder' | 'id' | 'outcome'>,
  folder: string,
): Promise<string[]> {
  const file = new DossierRepository(store);
  const answers = await file.answers(from);
  if (answers === null) return [];
  await mkdir(folder, { recursive: true });
  const names = ['dossier.json'];
  await writeWhole(folder, 'dossier.json', `${JSON.stringify({ outcome, answers }, null, 2)}\n`);
  for (const [index, artifact] of outcome.stored.entries()) {
    const name = artifactName(artifact, index);
    await writeArtifact(store, id, artifact, folder, name);
    names.push(name);
  }
  return names;
}

/** The report has one name; what comes beside it is numbered. */
export function artifactName({ mediaType, type }: StoredArtifact, index: number): string {
  const isPdf = type === 'dossie_pdf' || mediaType === 'application/pdf';
  return `${index === 0 ? 'dossier' : `dossier-${index + 1}`}${isPdf ? '.pdf' : '.bin'}`;
}
