import { profileFolder, profileWorkflowId, type ProfileRecord } from '../../domain/profiles/lookup';
import { jobIdAt } from '../../domain/job';
import type { Asker } from '../core/asker';
import { ProfileRepository } from './profiles';

/** Records what is asked for: it can be started then. */
export async function putLookup(
  { store, environment, idKey }: Asker,
  ask: Pick<ProfileRecord, 'cpf' | 'name' | 'retryRural' | 'label' | 'deadlineMs' | 'rerun'>,
  now = new Date(),
): Promise<ProfileRecord> {
  const workId = jobIdAt(profileWorkflowId(ask.name), now);
  const record = { workId, ...ask, createdAt: now.toISOString(), createdBy: environment.actor };
  const folder = profileFolder(workId);
  await store.subjects.add(folder, [ask.name]);
  const label = ask.label == null ? null : idKey.nameOf('document', ask.label);
  await new ProfileRepository(store).putRecord(folder, record, label);
  return record;
}
