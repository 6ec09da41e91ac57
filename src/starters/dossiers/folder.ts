import { mkdir } from 'node:fs/promises';
import { DossierRepository } from '../../store/dossiers/dossiers';
import type { StoredArtifact } from '../../domain/core/artifact';
import type { DossierOutcome, DossierRecord } from '../../domain/dossiers/follow';
import type { CommandContext } from '../jobs/context';
import type { EndedJob } from '../jobs/job-kind';
import { writeArtifact, writeWhole } from '../jobs/written-file';

/**
 * Writes `dossier.json` (responses as received, and the outcome) and the files of a dossier whose report
 * is stored: an unencrypted export.
 *
 * @returns names of the files
 * @throws CommandError when a file was erased
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

/** The report has a fixed name; other files are numbered. */
export function artifactName({ mediaType, type }: StoredArtifact, index: number): string {
  const isPdf = type === 'dossie_pdf' || mediaType === 'application/pdf';
  return `${index === 0 ? 'dossier' : `dossier-${index + 1}`}${isPdf ? '.pdf' : '.bin'}`;
}
