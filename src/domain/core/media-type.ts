const formats: readonly (readonly [mediaType: string, extension: string, beginning: RegExp])[] = [
  ['image/png', '.png', /^\x89PNG\r\n\p{Cc}\n/u],
  ['image/jpeg', '.jpg', /^\xff\xd8\xff/],
  ['image/gif', '.gif', /^GIF8[79]a/],
  // Two reserved bytes distinguish it from text that begins with BM.
  ['image/bmp', '.bmp', /^BM.{4}\0{4}/s],
  ['image/tiff', '.tiff', /^(?:II[*+]\0|MM\0[*+])/],
  ['image/webp', '.webp', /^RIFF.{4}WEBP/s],
  ['image/heic', '.heic', /^\p{Cc}.{3}ftyphe[iv]/su],
  ['image/heif', '.heif', /^\p{Cc}.{3}ftyp(?:mif|msf)/su],
  ['image/avif', '.avif', /^\p{Cc}.{3}ftypavi/su],
  ['audio/mp4', '.m4a', /^\p{Cc}.{3}ftypM4[ABP]/su],
  ['video/quicktime', '.mov', /^\p{Cc}.{3}(?:ftypqt|moov|mdat|wide)/su],
  ['video/mp4', '.mp4', /^\p{Cc}.{3}ftyp/su],
  ['video/webm', '.webm', /^\p{Cc}E\xdf\xa3.{0,60}webm/su],
  ['video/x-matroska', '.mkv', /^\p{Cc}E\xdf\xa3/u],
  ['video/x-msvideo', '.avi', /^RIFF.{4}AVI /s],
  ['application/pdf', '.pdf', /^%PDF-/],
  ['application/zip', '.zip', /^PK\p{Cc}{2}/u],
];

export const mediaTypeBytes = 512;

export const unknownMediaType = 'application/octet-stream';

/** By the first bytes, regardless of the name. */
export function mediaTypeOf(beginning: Uint8Array): string {
  const text = String.fromCharCode(...beginning.subarray(0, mediaTypeBytes));
  return formats.find(([, , begins]) => begins.test(text))?.[0] ?? unknownMediaType;
}

export function isPictureOrVideo(mediaType: string): boolean {
  return /^(?:image|video)\//.test(mediaType);
}

export function extensionOf(mediaType: string): string {
  return formats.find(([known]) => known === mediaType)?.[1] ?? '.bin';
}
