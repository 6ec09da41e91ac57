import { ConfigError, type Environment } from '../environment';
import { JobRepository } from '../store/core/jobs/jobs';
import { isPostgres, shownAddress } from '../store/open-store';
import type { Store } from '../store/store';
import { runningEngine } from './engine-record';

/** Record of a store whose data came from a sandbox. */
const mark = 'sandbox.json';

/**
 * Before a sandbox serves this store: open jobs of a real service would be looked up there.
 *
 * @throws ConfigError when the store has jobs of a service
 */
export async function takeStoreForSandbox(environment: Environment, store: Store): Promise<void> {
  if ((await store.records.getJson(mark)) !== null) return;
  const [job] = await new JobRepository(store).list({}, { sort: 'created', limit: 1 });
  if (job !== undefined) {
    const path = shownAddress(environment.storeUrl);
    throw new ConfigError(whereSet(environment), [
      `${path} holds results of a service: give the sandbox a store of its own`,
      `${path} tem resultados de um serviço: use outro armazenamento para o sandbox`,
    ]);
  }
  await store.records.putJson(mark, { since: new Date().toISOString() });
}

/**
 * Sandbox results would be reused as results of the service.
 *
 * @throws ConfigError when a service is configured, and the store holds results of a sandbox
 */
export async function refuseSandboxStore(environment: Environment, store: Store): Promise<void> {
  const { investigation, credit, dataDir, storeUrl } = environment;
  const configured = [investigation?.baseUrl, credit?.baseUrl].filter((url) => url !== undefined);
  if (configured.length === 0 || (await store.records.getJson(mark)) === null) return;
  const engine = await runningEngine(dataDir);
  const served = engine?.sandboxUrl == null ? [] : [engine.sandboxUrl, engine.creditBaseUrl];
  const [stranger] = configured.filter((url) => !served.includes(url));
  if (stranger === undefined) return;
  const path = shownAddress(storeUrl);
  throw new ConfigError(whereSet(environment), [
    `${path} holds results of a sandbox, which are not real: use another one for ${stranger}`,
    `${path} tem resultados de um sandbox, que não são reais: use outro para ${stranger}`,
  ]);
}

function whereSet({ storeUrl }: Environment): string {
  return isPostgres(storeUrl) ? 'DILIGENCE_STORE_URL' : 'DILIGENCE_DATA_DIR';
}
