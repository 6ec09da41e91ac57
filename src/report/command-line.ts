/**
 * The command line of a resolution.
 *
 * @param which `--line 7` or `--status failed`
 * @param note the placeholder that the person replaces
 */
export function resolveLine(
  id: string,
  { action, note, which = '' }: { action: string; note: string; which?: string },
): string {
  const externalId = action === 'adopt' ? ' --external-id UUID' : '';
  return `diligence resolve ${shellWord(id)} ${which}${which && ' '}--action ${action}${externalId} --note "${note}"`;
}

export function shellWord(text: string): string {
  return /^[\p{L}\p{N}_./:@-]+$/u.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
