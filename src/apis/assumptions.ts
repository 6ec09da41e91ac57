import { z } from 'zod';

/**
 * What the specification does not show, as assumptions with a name: the
 * default, the variable that overrides it, and the reason. README prints `assumptionTable`.
 */
export interface Assumption {
  area:
    | 'Both services'
    | 'Lists'
    | 'Certificates'
    | 'Lens'
    | 'Monitors'
    | 'Trace'
    | 'Dossiers'
    | 'Credit';
  matter: string;
  value: string;
  variable: string | null;
  reason: string;
}

/** Words of an operation that failed, unless others are configured. */
export const defaultFailedStatuses: readonly string[] = [
  'failed',
  'error',
  'rejected',
  'cancelled',
  'canceled',
  'falhou',
  'falha',
  'erro',
  'rejeitada',
  'rejeitado',
  'cancelada',
  'cancelado',
];

const wireName = z
  .string()
  .regex(/^[\w.-]{1,64}$/, 'expected a name of letters, digits, _, - and .')
  .optional();

/** Below the base address; `{id}` stands for the id that is asked for. */
const pathWithId = z
  .string()
  .regex(/^\/[\w/.~-]*\{id\}[\w/.~-]*$/, 'expected a path below the base address with {id} in it');

/** Of a query parameter. */
const parameter = z
  .string()
  .regex(/^[\w.[\]-]{1,64}$/, 'expected a name of letters, digits, _, -, . and brackets');

export const assumptionVariables = {
  RESEND_ON_503: z.enum(['on', 'off']).default('on'),
  PAGE_SIZE_PARAM: parameter.default('limit'),
  CURSOR_PARAM: parameter.default('cursor'),
  STATUS_PARAM: parameter.default('status'),
  SEVERITY_PARAM: parameter.default('severity'),
  TYPE_PARAM: parameter.default('type'),
  LENS_READ_PATH: pathWithId.default('/lente/analyses/{id}'),
  LENS_MODE_FIELD: z
    .string()
    .regex(/^[\w.-]{1,64}$/, 'expected a name of letters, digits, _, - and .')
    .refine((name) => name !== 'file', 'expected another name than file, which is taken')
    .default('mode'),
  LENS_SUBMIT_PATH: pathWithId.optional(),
  LENS_MAX_BYTES: z.coerce
    .number('expected a number of bytes')
    .int('expected a whole number of bytes')
    .min(1, 'expected a number of bytes from 1')
    .default(50 * 1024 * 1024),
  TRACE_READ: z.enum(['auto', 'id', 'list'], 'expected auto, id or list').default('auto'),
  DOSSIER_READ_PATH: pathWithId.transform((path) => path.replace('{id}', '{dossie_id}')).optional(),
  MONITOR_READ_PATH: z
    .string()
    .regex(
      /^\/[\w/.~-]*\{(monitor_)?id\}[\w/.~-]*$/,
      'expected a path below the base address with {monitor_id} in it',
    )
    .transform((path) => path.replace('{id}', '{monitor_id}'))
    .default('/monitors/{monitor_id}'),
  CERTIFICATE_PDF: z.enum(['optional', 'required']).default('optional'),
  CERTIFICATE_PDF_AUTH: z.enum(['query', 'bearer']).default('query'),
  CREDIT_FILE_PART: wireName,
  CREDIT_ENGINE_PART: wireName,
  CREDIT_ID_FIELD: wireName,
  CREDIT_STATUS_FIELD: wireName,
  CREDIT_FAILED_STATUSES: z
    .string()
    .transform((text) => text.split(',').map((word) => word.trim()))
    .refine((words) => words.every((word) => word !== ''), 'expected words separated by commas')
    .optional(),
} as const;

export interface CertificateAssumptions {
  /** `required`: a completed issuance without a PDF is `failed`; `optional`: `issued`, and noted. */
  pdf: 'optional' | 'required';
  /** How the PDF route of the service's own origin takes the token. */
  pdfAuth: 'query' | 'bearer';
}

/** Names of query parameters of the lists. */
export interface ListAssumptions {
  pageSizeParam: string;
  cursorParam: string;
  statusParam: string;
  typeParam: string;
}

export interface LensAssumptions {
  /** Below the base address, with `{id}` in it. */
  readPath: string;
  /** Field of the body that names the mode. */
  modeField: string;
  /** To be posted to after the upload; null: the upload starts the analysis. */
  submitPath: string | null;
  /** Largest file that is taken: ours. */
  maxFileBytes: number;
}

export interface TraceAssumptions {
  /** `auto`: by id, and by the list where there is no such route. */
  traceRead: 'auto' | 'id' | 'list';
}

export interface DossierAssumptions {
  /** Below the base address, with `{dossie_id}` in it; null: the list is searched. */
  dossierReadPath: string | null;
}

/** Names of query parameters, and the path by which a monitor is read. */
export interface MonitorAssumptions {
  pageSizeParam: string;
  cursorParam: string;
  statusParam: string;
  severityParam: string;
  /** Below the base address, with `{monitor_id}` in it. */
  readPath: string;
}

/** Names that are configured; null for those that are to be found. */
export interface CreditAssumptions {
  filePart: string | null;
  enginePart: string | null;
  idField: string | null;
  statusField: string | null;
  failedStatuses: readonly string[] | null;
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
    value: 'not processed, so it may be sent again, unless a 503 says `retryable: false`',
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
    area: 'Lists',
    matter: 'page size, cursor and filters of a list',
    value: '`limit`, `cursor`, `status`, `severity`, `type`',
    variable: 'PAGE_SIZE_PARAM, CURSOR_PARAM, STATUS_PARAM, SEVERITY_PARAM, TYPE_PARAM',
    reason: 'the parameters are shown without their names',
  },
  {
    area: 'Lists',
    matter: 'a service that ignores such a name',
    value:
      'every item is judged by its own fields; a cursor that comes twice in one walk is an error that names the variable; nothing relies on the order of a list',
    variable: null,
    reason: 'a name that is not known is often ignored without a word',
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
  {
    area: 'Lens',
    matter: 'read an analysis',
    value: '`GET /lente/analyses/{id}`',
    variable: 'LENS_READ_PATH',
    reason: 'reading is not shown, and an analysis that is paid for must be read',
  },
  {
    area: 'Lens',
    matter: 'choose the mode of an analysis',
    value: 'field `mode` of the body, `geo` or `face`, only when it is given',
    variable: 'LENS_MODE_FIELD',
    reason: 'how the mode is chosen is not shown; the answer has a field of this name',
  },
  {
    area: 'Lens',
    matter: 'submit after the upload',
    value: 'nothing: the upload starts the analysis',
    variable: 'LENS_SUBMIT_PATH',
    reason: 'no such call is shown; a service that has one is told by POST to this path',
  },
  {
    area: 'Lens',
    matter: 'largest file',
    value: '50 MiB, ours',
    variable: 'LENS_MAX_BYTES',
    reason: 'a limit is not shown, and a file that is far too large should not be uploaded first',
  },
  {
    area: 'Monitors',
    matter: 'read a monitor',
    value:
      '`GET /monitors/{monitor_id}`, at most once a day each; a refusal is remembered as long, and every report and `monitor list` say `health unknown`',
    variable: 'MONITOR_READ_PATH',
    reason: 'reading is not shown, and a monitor that may not run looks like one without changes',
  },
  {
    area: 'Monitors',
    matter: 'fields left out of a PATCH',
    value: 'keep their value: only the given ones are sent',
    variable: null,
    reason: 'what happens to omitted fields is not shown',
  },
  {
    area: 'Trace',
    matter: 'read a search',
    value:
      '`GET /rastro/{id}`; when it answers 400, 404, 405, 410 or 501 the list is searched, and if it has the search this is remembered',
    variable: 'TRACE_READ=auto|id|list',
    reason: 'reading is not shown; the list is',
  },
  {
    area: 'Trace',
    matter: 'strategy that is not given',
    value: 'is not sent',
    variable: null,
    reason: 'the default of the service is not shown',
  },
  {
    area: 'Dossiers',
    matter: 'artifacts and result of a dossier',
    value: 'from its status; what is absent there, from the list',
    variable: 'DOSSIER_READ_PATH',
    reason: 'the status is called lightweight, and no other read is shown',
  },
  {
    area: 'Dossiers',
    matter: 'eligibility for a retry',
    value: 'the answer of the service to the retry',
    variable: null,
    reason: 'the rule is not shown',
  },
  {
    area: 'Dossiers',
    matter: 'end of a cancelled dossier',
    value: '`cancelled`, or whatever settled state it reports',
    variable: null,
    reason: 'the resulting state is not shown',
  },
  {
    area: 'Credit',
    matter: 'names of the file part and the engine part',
    value:
      'from the OpenAPI document, else `file` and `engineId`; a part that it requires and we do not know stops the upload before it is sent',
    variable: 'CREDIT_FILE_PART, CREDIT_ENGINE_PART',
    reason: 'only `xmls` is shown, and the service publishes the rest',
  },
  {
    area: 'Credit',
    matter: 'id and status of an operation',
    value:
      'from the OpenAPI document, else `id` or `operationId`, and `status`; in the body, else in `Location`, else in the one object that the body wraps',
    variable: 'CREDIT_ID_FIELD, CREDIT_STATUS_FIELD',
    reason: 'the bodies of both answers are not shown',
  },
  {
    area: 'Credit',
    matter: 'no OpenAPI document',
    value:
      '3xx and 4xx mean that there is none, as does a page in its place while the engines can be listed, and the defaults serve; one that cannot be had stops an upload, unless the four names are configured',
    variable: 'CREDIT_FILE_PART, CREDIT_ENGINE_PART, CREDIT_ID_FIELD, CREDIT_STATUS_FIELD',
    reason: 'a paid upload must not be sent under names guessed because of a fault that passes',
  },
  {
    area: 'Credit',
    matter: 'the operation is done, or failed',
    value:
      'done: the result answers 200; 202, 204, 404, 409 and 425 mean not yet. Failed: the status is `failed`, `error`, `rejected`, `cancelled`, `canceled`, `falhou`, `falha`, `erro`, `rejeitada`, `rejeitado`, `cancelada`, `cancelado`, or a word of the document like them; or one that we cannot place, with an `error` beside it. A word that says neither that it goes on nor that it failed is told once, and waited on',
    variable: 'CREDIT_FAILED_STATUSES',
    reason: 'the words are not shown; the result is what was bought',
  },
  {
    area: 'Credit',
    matter: 'list of engines',
    value:
      'a bare array, else the only array in the body; a page of a longer list is refused, and an engine that was taken is never sent again',
    variable: null,
    reason: 'its shape is not shown',
  },
  {
    area: 'Credit',
    matter: 'fields left out of a PUT',
    value:
      'keep their value; the `rules` that are read (an array) are never sent back as `rules` of a request (an object)',
    variable: null,
    reason: 'the shape of the configuration is not shown, and what is read does not hold all of it',
  },
];
