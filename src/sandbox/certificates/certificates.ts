/** Certificates: the routes, and the issuances that the service holds. */

import { z } from 'zod';
import { seededUuid } from '../core/chance';
import { Tally } from '../core/tally';
import { beginWork, failureOf } from '../core/work';
import type { FaultPlan } from '../faults/fault-plan';
import { iso, type JsonObject } from '../http/answer';
import { Refusal, sandboxFull } from '../http/refusal';
import { readBodyAs } from '../http/request-body';
import {
  createService,
  type PreparedCall,
  type Request,
  type ResourceParts,
  type Route,
  type SectionPatch,
} from '../http/service';
import { underReview, without, type Spoiling } from '../http/spoilings';
import { fictionalResult, type IssuableTipo } from './certificate-result';
import {
  certificateEndings,
  certificateRoles,
  type CertificateStage,
} from './certificate-scenario';
import { certificateOnWire, certificatesPath, hasPdf, pdfOf, type Issuance } from './issuance';

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

/** The links hold the id too. */
const unfinished = (json: JsonObject) => ({
  ...underReview(without(json, 'result', 'evidence', 'error', 'completed_at')),
  stage: 'revisao_manual',
});
const spoilings: Record<string, Spoiling> = {
  missing_id: (json) => without(json, 'certidao_id', 'links'),
  unknown_status: unfinished,
};

/** @param parts `capacity`: issuances, and documents, held at most; beyond it requests are refused */
export function createCertificates(parts: ResourceParts & { capacity: number }) {
  const { capacity, clock, scenario, seed } = parts;
  const issuances = new Map<string, Issuance>();
  const tally = new Tally(() => noCounts);

  const scriptOf = (document: string) =>
    scenario().documents[document] ?? scenario().documents['*'];
  const isNamed = (document: string) => Object.hasOwn(scenario().documents, document);
  const countsOf = ({ document, tipo }: Pick<Issuance, 'document' | 'tipo'>) =>
    tally.of(`${tipo}|${document}`, { document, tipo });
  /** Each tipo of a document goes through its own copy of the steps. */
  const about = ({ certidaoId, document, tipo }: Issuance) => ({
    subject: document,
    variant: tipo,
    id: certidaoId,
  });

  function prepareRequest(
    plan: FaultPlan<CertificateStage>,
    tipo: IssuableTipo,
    document: string,
    { entry }: Request,
  ): PreparedCall {
    const isFull = !tally.has(`${tipo}|${document}`) && tally.size >= capacity;
    if (isFull || issuances.size >= capacity) throw sandboxFull(capacity);
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
    const isDivergent = work.ending === 'divergente';
    const { retryAfterSeconds: retry_after_seconds } = step;
    const issuance: Issuance = {
      ...work,
      certidaoId: seededUuid(words.join('|')),
      tipo,
      document,
      ordinal,
      result: {
        ...fictionalResult(seed, tipo, document, capturedAt(work.endsAt), isDivergent),
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

  function preparePoll(request: Request): PreparedCall {
    const issuance = find(request);
    countsOf(issuance).polls += 1;
    const json = () => certificateOnWire(issuance, clock.now());
    return { ...about(issuance), act: () => ({ status: 200, json: json() }) };
  }

  function preparePdf(request: Request): PreparedCall {
    const issuance = find(request);
    if (!hasPdf(issuance, clock.now())) {
      throw new Refusal(404, 'pdf_not_available', 'The certificate has no PDF.');
    }
    countsOf(issuance).pdfs += 1;
    const bytes = () => pdfOf(issuance);
    return {
      ...about(issuance),
      act: () => ({ status: 200, bytes: bytes(), contentType: 'application/pdf' }),
    };
  }

  const routes = (plan: FaultPlan<CertificateStage>): Route<CertificateStage>[] => {
    const order = { method: 'POST', stage: 'request', auth: 'query_token' } as const;
    const read = { method: 'GET', auth: 'query_token' } as const;
    const one = `${certificatesPath}/:certidaoId`;
    return [
      {
        ...order,
        path: `${certificatesPath}/trabalhista`,
        prepare: (request) =>
          prepareRequest(plan, 'cndt', readBodyAs(labourBody, request).documento, request),
      },
      {
        ...order,
        path: `${certificatesPath}/cnpj`,
        prepare: (request) =>
          prepareRequest(plan, 'cnpj', readBodyAs(companyBody, request).cnpj, request),
      },
      { ...read, path: one, stage: 'poll', prepare: preparePoll },
      { ...read, path: `${one}/pdf`, stage: 'pdf', prepare: preparePdf },
    ];
  };

  const service = createService<CertificateStage>({
    ...parts,
    name: 'req',
    roles: certificateRoles,
    section: scenario,
    scriptOf: ({ subject }) => scriptOf(subject),
    isNamed: ({ subject }) => isNamed(subject),
    spoilings,
    routes,
  });

  return {
    ...service,
    paths: [certificatesPath],
    counts: () => tally.all(),
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

/** Nothing is ever captured of what never settles. */
function capturedAt(endsAt: number): string {
  return Number.isFinite(endsAt) ? iso(endsAt) : '';
}
