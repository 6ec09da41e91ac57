import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DossierRepository } from '../../store/dossiers/dossiers';
import type { DossierOutcome, FiledArtifact } from '../../domain/dossiers/follow';
import { CommandError } from '../jobs/errors';
import { writeWhole } from '../cli/written-file';
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
    const bytes = await file.bytes(artifact.key);
    if (bytes === null) {
      throw new CommandError(`${outcome.workId}: its files are not in the store any more`);
    }
    const name = nameOf(artifact, place);
    const aside = join(folder, `.${name}.partial`);
    await writeFile(aside, bytes, { mode: 0o600 });
    await rename(aside, join(folder, name));
    names.push(name);
  }
  return names;
}

/** The report has one name; what comes beside it is numbered. */
function nameOf({ mediaType, type }: FiledArtifact, place: number): string {
  const isPdf = type === 'dossie_pdf' || mediaType === 'application/pdf';
  return `${place === 0 ? 'dossier' : `dossier-${place + 1}`}${isPdf ? '.pdf' : '.bin'}`;
}
