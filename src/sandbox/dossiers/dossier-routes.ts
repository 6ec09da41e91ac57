/** The calls about dossiers. */

import type { SandboxClock } from '../clock';
import type { CertificatePdf } from '../certificates/certificate-pdf';
import type { Answer, JsonObject } from '../engine/answer';
import type { IdempotencyKeys } from '../engine/idempotency-keys';
import { listPage, readListWish, type ListFilter } from '../engine/list-pages';
import { Refusal } from '../engine/problem';
import {
  customNotEnabled,
  refuseBody,
  uuidIn,
  type PreparedResourceCall,
  type ResourceRequest,
  type ResourceRoute,
} from '../engine/resource-service';
import { filesPrefix } from '../engine/signed-links';
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
  pdf: CertificatePdf;
  view: (read: DossierView['read']) => DossierView;
}

export function dossierRoutes(parts: DossierRouteParts): ResourceRoute<DossierStage>[] {
  const { clock, keys, scenario, shelf, view } = parts;

  const find = ({ params }: Pick<ResourceRequest, 'params'>) =>
    shelf.get(uuidIn(params, 'dossie_id'));
  const about = (dossier: HeldDossier, act: () => Answer): PreparedResourceCall => ({
    subject: dossier.id,
    id: dossier.id,
    act,
  });
  const shown = (dossier: HeldDossier, status: number) => ({
    status,
    json: dossierOnWire(dossier, view('status')),
  });

  function prepareList({ query }: ResourceRequest): PreparedResourceCall {
    const wish = readListWish(query, scenario(), [statusFilter(scenario())]);
    return {
      subject: '',
      id: null,
      act: () => ({ status: 200, json: listPage(items(), wish, scenario()) }),
    };
  }

  const items = () =>
    shelf.all().map((dossier) => ({
      ordinal: dossier.ordinal,
      words: { status: statusAt(currentOf(dossier), clock.now()) },
      show: (): JsonObject => dossierOnWire(dossier, view('list')),
    }));

  function prepareStatus(request: ResourceRequest): PreparedResourceCall {
    const dossier = find(request);
    dossier.counts.statusReads += 1;
    return about(dossier, () => shown(dossier, 200));
  }

  function prepareRetry(request: ResourceRequest): PreparedResourceCall {
    const dossier = find(request);
    dossier.counts.retryRequests += 1;
    const key = keys.arrived(request.headers);
    request.entry.key = key;
    refuseBody(request);
    const asked = `retry|${dossier.id}`;
    const { successStatus } = scenario();
    if (keys.made(key, asked) !== null) return about(dossier, () => shown(dossier, successStatus));
    refuseRetry(dossier, scenario(), clock.now());
    return about(dossier, () => {
      shelf.beginAgain(dossier, 'client');
      keys.bind(key, asked, dossier.id);
      return shown(dossier, successStatus);
    });
  }

  function prepareCancel(request: ResourceRequest): PreparedResourceCall {
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

  function preparePdf(request: ResourceRequest): PreparedResourceCall {
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
    { method: 'GET', path: `${one}/status`, stage: 'status', query: [], prepare: prepareStatus },
    { method: 'POST', path: `${one}/retry`, stage: 'retry', query: [], prepare: prepareRetry },
    { method: 'POST', path: `${one}/cancel`, stage: 'cancel', query: [], prepare: prepareCancel },
    { ...download, path: `${dossiersPath}/${artifact}`, query: [] },
    { ...download, path: `${filesPrefix}${dossierFilesPath}/${artifact}`, query: 'any' },
  ];
}

function statusFilter({ statusName }: DossierScenario): ListFilter {
  return { name: statusName, words: dossierStatusWords, field: 'status' };
}

/** The entitlement first, then the state. @throws Refusal 403, 409 */
function refuseRetry(dossier: HeldDossier, { customEnabled }: DossierScenario, now: number): void {
  const { canRetry, mode } = dossier.script;
  if (mode !== 'standard' && !customEnabled) throw customNotEnabled();
  const status = statusAt(currentOf(dossier), now);
  const eligible = ['failed', 'needs_review', 'cancelled'].includes(status);
  if (!canRetry || !eligible) {
    throw new Refusal(409, 'dossie_not_retryable', `The dossier is ${status}.`);
  }
}

/** The same attempt always has the same bytes. */
function pdfOf(dossier: HeldDossier, attempt: Attempt, pdf: CertificatePdf): Buffer {
  return pdf.print({
    heading: `Dossie ${dossier.script.kind} (sandbox)`,
    name: `Tentativa ${attempt.number}`,
    document: '-',
    certidao: dossier.id,
    outcome: attempt.ending,
  });
}
