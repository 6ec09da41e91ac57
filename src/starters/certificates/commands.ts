import { Command } from 'commander';
import { withStart } from '../cli/start-flags';
import { certificate, certificates } from './request';

export function certificateCommand(): Command {
  const issue = new Command('issue').description('Issue one certificate and fetch its PDF.');
  const batch = new Command('batch').description(
    'Issue a certificate for every line of a spreadsheet.',
  );
  return new Command('certificate')
    .description('Issue certificates: one, or a spreadsheet of thousands.')
    .addCommand(withStart(issue, { one: certificate }))
    .addCommand(withStart(batch, { many: certificates }));
}
