import { profileFolder, profileWorkflowId, type ProfileRecord } from '../../domain/profiles/lookup';
import { jobIdAt } from '../../domain/job';
import type { Asker } from '../core/asker';
import { ProfileRepository } from './profiles';

/** Stores the request; afterwards it can be started. */
export async function putLookup(
  { store, environment, idKey }: Asker,
  request: Pick<ProfileRecord, 'cpf' | 'name' | 'retryRural' | 'label' | 'deadlineMs' | 'rerun'>,
  now = new Date(),
): Promise<ProfileRecord> {
  const jobId = jobIdAt(profileWorkflowId(request.name), now);
  const record = { jobId, ...request, createdAt: now.toISOString(), createdBy: environment.actor };
  const folder = profileFolder(jobId);
  await store.subjects.add(folder, [request.name]);
  const label = request.label == null ? null : idKey.nameOf('document', request.label);
  await new ProfileRepository(store).putRecord(folder, record, label);
  return record;
}
