import { z } from 'zod';

/** Default words of a failed operation. */
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

const nameOf = 'expected a name of letters, digits, _, - and .';
const wireName = z.string(nameOf).regex(/^[\w.-]{1,64}$/, nameOf);
const parameter = z
  .string()
  .regex(/^[\w.[\]-]{1,64}$/, 'expected a name of letters, digits, _, -, . and brackets');

/** Below the base address; `{id}` is replaced by the id. */
const pathWithId = z
  .string()
  .regex(/^\/[\w/.~-]*\{id\}[\w/.~-]*$/, 'expected a path below the base address with {id} in it');

/** Sections of the configuration file that override the defaults. */
export const assumptionSections = {
  services: z.strictObject({
    resendOn503: z
      .boolean('expected true or false')
      .default(true)
      .describe('Whether a 503 with Retry-After or a problem body was surely not processed.'),
  }),
  lists: z
    .strictObject({
      pageSizeParam: parameter.default('limit').describe('Query parameter: size of a page.'),
      cursorParam: parameter.default('cursor').describe('Query parameter: cursor of a page.'),
      statusParam: parameter.default('status').describe('Query parameter: filter by status.'),
      severityParam: parameter.default('severity').describe('Query parameter: filter by severity.'),
      typeParam: parameter.default('type').describe('Query parameter: filter by type.'),
    })
    .superRefine((names, context) => {
      const taken = new Map<string, string>();
      for (const [key, name] of Object.entries(names)) {
        const other = taken.get(name);
        const message = `expected another name than lists.${other} has`;
        if (other !== undefined) context.addIssue({ code: 'custom', path: [key], message });
        taken.set(name, key);
      }
    }),
  certificates: z.strictObject({
    pdf: z
      .enum(['optional', 'required'], 'expected optional or required')
      .default('optional')
      .describe('Whether an issuance that completed without a PDF is `issued` or `failed`.'),
    pdfAuth: z
      .enum(['query', 'bearer'], 'expected query or bearer')
      .default('query')
      .describe("How the PDF route of the service's own origin takes the token."),
  }),
  lens: z.strictObject({
    readPath: pathWithId.default('/lente/analyses/{id}').describe('Where an analysis is read.'),
    modeField: wireName
      .refine((name) => name !== 'file', 'expected another name than file, which is taken')
      .default('mode')
      .describe('Field of the upload that names the mode.'),
    submitPath: pathWithId
      .nullable()
      .default(null)
      .describe('Where a POST after the upload starts the analysis; null: the upload does.'),
    maxFileBytes: z
      .int('expected a whole number of bytes')
      .min(1, 'expected a number of bytes from 1')
      .default(50 * 1024 * 1024)
      .describe('Size of the largest file that is taken, in bytes.'),
  }),
  monitors: z.strictObject({
    readPath: pathWithId.default('/monitors/{id}').describe('Where a monitor is read.'),
  }),
  traces: z.strictObject({
    read: z
      .enum(['auto', 'id', 'list'], 'expected auto, id or list')
      .default('auto')
      .describe(
        'Whether a search is read by its id or looked for in the list; auto: by id, and by the list where there is no such route.',
      ),
  }),
  dossiers: z.strictObject({
    readPath: pathWithId
      .nullable()
      .default(null)
      .describe(
        'Where artifacts and result are read when the status has none; null: the list is searched.',
      ),
  }),
  credit: z.strictObject({
    filePart: wireName.nullable().default(null).describe('Part of an upload: the CNAB file.'),
    enginePart: wireName.nullable().default(null).describe('Part of an upload: the rule engine.'),
    idField: wireName.nullable().default(null).describe('Field of an operation: its id.'),
    statusField: wireName.nullable().default(null).describe('Field of an operation: its status.'),
    failedStatuses: z
      .array(z.string().trim().min(1, 'expected a word'), 'expected a list of words')
      .min(1, 'expected at least one word')
      .nullable()
      .default(null)
      .describe('Words of an operation that failed; null: those of `doctor --assumptions`.'),
  }),
} as const;

type Section<Name extends keyof typeof assumptionSections> = z.output<
  (typeof assumptionSections)[Name]
>;

export type ListAssumptions = Section<'lists'>;
export type CertificateAssumptions = Section<'certificates'>;
export type LensAssumptions = Section<'lens'>;
export type MonitorAssumptions = ListAssumptions & Section<'monitors'>;
export type TraceAssumptions = ListAssumptions & Section<'traces'>;
export type DossierAssumptions = ListAssumptions & Section<'dossiers'>;
/** Null for names to be found in the service's OpenAPI document. */
export type CreditAssumptions = Section<'credit'>;
