/** A table. What a cell says in words is shown as it is: neither a column nor a tag begins in it. */
export function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [header, ...rows].map((row) => row.map(cellText));
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  const [head = [], ...body] = all;
  return [line(head), line(head.map(() => '---')), ...body.map(line)].join('\n');
}

const cellText = (text: string): string =>
  text.replaceAll('|', '\\|').replaceAll(/(`[^`]*`)|</g, (_, inCode?: string) => inCode ?? '&lt;');

export const code = (text: string): string => `\`${text}\``;

/** The first lines of every generated page. */
export function page(title: string, introduction: string, parts: readonly string[]): string {
  const notice = '<!-- Written by `npm run reference`. -->';
  return `${[`# ${title}`, notice, introduction, ...parts].join('\n\n')}\n`;
}
