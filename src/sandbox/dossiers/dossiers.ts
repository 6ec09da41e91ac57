/** Dossiers: the calls about them, and what a test turns. */

import { z } from 'zod';
import { drawDuration } from '../core/chance';
import { fictionalPdf } from '../core/fictional-pdf';
import { createShelf } from '../core/shelf';
import { Refusal, type Answer } from '../http/answer';
import type { ControlRoutes } from '../http/control';
import { filesPrefix } from '../http/credentials';
import { createKeys } from '../http/idempotency-keys';
import { readPage } from '../http/list-pages';
import { refuseBody, uuidIn, type Request } from '../http/request';
import { createService, type PreparedCall, type ResourceParts } from '../http/service';
import {
  artifactIdOf,
  currentOf,
  dossierOnWire,
  hasPdf,
  isCancellableAt,
  nextAttempt,
  statusAt,
  type Attempt,
  type DossierView,
  type HeldDossier,
} from './dossier';
import { dossierRoles, dossierStatusWords } from './dossier-scenario';
import type { DossierScript, DossierStage } from './dossier-scenario';

const dossiersPath = '/api/v1/dossies';
const dossierFilesPath = 'dossies';
const dossierBody = z.strictObject({ dossieId: z.string() });

/** Id of the nth seeded dossier, from 1. */
export function seededDossierId(number: number): string {
  return `444f5353-4945-4000-8000-${String(number).padStart(12, '0')}`;
}

export function createDossiers(parts: ResourceParts) {
  const { clock, links, seed } = parts;
  const scenario = () => parts.scenario().dossiers;
  const attemptAt = (of: Parameters<typeof nextAttempt>[0], by: Attempt['by']) =>
    nextAttempt(of, by, { now: clock.now(), scenario: scenario(), seed });
  const shelf = createShelf<DossierScript, HeldDossier>({
    stock: () => ({ ...scenario(), seeded: scenario().seeded.dossiers }),
    seededId: seededDossierId,
    missing: () => new Refusal(404, 'dossie_not_found', 'No such dossier.'),
    make: (id, script) => ({
      id,
      script,
      createdAt: clock.now(),
      attempts: [attemptAt({ id, script, attempts: [] }, 'start')],
      counts: { statusReads: 0, retryRequests: 0, cancelRequests: 0, pdfs: 0 },
    }),
  });
  const keys = createKeys(() => scenario().repeatedKey);

  /** A new attempt under the same id. */
  function beginAgain(dossier: HeldDossier, by: 'client' | 'other'): Attempt {
    const attempt = attemptAt(dossier, by);
    dossier.attempts.push(attempt);
    return attempt;
  }

  /** As its script says: cancelled after a while, or on to its end all the same. */
  function cancel(dossier: HeldDossier): void {
    const attempt = currentOf(dossier);
    const now = clock.now();
    if (dossier.script.cancelling !== 'cancelled' || !isCancellableAt(attempt, now)) return;
    const takes = drawDuration(scenario().cancelMs, 'uniform', seed, 'cancel', attempt.id);
    attempt.cancelledAt = Math.min(attempt.cancelledAt, now + takes);
  }

  const link = (dossier: HeldDossier, expiresAt: number) => {
    const path = `${dossier.id}/artifacts/${artifactIdOf(currentOf(dossier))}`;
    return scenario().links === 'bearer'
      ? `${dossiersPath}/${path}`
      : links.make(`${dossierFilesPath}/${path}`, expiresAt);
  };
  const shownIn = (dossier: HeldDossier, read: DossierView['read']) =>
    dossierOnWire(dossier, { seed, now: clock.now(), scenario: scenario(), read, link });
  const shown = (dossier: HeldDossier, status: number) => ({
    status,
    json: shownIn(dossier, 'status'),
  });

  const find = (request: Request) => shelf.get(uuidIn(request, 'dossie_id'));
  const about = ({ id }: HeldDossier, act: () => Answer): PreparedCall => ({
    subject: id,
    id,
    act,
  });
  const statusOf = (dossier: HeldDossier) => statusAt(currentOf(dossier), clock.now());

  function prepareList({ query }: Request): PreparedCall {
    const page = readPage<HeldDossier>(query, scenario(), [
      { name: scenario().statusName, words: dossierStatusWords, wordOf: statusOf },
    ]);
    const json = () => page(shelf.all(), (dossier) => shownIn(dossier, 'list'));
    return { subject: '', id: null, act: () => ({ status: 200, json: json() }) };
  }

  function prepareStatus(request: Request): PreparedCall {
    const dossier = find(request);
    dossier.counts.statusReads += 1;
    return about(dossier, () => shown(dossier, 200));
  }

  function prepareRetry(request: Request): PreparedCall {
    const dossier = find(request);
    dossier.counts.retryRequests += 1;
    const key = keys.arrived(request);
    refuseBody(request);
    const asked = `retry|${dossier.id}`;
    const { successStatus } = scenario();
    if (key.made(asked) !== null) return about(dossier, () => shown(dossier, successStatus));
    const status = statusOf(dossier);
    if (!['failed', 'needs_review', 'cancelled'].includes(status)) {
      throw new Refusal(409, 'dossie_not_retryable', `The dossier is ${status}.`);
    }
    return about(dossier, () => {
      beginAgain(dossier, 'client');
      key.bind(asked, dossier.id);
      return shown(dossier, successStatus);
    });
  }

  function prepareCancel(request: Request): PreparedCall {
    const dossier = find(request);
    dossier.counts.cancelRequests += 1;
    refuseBody(request);
    const status = statusOf(dossier);
    const isOver = !isCancellableAt(currentOf(dossier), clock.now());
    if ((isOver && status !== 'cancelled') || dossier.script.cancelling === 'refused') {
      throw new Refusal(409, 'dossie_not_cancellable', `The dossier is ${status}.`);
    }
    return about(dossier, () => {
      cancel(dossier);
      return shown(dossier, scenario().successStatus);
    });
  }

  /** The same attempt always has the same bytes. */
  function preparePdf(request: Request): PreparedCall {
    const dossier = find(request);
    dossier.counts.pdfs += 1;
    const attempt = currentOf(dossier);
    const named = uuidIn(request, 'artifact_id') === artifactIdOf(attempt);
    if (!named || !hasPdf(dossier, scenario(), clock.now())) {
      throw new Refusal(404, 'artifact_not_found', 'No such artifact.');
    }
    const heading = `Dossie ${dossier.script.kind} (sandbox)`;
    const name = `Tentativa ${attempt.number}`;
    const bytes = fictionalPdf({ heading, name, id: dossier.id, outcome: attempt.ending });
    return about(dossier, () => ({ status: 200, bytes, contentType: 'application/pdf' }));
  }

  const one = `${dossiersPath}/:dossie_id`;
  const artifact = ':dossie_id/artifacts/:artifact_id';
  const artifactFile = `${filesPrefix}${dossierFilesPath}/${artifact}`;
  const service = createService<DossierStage>({
    ...parts,
    name: 'dossier',
    paths: [dossiersPath, `${filesPrefix}${dossierFilesPath}`],
    roles: dossierRoles,
    section: scenario,
    scriptOf: ({ subject }) => scenario().held[subject],
    shelf,
    routes: () => [
      ['GET', dossiersPath, 'list', prepareList, { query: 'any' }],
      ['GET', `${one}/status`, 'status', prepareStatus],
      ['POST', `${one}/retry`, 'retry', prepareRetry],
      ['POST', `${one}/cancel`, 'cancel', prepareCancel],
      ['GET', `${dossiersPath}/${artifact}`, 'pdf', preparePdf],
      ['GET', artifactFile, 'pdf', preparePdf, { query: 'any' }],
    ],
  });

  /** By another client. @returns the number of the new attempt. @throws Refusal 404 */
  const retryElsewhere = (dossieId: string): { attempt: number } => ({
    attempt: beginAgain(shelf.get(dossieId), 'other').number,
  });
  /** By another client. @throws Refusal 404 */
  const cancelElsewhere = (dossieId: string): void => cancel(shelf.get(dossieId));
  const controls: ControlRoutes = {
    'POST retry': (body) => retryElsewhere(body.as(dossierBody).dossieId),
    'POST cancel': (body) => cancelElsewhere(body.as(dossierBody).dossieId),
  };

  return {
    ...service,
    controls,
    retryElsewhere,
    cancelElsewhere,
    counts: () => ({
      calls: service.calls(),
      keys: keys.seen(),
      items: shelf.all().map((dossier) => ({
        dossieId: dossier.id,
        /** Number of the current attempt. */
        attempt: currentOf(dossier).number,
        /** Attempts that a client's retry really began: more than asked for is one paid twice. */
        retried: dossier.attempts.filter(({ by }) => by === 'client').length,
        ...dossier.counts,
      })),
    }),
    /** All there is of each, and how its attempts end or have ended. */
    state: () =>
      shelf.all().map((dossier) => ({
        dossier: shownIn(dossier, 'held'),
        endings: dossier.attempts.map(({ ending }) => ending),
      })),
  };
}
