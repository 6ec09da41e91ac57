import { z } from 'zod';
import { checkPlan, readSubject } from '../../domain/investigations/check-plan';
import type {
  InvestigationOutcome,
  InvestigationRecord,
  SubjectFiles,
} from '../../domain/investigations/investigation';
import { emptySubject, type Plan, type Subject } from '../../domain/investigations/plan';
import { JobBatchRepository } from '../../store/core/jobs/job-batches';
import type { CommandContext } from '../jobs/context';
import { inputTerms, maxAgeTerm, startTerms } from '../jobs/begin/request';
import { startable, startableBatch } from '../jobs/begin/startable';
import { investigationBatchKind, investigationKind, termsOf } from './kind';
import { planOne, rowsBy } from '../jobs/begin/same-request';
import { auditStart, type StartPlan } from '../jobs/begin/start-job';
import { planForesight } from './foresee';
import { planError, readPlan, type WrittenPlan } from './plan-file';
import { preparedInput, storedReceivables } from '../credit/input';
import { readInput, reasonToSend, storeInput } from '../lens/request';
import { ofFile, type BatchRequest } from '../jobs/batches/request';
import { UsageError } from '../jobs/errors';
import { subjectReader } from './subject-row';
import { jobFolder, jobIdAt } from '../../domain/job';
import type { SameRequest } from '../../store/core/jobs/same-request';
import { indexDocuments } from '../../store/core/subject-index';
import { InvestigationRepository } from '../../store/investigations/investigations';

const several = (description: string, value = 'numbers') =>
  z.array(z.string().meta({ value })).optional().describe(description);
const file = (description: string) => z.string().optional().meta({ value: 'file', description });

const planTerms = {
  plan: z.string().describe('supplier, assignor, individual, or a file (YAML or JSON)'),
  budget: z
    .int()
    .min(1)
    .max(100_000)
    .optional()
    .describe(
      'requests about a subject that may be charged before a person must look (default: as the plan says, else no bound)',
    ),
};

const investigationRequest = z.strictObject({
  ...planTerms,
  cnpj: several('of the subject'),
  cpf: several('of the subject, or of its owner'),
  name: z
    .string()
    .optional()
    .describe('as you know the subject: compared with what the sources say'),
  email: several('to be searched for', 'addresses'),
  phone: several('to be searched for'),
  dossier: several('dossiers at the service, followed to their end', 'ids'),
  monitor: several('monitors whose open changes are taken', 'ids'),
  photo: file('a picture to be analysed'),
  receivables: file('a CNAB 400 or 444 file (remessa)'),
  xmls: file('a ZIP of NF-e XML documents beside the receivables'),
  ...startTerms('7d'),
  ...maxAgeTerm('7d'),
});

const investigationBatchRequest = z.strictObject({
  ...planTerms,
  ...inputTerms(
    'documents (CPF or CNPJ) of subjects; columns of names, e-mail addresses, phone numbers, dossiers and monitors are used too',
    20,
  ),
  ...startTerms('7d'),
  ...maxAgeTerm('7d'),
});

type Request = z.output<typeof investigationRequest>;

/** What is asked for goes before what the file says. */
function subjectOf({ plan, subject: written }: WrittenPlan, request: Request): Subject {
  const known = written ?? emptySubject();
  const given = Object.fromEntries(
    Object.keys(known).flatMap((word) => {
      const value = request[word as keyof Subject];
      return value === undefined ? [] : [[word, value]];
    }),
  );
  const { faults, subject } = readSubject({ ...known, ...given });
  const all = faults.length > 0 ? faults : checkPlan(plan, subject);
  if (all.length > 0) throw planError(request.plan, all);
  return subject;
}

async function planInvestigation(
  ctx: CommandContext,
  request: Request,
): Promise<StartPlan<InvestigationRecord, InvestigationOutcome>> {
  const written = await readPlan(request.plan);
  const files = await readFiles(ctx, subjectOf(written, request));
  const wanted = requestedFor(ctx, written.plan, files.subject, request);
  const same = investigationsBy(ctx, () => wanted, files.store);
  return {
    ...(await planOne(ctx, same, null, request, null)),
    foresee: async () => {
      const foresight = planForesight(ctx, written);
      await foresight.add({ ...wanted, files: files.read });
      return { ...foresight.total(), problems: [], lines: foresight.lines() };
    },
    release: ({ folder }) => new JobBatchRepository(ctx.store).releaseChildren(folder),
  };
}

export const investigation = startable(investigationKind, investigationRequest, planInvestigation);
export const investigations = startableBatch(
  investigationBatchKind,
  investigationBatchRequest,
  investigationBatch,
);

async function readFiles(ctx: CommandContext, subject: Subject) {
  const { photo, receivables, xmls } = subject;
  const read = photo === null ? null : await readInput(photo, ctx.environment.lens.maxFileBytes);
  if (photo !== null && read !== null) reasonToSend(photo, read, undefined);
  const given = receivables === null ? null : { cnab: receivables, ...(xmls !== null && { xmls }) };
  const prepared = given && (await preparedInput(ctx, given, null, 'briefly'));
  return {
    /** With sums instead of paths. */
    subject: {
      ...subject,
      photo: read?.sha256 ?? null,
      receivables: prepared?.checked.cnab.sha256 ?? null,
      xmls: prepared && xmls !== null ? prepared.xmlsSha256 : null,
    },
    /** As read: nothing is stored. */
    read: {
      photo: read && { file: { ...read, key: '' }, forced: null },
      receivables: prepared && {
        cnab: { name: '', sha256: prepared.checked.cnab.sha256, bytes: 0, key: '' },
        xmls: xmls === null ? null : { name: '', sha256: prepared.xmlsSha256, bytes: 0, key: '' },
        receivables: prepared.checked.cnab.receivables,
        totalCents: String(prepared.checked.cnab.totalCents),
      },
    },
    /** Stores copies: requests are sent from these. */
    store: async (): Promise<SubjectFiles> => ({
      photo:
        photo === null || read === null
          ? null
          : { file: await storeInput(ctx, photo, read), forced: null },
      receivables: prepared && (await storedReceivables(ctx, prepared)),
    }),
  };
}

async function investigationBatch(
  ctx: CommandContext,
  request: z.output<typeof investigationBatchRequest>,
): Promise<BatchRequest> {
  const { budget = null, maxAge } = request;
  const written = await readPlan(request.plan);
  const { plan, subject } = written;
  if (subject !== null)
    throw new UsageError([
      `--input: the plan ${request.plan} names a subject of its own`,
      `--input: o plano ${request.plan} já indica o seu próprio sujeito`,
    ]);
  const faults = checkPlan(plan, null);
  if (faults.length > 0) throw planError(request.plan, faults);
  const files = { photo: null, receivables: null };
  const of = (item: string) =>
    requestedFor(ctx, plan, JSON.parse(item) as Subject, { ...request, label: null });
  const same = investigationsBy(ctx, of, () => files);
  return {
    kind: 'investigation-batch',
    ...ofFile(request, 'subjects', subjectReader(plan)),
    terms: [plan, budget],
    ...rowsBy(ctx, { args: (_, { input }) => termsOf(input) }, same, maxAge),
    foresight: () => {
      const { add, lines } = planForesight(ctx, written);
      return { add: (item) => add({ ...of(item), files }), lines };
    },
  };
}

type InvestigationRequest = Omit<
  InvestigationRecord,
  'jobId' | 'files' | 'createdAt' | 'createdBy'
>;

type Terms = Pick<Request, 'budget' | 'deadline' | 'maxAge' | 'rerun'> & {
  label?: string | null | undefined;
};

/** Plan and subject name it: the same request is the same investigation. */
function requestedFor(
  { idKey }: CommandContext,
  plan: Plan,
  subject: Subject,
  { budget, deadline: deadlineMs, label = null, maxAge: maxAgeMs, rerun = false }: Terms,
): InvestigationRequest {
  const name = idKey.nameOf('manifest', JSON.stringify(['investigation', plan, subject]));
  const bound = budget ?? plan.budget;
  return { name, plan, subject, maxAgeMs, rerun, budget: bound, label, deadlineMs };
}

/** @param filesOf stores copies */
function investigationsBy<Item>(
  ctx: CommandContext,
  requestOf: (item: Item) => InvestigationRequest,
  filesOf: () => SubjectFiles | Promise<SubjectFiles>,
): SameRequest<Item, InvestigationRecord, InvestigationOutcome> {
  const { environment, idKey, store } = ctx;
  const nameOf = (text: string): string => idKey.nameOf('document', text);
  return {
    newest: async (item) => (await store.jobs.find(workflowId(requestOf(item)))) as never,
    isFinal: ({ status }) => status === 'completed',
    async put(item, { terms: { label, rerun } }) {
      const request = { ...requestOf(item), label, rerun, files: await filesOf() };
      const { plan, subject } = request;
      const now = new Date();
      const jobId = jobIdAt(workflowId(request), now);
      const folder = jobFolder(jobId);
      const { cnpj, cpf, email, phone } = subject;
      await indexDocuments(store, folder, nameOf, [...cnpj, ...cpf, ...email, ...phone]);
      const stamp = { createdAt: now.toISOString(), createdBy: environment.actor };
      const record = { jobId, ...request, ...stamp };
      await new InvestigationRepository(store).putRecord(folder, record, label && nameOf(label));
      await auditStart(ctx, jobId, { items: plan.steps.length, rerun }, now.getTime());
      return record;
    },
  };
}

function workflowId({ name }: Pick<InvestigationRequest, 'name'>): string {
  return `investigation/${name}`;
}
