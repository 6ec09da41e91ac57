/** What profiles, lens, traces and dossiers are built from. */

import type { SandboxClock } from './clock';
import type { Credentials } from './engine/credentials';
import type { SignedLinks } from './engine/signed-links';
import type { Scenario } from './scenario';

export interface ResourceParts {
  seed: number;
  clock: SandboxClock;
  scenario(): Scenario;
  credentials: Credentials;
  links: SignedLinks;
  /** Requests kept in the log; the oldest go first. */
  receivedCapacity: number;
}
