/** Maximum length for the service (specification: "Limits"). */
const longest = 255;

/**
 * The header of a call that may be sent again.
 *
 * @throws RangeError for a key that the service would refuse: empty, longer than 255 characters, or
 *   with other than visible ASCII
 */
export function idempotencyKey(key: string): { 'idempotency-key': string } {
  if (key.length > longest || !/^[!-~]+$/.test(key)) {
    throw new RangeError(`an Idempotency-Key has 1 to ${longest} visible characters`);
  }
  return { 'idempotency-key': key };
}
