import type { CoverageRow, CoverageTable, EndpointCommands } from './row';

/**
 * The specification of the investigation service, item by item: who shows it, who reads it, who
 * proves it. Certificates and what all share; the other resources stand in files of their own. `npm run coverage-table` fails on a hole.
 */
export const investigationChecklist = {
  'Certificate issuance': [
    'certidao_id',
    'tipo',
    'tipo cnpj',
    'tipo cndt',
    'tipo nome',
    'status',
    'status queued',
    'status processing',
    'status completed',
    'status failed',
    'stage',
    'stage waiting_worker',
    'stage accessing_source',
    'stage completed',
    'stage failed',
    'result',
    'result.nome_base',
    'result.nome_oficial',
    'result.divergente',
    'result.fonte_nome',
    'result.capturado_em',
    'result.titular',
    'result.titular.nome',
    'result.classificacao',
    'evidence',
    'evidence.status',
    'evidence.type',
    'evidence.mime_type',
    'evidence.pdf_url',
    'evidence.sha256',
    'error',
    'error.code',
    'error.category',
    'error.message',
    'error.retryable',
    'error.retry_after_seconds',
    'links',
    'links.self',
    'links.pdf',
    'created_at',
    'started_at',
    'completed_at',
    'instants are ISO 8601 in UTC',
    'ids are UUIDs',
  ],
  'States and transitions': [
    'four states, each with a stage',
    'a request begins in queued, waiting_worker',
    'issuance is asynchronous: read again until it has settled',
    'no poll_after_seconds is told',
    'a finished issuance has its data or its error',
  ],
  Endpoints: [
    'POST /certidoes/trabalhista',
    'POST /certidoes/trabalhista: body documento',
    'POST /certidoes/cnpj',
    'POST /certidoes/cnpj: body cnpj',
    'GET /certidoes/{certidaoId}',
    'GET /certidoes/{certidaoId}: path certidaoId',
    'paths are relative to the base address',
    'bodies are JSON',
  ],
  Authentication: [
    'the token stands in the query parameter token',
    'the token does not stand in a header',
    'missing or invalid token: 401',
  ],
  Errors: [
    'problem.status',
    'problem.code',
    'problem.detail',
    'problem.request_id',
    'problem.retryable',
    'problem.type',
    'problem.title',
    'problem.instance',
    'a failed issuance tells its error inside, with success as HTTP status',
    'the error body of the profile',
  ],
  Limits: [
    'documento has 11 or 14 digits',
    'cnpj has 14 digits',
    'no Idempotency-Key for certificates',
  ],
  Versioning: ['prefix /api/v1'],
  'Not shown': [
    'values of classificacao',
    'fields of result by tipo',
    'values of error.code and error.category',
    'other transitions',
    'the download behind evidence.pdf_url and links.pdf',
    'whether a completed issuance always has evidence and a sum',
    'whether an acceptance has the issuance in its body',
    'how to request tipo nome; that trabalhista is cndt',
    'success status codes',
    'all error codes, and the status of each case',
    'rate limits and quotas',
    'issue, scopes and expiry of tokens',
    'whether both places of the token take the same token',
    'events and webhooks',
  ],
} as const;

const sandboxTests = 'contract/sandbox-certificates.test.ts';
const endings = 'contract/sandbox-endings.test.ts';
const client = 'contract/certificates-client.test.ts';
const wire = 'contract/certificates-wire.test.ts';
const issuance = 'src/domain/certificates/issuance.ts';
const wireSchema = 'src/apis/investigation/wire/certificates.wire.ts#issuanceWire';
const states = 'src/domain/certificates/issuance.ts#issuanceStates';
const api = 'src/apis/investigation/certificates.ts#CertificatesApi';
const statusError = 'src/apis/http/errors.ts#StatusError';

const wholeLife: CoverageRow['test'] = `${client} › a %s certificate goes from request to PDF (%s)`;
const labourResult: CoverageRow['test'] = `${sandboxTests} › a completed labour certificate carries result and evidence`;
const everyProblemField: CoverageRow['test'] =
  'contract/sandbox-refusals.test.ts › a problem has every field of the specification';

const unreadText = 'not read: free text may quote a document; the code and the request id are kept';
const inEveryRefusal = 'Every refusal of its own is a problem with all eight fields.';

export const investigationTable: CoverageTable<typeof investigationChecklist> = {
  'Certificate issuance': {
    certidao_id: {
      sandbox: 'Every issuance has an id of its own, fixed by seed, tipo, document and ordinal.',
      client: wireSchema,
      test: wholeLife,
    },
    tipo: {
      sandbox: 'Answers with the tipo of the route that was asked.',
      client: 'not read: the work knows what it asked for under the id',
      test: `${wire} › reads an issuance of tipo novo_tipo`,
    },
    'tipo cnpj': {
      sandbox: 'POST /certidoes/cnpj begins a cnpj.',
      client: 'src/domain/certificates/certificates.ts#certificateTypes',
      test: `${wire} › reads an issuance of tipo cnpj`,
    },
    'tipo cndt': {
      sandbox: 'POST /certidoes/trabalhista begins a cndt.',
      client: 'assumption: `tipo` of a labour certificate',
      test: `${wire} › reads an issuance of tipo cndt`,
    },
    'tipo nome': {
      sandbox: 'Never answered: nobody can request it.',
      client: 'assumption: `tipo` of a labour certificate',
      test: `${wire} › reads an issuance of tipo nome`,
    },
    status: {
      sandbox: 'Follows the clock; unknown_status puts another word there.',
      client: wireSchema,
      test: `${client} › an unknown status is unsettled, then the issuance goes on`,
    },
    'status queued': {
      sandbox: 'Until waitingMs are over.',
      client: states,
      test: `${wire} › knows the status queued`,
    },
    'status processing': {
      sandbox: 'Until processingMs are over; for ever with never_settles.',
      client: states,
      test: `${wire} › knows the status processing`,
    },
    'status completed': {
      sandbox: 'At the end, unless the ending says otherwise.',
      client: states,
      test: `${wire} › knows the status completed`,
    },
    'status failed': {
      sandbox: 'At the end with failed, failure_retryable, failure_permanent.',
      client: states,
      test: `${wire} › knows the status failed`,
    },
    stage: {
      sandbox: 'Goes with the status.',
      client: wireSchema,
      test: `${wire} › shows the stage nova_etapa as it is`,
    },
    'stage waiting_worker': {
      sandbox: 'While queued.',
      client: wireSchema,
      test: `${wire} › shows the stage waiting_worker as it is`,
    },
    'stage accessing_source': {
      sandbox: 'While processing.',
      client: wireSchema,
      test: `${wire} › shows the stage accessing_source as it is`,
    },
    'stage completed': {
      sandbox: 'When completed.',
      client: wireSchema,
      test: `${wire} › shows the stage completed as it is`,
    },
    'stage failed': {
      sandbox: 'When failed.',
      client: wireSchema,
      test: `${wire} › shows the stage failed as it is`,
    },
    result: {
      sandbox: 'Present once completed, invented from the seed.',
      client: wireSchema,
      test: labourResult,
    },
    'result.nome_base': {
      sandbox: 'The invented name.',
      client: `${issuance}#IssuanceResult.baseName`,
      test: labourResult,
    },
    'result.nome_oficial': {
      sandbox: 'The same name, or another one with divergente.',
      client: `${issuance}#IssuanceResult.officialName`,
      test: `${client} › a divergent name is told with the official one`,
    },
    'result.divergente': {
      sandbox: 'True with the ending divergente.',
      client: `${issuance}#IssuanceResult.divergent`,
      test: `${client} › a divergent name is told with the official one`,
    },
    'result.fonte_nome': {
      sandbox: 'A source that says it is simulated.',
      client: `${issuance}#IssuanceResult.sourceName`,
      test: labourResult,
    },
    'result.capturado_em': {
      sandbox: 'The instant of completion.',
      client: `${issuance}#IssuanceResult.capturedAt`,
      test: wholeLife,
    },
    'result.titular': {
      sandbox: 'An object with the official name.',
      client: `${issuance}#IssuanceResult.holderName`,
      test: `${wire} › decodes with result.titular null`,
    },
    'result.titular.nome': {
      sandbox: 'The official name once more.',
      client: `${issuance}#IssuanceResult.holderName`,
      test: labourResult,
    },
    'result.classificacao': {
      sandbox: 'One of three invented words, for labour certificates only.',
      client: `${issuance}#IssuanceResult.classification`,
      test: `${client} › a classification comes as it is, known or not`,
    },
    evidence: {
      sandbox: 'Present once completed, unless the ending is no_evidence.',
      client: wireSchema,
      test: `${client} › no evidence: completed, and no PDF address`,
    },
    'evidence.status': {
      sandbox: 'Always available.',
      client: 'not read: its values are not shown; what counts is whether there is an address',
      test: `${wire} › decodes without evidence.status`,
    },
    'evidence.type': {
      sandbox: 'Always certidao_pdf.',
      client: 'not read: its values are not shown; the bytes are looked at instead',
      test: `${wire} › decodes without evidence.type`,
    },
    'evidence.mime_type': {
      sandbox: 'Always application/pdf.',
      client: 'not read: the bytes must begin like a PDF, whatever they are called',
      test: `${wire} › decodes without evidence.mime_type`,
    },
    'evidence.pdf_url': {
      sandbox: 'A path of the shown form; absent with links_only.',
      client: wireSchema,
      test: wholeLife,
    },
    'evidence.sha256': {
      sandbox: 'The sum of the very bytes it sends; absent with no_sha256.',
      client: wireSchema,
      test: wholeLife,
    },
    error: {
      sandbox: 'Present once failed; the scenario may word it.',
      client: wireSchema,
      test: `${client} › a retryable failure says why, and when to ask again`,
    },
    'error.code': {
      sandbox: 'An invented word, or the one of the scenario.',
      client: wireSchema,
      test: `${client} › a retryable failure says why, and when to ask again`,
    },
    'error.category': {
      sandbox: 'An invented word, or the one of the scenario.',
      client: wireSchema,
      test: `${client} › a retryable failure says why, and when to ask again`,
    },
    'error.message': {
      sandbox: 'A sentence for people, or the one of the scenario.',
      client: wireSchema,
      test: `${client} › a permanent failure has no instant to ask again at`,
    },
    'error.retryable': {
      sandbox: 'True with failure_retryable, false with failed and failure_permanent.',
      client: wireSchema,
      test: `${client} › a permanent failure has no instant to ask again at`,
    },
    'error.retry_after_seconds': {
      sandbox: 'With failure_retryable: the seconds of the step.',
      client: wireSchema,
      test: `${client} › a retryable failure says why, and when to ask again`,
    },
    links: {
      sandbox: 'In every answer but missing_id.',
      client: `${wireSchema}.links`,
      test: `${wire} › decodes without links`,
    },
    'links.self': {
      sandbox: 'The path of the poll.',
      client: 'not read: the path is built from the id',
      test: `${wire} › decodes without links.self`,
    },
    'links.pdf': {
      sandbox: 'The path of the PDF, from the beginning; taken back with no_evidence.',
      client: wireSchema,
      test: `${client} › links only: the PDF is found where the links say`,
    },
    created_at: {
      sandbox: 'The instant of the request on its clock.',
      client: wireSchema,
      test: wholeLife,
    },
    started_at: {
      sandbox: 'Present from processing on.',
      client: 'not read: nothing is decided by it; the answer as it came is in the store',
      test: `${sandboxTests} › an issuance waits, is worked on, and completes as the clock moves`,
    },
    completed_at: {
      sandbox: 'Present once settled.',
      client: wireSchema,
      test: wholeLife,
    },
    'instants are ISO 8601 in UTC': {
      sandbox: 'All instants end in Z.',
      client: wireSchema,
      test: `${sandboxTests} › an issuance waits, is worked on, and completes as the clock moves`,
    },
    'ids are UUIDs': {
      sandbox: 'UUIDs in shape, the same for the same seed.',
      client: `${wireSchema}.certidao_id`,
      test: `${sandboxTests} › a request for %s with %j is queued as %s`,
    },
  },

  'States and transitions': {
    'four states, each with a stage': {
      sandbox: 'One stage for each status.',
      client: states,
      test: wholeLife,
    },
    'a request begins in queued, waiting_worker': {
      sandbox: 'Answers a request as it stands at birth, whatever its timing.',
      client: `${api}.requestCertificate`,
      test: `${sandboxTests} › a request for %s with %j is queued as %s`,
    },
    'issuance is asynchronous: read again until it has settled': {
      sandbox: 'Only the clock moves an issuance on.',
      client: `${issuance}#isSettled`,
      test: `${sandboxTests} › an issuance waits, is worked on, and completes as the clock moves`,
    },
    'no poll_after_seconds is told': {
      sandbox: 'Tells none.',
      client: 'src/domain/core/service/poll-timing.ts#nextPollMs',
      test: wholeLife,
    },
    'a finished issuance has its data or its error': {
      sandbox: 'Never both: result and evidence when completed, error when failed.',
      client: wireSchema,
      test: `${endings} › failure_permanent fails every time`,
    },
  },

  Endpoints: {
    'POST /certidoes/trabalhista': {
      sandbox: 'Begins a cndt, with 202 unless told otherwise.',
      client: `${api}.requestCertificate`,
      test: `${client} › asks for %s with the one field it knows, token in the query`,
    },
    'POST /certidoes/trabalhista: body documento': {
      sandbox: 'Refuses any other field, and a value that is no string.',
      client: `${api}.requestCertificate.json.documento`,
      test: `${client} › asks for %s with the one field it knows, token in the query`,
    },
    'POST /certidoes/cnpj': {
      sandbox: 'Begins a cnpj, with 202 unless told otherwise.',
      client: `${api}.requestCertificate`,
      test: `${client} › asks for %s with the one field it knows, token in the query`,
    },
    'POST /certidoes/cnpj: body cnpj': {
      sandbox: 'Refuses any other field, and a value that is no string.',
      client: `${api}.requestCertificate.json.cnpj`,
      test: `${client} › asks for %s with the one field it knows, token in the query`,
    },
    'GET /certidoes/{certidaoId}': {
      sandbox: 'Shows the issuance as it stands on its clock.',
      client: `${api}.readCertificate`,
      test: `${client} › a poll names the issuance in the path and the token in the query`,
    },
    'GET /certidoes/{certidaoId}: path certidaoId': {
      sandbox: 'An id that it did not give is a 404 problem.',
      client: `${api}.readCertificate`,
      test: `${client} › an unknown issuance is 404, and proves the access all the same`,
    },
    'paths are relative to the base address': {
      sandbox: 'Its base address ends in /api/v1; anything beside it is an unknown route.',
      client: 'src/apis/http/service.ts#Service.baseUrl',
      test: `${client} › every call goes below the versioned prefix of the base address`,
    },
    'bodies are JSON': {
      sandbox: 'Refuses a body that is not called JSON, or is not JSON.',
      client: 'src/apis/http/call.ts#HttpCall.json',
      test: 'contract/sandbox-refusals.test.ts › refuses JSON that is not called JSON',
    },
  },

  Authentication: {
    'the token stands in the query parameter token': {
      sandbox: 'Takes it from there, and shows *** in its log.',
      client: 'src/apis/http/call.ts#TokenPlace',
      test: `${client} › a poll names the issuance in the path and the token in the query`,
    },
    'the token does not stand in a header': {
      sandbox: 'A bearer header alone is refused with 401.',
      client: 'src/apis/http/call.ts#HttpCall.token',
      test: 'contract/sandbox-authentication.test.ts › certificates do not take the token in a header',
    },
    'missing or invalid token: 401': {
      sandbox: 'A 401 problem, also after a token was revoked; nothing begins.',
      client: 'src/apis/http/classify.ts#classifyFailure',
      test: `${client} › a revoked token is refused everywhere, and means the credentials`,
    },
  },

  Errors: {
    'problem.status': {
      sandbox: inEveryRefusal,
      client: `${statusError}.status`,
      test: everyProblemField,
    },
    'problem.code': {
      sandbox: inEveryRefusal,
      client: `${statusError}.code`,
      test: `${client} › 403 with code unauthorized means the credentials, 400 does not`,
    },
    'problem.detail': {
      sandbox: inEveryRefusal,
      client: unreadText,
      test: everyProblemField,
    },
    'problem.request_id': {
      sandbox: 'The same as in the header x-request-id.',
      client: `${statusError}.requestId`,
      test: `${client} › 403 with code unauthorized means the credentials, 400 does not`,
    },
    'problem.retryable': {
      sandbox: 'True for 429 and 503, false for the rest.',
      client: `${statusError}.retryable`,
      test: `${client} › %s says the same of a request, a poll and a download`,
    },
    'problem.type': {
      sandbox: 'An address that ends in the code.',
      client: 'src/apis/http/problem.ts#problem.type',
      test: `${wire} › takes its code from the type where there is no code`,
    },
    'problem.title': {
      sandbox: inEveryRefusal,
      client: unreadText,
      test: `${wire} › is read without title`,
    },
    'problem.instance': {
      sandbox: 'The path of the request, without its query.',
      client: 'not read: the client names the call itself, by its path template',
      test: `${wire} › is read without instance`,
    },
    'a failed issuance tells its error inside, with success as HTTP status': {
      sandbox: 'A poll of a failed issuance is a 200.',
      client: wireSchema,
      test: `${client} › a permanent failure has no instant to ask again at`,
    },
    'the error body of the profile': {
      sandbox: 'Not for certificates: never answered there.',
      client: 'src/apis/http/problem.ts#profileProblem',
      test: `${wire} › is also what the profile answers, and never a page`,
    },
  },

  Limits: {
    'documento has 11 or 14 digits': {
      sandbox: 'Any other number of digits, or punctuation: 422.',
      client: 'src/domain/certificates/certificates.ts#documentTypesServed.trabalhista',
      test: `${client} › a trabalhista request with the wrong number of digits is refused`,
    },
    'cnpj has 14 digits': {
      sandbox: 'Any other number of digits, or punctuation: 422.',
      client: 'src/domain/certificates/certificates.ts#documentTypesServed.cnpj',
      test: `${client} › a cnpj request with the wrong number of digits is refused`,
    },
    'no Idempotency-Key for certificates': {
      sandbox: 'Every request that it takes begins an issuance of its own, and is counted.',
      client: 'src/apis/http/call.ts#HttpCall.keyless',
      test: `${sandboxTests} › two issuances of one document have ids and PDFs of their own`,
    },
  },

  Versioning: {
    'prefix /api/v1': {
      sandbox: 'All its routes lie below it.',
      client: 'src/apis/http/service.ts#ServiceOptions.baseUrl',
      test: `${client} › every call goes below the versioned prefix of the base address`,
    },
  },

  'Not shown': {
    'values of classificacao': {
      sandbox: 'Three invented words; the scenario may set any.',
      client: `${issuance}#IssuanceResult.classification`,
      test: `${client} › a classification comes as it is, known or not`,
    },
    'fields of result by tipo': {
      sandbox: 'A company query has no classificacao.',
      client: `${issuance}#IssuanceResult`,
      test: `${client} › a company query has no classification`,
    },
    'values of error.code and error.category': {
      sandbox: 'Invented words; the scenario may set any.',
      client: wireSchema,
      test: `${endings} › the scenario words the failure`,
    },
    'other transitions': {
      sandbox: 'unknown_status shows a status that is not listed, never_settles one that stays.',
      client: `${issuance}#isSettled`,
      test: `${wire} › an unlisted status (%j) is unsettled`,
    },
    'the download behind evidence.pdf_url and links.pdf': {
      sandbox: 'GET on the shown path, with the token in the query.',
      client: 'assumption: PDF address',
      test: `${client} › another origin gets no query token`,
    },
    'whether a completed issuance always has evidence and a sum': {
      sandbox: 'Endings no_evidence, no_sha256 and links_only.',
      client: 'assumption: completed without evidence, or without sha256',
      test: `${client} › without evidence nothing is collected, without a sum the PDF is kept unchecked`,
    },
    'whether an acceptance has the issuance in its body': {
      sandbox: 'Always.',
      client: 'assumption: id of an accepted request',
      test: `${wire} › an id is not lost when an acceptance has it in %s`,
    },
    'how to request tipo nome; that trabalhista is cndt': {
      sandbox: 'Answers cndt to trabalhista, and has no route for nome.',
      client: 'assumption: `tipo` of a labour certificate',
      test: `${sandboxTests} › a request for %s with %j is queued as %s`,
    },
    'success status codes': {
      sandbox: '200, 201 or 202 for a request, as the scenario says.',
      client: 'assumption: success status',
      test: `${client} › takes 201 for an acceptance`,
    },
    'all error codes, and the status of each case': {
      sandbox: 'Codes of its own; HTML pages and plain text as proxies send them.',
      client: 'assumption: error body',
      test: `${client} › %s says the same of a request, a poll and a download`,
    },
    'rate limits and quotas': {
      sandbox: 'rateLimitPerSecond, and 429 and 503 on demand, before anything begins.',
      client: 'assumption: 429, and 503 with Retry-After or a problem body',
      test: `${client} › the rate limit of the service answers 429, and slows the client down`,
    },
    'issue, scopes and expiry of tokens': {
      sandbox: 'Tokens can be revoked and restored while it runs.',
      client: 'assumption: token expiry',
      test: `${client} › a revoked token is refused everywhere, and means the credentials`,
    },
    'whether both places of the token take the same token': {
      sandbox: 'One list of tokens, to which more may be added.',
      client: 'assumption: token of the certificate calls',
      test: `${client} › certificates have a token of their own when one is set`,
    },
    'events and webhooks': {
      sandbox: 'Sends nothing unasked.',
      client: 'not read: states are polled',
      test: wholeLife,
    },
  },
};

/** Every endpoint of the document, and the command whose work asks it. */
export const investigationCommands: EndpointCommands = {
  'POST /certidoes/trabalhista': 'certificate batch',
  'POST /certidoes/cnpj': 'certificate batch',
  'GET /certidoes/{certidaoId}': 'certificate batch',
  'PATCH /monitors/{monitor_id}': 'monitor update',
  'GET /monitors/{monitor_id}/changes': 'monitor sweep',
  'POST /monitors/{monitor_id}/changes/{change_id}/ack': 'monitor sweep',
  'GET /perfil/patrimonial/cpf/{cpf}': 'profile lookup',
  'POST /lente/analyses': 'lens analyze',
  'POST /rastro': 'trace search',
  'GET /rastro': 'trace list',
  'GET /dossies': 'dossier list',
  'GET /dossies/{dossie_id}/status': 'dossier follow',
  'POST /dossies/{dossie_id}/retry': 'dossier retry-failed',
  'POST /dossies/{dossie_id}/cancel': 'dossier cancel',
};
