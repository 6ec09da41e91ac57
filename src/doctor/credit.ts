import { creditApi, type CreditApi } from '../apis/credit/credit';
import type { FoundName } from '../apis/credit/names';
import type { DocumentState, FoundNames } from '../apis/credit/specification';
import type { Environment } from '../environment';
import { runningEngine } from '../temporal/engine-record';
import { fail, messageOf, ok, warn, type Finding } from './finding';
import { accessFinding, onceMore, timeoutMs, withService } from './service';

/** The credit service: address and token, by the list of engines; and the names of its document. */
export async function examineCredit(environment: Environment): Promise<Finding[]> {
  const check = 'credit service';
  const settings = environment.credit;
  if (settings === null) {
    const engine = await runningEngine(environment.dataDir);
    if (engine === null || engine.creditBaseUrl === null)
      return [ok(check, 'CREDIT_BASE_URL and CREDIT_TOKEN are not set: it is not used')];
    const detail = `CREDIT_BASE_URL is not set; the running engine works against ${engine.creditBaseUrl}`;
    const fix =
      'set CREDIT_BASE_URL and CREDIT_TOKEN, for `engine` (`dev` prints those of its sandbox)';
    return [warn(check, detail, fix)];
  }
  const { baseUrl } = settings;
  const address = 'CREDIT_BASE_URL (it ends in /api/v1 as documented, and the calls add /v1)';
  return withService(settings, async (service) => {
    const credit = creditApi(service, environment.creditNames, timeoutMs);
    const access = await accessFinding(
      check,
      baseUrl,
      { token: 'CREDIT_TOKEN', address },
      async () => {
        return `${(await credit.engines.list()).length} engines, `;
      },
    );
    return [access, await examineDocument(credit)];
  });
}

async function examineDocument({ specification }: CreditApi): Promise<Finding> {
  try {
    return namesFinding(await onceMore(() => specification.names()));
  } catch (error) {
    const fix =
      'without it no upload is sent: fix the way there, or set credit.filePart, credit.enginePart, credit.idField and credit.statusField';
    return fail('credit names', `the OpenAPI document: ${messageOf(error)}`, fix);
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

const sourceWords = {
  configured: 'configured',
  document: 'from the document',
  assumed: 'assumed',
} as const;

/** Which names were found and which are assumed. */
export function namesFinding({ document, names }: FoundNames): Finding {
  const check = 'credit names';
  const { filePart, enginePart, engineRequired, idFields, statusField } = names;
  const [unknown] = names.unknownRequired;
  if (unknown !== undefined) {
    const fix = 'set credit.filePart or credit.enginePart if it is one of these; else we cannot';
    return fail(check, `an upload must have "${unknown}", which we do not know`, fix);
  }
  const told = [
    `file part ${foundText([filePart])}`,
    enginePart === null
      ? 'no part that chooses an engine'
      : `engine part ${foundText([enginePart])}${engineRequired ? ', required' : ''}`,
    ...(names.xmlsRequired ? ['xmls required'] : []),
    `id ${foundText(idFields)}`,
    `status ${foundText([statusField])}`,
    `failed: ${names.failedStatuses.join(' ')} (${sourceWords[names.failedStatusesSource]})`,
  ];
  const detail = `${documentWords[document]}; ${told.join(', ')}`;
  // The failed words always contain assumed ones: not reported.
  const assumed = Object.entries({
    'credit.filePart': filePart,
    'credit.enginePart': enginePart ?? { source: 'assumed' },
    'credit.idField': idFields[0],
    'credit.statusField': statusField,
  }).flatMap(([key, found]) => (found?.source === 'assumed' ? [key] : []));
  if (assumed.length === 0) return ok(check, detail);
  return warn(check, detail, `if what is assumed is wrong, set ${assumed.join(', ')}`);
}

function foundText(fields: readonly FoundName[]): string {
  const [first] = fields;
  const names = fields.map(({ name }) => `"${name}"`).join(' or ');
  return first === undefined ? names : `${names} (${sourceWords[first.source]})`;
}
