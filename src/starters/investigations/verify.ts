import { lstat, readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Command } from 'commander';
import { z } from 'zod';
import { faultsOfExcerpt } from '../../domain/core/audit-excerpt';
import { manifestName, signatureName } from '../../domain/investigations/manifest';
import { isSignedBy } from '../../protection/signing-key';
import { hashOf } from '../../store/audit/link';
import { exitCodes, print, printJson } from '../cli/terminal';
import { UsageError } from '../jobs/errors';
import { sumOf } from './folder';
import { manifestSchema } from './report-schema';

/** `consistent`: every byte is as the manifest says. `proved`: it was signed with the key that was given. */
export interface Verified {
  investigation: string | null;
  consistent: boolean;
  proved: boolean;
  publicKey: string | null;
  faults: string[];
}

const signatureSchema = z.strictObject({
  algorithm: z.literal('Ed25519'),
  publicKey: z.string(),
  signature: z.string(),
});

/** `diligence report verify`: needs neither keys nor store. */
export function reportCommand(): Command {
  const command = new Command('report').description('Reports that were written to a folder.');
  command
    .command('verify')
    .argument('<folder>', 'with a manifest.json')
    .description(
      'Check every byte of a report against its signed manifest. Exit code 1 when one differs.',
    )
    .option(
      '--public-key <key>',
      'of the installation that wrote it: `diligence doctor` prints it there',
    )
    .option('--json', 'one JSON document on standard output')
    .action(async (folder: string, { publicKey, json }: { publicKey?: string; json?: true }) => {
      if (publicKey !== undefined && !/^ed25519:[0-9a-f]{64}$/.test(publicKey.trim()))
        throw new UsageError('--public-key: expected ed25519: and 64 hex digits');
      const verified = await verifyReport(folder, publicKey ?? null);
      if (json === true) printJson(verified);
      else for (const line of verdictLines(verified)) print(line);
      process.exitCode = verified.faults.length === 0 ? exitCodes.done : exitCodes.failed;
    });
  return command;
}

function verdictLines({ faults, investigation, proved, publicKey }: Verified): string[] {
  if (faults.length > 0)
    return [`NOT AS IT WAS WRITTEN: ${investigation ?? '?'}`, ...faults.map((one) => `  ${one}`)];
  if (proved) return [`as it was written, and signed by ${publicKey}: ${investigation}`];
  return [
    `consistent, origin not proved: ${investigation} (--public-key proves it; it says ${publicKey})`,
  ];
}

/** @param publicKey null: whoever signed it, the folder is consistent or not */
export async function verifyReport(folder: string, publicKey: string | null): Promise<Verified> {
  const faults: string[] = [];
  const nothing = { investigation: null, consistent: false, proved: false, publicKey: null };
  const bytes = await readFile(join(folder, manifestName)).catch(() => null);
  if (bytes === null) return { ...nothing, faults: [`${manifestName} cannot be read`] };
  const reading = manifestSchema.safeParse(parsed(bytes.toString('utf8')));
  if (!reading.success) return { ...nothing, faults: [`${manifestName} is none`] };
  const manifest = reading.data;
  const signature = await readSignature(folder);
  if (signature === null) faults.push(`${signatureName} is missing, or is none`);
  else {
    if (!isSignedBy(signature.publicKey, bytes, signature.signature))
      faults.push(`${manifestName} is not what was signed`);
    else if (publicKey !== null && !isSignedBy(publicKey, bytes, signature.signature))
      faults.push(`it was signed with another key: ${signature.publicKey}`);
  }
  const named = new Map(manifest.files.map((file) => [file.path, file]));
  if (named.size < manifest.files.length) faults.push(`${manifestName} names a file twice`);
  for (const path of await filesIn(folder, '', faults)) {
    if (path === manifestName || path === signatureName) continue;
    const file = named.get(path);
    named.delete(path);
    if (file === undefined) faults.push(`${path} is not in the manifest`);
    else {
      const { bytes: size, sha256 } = await sumOf(join(folder, path));
      if (size !== file.bytes || sha256 !== file.sha256)
        faults.push(`${path} is not as it was written`);
    }
  }
  for (const path of named.keys()) faults.push(`${path} is missing`);
  faults.push(...(await faultsOfReport(folder, manifest)));
  faults.push(...faultsOfExcerpt(manifest.audit, hashOf).map((fault) => `audit: ${fault}`));
  const consistent = faults.length === 0;
  return {
    investigation: manifest.investigation,
    consistent,
    proved: consistent && publicKey !== null,
    publicKey: signature?.publicKey ?? null,
    faults,
  };
}

/** The report tells of the same investigation, and of the same evidence. */
async function faultsOfReport(
  folder: string,
  manifest: z.output<typeof manifestSchema>,
): Promise<string[]> {
  const text = await readFile(join(folder, 'report.json'), 'utf8').catch(() => '');
  const report = z
    .looseObject({
      id: z.string(),
      evidence: z.array(z.looseObject({ path: z.string(), sha256: z.string() })),
    })
    .safeParse(parsed(text));
  if (!report.success) return ['report.json is none'];
  const told = report.data.evidence.map(({ path, sha256 }) => `${path} ${sha256}`).toSorted();
  const kept = manifest.files
    .flatMap(({ evidence, path, sha256 }) => (evidence === null ? [] : [`${path} ${sha256}`]))
    .toSorted();
  const isSame = report.data.id === manifest.investigation && told.join('\n') === kept.join('\n');
  const isTold = manifest.audit.chains.some(({ links }) =>
    links.some(({ text: line }) => line?.includes(`"outcome/${manifest.investigation}"`) === true),
  );
  return [
    ...(isSame ? [] : ['report.json tells of other evidence than the manifest']),
    ...(isTold ? [] : ['audit: the end of the investigation is not among its records']),
  ];
}

async function readSignature(folder: string) {
  const text = await readFile(join(folder, signatureName), 'utf8').catch(() => '');
  return signatureSchema.safeParse(parsed(text)).data ?? null;
}

/** Of all folders below; what is no plain file is a fault. */
async function filesIn(folder: string, below: string, faults: string[]): Promise<string[]> {
  const found: string[] = [];
  for (const name of await readdir(join(folder, below))) {
    const path = below === '' ? name : `${below}/${name}`;
    const stats = await lstat(join(folder, path));
    if (stats.isDirectory()) found.push(...(await filesIn(folder, path, faults)));
    else if (stats.isFile()) found.push(path);
    else faults.push(`${path} is no plain file`);
  }
  return found;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return null;
  }
}
