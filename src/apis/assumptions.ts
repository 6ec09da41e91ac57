import { z } from 'zod';

/**
 * What the specification does not show, as assumptions with a name (DESIGN D9, section 4): the
 * default, the variable that overrides it, and the reason. README prints `assumptionTable`.
 */
export interface Assumption {
  area: 'Both services' | 'Certificates';
  matter: string;
  value: string;
  variable: string | null;
  reason: string;
}

export const assumptionVariables = {
  RESEND_ON_503: z.enum(['on', 'off']).default('on'),
  CERTIFICATE_PDF: z.enum(['optional', 'required']).default('optional'),
  CERTIFICATE_PDF_AUTH: z.enum(['query', 'bearer']).default('query'),
} as const;

export interface CertificateAssumptions {
  /** `required`: a completed issuance without a PDF is `failed`; `optional`: `issued`, and noted. */
  pdf: 'optional' | 'required';
  /** How the PDF route of the service's own origin takes the token. */
  pdfAuth: 'query' | 'bearer';
}

export const assumptionTable: readonly Assumption[] = [
  {
    area: 'Both services',
    matter: 'success status',
    value: 'any 2xx',
    variable: null,
    reason: 'only the profile lookup shows one (200)',
  },
  {
    area: 'Both services',
    matter: 'error body',
    value: 'decoded by shape, not by content type; everything but the HTTP status is optional',
    variable: null,
    reason: 'two bodies are shown, and proxies answer with pages of their own',
  },
  {
    area: 'Both services',
    matter: '429, and 503 with Retry-After or a problem body',
    value: 'the request was not processed, so it may be sent again',
    variable: 'RESEND_ON_503=off',
    reason: 'both are refusals before the work; a bare 503 may come from a proxy after it',
  },
  {
    area: 'Both services',
    matter: 'token expiry',
    value: '401, and 403 with code `unauthorized`, mean the credentials, never the item',
    variable: null,
    reason: 'expiry is not shown; an item must not fail because a token did',
  },
  {
    area: 'Certificates',
    matter: 'token of the certificate calls',
    value: 'the same as the bearer token',
    variable: 'CERTIFICATES_TOKEN',
    reason: 'the document names one token and two places for it',
  },
  {
    area: 'Certificates',
    matter: 'PDF address',
    value:
      '`evidence.pdf_url`, else `links.pdf`, resolved against the origin of the base URL, token in the query; another origin gets no credentials',
    variable: 'CERTIFICATE_PDF_AUTH=query|bearer',
    reason: 'the shown path begins with /api/v1, so it is relative to the origin',
  },
  {
    area: 'Certificates',
    matter: 'completed without evidence, or without sha256',
    value:
      '`issued` without a PDF and the note `no evidence`; without sha256 the PDF is kept and marked unchecked',
    variable: 'CERTIFICATE_PDF=required|optional',
    reason: 'a paid result must not be thrown away for a missing extra',
  },
  {
    area: 'Certificates',
    matter: '`tipo` of a labour certificate',
    value:
      '`cndt` in answers is what we asked for as `trabalhista`: `tipo` is not relied on; `nome` cannot be requested',
    variable: null,
    reason: 'the endpoint and the enum use different words',
  },
];
