import { stat } from 'node:fs/promises';
import type { Store } from '../store/store';
import type { Environment } from '../environment';
import { engineAddress } from '../temporal/connection';
import { faultSentence, keyChecks, keyFault } from '../temporal/key-checks';
import { findPayloadKeys, payloadKeysPath, type PayloadKeys } from '../temporal/payload-keys';
import { fail, messageOf, ok, warn, type Finding } from './finding';

const check = 'payload keys';

/**
 * The keys that payloads are encrypted with: there, the user's alone, and those of the store.
 * Generates and registers none.
 *
 * @param store undefined when there is none yet, or it cannot be used
 */
export async function examinePayloadKeys(
  environment: Environment,
  store: Store | undefined,
): Promise<Finding[]> {
  const { payloadKeys, dataDir, acceptPlaintext } = environment;
  const engine = engineAddress().kind;
  const path = payloadKeysPath(dataDir);
  const file = await stat(path).catch(() => null);
  if (payloadKeys === null && engine === 'embedded' && file === null) {
    return [ok(check, `${path} is generated at the first use`)];
  }
  let found: PayloadKeys;
  try {
    found = await findPayloadKeys(environment, engine);
  } catch (error) {
    return [fail(check, messageOf(error), 'as it says')];
  }
  const known = store === undefined ? [] : await keyChecks(store);
  const fault = known.length === 0 ? null : keyFault(found.keys, known);
  if (fault !== null) {
    const cure = '`diligence keys check` shows what is asked for';
    return [fail(check, `the list ${faultSentence(fault, found.keys)}`, cure)];
  }
  const findings = [stateOf(found, path)];
  if (found.keys !== 'off' && acceptPlaintext) {
    const detail = 'payloads that we did not encrypt are taken as they are';
    const cure = 'unset DILIGENCE_ACCEPT_PLAINTEXT when the migration is over';
    findings.push(warn('DILIGENCE_ACCEPT_PLAINTEXT', detail, cure));
  }
  return findings;
}

function stateOf({ keys, from }: PayloadKeys, path: string): Finding {
  if (keys === 'off') {
    const detail =
      'off: documents and results lie in the clear, in the store and on the Temporal server';
    return warn(
      check,
      detail,
      'set DILIGENCE_PAYLOAD_KEYS to what `diligence keys generate` prints',
    );
  }
  const [first, ...others] = keys.ids;
  const decrypts = others.length === 0 ? '' : `, ${others.join(' and ')} can only decrypt`;
  const where = from === 'file' ? `${path}; keep a copy apart from the store` : 'configured';
  return ok(check, `${first} encrypts${decrypts} (${where})`);
}
