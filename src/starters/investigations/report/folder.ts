import { copyFile, mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type {
  InvestigationOutcome,
  InvestigationRecord,
} from '../../../domain/investigations/investigation';
import {
  manifestName,
  signatureName,
  type EvidenceRow,
  type Manifest,
} from '../../../report/investigations/schema';
import type { SigningKey } from '../../../protection/signing-key';
import type { ReportLanguage } from '../../../report/formats';
import { investigationHtml } from '../../../report/investigations/page';
import { readerOf } from '../../../report/reader';
import { excerptOf } from '../../../store/audit/excerpt';
import { evidenceOf } from '../../../store/investigations/evidence';
import type { CommandContext } from '../../jobs/context';
import type { EndedJob } from '../../jobs/job-kind';
import { kindOf } from '../../kinds';
import { writeWhole, sumOf } from '../../jobs/written-file';
import { derivedValidity, reportOf } from './gather';
import { printPdf } from './print-pdf';
import { reportedJobs, type ReportedJob } from './spent';

/**
 * Writes the report with the evidence, and the signed manifest of both: an unencrypted export.
 * @returns file names
 */
export async function writeInvestigationFolder(
  ctx: CommandContext,
  job: EndedJob<InvestigationRecord, InvestigationOutcome>,
  folder: string,
  language: ReportLanguage,
): Promise<string[]> {
  if (job.outcome.erased === true) return [];
  await mkdir(folder, { recursive: true });
  const aside = await mkdtemp(join(folder, '.report-'));
  try {
    const { made, paths } = await writeReport(ctx, job, aside, language);
    // Two commands may write the same folder at once: one that finds a foreign file writes its own again.
    do await putThere(aside, folder, paths);
    while (!(await isThere(aside, folder, paths)));
    return [...made, 'evidence/', manifestName, signatureName];
  } finally {
    await rm(aside, { recursive: true, force: true });
  }
}

async function putThere(aside: string, folder: string, paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    const copy = join(aside, 'copy');
    await copyFile(join(aside, path), copy);
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await rename(copy, join(folder, path));
  }
  // Files of an earlier result may be about another subject.
  const current = new Set(paths.map((path) => join(folder, path)));
  const below = join(folder, 'evidence');
  await mkdir(below, { recursive: true });
  const found = await readdir(below, { recursive: true, withFileTypes: true });
  const files = found.flatMap((one) => (one.isFile() ? [join(one.parentPath, one.name)] : []));
  for (const file of [...files, join(folder, 'report.pdf')])
    if (!current.has(file)) await rm(file, { force: true });
}

async function isThere(aside: string, folder: string, paths: readonly string[]): Promise<boolean> {
  for (const path of paths) {
    const written = await sumOf(join(folder, path)).catch(() => null);
    if (!isDeepStrictEqual(written, await sumOf(join(aside, path)))) return false;
  }
  return true;
}

/** @returns `paths`: of all files, the signature last */
async function writeReport(
  ctx: CommandContext,
  job: EndedJob<InvestigationRecord, InvestigationOutcome>,
  folder: string,
  language: ReportLanguage,
): Promise<{ made: string[]; paths: string[] }> {
  const { id, input, outcome } = job;
  const jobs = await reportedJobs(ctx, outcome);
  const evidence: EvidenceRow[] = [];
  for (const [index, one] of jobs.entries())
    evidence.push(...(await writeEvidence(ctx, one, folder, index, input)));
  const report = await reportOf(ctx, job, jobs, evidence);
  await writeWhole(folder, 'report.json', `${JSON.stringify(report, null, 2)}\n`);
  const page = investigationHtml(report, { language, writtenAt: Date.now() });
  await writeWhole(folder, 'report.html', page);
  const whyNot = await printPdf(folder, { page: 'report.html', pdf: 'report.pdf' });
  if (whyNot !== null) {
    const { say, stored } = readerOf(language);
    const failed = say('report.pdf was not written', 'report.pdf não foi escrito');
    ctx.log(`${failed}: ${stored(whyNot)}`);
  }
  const made = ['report.html', 'report.json', ...(whyNot === null ? ['report.pdf'] : [])];
  const files: Manifest['files'] = [];
  for (const path of made)
    files.push({ path, ...(await sumOf(join(folder, path))), evidence: null });
  for (const { bytes, path, sha256, ...from } of evidence)
    files.push({ path, bytes, sha256, evidence: from });
  // Anchored first: then no one can leave out the end of the investigation.
  await ctx.audit.anchor();
  const about = new Set([id, ...jobs.map((one) => one.job.id)]);
  const audit = await excerptOf(ctx.store, about, `outcome/${id}`);
  const { createdAt: requestedAt, createdBy: requestedBy, plan } = input;
  const manifest: Manifest = {
    version: 1,
    investigation: id,
    plan: plan.name,
    requestedBy,
    requestedAt,
    settledAt: outcome.settledAt,
    files,
    audit,
  };
  await signManifest(folder, manifest, ctx.idKey.signingKey);
  return { made, paths: [...files.map(({ path }) => path), manifestName, signatureName] };
}

/** Writes the manifest with its signed bytes, and the signature. */
export async function signManifest(
  folder: string,
  manifest: Manifest,
  key: SigningKey,
): Promise<void> {
  const text = `${JSON.stringify(manifest, null, 2)}\n`;
  await writeWhole(folder, manifestName, text);
  const signature = {
    algorithm: 'Ed25519',
    publicKey: key.publicKey,
    signature: key.sign(Buffer.from(text)),
  };
  await writeWhole(folder, signatureName, `${JSON.stringify(signature, null, 2)}\n`);
}

async function writeEvidence(
  { store }: CommandContext,
  { job, step }: ReportedJob,
  folder: string,
  index: number,
  { createdBy }: InvestigationRecord,
): Promise<EvidenceRow[]> {
  // Another job may have requested what was reused.
  const { createdBy: requestedBy = createdBy } = job.input as { createdBy?: string };
  const written: EvidenceRow[] = [];
  for (const { body, name, ...about } of await evidenceOf(store, job)) {
    const location = `evidence/${String(index + 1).padStart(2, '0')}-${step}`;
    await mkdir(join(folder, location), { recursive: true });
    await writeWhole(join(folder, location), name, body);
    const path = `${location}/${name}`;
    const isCertificate = job.kind === 'certificate';
    const validity = isCertificate
      ? derivedValidity(name.replace('.pdf', ''), about.capturedAt)
      : null;
    const source = kindOf(job.kind).service === 'credit' ? 'credit' : 'investigation';
    const sums = await sumOf(join(folder, path));
    written.push({ path, ...sums, step, job: job.id, source, ...about, requestedBy, validity });
  }
  return written;
}
