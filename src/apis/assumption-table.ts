/**
 * Undocumented facts as named assumptions: the default, the keys of the configuration file that override it, and the
 * reason. `doctor --assumptions` and the documentation print `assumptionTable`.
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
  /** The default, in words. */
  value: string;
  /** `section.key` of the configuration file; empty: no override. */
  keys: readonly string[];
  reason: string;
}

export const assumptionTable: readonly Assumption[] = [
  {
    area: 'Both services',
    matter: 'success status',
    value: 'any 2xx',
    keys: [],
    reason: 'only the profile lookup shows one (200)',
  },
  {
    area: 'Both services',
    matter: 'error body',
    value: 'decoded by shape, not by content type; everything but the HTTP status is optional',
    keys: [],
    reason: 'two bodies are shown, and proxies answer with pages of their own',
  },
  {
    area: 'Both services',
    matter: '429, and 503 with Retry-After or a problem body',
    value: 'not processed, so it may be sent again, unless a 503 says `retryable: false`',
    keys: ['services.resendOn503'],
    reason: 'both are refusals before the work; a bare 503 may come from a proxy after it',
  },
  {
    area: 'Both services',
    matter: 'token expiry',
    value: '401, and 403 with code `unauthorized`, mean the credentials, never the item',
    keys: [],
    reason: 'expiry is not shown; an item must not fail because a token did',
  },
  {
    area: 'Lists',
    matter: 'page size, cursor and filters of a list',
    value: '`limit`, `cursor`, `status`, `severity`, `type`',
    keys: [
      'lists.pageSizeParam',
      'lists.cursorParam',
      'lists.statusParam',
      'lists.severityParam',
      'lists.typeParam',
    ],
    reason: 'the parameters are shown without their names',
  },
  {
    area: 'Lists',
    matter: 'a service that ignores such a name',
    value:
      'every item is judged by its own fields; a cursor that comes twice in one walk is an error that names the key, but a page may name its own: the last one, or the service keeps the place; nothing relies on the order of a list',
    keys: [],
    reason: 'a name that is not known is often ignored without a word',
  },
  {
    area: 'Certificates',
    matter: 'token of the certificate calls',
    value: 'the same as the bearer token, unless CERTIFICATES_TOKEN is set',
    keys: [],
    reason: 'the document names one token and two places for it',
  },
  {
    area: 'Certificates',
    matter: 'PDF address',
    value:
      '`evidence.pdf_url`, else `links.pdf`, resolved against the origin of the base URL, token in the query; another origin gets no credentials',
    keys: ['certificates.pdfAuth'],
    reason: 'the shown path begins with /api/v1, so it is relative to the origin',
  },
  {
    area: 'Certificates',
    matter: 'id of an accepted request',
    value:
      '`certidao_id`, else alone under `data`, else the only UUID in the path of `links.self`, or what follows `certidoes` there, else in `Location`',
    keys: [],
    reason: 'an id that is thrown away is a certificate that is paid for and lost',
  },
  {
    area: 'Certificates',
    matter: 'completed without evidence, or without sha256',
    value:
      '`issued` without a PDF and the note `no evidence`, after two minutes where the evidence is told to be `pending`; without sha256 the PDF is kept and marked unchecked',
    keys: ['certificates.pdf'],
    reason: 'a paid result must not be thrown away for a missing extra',
  },
  {
    area: 'Certificates',
    matter: '`tipo` of a labour certificate',
    value:
      '`cndt` in answers is what we asked for as `trabalhista`: `tipo` is not relied on; `nome` cannot be requested',
    keys: [],
    reason: 'the endpoint and the enum use different words',
  },
  {
    area: 'Lens',
    matter: 'read an analysis',
    value: '`GET /lente/analyses/{id}`',
    keys: ['lens.readPath'],
    reason: 'reading is not shown, and an analysis that is paid for must be read',
  },
  {
    area: 'Lens',
    matter: 'choose the mode of an analysis',
    value: 'field `mode` of the body, `geo` or `face`, only when it is given',
    keys: ['lens.modeField'],
    reason: 'how the mode is chosen is not shown; the answer has a field of this name',
  },
  {
    area: 'Lens',
    matter: 'submit after the upload',
    value: 'nothing: the upload starts the analysis',
    keys: ['lens.submitPath'],
    reason: 'no such call is shown; a service that has one is told by POST to this path',
  },
  {
    area: 'Lens',
    matter: 'largest file',
    value: '50 MiB, ours',
    keys: ['lens.maxFileBytes'],
    reason: 'a limit is not shown, and a file that is far too large should not be uploaded first',
  },
  {
    area: 'Monitors',
    matter: 'read a monitor',
    value:
      '`GET /monitors/{id}`, at most once a day each; a refusal is remembered as long, and every report and `monitor list` say `health unknown`',
    keys: ['monitors.readPath'],
    reason: 'reading is not shown, and a monitor that may not run looks like one without changes',
  },
  {
    area: 'Monitors',
    matter: 'fields left out of a PATCH',
    value: 'keep their value: only the given ones are sent',
    keys: [],
    reason: 'what happens to omitted fields is not shown',
  },
  {
    area: 'Trace',
    matter: 'read a search',
    value:
      '`GET /rastro/{id}`; when it answers 400, 404, 405, 410 or 501 the list is searched, and if it has the search this is remembered',
    keys: ['traces.read'],
    reason: 'reading is not shown; the list is',
  },
  {
    area: 'Trace',
    matter: 'strategy that is not given',
    value: 'is not sent',
    keys: [],
    reason: 'the default of the service is not shown',
  },
  {
    area: 'Dossiers',
    matter: 'artifacts and result of a dossier',
    value: 'from its status; what is absent there, from the list',
    keys: ['dossiers.readPath'],
    reason: 'the status is called lightweight, and no other read is shown',
  },
  {
    area: 'Dossiers',
    matter: 'eligibility for a retry',
    value: 'the answer of the service to the retry',
    keys: [],
    reason: 'the rule is not shown',
  },
  {
    area: 'Dossiers',
    matter: 'end of a cancelled dossier',
    value: '`cancelled`, or whatever settled state it reports',
    keys: [],
    reason: 'the resulting state is not shown',
  },
  {
    area: 'Credit',
    matter: 'names of the file part and the engine part',
    value:
      'from the OpenAPI document, else `file` and `engineId`; a part that it requires and we do not know stops the upload before it is sent',
    keys: ['credit.filePart', 'credit.enginePart'],
    reason: 'only `xmls` is shown, and the service publishes the rest',
  },
  {
    area: 'Credit',
    matter: 'id and status of an operation',
    value:
      'from the OpenAPI document, else `id` or `operationId`, and `status`; in the body, else in `Location`, else in the one object that the body wraps; without a document, the only UUID of the answer that may be the id, and the only field named like a status',
    keys: ['credit.idField', 'credit.statusField'],
    reason: 'the bodies of both answers are not shown',
  },
  {
    area: 'Credit',
    matter: 'no OpenAPI document',
    value:
      '3xx and 4xx mean that there is none, as does a page in its place while the engines can be listed, and the defaults serve; one that cannot be had stops an upload, unless the four names are configured',
    keys: ['credit.filePart', 'credit.enginePart', 'credit.idField', 'credit.statusField'],
    reason: 'a paid upload must not be sent under names guessed because of a fault that passes',
  },
  {
    area: 'Credit',
    matter: 'the operation is done, or failed',
    value:
      'done: the result answers 200; 202, 204, 404, 409 and 425 mean not yet, and so does an answer that is no result while the status says that it goes on. Failed: the status is `failed`, `error`, `rejected`, `cancelled`, `canceled`, `falhou`, `falha`, `erro`, `rejeitada`, `rejeitado`, `cancelada`, `cancelado`, or a word of the document like them; or one that we cannot place, with an `error` beside it. A word that says neither that it goes on nor that it failed is told once, and waited on',
    keys: ['credit.failedStatuses'],
    reason: 'the words are not shown; the result is what was bought',
  },
  {
    area: 'Credit',
    matter: 'list of engines',
    value:
      'a bare array, else the only array of engines in the body; further pages are asked for by the address that a page names, by its cursor as `cursor`, or by the number after its own as `page`; a list that stays incomplete is refused, and an engine that was taken is never sent again',
    keys: [],
    reason: 'its shape is not shown',
  },
  {
    area: 'Credit',
    matter: 'fields left out of a PUT',
    value:
      'keep their value; the `rules` that are read (an array) are never sent back as `rules` of a request (an object)',
    keys: [],
    reason: 'the shape of the configuration is not shown, and what is read does not hold all of it',
  },
];
