import {
  resourceFaultKinds,
  strikesRole,
  type CallRole,
} from '../../src/sandbox/faults/resource-fault-words';

/** Every fault that the sandbox knows for these calls; slow ones end within a time-out of 2 s. */
export function everyFaultOf(roles: Readonly<Record<string, CallRole>>) {
  return faultWordsOf(roles).map((kind) =>
    kind === 'slow' || kind === 'slow_pdf' ? { kind, delayMs: 800 } : kind,
  );
}

export function faultWordsOf(roles: Readonly<Record<string, CallRole>>) {
  return resourceFaultKinds.filter((kind) =>
    Object.values(roles).some((role) => strikesRole(kind, role)),
  );
}

/** The service refuses what is asked, or says so, and has made nothing. */
export const refusals: readonly (string | null)[] = [
  '400_refused',
  '404',
  '409',
  '403_custom_not_enabled',
];
