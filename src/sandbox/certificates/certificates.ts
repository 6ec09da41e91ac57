/** Certificates: the routes, and the issuances that the service holds. */

import { z } from 'zod';
import type { SandboxClock } from '../clock';
import type { JsonObject } from '../engine/answer';
import { Refusal } from '../engine/problem';
import { readBodyAs } from '../engine/request-body';
import type { PreparedCall, Route, ServiceRequest } from '../engine/router';
import type { EndingKind } from '../faults/fault-words';
import type { FaultPlan, Subject } from '../faults/fault-plan';
import type { Scenario } from '../scenario';
import { CertificateTally, type CertificateCounts } from './certificate-counts';
import type { CertificatePdf } from './certificate-pdf';
import { certificateOnWire, certificatesPath } from './certificate-wire';
import type { IssuableTipo } from './fictional-subject';
import { hasPdf, pdfOf, startIssuance, type Issuance } from './issuance';

/** An issuance as the sandbox holds it: what a poll would show now, and what no poll shows. */
export interface CertificateHeld {
  document: string;
  /** Which issuance of this document and tipo, from 1. */
  ordinal: number;
  /** How it ends, or has ended. */
  ending: EndingKind;
  certificate: JsonObject;
}

export interface CertificateParts {
  seed: number;
  clock: SandboxClock;
  scenario(): Scenario;
  faults: FaultPlan;
  pdf: CertificatePdf;
  /** Issuances, and documents, held at most; beyond it requests are refused. */
  capacity: number;
}

const cpfOrCnpj = z.string().regex(/^(\d{11}|\d{14})$/, 'expected 11 or 14 digits');
const cnpj = z.string().regex(/^\d{14}$/, 'expected 14 digits');
const labourBody = z.strictObject({ documento: cpfOrCnpj });
const companyBody = z.strictObject({ cnpj });

function certificateRoute(method: string, path: string, prepare: Route['prepare']): Route {
  return { method, path: `${certificatesPath}${path}`, auth: 'query_token', query: [], prepare };
}

export function createCertificates(parts: CertificateParts) {
  const { clock, faults, pdf, seed } = parts;
  const issuances = new Map<string, Issuance>();
  const tally = new CertificateTally();

  function prepareRequest(tipo: IssuableTipo, document: string): PreparedCall {
    const subject: Subject = { document, tipo };
    const full = !tally.holds(subject) && tally.size >= parts.capacity;
    if (full || issuances.size >= parts.capacity) {
      throw new Refusal(507, 'sandbox_full', `The sandbox holds ${parts.capacity} already.`);
    }
    return {
      stage: 'request',
      subject,
      arrived: () => (tally.of(subject).requested += 1),
      act: () => {
        const counts = tally.of(subject);
        counts.started += 1;
        const script = faults.scriptOf(document);
        const issuance = startIssuance({
          seed,
          tipo,
          document,
          ordinal: counts.started,
          at: clock.now(),
          ending: faults.nextEnding(subject),
          timing: parts.scenario().issuance,
          result: script?.result,
          failure: script?.failure,
        });
        issuances.set(issuance.certidaoId, issuance);
        // As it stands at birth, even where the scenario lets it settle at once.
        const json = certificateOnWire(issuance, Number.NEGATIVE_INFINITY, pdf);
        return { status: parts.scenario().successStatus, json };
      },
    };
  }

  /** @throws Refusal 404 */
  function find({ params }: ServiceRequest): Issuance {
    const issuance = issuances.get(params['certidaoId'] ?? '');
    if (issuance === undefined) throw new Refusal(404, 'not_found', 'No such certificate.');
    return issuance;
  }

  function preparePoll(request: ServiceRequest): PreparedCall {
    const issuance = find(request);
    return {
      stage: 'poll',
      subject: issuance,
      arrived: () => (tally.of(issuance).polls += 1),
      act: () => ({ status: 200, json: certificateOnWire(issuance, clock.now(), pdf) }),
    };
  }

  function preparePdf(request: ServiceRequest): PreparedCall {
    const issuance = find(request);
    if (!hasPdf(issuance, clock.now())) {
      throw new Refusal(404, 'pdf_not_available', 'The certificate has no PDF.');
    }
    return {
      stage: 'pdf',
      subject: issuance,
      arrived: () => (tally.of(issuance).pdfs += 1),
      act: () => ({ status: 200, bytes: pdfOf(issuance, pdf), contentType: 'application/pdf' }),
    };
  }

  const routes = [
    certificateRoute('POST', '/trabalhista', (request) =>
      prepareRequest('cndt', readBodyAs(labourBody, request).documento),
    ),
    certificateRoute('POST', '/cnpj', (request) =>
      prepareRequest('cnpj', readBodyAs(companyBody, request).cnpj),
    ),
    certificateRoute('GET', '/:certidaoId', preparePoll),
    certificateRoute('GET', '/:certidaoId/pdf', preparePdf),
  ];

  return {
    routes,

    counts: (): CertificateCounts[] => tally.all(),

    held: (): CertificateHeld[] =>
      [...issuances.values()].map((issuance) => ({
        document: issuance.document,
        ordinal: issuance.ordinal,
        ending: issuance.ending.kind,
        certificate: certificateOnWire(issuance, clock.now(), pdf),
      })),

    reset(): void {
      issuances.clear();
      tally.clear();
    },
  };
}
