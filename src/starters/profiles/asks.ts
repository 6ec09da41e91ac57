import { ProfileRepository } from '../../store/profiles/profiles';
import { profileFolder, profileWorkflowId, type ProfileRecord } from '../../domain/profiles/lookup';
import type { CommandContext } from '../jobs/context';
import { jobIdAt } from '../jobs/start-job';

/** Records what is asked for: it can be started then. */
export async function putLookup(
  { store, environment, idKey }: CommandContext,
  ask: Pick<ProfileRecord, 'cpf' | 'name' | 'retryRural' | 'label' | 'deadlineMs'>,
): Promise<ProfileRecord> {
  const now = new Date();
  const workId = jobIdAt(profileWorkflowId(ask.name), now);
  const record = { workId, ...ask, createdAt: now.toISOString(), createdBy: environment.actor };
  const folder = profileFolder(workId);
  await store.subjects.add(folder, [ask.name]);
  const label = ask.label == null ? null : idKey.nameOf('document', ask.label);
  await new ProfileRepository(store).putRecord(folder, record, label);
  return record;
}
