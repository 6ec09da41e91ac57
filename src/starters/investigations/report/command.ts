import { Command } from 'commander';
import { exitCodes, printAs, say, screenReader } from '../../cli/terminal';
import { UsageError } from '../../jobs/errors';
import { printable } from '../../jobs/text';
import { lstat, readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { entriesIn, faultsOfExcerpt } from '../../../domain/core/audit';
import { isSignedBy } from '../../../protection/signing-key';
import { hashOf } from '../../../store/audit/link';
import { jobFile } from '../../jobs/named-job';
import {
  manifestName,
  manifestSchema,
  reportSchema,
  signatureName,
  type InvestigationReport,
  type Manifest,
} from '../../../report/investigations/schema';
import { sumOf } from '../../jobs/written-file';

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
        throw new UsageError([
          '--public-key: expected ed25519: and 64 hex digits',
          '--public-key: espera-se ed25519: e 64 dígitos hexadecimais',
        ]);
      const verified = await verifyReport(folder, publicKey ?? null);
      printAs(json, verified, verdictLines(verified).map(printable));
      process.exitCode = verified.consistent ? exitCodes.done : exitCodes.failed;
    });
  return command;
}

function verdictLines({ faults, investigation, proved, publicKey }: Verified): string[] {
  if (faults.length > 0) {
    const verdict = say('NOT AS IT WAS WRITTEN', 'NÃO ESTÁ COMO FOI ESCRITO');
    return [
      `${verdict}: ${investigation ?? '?'}`,
      ...faults.map((one) => `  ${screenReader().stored(one)}`),
    ];
  }
  if (proved)
    return [
      say(
        `as it was written, and signed by ${publicKey}: ${investigation}`,
        `como foi escrito, e assinado por ${publicKey}: ${investigation}`,
      ),
    ];
  return [
    say(
      `consistent, origin not proved: ${investigation} (it says that it was signed by ${publicKey}; --public-key proves it)`,
      `íntegro, origem não comprovada: ${investigation} (consta como assinado por ${publicKey}; --public-key comprova)`,
    ),
  ];
}

/** `consistent`: every byte matches the manifest. `proved`: it was signed with the given key. */
interface Verified {
  investigation: string | null;
  consistent: boolean;
  proved: boolean;
  /** The key that the signature names. */
  publicKey: string | null;
  faults: string[];
}

const signatureSchema = z.strictObject({
  algorithm: z.literal('Ed25519'),
  publicKey: z.string().regex(/^ed25519:[0-9a-f]{64}$/),
  // The last letter of Base64 has unused bits: they must be as written.
  signature: z.string().refine((text) => Buffer.from(text, 'base64').toString('base64') === text),
});

/**
 * Checks the folder of a report with nothing but its own files.
 * @param publicKey null: checks consistency, whoever signed it
 */
export async function verifyReport(folder: string, publicKey: string | null): Promise<Verified> {
  const faults: string[] = [];
  const paths = await filesIn(folder, '', faults).catch((error: NodeJS.ErrnoException) => {
    throw new UsageError([
      `${folder} cannot be read (${error.code ?? 'unreadable'})`,
      `${folder} não pode ser lida (${error.code ?? 'unreadable'})`,
    ]);
  });
  const read = (name: string): Promise<Buffer> | Buffer =>
    paths.includes(name) ? readFile(join(folder, name)) : Buffer.alloc(0);
  const bytes = await read(manifestName);
  const signature = signatureIn(await read(signatureName));
  const reading = manifestSchema.safeParse(parsed(bytes));
  const said = { proved: false, publicKey: signature?.publicKey ?? null };
  if (!reading.success) {
    faults.push(`${manifestName} is missing, or is none`);
    return { ...said, investigation: null, consistent: false, faults };
  }
  const manifest = reading.data;
  if (signature === null) faults.push(`${signatureName} is missing, or is none`);
  else {
    if (!isSignedBy(signature.publicKey, bytes, signature.signature))
      faults.push(`${manifestName} is not what was signed`);
    if (publicKey !== null && !isSignedBy(publicKey, bytes, signature.signature))
      faults.push(`it was not signed with the key that was given, but with ${signature.publicKey}`);
  }
  faults.push(...(await faultsOfFiles(folder, paths, manifest)));
  const report = reportSchema.safeParse(parsed(await read('report.json')));
  faults.push(...faultsOfReport(report.data ?? null, manifest));
  faults.push(...faultsOfAudit(report.data ?? null, manifest));
  const consistent = faults.length === 0;
  const proved = consistent && publicKey !== null;
  return { ...said, proved, investigation: manifest.investigation, consistent, faults };
}

async function faultsOfFiles(
  folder: string,
  paths: readonly string[],
  { files, investigation }: Manifest,
): Promise<string[]> {
  const faults: string[] = [];
  const named = new Map(files.map((file) => [file.path, file]));
  if (named.size < files.length) faults.push(`${manifestName} names a file twice`);
  for (const path of paths) {
    if (path === manifestName || path === signatureName) continue;
    if (path === jobFile) {
      const text = await readFile(join(folder, path), 'utf8');
      if (text !== `${investigation}\n`) faults.push(`${path} names another investigation`);
      continue;
    }
    const file = named.get(path);
    named.delete(path);
    if (file === undefined) faults.push(`${path} is not in the manifest`);
    else {
      const { bytes, sha256 } = await sumOf(join(folder, path));
      if (bytes !== file.bytes || sha256 !== file.sha256)
        faults.push(`${path} is not as it was written`);
    }
  }
  return [...faults, ...[...named.keys()].map((path) => `${path} is missing`)];
}

/** The report is of the same investigation, and names the same evidence. */
function faultsOfReport(report: InvestigationReport | null, manifest: Manifest): string[] {
  if (report === null) return ['report.json is missing, or is none'];
  const { requested, evidence, id, plan, settledAt } = report;
  const isSame = isDeepStrictEqual(
    [id, plan.name, requested.by, requested.at, settledAt],
    [
      manifest.investigation,
      manifest.plan,
      manifest.requestedBy,
      manifest.requestedAt,
      manifest.settledAt,
    ],
  );
  const inManifest = manifest.files.flatMap(({ evidence: from, ...file }) =>
    from === null ? [] : [{ ...file, ...from }],
  );
  return [
    ...(isSame ? [] : ['report.json is of another investigation than the manifest']),
    ...(isDeepStrictEqual(byPath(evidence), byPath(inManifest))
      ? []
      : ['report.json names other evidence than the manifest']),
  ];
}

function byPath<Row extends { path: string }>(rows: readonly Row[]): Row[] {
  return rows.toSorted((one, other) => (one.path < other.path ? -1 : 1));
}

/** The audit trail is whole, and has this end of the investigation with the sums of its evidence. */
function faultsOfAudit(
  report: InvestigationReport | null,
  { audit, files, investigation, settledAt }: Manifest,
): string[] {
  const faults = faultsOfExcerpt(audit, hashOf);
  const entries = entriesIn(audit);
  const end = entries.findLast(({ id }) => id === `outcome/${investigation}`);
  if (end === undefined) faults.push('the end of the investigation is not among its records');
  else if (end.happenedAt !== settledAt || end.result !== report?.status)
    faults.push('it has another end of the investigation than report.json');
  const jobs = new Set(files.flatMap(({ evidence }) => evidence?.job ?? []));
  for (const job of jobs) {
    const sums = entries.flatMap(({ sha256, job: of }) => (of === job ? (sha256 ?? []) : []));
    const isAmong = files.some(
      ({ evidence, sha256 }) => evidence?.job === job && sums.includes(sha256),
    );
    if (sums.length > 0 && !isAmong)
      faults.push(`it has another sha256 than the evidence of ${job}`);
  }
  return faults.map((fault) => `audit: ${fault}`);
}

/** Null: malformed. */
function signatureIn(bytes: Buffer): z.output<typeof signatureSchema> | null {
  const signature = signatureSchema.safeParse(parsed(bytes)).data ?? null;
  return signature !== null && `${JSON.stringify(signature, null, 2)}\n` === bytes.toString('utf8')
    ? signature
    : null;
}

/** Files of all subfolders; anything but a plain file is an error. */
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

function parsed(text: string | Buffer): unknown {
  try {
    return JSON.parse(text.toString()) as unknown;
  } catch {
    return null;
  }
}
