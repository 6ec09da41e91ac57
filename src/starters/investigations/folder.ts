import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type {
  InvestigationOutcome,
  InvestigationRecord,
} from '../../domain/investigations/investigation';
import {
  manifestName,
  signatureName,
  type Manifest,
  type ManifestFile,
  type ManifestSignature,
} from '../../domain/investigations/manifest';
import type { EvidenceRow } from '../../domain/investigations/report';
import { validityOf } from '../../domain/investigations/validity';
import { investigationHtml } from '../../report/investigations/report';
import { excerptOf } from '../../store/audit/excerpt';
import { evidenceOf } from '../../store/investigations/evidence';
import type { CommandContext } from '../jobs/context';
import type { EndedJob } from '../jobs/job-kind';
import { childKindOf } from './child-kinds';
import { writeWhole } from '../jobs/written-file';
import { reportData, reportedJobs, type ReportedJob } from './report-data';

/**
 * Writes the report with the evidence, and the signed manifest of both: an export, in the clear.
 *
 * @returns names of the files
 */
export async function writeInvestigationFolder(
  ctx: CommandContext,
  job: EndedJob<InvestigationRecord, InvestigationOutcome>,
  folder: string,
): Promise<string[]> {
  const { id, input, outcome } = job;
  if (outcome.erased === true) return [];
  await mkdir(folder, { recursive: true });
  // What an earlier result left there may be another one's.
  await rm(join(folder, 'evidence'), { recursive: true, force: true });
  const jobs = await reportedJobs(ctx, outcome);
  const evidence: EvidenceRow[] = [];
  for (const [index, one] of jobs.entries())
    evidence.push(...(await writeEvidence(ctx, one, folder, index, input.createdBy)));
  const report = await reportData(ctx, job, jobs, evidence);
  await writeWhole(folder, 'report.json', `${JSON.stringify(report, null, 2)}\n`);
  await writeWhole(folder, 'report.html', investigationHtml(report, Date.now()));
  const files: ManifestFile[] = [];
  for (const path of ['report.html', 'report.json'])
    files.push({ path, ...(await sumOf(join(folder, path))), evidence: null });
  for (const { bytes, path, sha256, ...from } of evidence)
    files.push({ path, bytes, sha256, evidence: from });
  // Anchored, the end of the investigation is among what nobody can leave out.
  await ctx.audit.anchor();
  const about = new Set([id, ...jobs.map((one) => one.job.id)]);
  const audit = await excerptOf(ctx.store, about, { from: input.createdAt, last: `outcome/${id}` });
  const { createdAt: askedAt, createdBy: askedBy, plan } = input;
  const manifest: Manifest = {
    version: 1,
    investigation: id,
    plan: plan.name,
    askedBy,
    askedAt,
    settledAt: outcome.settledAt,
    files,
    audit,
  };
  const text = `${JSON.stringify(manifest, null, 2)}\n`;
  await writeWhole(folder, manifestName, text);
  const { signingKey } = ctx.idKey;
  const signature: ManifestSignature = {
    algorithm: 'Ed25519',
    publicKey: signingKey.publicKey,
    signature: signingKey.sign(Buffer.from(text)),
  };
  await writeWhole(folder, signatureName, `${JSON.stringify(signature, null, 2)}\n`);
  return ['report.html', 'report.json', 'evidence/', manifestName, signatureName];
}

async function writeEvidence(
  { store }: CommandContext,
  { job, step }: ReportedJob,
  folder: string,
  index: number,
  askedBy: string,
): Promise<EvidenceRow[]> {
  const written: EvidenceRow[] = [];
  for (const { body, name, ...about } of await evidenceOf(store, job)) {
    const place = `evidence/${String(index + 1).padStart(2, '0')}-${step}`;
    await mkdir(join(folder, place), { recursive: true });
    await writeWhole(join(folder, place), name, body);
    const path = `${place}/${name}`;
    const isCertificate = job.kind === 'certificate';
    const validity = isCertificate ? validityOf(name.replace('.pdf', ''), about.capturedAt) : null;
    const source = childKindOf(job.kind).service === 'credit' ? 'credit' : 'investigation';
    const sums = await sumOf(join(folder, path));
    written.push({ path, ...sums, step, job: job.id, source, ...about, askedBy, validity });
  }
  return written;
}

/** Of a file as it stands on the disk. */
export async function sumOf(path: string): Promise<{ bytes: number; sha256: string }> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
  return { bytes: (await stat(path)).size, sha256: hash.digest('hex') };
}
