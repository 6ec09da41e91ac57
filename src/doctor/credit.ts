import { creditApi, type CreditApi } from '../apis/credit/credit';
import type { CreditNames, FoundName } from '../apis/credit/names';
import type { DocumentState, FoundNames } from '../apis/credit/specification';
import { classifyFailure, isCallFailure } from '../apis/http/classify';
import { Service } from '../apis/http/service';
import { Token } from '../apis/http/token';
import type { CreditSettings, Environment } from '../environment';
import { runningEngine } from '../temporal/engine-record';
import { fail, messageOf, ok, warn, type Finding } from './finding';

const timeoutMs = 10_000;

/** The credit service: address and token, by the list of engines; and the names of its document. */
export async function examineCredit(environment: Environment): Promise<Finding[]> {
  const settings = environment.credit;
  if (settings === null) return [await withoutSettings(environment)];
  const { token, baseUrl } = settings;
  const service = new Service({
    baseUrl,
    token: Token.from(token),
    ratePerSecond: 5,
    keepsAlive: true,
  });
  try {
    const credit = creditApi(service, environment.creditNames, timeoutMs);
    return [await examineAccess(credit, settings), await examineDocument(credit)];
  } finally {
    await service.close();
  }
}

async function withoutSettings({ dataDir }: Environment): Promise<Finding> {
  const check = 'credit service';
  const engine = await runningEngine(dataDir);
  if (engine === null || engine.creditBaseUrl === null) {
    return ok(check, 'CREDIT_BASE_URL and CREDIT_TOKEN are not set: it is not used');
  }
  return warn(
    check,
    `CREDIT_BASE_URL is not set; the running engine works against ${engine.creditBaseUrl}`,
    'set CREDIT_BASE_URL and CREDIT_TOKEN, for `engine` (`dev` prints those of its sandbox)',
  );
}

async function examineAccess({ engines }: CreditApi, { baseUrl }: CreditSettings) {
  const check = 'credit service';
  const startedAt = Date.now();
  try {
    const { length } = await engines.list();
    const took = `${length} engines, ${Date.now() - startedAt} ms`;
    return ok(check, `${baseUrl} takes the token (${took})`);
  } catch (error) {
    if (isCallFailure(error) && classifyFailure(error) === 'credentials') {
      const fix = 'fix CREDIT_TOKEN, then restart the workers (`diligence stop`)';
      return fail(check, `${baseUrl} refuses the token`, fix);
    }
    const ends = new URL(baseUrl).pathname.replace(/\/+$/, '').endsWith('/api/v1');
    const hint = ends ? '' : '; it ends in /api/v1 as documented, and the calls add /v1';
    const fix = `fix CREDIT_BASE_URL, or the way there (network, proxy, certificate)${hint}`;
    return fail(check, `${baseUrl}: ${messageOf(error)}`, fix);
  }
}

async function examineDocument({ specification }: CreditApi): Promise<Finding> {
  const check = 'credit names';
  try {
    return namesFinding(await specification.names());
  } catch (error) {
    const fix =
      'without it no upload is sent: fix the way there, or set credit.filePart, credit.enginePart, credit.idField and credit.statusField';
    return fail(check, `the OpenAPI document: ${messageOf(error)}`, fix);
  }
}

const documentWords: Record<DocumentState, string> = {
  read: 'its OpenAPI document was read',
  silent: 'its OpenAPI document tells no names',
  absent: 'it publishes no OpenAPI document',
  refused: 'it refuses us its OpenAPI document',
  unreadable: 'what it publishes as its OpenAPI document is none, or is too large',
  unreachable: 'its OpenAPI document cannot be had',
};

/** Which names were found and which are assumed. */
export function namesFinding({ document, names }: FoundNames): Finding {
  const check = 'credit names';
  const [unknown] = names.unknownRequired;
  if (unknown !== undefined) {
    const fix = 'set credit.filePart or credit.enginePart if it is one of these; else we cannot';
    return fail(check, `an upload must have "${unknown}", which we do not know`, fix);
  }
  const detail = `${documentWords[document]}; ${namesReported(names).join(', ')}`;
  const open = assumedVariables(names);
  return open.length === 0
    ? ok(check, detail)
    : warn(check, detail, `if what is assumed is wrong, set ${open.join(', ')}`);
}

function namesReported(names: CreditNames): string[] {
  const { filePart, enginePart, idFields, statusField } = names;
  const required = names.engineRequired ? ', required' : '';
  return [
    `file part ${reportedText([filePart])}`,
    enginePart === null
      ? 'no part that chooses an engine'
      : `engine part ${reportedText([enginePart])}${required}`,
    ...(names.xmlsRequired ? ['xmls required'] : []),
    `id ${reportedText(idFields)}`,
    `status ${reportedText([statusField])}`,
    `failed: ${names.failedStatuses.join(' ')} (${sourceWords[names.failedStatusesSource]})`,
  ];
}

const sourceWords = {
  configured: 'configured',
  document: 'from the document',
  assumed: 'assumed',
} as const;

function reportedText(fields: readonly FoundName[]): string {
  const [first] = fields;
  const names = fields.map(({ name }) => `"${name}"`).join(' or ');
  return first === undefined ? names : `${names} (${sourceWords[first.source]})`;
}

/** The failed words always contain assumed ones: not reported. */
function assumedVariables({ filePart, enginePart, idFields, statusField }: CreditNames): string[] {
  const sources: [string, FoundName | null | undefined][] = [
    ['credit.filePart', filePart],
    ['credit.enginePart', enginePart ?? { name: '', source: 'assumed' }],
    ['credit.idField', idFields[0]],
    ['credit.statusField', statusField],
  ];
  return sources.filter(([, found]) => found?.source === 'assumed').map(([variable]) => variable);
}
