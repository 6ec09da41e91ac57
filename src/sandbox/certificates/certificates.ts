/** Certificates: the routes, and the issuances that the service holds. */

import { z } from 'zod';
import { seededUuid } from '../core/chance';
import { createTally } from '../core/tally';
import { beginWork, failureOf } from '../core/work';
import type { FaultPlan } from '../faults/fault-plan';
import { iso, Refusal, sandboxFull, type JsonObject } from '../http/answer';
import { readBodyAs, type Request } from '../http/request';
import { createService } from '../http/service';
import type { PreparedCall, ResourceParts, Route, SectionPatch } from '../http/service';
import { underReview, without, type Corruption } from '../http/corruptions';
import { certificateEndings, certificateRoles } from './certificate-scenario';
import type { CertificateStage } from './certificate-scenario';
import { certificateOnWire, certificatesPath, fictionalResult, hasPdf, pdfOf } from './issuance';
import type { IssuableTipo, Issuance } from './issuance';

const noCounts = {
  document: '',
  tipo: '',
  /** POSTs that arrived for the document, whatever came of them. */
  requested: 0,
  /** Issuances that the service really began: more than one is a certificate bought twice. */
  started: 0,
  polls: 0,
  /** PDF requests for a finished certificate. */
  pdfs: 0,
};

const cpfOrCnpj = z.string().regex(/^(\d{11}|\d{14})$/, 'expected 11 or 14 digits');
const cnpj = z.string().regex(/^\d{14}$/, 'expected 14 digits');
const labourBody = z.strictObject({ documento: cpfOrCnpj });
const companyBody = z.strictObject({ cnpj });

const failureWords = {
  codes: ['fonte_indisponivel', 'documento_nao_encontrado'],
  message: 'A fonte oficial nao respondeu (simulada).',
} as const;

const corruptions: Record<string, Corruption> = {
  // The links hold the id too.
  missing_id: (json) => without(json, 'certidao_id', 'links'),
  unknown_status: (json: JsonObject) => ({
    ...underReview(without(json, 'result', 'evidence', 'error', 'completed_at')),
    stage: 'revisao_manual',
  }),
};

/** `capacity` bounds issuances, and documents. */
export function createCertificates(parts: ResourceParts) {
  const { capacity, clock, scenario, seed } = parts;
  const issuances = new Map<string, Issuance>();
  const tally = createTally(noCounts);

  const scriptOf = (document: string) =>
    scenario().documents[document] ?? scenario().documents['*'];
  const isNamed = (document: string) => Object.hasOwn(scenario().documents, document);
  const countsOf = ({ document, tipo }: Pick<Issuance, 'document' | 'tipo'>) =>
    tally.of(`${tipo}|${document}`, { document, tipo });

  function prepareRequest(
    plan: FaultPlan<CertificateStage>,
    tipo: IssuableTipo,
    document: string,
    { entry }: Request,
  ): PreparedCall {
    if (tally.isFull(`${tipo}|${document}`, capacity) || issuances.size >= capacity) {
      throw sandboxFull(capacity);
    }
    const counts = countsOf({ document, tipo });
    counts.requested += 1;
    return {
      subject: document,
      variant: tipo,
      id: null,
      act: () => {
        counts.started += 1;
        const issuance = begin(plan, tipo, document, counts.started);
        entry.id = issuance.certidaoId;
        // As it stands at birth, even where the scenario lets it settle at once.
        const json = certificateOnWire(issuance, -Infinity);
        return { status: scenario().successStatus, json };
      },
    };
  }

  function begin(
    plan: FaultPlan<CertificateStage>,
    tipo: IssuableTipo,
    document: string,
    ordinal: number,
  ): Issuance {
    const script = scriptOf(document);
    const subject = { subject: document, variant: tipo };
    const step = plan.nextEnding(subject, script?.end, certificateEndings, isNamed(document));
    const words = [seed, tipo, document, ordinal];
    const work = beginWork(clock.now(), step.kind, scenario().issuance, words);
    const { retryAfterSeconds: retry_after_seconds } = step;
    // Nothing is ever captured of what never settles.
    const capturedAt = Number.isFinite(work.endsAt) ? iso(work.endsAt) : '';
    const isDivergent = work.ending === 'divergente';
    const issuance: Issuance = {
      ...work,
      certidaoId: seededUuid(words.join('|')),
      tipo,
      document,
      ordinal,
      result: {
        ...fictionalResult(seed, { document, tipo }, capturedAt, isDivergent),
        ...script?.result,
      },
      failure: {
        category: work.ending === 'failure_retryable' ? 'source' : 'subject',
        ...failureOf(work.ending, failureWords, {
          ...(retry_after_seconds !== undefined && { retry_after_seconds }),
          ...script?.failure,
        }),
      },
    };
    issuances.set(issuance.certidaoId, issuance);
    return issuance;
  }

  /** @throws Refusal 404 */
  function find({ params }: Request): Issuance {
    const issuance = issuances.get(params['certidaoId'] ?? '');
    if (issuance === undefined) throw new Refusal(404, 'not_found', 'No such certificate.');
    return issuance;
  }

  /** Each tipo of a document goes through its own copy of the steps. */
  const about = ({ certidaoId: id, document, tipo }: Issuance, act: PreparedCall['act']) => ({
    subject: document,
    variant: tipo,
    id,
    act,
  });

  function preparePoll(request: Request): PreparedCall {
    const issuance = find(request);
    countsOf(issuance).polls += 1;
    return about(issuance, () => ({ status: 200, json: certificateOnWire(issuance, clock.now()) }));
  }

  function preparePdf(request: Request): PreparedCall {
    const issuance = find(request);
    if (!hasPdf(issuance, clock.now())) {
      throw new Refusal(404, 'pdf_not_available', 'The certificate has no PDF.');
    }
    countsOf(issuance).pdfs += 1;
    return about(issuance, () => ({
      status: 200,
      bytes: pdfOf(issuance),
      contentType: 'application/pdf',
    }));
  }

  const one = `${certificatesPath}/:certidaoId`;
  const terms = { auth: 'query_token' } as const;
  const routes = (plan: FaultPlan<CertificateStage>): Route<CertificateStage>[] => {
    const labour = (request: Request) =>
      prepareRequest(plan, 'cndt', readBodyAs(labourBody, request).documento, request);
    const company = (request: Request) =>
      prepareRequest(plan, 'cnpj', readBodyAs(companyBody, request).cnpj, request);
    return [
      ['POST', `${certificatesPath}/trabalhista`, 'request', labour, terms],
      ['POST', `${certificatesPath}/cnpj`, 'request', company, terms],
      ['GET', one, 'poll', preparePoll, terms],
      ['GET', `${one}/pdf`, 'pdf', preparePdf, terms],
    ];
  };

  const service = createService<CertificateStage>({
    ...parts,
    name: 'req',
    paths: [certificatesPath],
    roles: certificateRoles,
    section: scenario,
    scriptOf: ({ subject }) => scriptOf(subject),
    isNamed: ({ subject }) => isNamed(subject),
    corruptions,
    routes,
  });

  return {
    ...service,
    counts: tally.all,
    /** Documents that the patch names begin their steps again. */
    patched: ({ documents = {} }: SectionPatch) => service.patched({ documents }),
    /** What a poll would show now, and what no poll shows. */
    state: () => ({
      /** Instant on the sandbox's clock. */
      at: clock.isoNow(),
      certificates: [...issuances.values()].map((issuance) => ({
        document: issuance.document,
        ordinal: issuance.ordinal,
        /** How it ends, or has ended. */
        ending: issuance.ending,
        certificate: certificateOnWire(issuance, clock.now()),
      })),
    }),
  };
}
