/** How files begin: offset and bytes in hex, or in ASCII where it is one. */
const beginnings: readonly (readonly [mediaType: string, offset: number, hex: string])[] = [
  ['image/png', 0, '89504e470d0a1a0a'],
  ['image/jpeg', 0, 'ffd8ff'],
  ['image/gif', 0, '47494638'],
  ['image/bmp', 0, '424d'],
  ['image/tiff', 0, '49492a00'],
  ['image/tiff', 0, '4d4d002a'],
  ['image/webp', 8, '57454250'],
  ['image/heic', 4, '6674797068656963'],
  ['image/heic', 4, '6674797068656978'],
  ['image/heif', 4, '667479706d696631'],
  ['image/avif', 4, '6674797061766966'],
  ['video/quicktime', 4, '6674797071742020'],
  ['video/mp4', 4, '66747970'],
  ['application/pdf', 0, '255044462d'],
  ['application/zip', 0, '504b0304'],
];

/** Bytes of the beginning that are looked at. */
export const mediaTypeBytes = 16;

export const unknownMediaType = 'application/octet-stream';

/** What a file is by its first bytes, whatever it is called. */
export function mediaTypeOf(beginning: Uint8Array): string {
  const hex = Array.from(beginning.subarray(0, mediaTypeBytes), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('');
  const found = beginnings.find(([, offset, start]) => hex.startsWith(start, offset * 2));
  return found?.[0] ?? unknownMediaType;
}

/** Of a file that is written for a person: with its dot. */
export function extensionOf(mediaType: string): string {
  const subtype =
    /^(?:image|video|application)\/(png|jpeg|gif|bmp|tiff|webp|heic|heif|avif|mp4|pdf|zip)$/.exec(
      mediaType,
    )?.[1];
  if (subtype === undefined) return mediaType === 'video/quicktime' ? '.mov' : '.bin';
  return subtype === 'jpeg' ? '.jpg' : `.${subtype}`;
}
