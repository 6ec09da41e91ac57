import { stat } from 'node:fs/promises';
import type { Store } from '../store/store';
import type { Environment } from '../environment';
import { engineAddress } from '../temporal/connection';
import { findPayloadKeys, payloadKeysPath } from '../temporal/payload/payload-keys';
import { keyChecks, keyFault } from '../temporal/payload/store-keys';
import { fail, messageOf, ok, type Finding } from './finding';

const check = 'payload keys';

/**
 * The payload keys: present, private, and those of the store. Generates and registers none.
 *
 * @param store undefined when there is none, or it is unusable
 */
export async function examinePayloadKeys(
  environment: Environment,
  store: Store | undefined,
): Promise<Finding> {
  const engine = engineAddress().kind;
  const path = payloadKeysPath(environment.dataDir);
  const isOfFile = environment.payloadKeys === null;
  if (isOfFile && engine === 'embedded' && (await stat(path).catch(() => null)) === null) {
    return ok(check, `${path} is generated at the first use`);
  }
  try {
    const keys = await findPayloadKeys(environment, engine);
    const fault = store === undefined ? null : keyFault(keys, await keyChecks(store));
    if (fault !== null) {
      const fix = '`diligence keys check` shows what is asked for';
      return fail(check, `the list ${fault}`, fix);
    }
    const [first, ...others] = keys.ids;
    const decrypts = others.length === 0 ? '' : `, ${others.join(' and ')} can only decrypt`;
    const where = isOfFile ? `${path}; keep a copy apart from the store` : 'configured';
    return ok(check, `${first} encrypts${decrypts} (${where})`);
  } catch (error) {
    return fail(check, messageOf(error), 'as it says');
  }
}
