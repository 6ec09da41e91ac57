import { Command } from 'commander';
import { exitCodes, print, printJson, say, screenReader } from '../../cli/terminal';
import { UsageError } from '../../jobs/errors';
import { printable } from '../../jobs/text';
import { verifyReport, type Verified } from './verify';

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
      if (json === true) printJson(verified);
      else for (const line of verdictLines(verified)) print(printable(line));
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
