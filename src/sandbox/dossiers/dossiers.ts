/** Dossiers: their routes, what they hold, and what a test turns. */

import type { CertificatePdf } from '../certificates/certificate-pdf';
import type { JsonObject } from '../engine/answer';
import { IdempotencyKeys, type KeySeen } from '../engine/idempotency-keys';
import { createResourceService } from '../engine/resource-service';
import { filesPrefix } from '../engine/signed-links';
import type { ResourceParts } from '../resource-parts';
import { artifactIdOf, dossierOnWire, type DossierView } from './dossier-wire';
import { dossierFilesPath, dossierRoutes, dossiersPath } from './dossier-routes';
import { dossierRoles, type DossierEnding, type DossierStage } from './dossier-scenario';
import { currentOf, DossierShelf, type HeldDossier } from './dossier-shelf';

/** A dossier with all there is of it, and how its attempts end or have ended. */
export interface DossierHeld {
  dossier: JsonObject;
  endings: DossierEnding[];
}

export interface DossierCounts {
  /** Calls by kind. */
  calls: Record<DossierStage, number>;
  keys: KeySeen[];
  items: {
    dossieId: string;
    /** Number of the current attempt. */
    attempt: number;
    /** Attempts that a client's retry really began: more than asked for is one paid twice. */
    retried: number;
    statusReads: number;
    retryRequests: number;
    cancelRequests: number;
    pdfs: number;
  }[];
}

/** What a patch of the section names. */
interface DossiersNamed {
  held?: object | undefined;
  pattern?: unknown;
  seeded?: unknown;
}

export function createDossiers(parts: ResourceParts & { pdf: CertificatePdf }) {
  const { clock, links, seed } = parts;
  const scenario = () => parts.scenario().dossiers;
  const shelf = new DossierShelf({ seed, clock, scenario });
  const keys = new IdempotencyKeys(() => scenario().repeatedKey);

  const link = (dossier: HeldDossier, expiresAt: number) => {
    const path = `${dossier.id}/artifacts/${artifactIdOf(currentOf(dossier))}`;
    return scenario().links === 'bearer'
      ? `${dossiersPath}/${path}`
      : links.make(`${dossierFilesPath}/${path}`, expiresAt);
  };
  const view = (read: DossierView['read']): DossierView => ({
    seed,
    now: clock.now(),
    scenario: scenario(),
    read,
    link,
  });

  const service = createResourceService<DossierStage>({
    ...parts,
    name: 'dossier',
    roles: dossierRoles,
    latencyMs: () => parts.scenario().latencyMs,
    rateLimitPerSecond: () => scenario().rateLimitPerSecond,
    cursorName: () => scenario().cursorName,
    stepsOf: (stage, id) => {
      const { calls, held } = scenario();
      const own = stage === 'list' ? [] : (held[id]?.[stage] ?? []);
      return own.length > 0 ? own : calls[stage];
    },
    background: () => scenario().background,
    routes: dossierRoutes({ clock, scenario, shelf, keys, pdf: parts.pdf, view }),
  });

  return {
    paths: [dossiersPath, `${filesPrefix}${dossierFilesPath}`],
    serve: service.serve,
    received: service.received,
    clearReceived: service.clearReceived,
    counts: (): DossierCounts => ({
      calls: service.calls(),
      keys: keys.seen(),
      items: shelf.all().map((dossier) => ({
        dossieId: dossier.id,
        attempt: currentOf(dossier).number,
        retried: dossier.attempts.filter(({ by }) => by === 'client').length,
        ...dossier.counts,
      })),
    }),
    state: (): DossierHeld[] =>
      shelf.all().map((dossier) => ({
        dossier: dossierOnWire(dossier, view('held')),
        endings: dossier.attempts.map(({ ending }) => ending),
      })),
    /** By another client. @throws Refusal 404 */
    retryElsewhere(dossieId: string): { attempt: number } {
      return { attempt: shelf.beginAgain(shelf.get(dossieId), 'other').number };
    },
    /** By another client. @throws Refusal 404 */
    cancelElsewhere: (dossieId: string): void => shelf.cancel(shelf.get(dossieId)),
    /** Steps begin again; so do the dossiers that the patch names, all of them by `seeded`. */
    patched({ held, pattern, seeded }: DossiersNamed): void {
      service.restartFaults();
      if (seeded === undefined && pattern === undefined) shelf.restart(Object.keys(held ?? {}));
      else shelf.restock();
    },
    reset(): void {
      service.reset();
      keys.clear();
      shelf.restock();
    },
  };
}
