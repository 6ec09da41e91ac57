import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** The pages that people read, below the root of the repository. */
export function documents(root: string): string[] {
  const found = ['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md'];
  for (const folder of ['docs', 'examples', 'bench']) {
    const names = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' });
    found.push(...names.filter((name) => name.endsWith('.md')).map((name) => `${folder}/${name}`));
  }
  return found;
}

export interface CommandLine {
  path: string;
  line: number;
  /** Without its comment. */
  text: string;
  /** `# exit code N` behind it, else 0. */
  exitCode: number;
  /** Stands in a block below `<!-- run -->`: it runs against the sandbox as it is. */
  runs: boolean;
}

/** Lines of the shell blocks of a page. Lines that end with a backslash belong to the next. */
export function commandLines(root: string, path: string): CommandLine[] {
  const lines = readFileSync(join(root, path), 'utf8').split('\n');
  const found: CommandLine[] = [];
  let block: { runs: boolean } | null = null;
  let runs = false;
  let before = '';
  for (const [index, line] of lines.entries()) {
    if (line === '<!-- run -->') runs = true;
    else if (block === null && line === '```sh') {
      block = { runs };
      runs = false;
    } else if (line === '```') block = null;
    else if (block !== null) {
      before = `${before}${line.replace(/\\$/, '')}`;
      if (line.endsWith('\\')) continue;
      const [text = '', comment = ''] = before.split(/(?:^|\s+)# /);
      const [, code = '0'] = /exit code (\d+)/.exec(comment) ?? [];
      const entry = { path, line: index + 1, text: text.trim(), exitCode: Number(code) };
      if (entry.text !== '') found.push({ ...entry, runs: block.runs });
      before = '';
    }
  }
  return found;
}

/** The words of a `diligence` command, quotes taken off; null of any other line. */
export function diligenceWords(text: string): string[] | null {
  const [, rest] =
    /(?:^|&& )(?:npx )?diligence (.*)$|^.* node \S*dist\/main\.js (.*)$/
      .exec(text)
      ?.filter((part) => part !== undefined) ?? [];
  if (rest === undefined) return null;
  return [...rest.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare ?? '');
}
