import { Command } from 'commander';
import { withStart } from '../cli/start-flags';
import { lens } from './request';

export function lensCommand(): Command {
  const analyze = new Command('analyze').description(
    'Have one file analysed; asked for again, it is the same analysis.',
  );
  return new Command('lens')
    .description('Analyses of a picture: its place, or its faces.')
    .addCommand(withStart(analyze, { one: lens }));
}
