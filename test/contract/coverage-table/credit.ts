import type { CoverageRow, CoverageTable } from './row';

/**
 * The specification of the credit service, item by item: who shows it, who reads it, who proves it.
 * `planned` marks what the client does not hold yet. `npm run coverage-table` fails on a hole.
 */
export const creditChecklist = {
  'What the service does': [
    'analyses a CNAB 400 file under an engine',
    'the reason of each rule is shown',
    'the result is a tree: cedente, sacados, titulos',
    'with a ZIP, invoice rules use its files',
    'publishes its specification without authentication',
  ],
  Engine: [
    'id',
    'name',
    'description',
    'isTemplate',
    'ruleCount',
    'rules',
    'rules[].id',
    'rules[].name',
    'rules[].severity',
    'rules[].enabled',
  ],
  'Analysis result': ['operationId', 'engineId', 'engineName', 'timestamp', 'cedente', 'summary'],
  Cedente: ['id', 'cnpj', 'razaoSocial', 'issues', 'sacados', 'status'],
  Sacado: ['id', 'cnpjCpf', 'razaoSocial', 'tipo', 'issues', 'titulos', 'status'],
  Titulo: ['id', 'numero', 'valor', 'dataVencimento', 'nfeChave', 'issues', 'status'],
  Issue: [
    'ruleId',
    'ruleName',
    'category',
    'status',
    'message',
    'detail',
    'detail.field',
    'detail.actual',
    'detail.expected',
    'detail.threshold',
    'dataSource',
  ],
  'Entity status': ['approved', 'blocked', 'alerted'],
  Summary: [
    'totalTitulos',
    'approved',
    'blocked',
    'alerted',
    'totalValue',
    'approvedValue',
    'blockedValue',
    'alertedValue',
    'sacados.total',
    'sacados.withIssues',
    'cedente.status',
  ],
  Endpoints: [
    'the base address ends in /api/v1 and paths begin with /v1',
    'POST /v1/operations',
    'POST /v1/operations: multipart/form-data',
    'POST /v1/operations: the CNAB 400 file',
    'POST /v1/operations: xmls',
    'GET /v1/operations/{id}',
    'GET /v1/operations/{id}: path id',
    'GET /v1/operations/{id}/result',
    'GET /v1/operations/{id}/result: path id',
    'GET /v1/operations/{id}/result: filter',
    'GET /v1/operations/{id}/result: include',
    'GET /v1/engines',
    'POST /v1/engines',
    'POST /v1/engines: name',
    'POST /v1/engines: description',
    'POST /v1/engines: rules',
    'POST /v1/engines: cloneFrom',
    'GET /v1/engines/{id}',
    'GET /v1/engines/{id}: path id',
    'PUT /v1/engines/{id}',
    'PUT /v1/engines/{id}: body name, description, rules',
    'DELETE /v1/engines/{id}',
    'GET /v1/openapi.json',
    'success bodies are application/json',
  ],
  Rules: [
    'filter=issues, the default, holds blocked and alerted entities only',
    'filter=all holds the complete tree',
  ],
  Authentication: ['every route but the specification needs a bearer token'],
  Errors: ['application/problem+json as in RFC 7807'],
  Limits: ['engine name has 1 to 100 characters', 'engine description has at most 500 characters'],
  Versioning: ['prefix /v1', 'new fields may come without a new version'],
  'Not shown': [
    'name of the file part',
    'selection of the engine',
    'other parts of an upload',
    'body of the create answer',
    'fields of the operation',
    'states of an operation',
    'what a result answers before it is there',
    'states of an engine',
    'shape of the rule configuration',
    'values of status, category and severity',
    'answers of list, read and delete',
    'two engines of one name',
    'success status codes',
    'error codes and the status of each case',
    'file size limits',
    'rate limits and quotas',
    'issue and expiry of tokens',
    'events and webhooks',
    'files of 444 columns',
  ],
} as const;

const operations = 'contract/sandbox-credit-operations.test.ts';
const engines = 'contract/sandbox-credit-engines.test.ts';
const uploads = 'contract/sandbox-credit-upload.test.ts';
const rules = 'contract/sandbox-credit-rules.test.ts';
const specification = 'contract/sandbox-credit-specification.test.ts';
const faults = 'contract/sandbox-credit-faults.test.ts';

const treeFields: CoverageRow['test'] = `${operations} › every entity of the tree has the fields of the document`;
const issueFields: CoverageRow['test'] = `${operations} › an issue has the fields of the document, all of its detail as text`;
const summaryFields: CoverageRow['test'] = `${operations} › statuses roll up, and the summary counts and adds the titulos`;
const engineFields: CoverageRow['test'] = `${engines} › an engine has the fields of the document`;
const filters: CoverageRow['test'] = `${operations} › filter=issues, also when it is left out, shows blocked and alerted entities alone`;

const client = 'planned: the credit client';
const assumed = 'planned: an assumption';

export const creditTable: CoverageTable<typeof creditChecklist> = {
  'What the service does': {
    'analyses a CNAB 400 file under an engine': {
      sandbox: 'Reads the bytes and applies the rules of the engine.',
      client,
      test: `${rules} › a sound file is approved by the standard engine`,
    },
    'the reason of each rule is shown': {
      sandbox: 'Each issue tells rule, actual, expected and threshold.',
      client,
      test: issueFields,
    },
    'the result is a tree: cedente, sacados, titulos': {
      sandbox: 'As the file has them, in its order.',
      client,
      test: treeFields,
    },
    'with a ZIP, invoice rules use its files': {
      sandbox: 'Rules about invoices take the XML; without a ZIP they keep silent.',
      client,
      test: `${rules} › %s speaks, with the XML as its source`,
    },
    'publishes its specification without authentication': {
      sandbox: 'GET /v1/openapi.json needs no token.',
      client,
      test: `${operations} › the specification is served without a token`,
    },
  },
  Engine: {
    id: {
      sandbox: 'Every engine has an id of its own, fixed by the seed.',
      client,
      test: engineFields,
    },
    name: { sandbox: 'As it was given.', client, test: engineFields },
    description: {
      sandbox: 'Text, or null when none was given.',
      client,
      test: `${engines} › a change touches only what it gives; rules given replace those that were there`,
    },
    isTemplate: {
      sandbox: 'True for three that are there at the start.',
      client,
      test: `${engines} › the list is an array of engines without their rules, templates first`,
    },
    ruleCount: { sandbox: 'How many rules the engine names.', client, test: engineFields },
    rules: {
      sandbox: 'An array of the rules the engine names, in the order they came.',
      client,
      test: engineFields,
    },
    'rules[].id': { sandbox: 'One of fourteen.', client, test: engineFields },
    'rules[].name': { sandbox: 'In Portuguese.', client, test: engineFields },
    'rules[].severity': { sandbox: 'blocking or alert.', client, test: engineFields },
    'rules[].enabled': { sandbox: 'Whether the rule speaks.', client, test: engineFields },
  },
  'Analysis result': {
    operationId: { sandbox: 'The id of the create answer.', client, test: treeFields },
    engineId: { sandbox: 'The engine the operation began under.', client, test: treeFields },
    engineName: { sandbox: 'Its name at that time.', client, test: treeFields },
    timestamp: { sandbox: 'The end of the analysis.', client, test: treeFields },
    cedente: {
      sandbox: 'Always there, also when it is approved and filter=issues.',
      client,
      test: treeFields,
    },
    summary: { sandbox: 'Of the whole file, under both filters.', client, test: filters },
  },
  Cedente: {
    id: { sandbox: 'A UUID.', client, test: treeFields },
    cnpj: {
      sandbox: 'From the header or the titulos; empty where the layout has none.',
      client,
      test: treeFields,
    },
    razaoSocial: { sandbox: 'From the file.', client, test: treeFields },
    issues: { sandbox: 'Of the cedente alone.', client, test: treeFields },
    sacados: { sandbox: 'By document, in the order of the file.', client, test: treeFields },
    status: {
      sandbox: 'The worst of its own issues and of its sacados.',
      client,
      test: summaryFields,
    },
  },
  Sacado: {
    id: { sandbox: 'A UUID.', client, test: treeFields },
    cnpjCpf: { sandbox: 'Eleven or fourteen characters.', client, test: treeFields },
    razaoSocial: { sandbox: 'From the file.', client, test: treeFields },
    tipo: { sandbox: 'PJ, or PF for a person.', client, test: treeFields },
    issues: { sandbox: 'Of the sacado alone.', client, test: treeFields },
    titulos: { sandbox: 'In the order of the file.', client, test: treeFields },
    status: {
      sandbox: 'The worst of its own issues and of its titulos.',
      client,
      test: summaryFields,
    },
  },
  Titulo: {
    id: { sandbox: 'A UUID.', client, test: treeFields },
    numero: { sandbox: 'Columns 111 to 120.', client, test: treeFields },
    valor: { sandbox: 'A number, in reais.', client, test: treeFields },
    dataVencimento: {
      sandbox: 'YYYY-MM-DD, or as it stands when it is no date.',
      client,
      test: treeFields,
    },
    nfeChave: {
      sandbox: 'From the file or from the invoice found; else empty.',
      client,
      test: treeFields,
    },
    issues: { sandbox: 'Of the titulo alone.', client, test: treeFields },
    status: {
      sandbox: 'The worst of its issues.',
      client,
      test: `${rules} › a rule of severity %s leaves its titulo %s`,
    },
  },
  Issue: {
    ruleId: { sandbox: 'Of the rule that spoke.', client, test: issueFields },
    ruleName: { sandbox: 'Of the rule that spoke.', client, test: issueFields },
    category: { sandbox: 'The severity of the rule.', client, test: issueFields },
    status: { sandbox: 'blocked or alerted.', client, test: issueFields },
    message: { sandbox: 'In Portuguese.', client, test: issueFields },
    detail: { sandbox: 'Four texts.', client, test: issueFields },
    'detail.field': { sandbox: 'The field of the entity.', client, test: issueFields },
    'detail.actual': { sandbox: 'What was found.', client, test: issueFields },
    'detail.expected': { sandbox: 'What was expected.', client, test: issueFields },
    'detail.threshold': { sandbox: 'The threshold, or empty.', client, test: issueFields },
    dataSource: { sandbox: 'cnab or nfe_xml.', client, test: issueFields },
  },
  'Entity status': {
    approved: { sandbox: 'Nothing spoke.', client, test: summaryFields },
    blocked: {
      sandbox: 'A rule of severity blocking spoke.',
      client,
      test: `${rules} › a rule of severity blocking leaves its titulo blocked`,
    },
    alerted: {
      sandbox: 'A rule of severity alert spoke, none of severity blocking.',
      client,
      test: `${rules} › a rule of severity alert leaves its titulo alerted`,
    },
  },
  Summary: {
    totalTitulos: { sandbox: 'All titulos of the file.', client, test: summaryFields },
    approved: { sandbox: 'Titulos by status.', client, test: summaryFields },
    blocked: { sandbox: 'Titulos by status.', client, test: summaryFields },
    alerted: { sandbox: 'Titulos by status.', client, test: summaryFields },
    totalValue: { sandbox: 'Sum of all titulos.', client, test: summaryFields },
    approvedValue: { sandbox: 'Sum by status.', client, test: summaryFields },
    blockedValue: { sandbox: 'Sum by status.', client, test: summaryFields },
    alertedValue: { sandbox: 'Sum by status.', client, test: summaryFields },
    'sacados.total': { sandbox: 'All sacados.', client, test: summaryFields },
    'sacados.withIssues': {
      sandbox: 'Sacados that are not approved.',
      client,
      test: summaryFields,
    },
    'cedente.status': { sandbox: 'That of the cedente.', client, test: summaryFields },
  },
  Endpoints: {
    'the base address ends in /api/v1 and paths begin with /v1': {
      sandbox: 'Serves below /credit/api/v1/v1 and nowhere else.',
      client,
      test: `${operations} › the base address ends in /api/v1 and the paths begin with /v1 again`,
    },
    'POST /v1/operations': {
      sandbox: 'Begins an operation, unless the upload is refused.',
      client,
      test: `${operations} › an operation waits, is worked on, and completes as the clock moves`,
    },
    'POST /v1/operations: multipart/form-data': {
      sandbox: 'Anything else is refused with 415 or 400.',
      client,
      test: `${uploads} › that is called %s and is no form is refused with %i`,
    },
    'POST /v1/operations: the CNAB 400 file': {
      sandbox: 'Reads it while it arrives, and tells the sum of its bytes.',
      client,
      test: `${uploads} › the layout of %s is read`,
    },
    'POST /v1/operations: xmls': {
      sandbox: 'Reads the invoices of the ZIP, and tells its sum.',
      client,
      test: `${uploads} › a ZIP without an NF-e is taken, and the sum of it is told`,
    },
    'GET /v1/operations/{id}': {
      sandbox: 'Tells the state on the clock.',
      client,
      test: `${operations} › an operation waits, is worked on, and completes as the clock moves`,
    },
    'GET /v1/operations/{id}: path id': {
      sandbox: '400 when it is no UUID, 404 when it is unknown.',
      client,
      test: `${operations} › an operation %s is refused with %i`,
    },
    'GET /v1/operations/{id}/result': {
      sandbox: 'The tree, worked out anew at every read.',
      client,
      test: treeFields,
    },
    'GET /v1/operations/{id}/result: path id': {
      sandbox: 'As for the status.',
      client,
      test: `${operations} › an operation %s is refused with %i`,
    },
    'GET /v1/operations/{id}/result: filter': {
      sandbox: 'issues, all; anything else is 400.',
      client,
      test: filters,
    },
    'GET /v1/operations/{id}/result: include': {
      sandbox: 'evidence is accepted and changes nothing; anything else is 400.',
      client: 'not read: reserved for future use, so it is never sent',
      test: `${operations} › include=evidence is accepted and changes nothing`,
    },
    'GET /v1/engines': {
      sandbox: 'All engines, templates first, without their rules.',
      client,
      test: `${engines} › the list is an array of engines without their rules, templates first`,
    },
    'POST /v1/engines': { sandbox: 'Answers 201 with the engine.', client, test: engineFields },
    'POST /v1/engines: name': {
      sandbox: 'Required; two engines may have one.',
      client,
      test: `${engines} › two engines may have one name`,
    },
    'POST /v1/engines: description': { sandbox: 'Optional.', client, test: engineFields },
    'POST /v1/engines: rules': {
      sandbox: 'An object; required unless cloneFrom is set.',
      client,
      test: `${engines} › refuses a new engine with %s`,
    },
    'POST /v1/engines: cloneFrom': {
      sandbox: 'Copies the rules of that engine.',
      client,
      test: `${engines} › cloneFrom copies the rules, and rules given besides are laid over them`,
    },
    'GET /v1/engines/{id}': { sandbox: 'The engine with its rules.', client, test: engineFields },
    'GET /v1/engines/{id}: path id': {
      sandbox: '400 when it is no UUID, 404 when it is unknown.',
      client,
      test: `${engines} › %s of an engine %s is refused with %i`,
    },
    'PUT /v1/engines/{id}': {
      sandbox: 'Answers with the changed engine.',
      client,
      test: `${engines} › a change touches only what it gives; rules given replace those that were there`,
    },
    'PUT /v1/engines/{id}: body name, description, rules': {
      sandbox: 'Each optional; what is not given keeps its value.',
      client,
      test: `${engines} › a change touches only what it gives; rules given replace those that were there`,
    },
    'DELETE /v1/engines/{id}': {
      sandbox: '204; 404 the second time; 409 for a template.',
      client,
      test: `${engines} › a removed engine is gone, and removing it again is 404`,
    },
    'GET /v1/openapi.json': {
      sandbox: 'A valid document of all calls, with an ETag.',
      client,
      test: `${specification} › is a valid OpenAPI 3.1 document of all calls: %s`,
    },
    'success bodies are application/json': {
      sandbox: 'All but those that are empty.',
      client,
      test: `${specification} › says the truth of every answer: %s`,
    },
  },
  Rules: {
    'filter=issues, the default, holds blocked and alerted entities only': {
      sandbox: 'Approved sacados and titulos are left out.',
      client,
      test: filters,
    },
    'filter=all holds the complete tree': {
      sandbox: 'Nothing is left out.',
      client,
      test: filters,
    },
  },
  Authentication: {
    'every route but the specification needs a bearer token': {
      sandbox: 'A token of its own; 401 without.',
      client,
      test: `${operations} › %s %s needs a bearer token`,
    },
  },
  Errors: {
    'application/problem+json as in RFC 7807': {
      sandbox: 'Every refusal of its own, with the five fields and nothing besides.',
      client,
      test: `${operations} › %s %s needs a bearer token`,
    },
  },
  Limits: {
    'engine name has 1 to 100 characters': {
      sandbox: '400 beyond, at create and at update.',
      client,
      test: `${engines} › refuses a new engine with %s`,
    },
    'engine description has at most 500 characters': {
      sandbox: '400 beyond, at create and at update.',
      client,
      test: `${engines} › refuses a change with %s`,
    },
  },
  Versioning: {
    'prefix /v1': {
      sandbox: 'Serves no other.',
      client,
      test: `${operations} › the base address ends in /api/v1 and the paths begin with /v1 again`,
    },
    'new fields may come without a new version': {
      sandbox: 'extra_fields puts unknown fields at several levels.',
      client,
      test: `${faults} › a result can contradict itself`,
    },
  },
  'Not shown': {
    'name of the file part': {
      sandbox: 'file; any other with credit names.',
      client: assumed,
      test: `${specification} › renamed parts, fields and words are the ones that serve`,
    },
    'selection of the engine': {
      sandbox: 'The part engineId with the id of an engine; any other name with credit names.',
      client: assumed,
      test: `${specification} › renamed parts, fields and words are the ones that serve`,
    },
    'other parts of an upload': {
      sandbox: 'None; one that is required with credit names.',
      client,
      test: `${specification} › a part that is required besides is refused when it is missing`,
    },
    'body of the create answer': {
      sandbox: 'The operation, its id in the field id.',
      client: assumed,
      test: `${specification} › renamed parts, fields and words are the ones that serve`,
    },
    'fields of the operation': {
      sandbox: 'status, engine, arquivo, instants, and error when it failed.',
      client: assumed,
      test: `${operations} › an operation waits, is worked on, and completes as the clock moves`,
    },
    'states of an operation': {
      sandbox:
        'queued, processing, completed, failed; other words with credit names or unknown_status.',
      client: assumed,
      test: `${faults} › an unknown status shows for three reads, then the operation goes on`,
    },
    'what a result answers before it is there': {
      sandbox: '409, or what notReadyStatus says.',
      client: assumed,
      test: `${operations} › a result that is not ready answers %i when told to`,
    },
    'states of an engine': {
      sandbox: 'None.',
      client: 'not read: an engine is there or not',
      test: `${operations} › an engine that is changed or removed later does not change what began under it`,
    },
    'shape of the rule configuration': {
      sandbox: 'An object by the id of the rule; anything else is refused.',
      client,
      test: `${engines} › refuses a new engine with %s`,
    },
    'values of status, category and severity': {
      sandbox: 'blocked, alerted, approved; blocking, alert. unknown_entity_status shows another.',
      client,
      test: `${faults} › a result can contradict itself`,
    },
    'answers of list, read and delete': {
      sandbox: 'A bare array, or a field of an object with credit names; the engine; 204.',
      client: assumed,
      test: `${specification} › says the truth of every answer: %s`,
    },
    'two engines of one name': {
      sandbox: 'Are taken.',
      client,
      test: `${engines} › two engines may have one name`,
    },
    'success status codes': {
      sandbox: '202, 201, 200, 204; successStatus changes that of an upload.',
      client: assumed,
      test: `${operations} › answers an upload with %i when told to`,
    },
    'error codes and the status of each case': {
      sandbox: 'Ours, in the type of the problem; HTML pages and plain text as proxies send them.',
      client: assumed,
      test: `${faults} › an upload met by %s answers %i and starts %i operations`,
    },
    'file size limits': {
      sandbox: '64 MiB a part, or maxFileBytes: 413 while the upload goes on.',
      client,
      test: `${uploads} › a part %s beyond the limit is refused with 413`,
    },
    'rate limits and quotas': {
      sandbox: 'rateLimitPerSecond; 429 and 503 on demand, before anything begins.',
      client: assumed,
      test: `${operations} › lets through as many calls a second as the scenario says`,
    },
    'issue and expiry of tokens': {
      sandbox: 'Tokens can be revoked and restored while it runs.',
      client: assumed,
      test: `${operations} › can be revoked and restored while running, apart from the other one`,
    },
    'events and webhooks': {
      sandbox: 'Sends nothing unasked.',
      client: 'not read: states are polled',
      test: `${operations} › an operation waits, is worked on, and completes as the clock moves`,
    },
    'files of 444 columns': {
      sandbox: 'Both shapes are read.',
      client,
      test: `${uploads} › the key of an NF-e is read in %s`,
    },
  },
};
