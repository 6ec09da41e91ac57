import type { CoverageRow, CoverageTable } from './row';

/**
 * The specification of the credit service, item by item: who shows it, who reads it, who proves it.
 * `npm run coverage-table` fails on a hole.
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
    'what serves where the specification is silent, or cannot be had',
    'fields left out of a PUT',
  ],
} as const;

const clientTest = 'contract/credit-client.test.ts';
const operations = 'contract/sandbox-credit-operations.test.ts';
const engines = 'contract/sandbox-credit-engines.test.ts';
const uploads = 'contract/sandbox-credit-upload.test.ts';
const rules = 'contract/sandbox-credit-rules.test.ts';
const specification = 'contract/sandbox-credit-specification.test.ts';
const faults = 'contract/sandbox-credit-faults.test.ts';

const treeFields: CoverageRow['test'] = `${clientTest} › on every field of the tree`;
const issueFields: CoverageRow['test'] = `${clientTest} › on every field of the tree`;
const summaryFields: CoverageRow['test'] = `${operations} › statuses roll up, and the summary counts and adds the titulos`;
const engineFields: CoverageRow['test'] = `${clientTest} › on every field of an engine`;
const filters: CoverageRow['test'] = `${operations} › filter=issues, also when it is left out, shows blocked and alerted entities alone`;

export const creditTable: CoverageTable<typeof creditChecklist> = {
  'What the service does': {
    'analyses a CNAB 400 file under an engine': {
      sandbox: 'Reads the bytes and applies the rules of the engine.',
      client: 'src/apis/credit/operations.ts#OperationsApi.startOperation',
      test: `${rules} › a sound file is approved by the standard engine`,
    },
    'the reason of each rule is shown': {
      sandbox: 'Each issue tells rule, actual, expected and threshold.',
      client: 'src/domain/credit/analysis.ts#AnalysisIssue.expected',
      test: issueFields,
    },
    'the result is a tree: cedente, sacados, titulos': {
      sandbox: 'As the file has them, in its order.',
      client: 'src/apis/credit/result.wire.ts#readAnalysis',
      test: treeFields,
    },
    'with a ZIP, invoice rules use its files': {
      sandbox: 'Rules about invoices take the XML; without a ZIP they keep silent.',
      client: 'src/apis/credit/operations.ts#Upload.xmls',
      test: `${rules} › nfe_nao_encontrada speaks, with the XML as its source`,
    },
    'publishes its specification without authentication': {
      sandbox: 'GET /v1/openapi.json needs no token.',
      client: 'src/apis/credit/specification.ts#SpecificationApi.names',
      test: `${operations} › the specification is served without a token`,
    },
  },
  Engine: {
    id: {
      sandbox: 'Every engine has an id of its own, fixed by the seed.',
      client: 'src/apis/credit/engines.wire.ts#engineWire.id',
      test: engineFields,
    },
    name: {
      sandbox: 'As it was given.',
      client: 'src/apis/credit/engines.wire.ts#engineWire.name',
      test: engineFields,
    },
    description: {
      sandbox: 'Text, or null when none was given.',
      client: 'src/apis/credit/engines.wire.ts#engineWire.description',
      test: `${engines} › a change touches only what it gives; rules given replace those that were there`,
    },
    isTemplate: {
      sandbox: 'True for three that are there at the start.',
      client: 'src/apis/credit/engines.wire.ts#engineWire.isTemplate',
      test: `${engines} › the list is an array of engines without their rules, templates first`,
    },
    ruleCount: {
      sandbox: 'How many rules the engine names.',
      client: 'src/apis/credit/engines.wire.ts#engineWire.ruleCount',
      test: engineFields,
    },
    rules: {
      sandbox: 'An array of the rules the engine names, in the order they came.',
      client: 'src/apis/credit/engines.wire.ts#engineWire.rules',
      test: engineFields,
    },
    'rules[].id': {
      sandbox: 'One of fourteen.',
      client: 'src/apis/credit/engines.wire.ts#engineWire.rules.id',
      test: engineFields,
    },
    'rules[].name': {
      sandbox: 'In Portuguese.',
      client: 'src/apis/credit/engines.wire.ts#engineWire.rules.name',
      test: engineFields,
    },
    'rules[].severity': {
      sandbox: 'blocking or alert.',
      client: 'src/apis/credit/engines.wire.ts#engineWire.rules.severity',
      test: engineFields,
    },
    'rules[].enabled': {
      sandbox: 'Whether the rule speaks.',
      client: 'src/apis/credit/engines.wire.ts#engineWire.rules.enabled',
      test: engineFields,
    },
  },
  'Analysis result': {
    operationId: {
      sandbox: 'The id of the create answer.',
      client: 'src/apis/credit/result.wire.ts#headWire.operationId',
      test: treeFields,
    },
    engineId: {
      sandbox: 'The engine the operation began under.',
      client: 'src/apis/credit/result.wire.ts#headWire.engineId',
      test: treeFields,
    },
    engineName: {
      sandbox: 'Its name at that time.',
      client: 'src/apis/credit/result.wire.ts#headWire.engineName',
      test: treeFields,
    },
    timestamp: {
      sandbox: 'The end of the analysis.',
      client: 'src/apis/credit/result.wire.ts#headWire.timestamp',
      test: treeFields,
    },
    cedente: {
      sandbox: 'Always there, also when it is approved and filter=issues.',
      client: 'src/apis/credit/result.wire.ts#analysisWire.cedente',
      test: treeFields,
    },
    summary: {
      sandbox: 'Of the whole file, under both filters.',
      client: 'src/apis/credit/result.wire.ts#headWire.summary',
      test: filters,
    },
  },
  Cedente: {
    id: {
      sandbox: 'A UUID.',
      client: 'src/apis/credit/result.wire.ts#cedenteWire.id',
      test: treeFields,
    },
    cnpj: {
      sandbox: 'From the header or the titulos; empty where the layout has none.',
      client: 'src/apis/credit/result.wire.ts#cedenteWire.cnpj',
      test: treeFields,
    },
    razaoSocial: {
      sandbox: 'From the file.',
      client: 'src/apis/credit/result.wire.ts#cedenteWire.razaoSocial',
      test: treeFields,
    },
    issues: {
      sandbox: 'Of the cedente alone.',
      client: 'src/apis/credit/result.wire.ts#cedenteWire.issues',
      test: treeFields,
    },
    sacados: {
      sandbox: 'By document, in the order of the file.',
      client: 'src/apis/credit/result.wire.ts#cedenteWire.sacados',
      test: treeFields,
    },
    status: {
      sandbox: 'The worst of its own issues and of its sacados.',
      client: 'src/domain/credit/analysis.ts#AnalysedAssignor.status',
      test: summaryFields,
    },
  },
  Sacado: {
    id: {
      sandbox: 'A UUID.',
      client: 'src/apis/credit/result.wire.ts#sacadoWire.id',
      test: treeFields,
    },
    cnpjCpf: {
      sandbox: 'Eleven or fourteen characters.',
      client: 'src/apis/credit/result.wire.ts#sacadoWire.cnpjCpf',
      test: treeFields,
    },
    razaoSocial: {
      sandbox: 'From the file.',
      client: 'src/apis/credit/result.wire.ts#sacadoWire.razaoSocial',
      test: treeFields,
    },
    tipo: {
      sandbox: 'PJ, or PF for a person.',
      client: 'src/apis/credit/result.wire.ts#sacadoWire.tipo',
      test: treeFields,
    },
    issues: {
      sandbox: 'Of the sacado alone.',
      client: 'src/apis/credit/result.wire.ts#sacadoWire.issues',
      test: treeFields,
    },
    titulos: {
      sandbox: 'In the order of the file.',
      client: 'src/apis/credit/result.wire.ts#sacadoWire.titulos',
      test: treeFields,
    },
    status: {
      sandbox: 'The worst of its own issues and of its titulos.',
      client: 'src/domain/credit/analysis.ts#AnalysedPayer.status',
      test: summaryFields,
    },
  },
  Titulo: {
    id: {
      sandbox: 'A UUID.',
      client: 'src/apis/credit/result.wire.ts#tituloWire.id',
      test: treeFields,
    },
    numero: {
      sandbox: 'Columns 111 to 120.',
      client: 'src/apis/credit/result.wire.ts#tituloWire.numero',
      test: treeFields,
    },
    valor: {
      sandbox: 'A number, in reais.',
      client: 'src/apis/credit/result.wire.ts#tituloWire.valor',
      test: treeFields,
    },
    dataVencimento: {
      sandbox: 'YYYY-MM-DD, or as it stands when it is no date.',
      client: 'src/apis/credit/result.wire.ts#tituloWire.dataVencimento',
      test: treeFields,
    },
    nfeChave: {
      sandbox: 'From the file or from the invoice found; else empty.',
      client: 'src/apis/credit/result.wire.ts#tituloWire.nfeChave',
      test: treeFields,
    },
    issues: {
      sandbox: 'Of the titulo alone.',
      client: 'src/apis/credit/result.wire.ts#tituloWire.issues',
      test: treeFields,
    },
    status: {
      sandbox: 'The worst of its issues.',
      client: 'src/domain/credit/analysis.ts#AnalysedReceivable.status',
      test: `${rules} › a rule of severity %s leaves its titulo %s`,
    },
  },
  Issue: {
    ruleId: {
      sandbox: 'Of the rule that spoke.',
      client: 'src/apis/credit/result.wire.ts#issueWire.ruleId',
      test: issueFields,
    },
    ruleName: {
      sandbox: 'Of the rule that spoke.',
      client: 'src/apis/credit/result.wire.ts#issueWire.ruleName',
      test: issueFields,
    },
    category: {
      sandbox: 'The severity of the rule.',
      client: 'src/apis/credit/result.wire.ts#issueWire.category',
      test: issueFields,
    },
    status: {
      sandbox: 'blocked or alerted.',
      client: 'src/apis/credit/result.wire.ts#issueWire.status',
      test: issueFields,
    },
    message: {
      sandbox: 'In Portuguese.',
      client: 'src/apis/credit/result.wire.ts#issueWire.message',
      test: issueFields,
    },
    detail: {
      sandbox: 'Four texts.',
      client: 'src/apis/credit/result.wire.ts#issueWire.detail',
      test: issueFields,
    },
    'detail.field': {
      sandbox: 'The field of the entity.',
      client: 'src/apis/credit/result.wire.ts#issueWire.detail.field',
      test: issueFields,
    },
    'detail.actual': {
      sandbox: 'What was found.',
      client: 'src/apis/credit/result.wire.ts#issueWire.detail.actual',
      test: issueFields,
    },
    'detail.expected': {
      sandbox: 'What was expected.',
      client: 'src/apis/credit/result.wire.ts#issueWire.detail.expected',
      test: issueFields,
    },
    'detail.threshold': {
      sandbox: 'The threshold, or empty.',
      client: 'src/apis/credit/result.wire.ts#issueWire.detail.threshold',
      test: issueFields,
    },
    dataSource: {
      sandbox: 'cnab or nfe_xml.',
      client: 'src/apis/credit/result.wire.ts#issueWire.dataSource',
      test: issueFields,
    },
  },
  'Entity status': {
    approved: {
      sandbox: 'Nothing spoke.',
      client: 'src/domain/credit/analysis.ts#AnalysisSummary.approved',
      test: summaryFields,
    },
    blocked: {
      sandbox: 'A rule of severity blocking spoke.',
      client: 'src/domain/credit/analysis.ts#AnalysisSummary.blocked',
      test: `${rules} › a rule of severity blocking leaves its titulo blocked`,
    },
    alerted: {
      sandbox: 'A rule of severity alert spoke, none of severity blocking.',
      client: 'src/domain/credit/analysis.ts#AnalysisSummary.alerted',
      test: `${rules} › a rule of severity alert leaves its titulo alerted`,
    },
  },
  Summary: {
    totalTitulos: {
      sandbox: 'All titulos of the file.',
      client: 'src/apis/credit/result.wire.ts#summaryWire.totalTitulos',
      test: summaryFields,
    },
    approved: {
      sandbox: 'Titulos by status.',
      client: 'src/apis/credit/result.wire.ts#summaryWire.approved',
      test: summaryFields,
    },
    blocked: {
      sandbox: 'Titulos by status.',
      client: 'src/apis/credit/result.wire.ts#summaryWire.blocked',
      test: summaryFields,
    },
    alerted: {
      sandbox: 'Titulos by status.',
      client: 'src/apis/credit/result.wire.ts#summaryWire.alerted',
      test: summaryFields,
    },
    totalValue: {
      sandbox: 'Sum of all titulos.',
      client: 'src/apis/credit/result.wire.ts#summaryWire.totalValue',
      test: summaryFields,
    },
    approvedValue: {
      sandbox: 'Sum by status.',
      client: 'src/apis/credit/result.wire.ts#summaryWire.approvedValue',
      test: summaryFields,
    },
    blockedValue: {
      sandbox: 'Sum by status.',
      client: 'src/apis/credit/result.wire.ts#summaryWire.blockedValue',
      test: summaryFields,
    },
    alertedValue: {
      sandbox: 'Sum by status.',
      client: 'src/apis/credit/result.wire.ts#summaryWire.alertedValue',
      test: summaryFields,
    },
    'sacados.total': {
      sandbox: 'All sacados.',
      client: 'src/apis/credit/result.wire.ts#summaryWire.sacados.total',
      test: summaryFields,
    },
    'sacados.withIssues': {
      sandbox: 'Sacados that are not approved.',
      client: 'src/apis/credit/result.wire.ts#summaryWire.sacados.withIssues',
      test: summaryFields,
    },
    'cedente.status': {
      sandbox: 'That of the cedente.',
      client: 'src/apis/credit/result.wire.ts#summaryWire.cedente.status',
      test: summaryFields,
    },
  },
  Endpoints: {
    'the base address ends in /api/v1 and paths begin with /v1': {
      sandbox: 'Serves below /credit/api/v1/v1 and nowhere else.',
      client: 'src/environment.ts#CreditSettings.baseUrl',
      test: `${operations} › the base address ends in /api/v1 and the paths begin with /v1 again`,
    },
    'POST /v1/operations': {
      sandbox: 'Begins an operation, unless the upload is refused.',
      client: 'src/apis/credit/operations.ts#OperationsApi.startOperation',
      test: `${operations} › an operation waits, is worked on, and completes as the clock moves`,
    },
    'POST /v1/operations: multipart/form-data': {
      sandbox: 'Anything else is refused with 415 or 400.',
      client: 'src/apis/http/call.ts#HttpCall.form',
      test: `${uploads} › that is called %s and is no form is refused with %i`,
    },
    'POST /v1/operations: the CNAB 400 file': {
      sandbox: 'Reads it while it arrives, and tells the sum of its bytes.',
      client: 'src/apis/credit/operations.ts#Upload.cnab',
      test: `${uploads} › the layout of %s is read`,
    },
    'POST /v1/operations: xmls': {
      sandbox: 'Reads the invoices of the ZIP, and tells its sum.',
      client: 'src/apis/credit/operations.ts#Upload.xmls',
      test: `${uploads} › a ZIP without an NF-e is taken, and the sum of it is told`,
    },
    'GET /v1/operations/{id}': {
      sandbox: 'Tells the state on the clock.',
      client: 'src/apis/credit/operations.ts#OperationsApi.readOperation',
      test: `${operations} › an operation waits, is worked on, and completes as the clock moves`,
    },
    'GET /v1/operations/{id}: path id': {
      sandbox: '400 when it is no UUID, 404 when it is unknown.',
      client: 'src/apis/credit/operations.ts#OperationsApi.readOperation.id',
      test: `${operations} › an operation %s is refused with %i`,
    },
    'GET /v1/operations/{id}/result': {
      sandbox: 'The tree, worked out anew at every read.',
      client: 'src/apis/credit/operations.ts#OperationsApi.takeResult',
      test: treeFields,
    },
    'GET /v1/operations/{id}/result: path id': {
      sandbox: 'As for the status.',
      client: 'src/apis/credit/operations.ts#OperationsApi.takeResult.path',
      test: `${operations} › an operation %s is refused with %i`,
    },
    'GET /v1/operations/{id}/result: filter': {
      sandbox: 'issues, all; anything else is 400.',
      client: 'src/apis/credit/operations.ts#OperationsApi.takeResult.query',
      test: filters,
    },
    'GET /v1/operations/{id}/result: include': {
      sandbox: 'evidence is accepted and changes nothing; anything else is 400.',
      client: 'not read: reserved for future use, so it is never sent',
      test: `${operations} › include=evidence is accepted and changes nothing`,
    },
    'GET /v1/engines': {
      sandbox: 'All engines, templates first, without their rules.',
      client: 'src/apis/credit/engines.ts#EnginesApi.list',
      test: `${engines} › the list is an array of engines without their rules, templates first`,
    },
    'POST /v1/engines': {
      sandbox: 'Answers 201 with the engine.',
      client: 'src/apis/credit/engines.ts#EnginesApi.create',
      test: engineFields,
    },
    'POST /v1/engines: name': {
      sandbox: 'Required; two engines may have one.',
      client: 'src/apis/credit/engines.ts#EngineCreation.name',
      test: `${engines} › two engines may have one name`,
    },
    'POST /v1/engines: description': {
      sandbox: 'Optional.',
      client: 'src/domain/credit/engine.ts#EngineFields.description',
      test: engineFields,
    },
    'POST /v1/engines: rules': {
      sandbox: 'An object; required unless cloneFrom is set.',
      client: 'src/domain/credit/engine.ts#EngineFields.rules',
      test: `${engines} › refuses a new engine with %s`,
    },
    'POST /v1/engines: cloneFrom': {
      sandbox: 'Copies the rules of that engine.',
      client: 'src/apis/credit/engines.ts#EngineCreation.cloneFrom',
      test: `${engines} › cloneFrom copies the rules, and rules given besides are laid over them`,
    },
    'GET /v1/engines/{id}': {
      sandbox: 'The engine with its rules.',
      client: 'src/apis/credit/engines.ts#EnginesApi.read',
      test: engineFields,
    },
    'GET /v1/engines/{id}: path id': {
      sandbox: '400 when it is no UUID, 404 when it is unknown.',
      client: 'src/apis/credit/engines.ts#EnginesApi.read',
      test: `${engines} › %s of an engine %s is refused with %i`,
    },
    'PUT /v1/engines/{id}': {
      sandbox: 'Answers with the changed engine.',
      client: 'src/apis/credit/engines.ts#EnginesApi.update',
      test: `${engines} › a change touches only what it gives; rules given replace those that were there`,
    },
    'PUT /v1/engines/{id}: body name, description, rules': {
      sandbox: 'Each optional; what is not given keeps its value.',
      client: 'src/domain/credit/engine.ts#EngineFields',
      test: `${engines} › a change touches only what it gives; rules given replace those that were there`,
    },
    'DELETE /v1/engines/{id}': {
      sandbox: '204; 404 the second time; 409 for a template.',
      client: 'src/apis/credit/engines.ts#EnginesApi.remove',
      test: `${engines} › a removed engine is gone, and removing it again is 404`,
    },
    'GET /v1/openapi.json': {
      sandbox: 'A valid document of all calls, with an ETag.',
      client: 'src/apis/credit/specification.wire.ts#specificationFacts',
      test: `${specification} › is a valid OpenAPI 3.1 document of all calls: %s`,
    },
    'success bodies are application/json': {
      sandbox: 'All but those that are empty.',
      client: 'src/apis/http/problem.ts#parseJson',
      test: `${specification} › says the truth of uploads, operations and problems: %s`,
    },
  },
  Rules: {
    'filter=issues, the default, holds blocked and alerted entities only': {
      sandbox: 'Approved sacados and titulos are left out.',
      client: 'src/domain/credit/job.ts#resultFilters',
      test: filters,
    },
    'filter=all holds the complete tree': {
      sandbox: 'Nothing is left out.',
      client: 'src/domain/credit/job.ts#resultFilters',
      test: filters,
    },
  },
  Authentication: {
    'every route but the specification needs a bearer token': {
      sandbox: 'A token of its own; 401 without.',
      client: 'src/apis/http/call.ts#TokenPlace',
      test: `${operations} › %s %s needs a bearer token`,
    },
  },
  Errors: {
    'application/problem+json as in RFC 7807': {
      sandbox: 'Every refusal of its own, with the five fields and nothing besides.',
      client: 'src/apis/http/problem.ts#decodeProblem',
      test: `${operations} › %s %s needs a bearer token`,
    },
  },
  Limits: {
    'engine name has 1 to 100 characters': {
      sandbox: '400 beyond, at create and at update.',
      client: 'src/domain/credit/engine.ts#longestEngineName',
      test: `${engines} › refuses a new engine with %s`,
    },
    'engine description has at most 500 characters': {
      sandbox: '400 beyond, at create and at update.',
      client: 'src/domain/credit/engine.ts#longestEngineDescription',
      test: `${engines} › refuses a change with %s`,
    },
  },
  Versioning: {
    'prefix /v1': {
      sandbox: 'Serves no other.',
      client: 'src/apis/credit/operations.ts#OperationsApi.startOperation',
      test: `${operations} › the base address ends in /api/v1 and the paths begin with /v1 again`,
    },
    'new fields may come without a new version': {
      sandbox: 'extra_fields puts unknown fields at several levels.',
      client: 'src/apis/credit/result.wire.ts#analysisWire',
      test: `${faults} › a result can contradict itself`,
    },
  },
  'Not shown': {
    'name of the file part': {
      sandbox: 'file; any other with credit names.',
      client: 'assumption: names of the file part and the engine part',
      test: `${specification} › renamed parts, fields and words are the ones that serve`,
    },
    'selection of the engine': {
      sandbox: 'The part engineId with the id of an engine; any other name with credit names.',
      client: 'assumption: names of the file part and the engine part',
      test: `${specification} › renamed parts, fields and words are the ones that serve`,
    },
    'other parts of an upload': {
      sandbox: 'None; one that is required with credit names.',
      client: 'src/apis/credit/names.ts#CreditNames.unknownRequired',
      test: `${specification} › a part that is required besides is refused when it is missing`,
    },
    'body of the create answer': {
      sandbox: 'The operation, its id in the field id.',
      client: 'assumption: id and status of an operation',
      test: `${specification} › renamed parts, fields and words are the ones that serve`,
    },
    'fields of the operation': {
      sandbox: 'status, engine, arquivo, instants, and error when it failed.',
      client: 'assumption: id and status of an operation',
      test: `${operations} › an operation waits, is worked on, and completes as the clock moves`,
    },
    'states of an operation': {
      sandbox:
        'queued, processing, completed, failed; other words with credit names or unknown_status.',
      client: 'assumption: the operation is done, or failed',
      test: `${faults} › an unknown status shows for three reads, then the operation goes on`,
    },
    'what a result answers before it is there': {
      sandbox: '409, or what notReadyStatus says.',
      client: 'assumption: the operation is done, or failed',
      test: `${operations} › a result that is not ready answers %i when told to`,
    },
    'states of an engine': {
      sandbox: 'None.',
      client: 'not read: an engine is there or not',
      test: `${operations} › an engine that is changed or removed later does not change what began under it`,
    },
    'shape of the rule configuration': {
      sandbox: 'An object by the id of the rule; anything else is refused.',
      client: 'src/domain/credit/engine.ts#EngineFields.rules',
      test: `${engines} › refuses a new engine with %s`,
    },
    'values of status, category and severity': {
      sandbox: 'blocked, alerted, approved; blocking, alert. unknown_entity_status shows another.',
      client: 'src/domain/credit/analysis.ts#AnalysisIssue.category',
      test: `${faults} › a result can contradict itself`,
    },
    'answers of list, read and delete': {
      sandbox: 'A bare array, or a field of an object with credit names; the engine; 204.',
      client: 'assumption: list of engines',
      test: `${engines} › the list is an array of engines without their rules, templates first`,
    },
    'two engines of one name': {
      sandbox: 'Are taken.',
      client: 'src/domain/credit/engine.ts#EngineChoice',
      test: `${engines} › two engines may have one name`,
    },
    'success status codes': {
      sandbox: '202, 201, 200, 204; successStatus changes that of an upload.',
      client: 'assumption: success status',
      test: `${operations} › answers an upload with %i when told to`,
    },
    'error codes and the status of each case': {
      sandbox: 'Ours, in the type of the problem; HTML pages and plain text as proxies send them.',
      client: 'assumption: error body',
      test: `${faults} › an upload met by %s answers %i and starts %i operations`,
    },
    'file size limits': {
      sandbox: '64 MiB a part, or maxFileBytes: 413 while the upload goes on.',
      client: 'src/apis/http/errors.ts#StatusError',
      test: `${uploads} › a part %s beyond the limit is refused with 413`,
    },
    'rate limits and quotas': {
      sandbox: 'rateLimitPerSecond; 429 and 503 on demand, before anything begins.',
      client: 'assumption: 429, and 503 with Retry-After or a problem body',
      test: `${operations} › lets through as many calls a second as the scenario says`,
    },
    'issue and expiry of tokens': {
      sandbox: 'Tokens can be revoked and restored while it runs.',
      client: 'assumption: token expiry',
      test: `${operations} › can be revoked and restored while running, apart from the other one`,
    },
    'events and webhooks': {
      sandbox: 'Sends nothing unasked.',
      client: 'not read: states are polled',
      test: `${operations} › an operation waits, is worked on, and completes as the clock moves`,
    },
    'files of 444 columns': {
      sandbox: 'Both shapes are read.',
      client: 'src/domain/cnab/layout.ts#extendedWidth',
      test: `${uploads} › the key of an NF-e is read in %s`,
    },
    'what serves where the specification is silent, or cannot be had': {
      sandbox: 'document in credit names: silent, none; faults of the call specification.',
      client: 'assumption: no OpenAPI document',
      test: `${clientTest} › are assumed where the document is %s`,
    },
    'fields left out of a PUT': {
      sandbox: 'Keep their value; rules that are given replace all.',
      client: 'assumption: fields left out of a PUT',
      test: `${engines} › a change touches only what it gives; rules given replace those that were there`,
    },
  },
};
