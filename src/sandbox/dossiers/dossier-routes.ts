/** The calls about dossiers. */

import type { SandboxClock } from '../core/clock';
import type { FictionalPdf } from '../core/fictional-pdf';
import type { Answer } from '../http/answer';
import type { IdempotencyKeys } from '../http/idempotency-keys';
import { listPage, readListWish } from '../http/list-pages';
import { Refusal } from '../http/refusal';
import { uuidIn } from '../http/router';
import { refuseBody, type PreparedCall, type Request, type Route } from '../http/service';
import { filesPrefix } from '../http/signed-links';
import { isCancellableAt, statusAt, type Attempt } from './attempts';
import { dossierStatusWords, type DossierScenario, type DossierStage } from './dossier-scenario';
import { currentOf, type DossierShelf, type HeldDossier } from './dossier-shelf';
import { artifactIdOf, dossierOnWire, hasPdf, type DossierView } from './dossier-wire';

export const dossiersPath = '/api/v1/dossies';
export const dossierFilesPath = 'dossies';

export interface DossierRouteParts {
  clock: SandboxClock;
  scenario: () => DossierScenario;
  shelf: DossierShelf;
  keys: IdempotencyKeys;
  pdf: FictionalPdf;
  view: (read: DossierView['read']) => DossierView;
}

export function dossierRoutes(parts: DossierRouteParts): Route<DossierStage>[] {
  const { clock, keys, scenario, shelf, view } = parts;

  const find = ({ params }: Pick<Request, 'params'>) => shelf.get(uuidIn(params, 'dossie_id'));
  const about = (dossier: HeldDossier, act: () => Answer): PreparedCall => ({
    subject: dossier.id,
    id: dossier.id,
    act,
  });
  const shown = (dossier: HeldDossier, status: number) => ({
    status,
    json: dossierOnWire(dossier, view('status')),
  });

  function prepareList({ query }: Request): PreparedCall {
    const status = { name: scenario().statusName, words: dossierStatusWords, field: 'status' };
    const wish = readListWish(query, scenario(), [status]);
    const items = {
      placeOf: ({ ordinal }: HeldDossier) => [0, ordinal] as const,
      wordOf: (dossier: HeldDossier) => statusAt(currentOf(dossier), clock.now()),
      show: (dossier: HeldDossier) => dossierOnWire(dossier, view('list')),
    };
    const page = () => listPage(shelf.all(), items, wish, scenario());
    return { subject: '', id: null, act: () => ({ status: 200, json: page() }) };
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
    if (keys.made(key, asked) !== null) return about(dossier, () => shown(dossier, successStatus));
    refuseRetry(dossier, clock.now());
    return about(dossier, () => {
      shelf.beginAgain(dossier, 'client');
      keys.bind(key, asked, dossier.id);
      return shown(dossier, successStatus);
    });
  }

  function prepareCancel(request: Request): PreparedCall {
    const dossier = find(request);
    dossier.counts.cancelRequests += 1;
    refuseBody(request);
    const status = statusAt(currentOf(dossier), clock.now());
    const isOver = !isCancellableAt(currentOf(dossier), clock.now());
    if ((isOver && status !== 'cancelled') || dossier.script.cancelling === 'refused') {
      throw new Refusal(409, 'dossie_not_cancellable', `The dossier is ${status}.`);
    }
    return about(dossier, () => {
      shelf.cancel(dossier);
      return shown(dossier, scenario().successStatus);
    });
  }

  function preparePdf(request: Request): PreparedCall {
    const dossier = find(request);
    dossier.counts.pdfs += 1;
    const attempt = currentOf(dossier);
    const named = uuidIn(request.params, 'artifact_id') === artifactIdOf(attempt);
    if (!named || !hasPdf(dossier, scenario(), clock.now())) {
      throw new Refusal(404, 'artifact_not_found', 'No such artifact.');
    }
    return about(dossier, () => ({
      status: 200,
      bytes: pdfOf(dossier, attempt, parts.pdf),
      contentType: 'application/pdf',
    }));
  }

  const one = `${dossiersPath}/:dossie_id`;
  const artifact = ':dossie_id/artifacts/:artifact_id';
  const download = { method: 'GET', stage: 'pdf', prepare: preparePdf } as const;
  return [
    { method: 'GET', path: dossiersPath, stage: 'list', query: 'any', prepare: prepareList },
    { method: 'GET', path: `${one}/status`, stage: 'status', prepare: prepareStatus },
    { method: 'POST', path: `${one}/retry`, stage: 'retry', prepare: prepareRetry },
    { method: 'POST', path: `${one}/cancel`, stage: 'cancel', prepare: prepareCancel },
    { ...download, path: `${dossiersPath}/${artifact}` },
    { ...download, path: `${filesPrefix}${dossierFilesPath}/${artifact}`, query: 'any' },
  ];
}

/** @throws Refusal 409 */
function refuseRetry(dossier: HeldDossier, now: number): void {
  const status = statusAt(currentOf(dossier), now);
  if (!['failed', 'needs_review', 'cancelled'].includes(status)) {
    throw new Refusal(409, 'dossie_not_retryable', `The dossier is ${status}.`);
  }
}

/** The same attempt always has the same bytes. */
function pdfOf(dossier: HeldDossier, attempt: Attempt, pdf: FictionalPdf): Buffer {
  return pdf.print({
    heading: `Dossie ${dossier.script.kind} (sandbox)`,
    name: `Tentativa ${attempt.number}`,
    document: '-',
    id: dossier.id,
    outcome: attempt.ending,
  });
}
