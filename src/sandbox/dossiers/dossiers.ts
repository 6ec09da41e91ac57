/** Dossiers: their routes, what they hold, and what a test turns. */

import { z } from 'zod';
import type { FictionalPdf } from '../core/fictional-pdf';
import { firstSteps } from '../faults/fault-scenario';
import type { JsonObject } from '../http/answer';
import { IdempotencyKeys, type KeySeen } from '../http/idempotency-keys';
import type { ControlRoutes } from '../http/control';
import { createService, type ResourceParts, type SectionPatch } from '../http/service';
import { filesPrefix } from '../http/signed-links';
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

const dossierBody = z.strictObject({ dossieId: z.string() });

export function createDossiers(parts: ResourceParts & { pdf: FictionalPdf }) {
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

  const { reset, restartFaults, ...service } = createService<DossierStage>({
    ...parts,
    name: 'dossier',
    roles: dossierRoles,
    section: scenario,
    stepsOf: (stage, { subject }) => {
      const { calls, held } = scenario();
      return firstSteps(stage === 'list' ? undefined : held[subject]?.[stage], calls[stage]);
    },
    routes: () => dossierRoutes({ clock, scenario, shelf, keys, pdf: parts.pdf, view }),
  });

  /** By another client. @returns the number of the new attempt. @throws Refusal 404 */
  const retryElsewhere = (dossieId: string): { attempt: number } => ({
    attempt: shelf.beginAgain(shelf.get(dossieId), 'other').number,
  });
  /** By another client. @throws Refusal 404 */
  const cancelElsewhere = (dossieId: string): void => shelf.cancel(shelf.get(dossieId));
  const controls: ControlRoutes = {
    'POST retry': (body) => retryElsewhere(body.as(dossierBody).dossieId),
    'POST cancel': (body) => {
      cancelElsewhere(body.as(dossierBody).dossieId);
      return { ok: true };
    },
  };

  return {
    ...service,
    controls,
    retryElsewhere,
    cancelElsewhere,
    paths: [dossiersPath, `${filesPrefix}${dossierFilesPath}`],
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
    /** Steps begin again; so do the dossiers that the patch names, all of them by `seeded`. */
    patched({ held, pattern, seeded }: SectionPatch): void {
      restartFaults();
      if (seeded === undefined && pattern === undefined) shelf.restart(Object.keys(held ?? {}));
      else shelf.restock();
    },
    reset(): void {
      reset();
      keys.clear();
      shelf.restock();
    },
  };
}
