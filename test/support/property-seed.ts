import { configureGlobal } from 'fast-check';

/**
 * Draws the same cases again under `PROPERTY_SEED`, a whole number. `.ci/run` makes it of the commit,
 * so that a commit that was green stays green, and the next one meets other cases.
 */
const seed = process.env.PROPERTY_SEED;
if (seed !== undefined) {
  if (!/^\d{1,9}$/.test(seed)) throw new Error('PROPERTY_SEED: expected a whole number');
  configureGlobal({ seed: Number(seed) });
}
