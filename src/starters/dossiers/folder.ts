import { mkdir } from 'node:fs/promises';
import { DossierRepository } from '../../store/dossiers/dossiers';
import type { FiledArtifact } from '../../domain/core/artifact';
import type { DossierOutcome } from '../../domain/dossiers/follow';
import { writeArtifact, writeWhole } from '../cli/written-file';
import type { CommandContext } from '../jobs/context';

/**
 * Writes `dossier.json` (the answers as they came, and how it ended) and the files of a dossier: an
 * export, in the clear.
 *
 * @returns names of the files
 * @throws CommandError when a file is not in the store any more
 */
export async function writeDossierFolder(
  { store }: CommandContext,
  filedIn: string,
  outcome: DossierOutcome,
  folder: string,
): Promise<string[]> {
  const file = new DossierRepository(store);
  const answers = await file.answers(filedIn);
  await mkdir(folder, { recursive: true });
  const names = ['dossier.json'];
  await writeWhole(folder, 'dossier.json', `${JSON.stringify({ outcome, answers }, null, 2)}\n`);
  for (const [place, artifact] of outcome.filed.entries()) {
    const name = nameOf(artifact, place);
    await writeArtifact(store, outcome.workId, artifact, folder, name);
    names.push(name);
  }
  return names;
}

/** The report has one name; what comes beside it is numbered. */
function nameOf({ mediaType, type }: FiledArtifact, place: number): string {
  const isPdf = type === 'dossie_pdf' || mediaType === 'application/pdf';
  return `${place === 0 ? 'dossier' : `dossier-${place + 1}`}${isPdf ? '.pdf' : '.bin'}`;
}
