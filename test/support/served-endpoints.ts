import type { Readiness } from '../../src/workers/readiness';
import type { Installation } from './diligence-process';

/** Where the workers say that they serve their endpoints, in the order of their starts. */
export async function servedOrigins(place: Installation): Promise<string[]> {
  const told = (await place.workerLog()).matchAll(/"address":"([^"]+)","msg":"serving/g);
  return [...told].map(([, address]) => `http://${address}`);
}

export async function readinessAt(origin: string): Promise<{ status: number; told: Readiness }> {
  const answer = await fetch(`${origin}/readyz`);
  return { status: answer.status, told: (await answer.json()) as Readiness };
}
