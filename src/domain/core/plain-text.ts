/** Without control characters, which HTML forbids and readers of CSV stumble over; tabs and line breaks stay. */
export function plainText(text: string): string {
  // oxlint-disable-next-line no-control-regex
  return text.replaceAll(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/g, '');
}
