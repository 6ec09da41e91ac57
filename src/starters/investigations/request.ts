import { z } from 'zod';
import { checkPlan, readSubject } from '../../domain/investigations/check-plan';
import type {
  InvestigationOutcome,
  InvestigationRecord,
  SubjectFiles,
} from '../../domain/investigations/investigation';
import { emptySubject, type Subject } from '../../domain/investigations/plan';
import { JobBatchRepository } from '../../store/core/jobs/job-batches';
import type { CommandContext } from '../jobs/context';
import { inputTerms, maxAgeTerm, startTerms } from '../jobs/begin/request';
import { startable, startableBatch } from '../jobs/begin/startable';
import { investigationBatch } from './batch';
import { investigationBatchKind, investigationKind } from './kind';
import { planOne } from '../jobs/begin/same-request';
import type { StartPlan } from '../jobs/begin/start-job';
import { planForesight } from './foresee';
import { planError, readPlan, type WrittenPlan } from './plan-file';
import { investigationsBy, requestedFor } from './recorded';
import { preparedInput, storedReceivables } from '../credit/input';
import { readInput, reasonToSend, storeInput } from '../lens/request';

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

interface ReadFiles {
  /** With sums instead of paths. */
  subject: Subject;
  /** As read: nothing is stored. */
  read: SubjectFiles;
  /** Stores copies: requests are sent from these. */
  store: () => Promise<SubjectFiles>;
}

async function readFiles(ctx: CommandContext, subject: Subject): Promise<ReadFiles> {
  const { photo, receivables, xmls } = subject;
  const read = photo === null ? null : await readInput(photo, ctx.environment.lens.maxFileBytes);
  if (photo !== null && read !== null) reasonToSend(photo, read, undefined);
  const given = receivables === null ? null : { cnab: receivables, ...(xmls !== null && { xmls }) };
  const prepared = given && (await preparedInput(ctx, given, null, 'briefly'));
  return {
    subject: {
      ...subject,
      photo: read?.sha256 ?? null,
      receivables: prepared?.checked.cnab.sha256 ?? null,
      xmls: prepared && xmls !== null ? prepared.xmlsSha256 : null,
    },
    read: {
      photo: read && { file: { ...read, key: '' }, forced: null },
      receivables: prepared && {
        cnab: { name: '', sha256: prepared.checked.cnab.sha256, bytes: 0, key: '' },
        xmls: xmls === null ? null : { name: '', sha256: prepared.xmlsSha256, bytes: 0, key: '' },
        receivables: prepared.checked.cnab.receivables,
        totalCents: String(prepared.checked.cnab.totalCents),
      },
    },
    store: async () => ({
      photo:
        photo === null || read === null
          ? null
          : { file: await storeInput(ctx, photo, read), forced: null },
      receivables: prepared && (await storedReceivables(ctx, prepared)),
    }),
  };
}
