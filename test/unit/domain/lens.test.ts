import {
  lensKey,
  lensManifest,
  lensIsFinal,
  uploadTimeoutMs,
  type LensOutcome,
  type LensSeen,
} from '../../../src/domain/lens/analyze';
import type { LensStatus } from '../../../src/domain/lens/kinds';
import { extensionOf, isPictureOrVideo, mediaTypeOf } from '../../../src/domain/core/media-type';

const bytes = (hex: string): Uint8Array => Buffer.from(hex.replaceAll(' ', ''), 'hex');

test.each([
  ['image/png', '89504e47 0d0a1a0a 0000000d', '.png'],
  ['image/jpeg', 'ffd8ffe0 00104a46', '.jpg'],
  ['image/gif', '47494638 3961', '.gif'],
  ['image/webp', '52494646 24000000 57454250 56503820', '.webp'],
  ['image/heic', '00000018 66747970 68656963 00000000', '.heic'],
  ['image/tiff', '49492a00 08000000', '.tiff'],
  ['video/mp4', '00000018 66747970 69736f6d 00000000', '.mp4'],
  ['video/quicktime', '00000014 66747970 71742020 00000000', '.mov'],
  ['image/bmp', '424d3600 00000000 00003600 0000', '.bmp'],
  ['image/tiff', '4d4d002a 00000008', '.tiff'],
  ['image/heif', '00000018 66747970 6d696631 00000000', '.heif'],
  ['image/avif', '0000001c 66747970 61766966 00000000', '.avif'],
  ['video/quicktime', '00000008 77696465 0000ffff 6d646174', '.mov'],
  ['video/webm', '1a45dfa3 9f428681 01428284 7765626d', '.webm'],
  ['video/x-matroska', '1a45dfa3 a3428681 01428288 6d617472', '.mkv'],
  ['video/x-msvideo', '52494646 24000000 41564920 4c495354', '.avi'],
  ['application/pdf', '25504446 2d312e37', '.pdf'],
  ['application/octet-stream', '00', '.bin'],
  ['application/octet-stream', '', '.bin'],
  // RIFF, but sound.
  ['application/octet-stream', '52494646 24000000 57415645 666d7420', '.bin'],
])('%s is told by %s', (mediaType, hex, extension) => {
  expect(mediaTypeOf(bytes(hex))).toBe(mediaType);
  expect(extensionOf(mediaType)).toBe(extension);
});

test.each([
  ['application/octet-stream', 'ana@example.com\nbia@example.com\n'],
  ['application/octet-stream', '\ufeffdocumento;tipo\r\n'],
  ['application/octet-stream', 'BMW;Motor\r\n1;2\r\n'],
  ['application/octet-stream', 'GIF is what this is not'],
  ['application/octet-stream', Buffer.from('\ufeffemail\n', 'utf16le')],
  ['application/octet-stream', ' <!DOCTYPE html><html>'],
  ['application/octet-stream', '<svg xmlns="http://www.w3.org/2000/svg"/>'],
  ['application/octet-stream', '[{"image": 1}]'],
  ['application/pdf', '%PDF-1.7'],
  ['application/zip', 'PK\u0003\u0004 a workbook'],
  ['audio/mp4', '\0\0\0\u0018ftypM4A '],
  ['application/octet-stream', Buffer.alloc(16)],
])('%s is no picture or video', (mediaType, content) => {
  const found = mediaTypeOf(Buffer.from(content));
  expect(found).toBe(mediaType);
  expect(isPictureOrVideo(found)).toBe(false);
});

test('bytes beyond the beginning tell nothing', () => {
  expect(mediaTypeOf(Buffer.concat([Buffer.alloc(16), bytes('89504e470d0a1a0a')]))).toBe(
    'application/octet-stream',
  );
});

test('each attempt has a key of its own, short enough for the service', () => {
  const name = '0a1b'.repeat(8);
  const keys = [1, 2, 3].map((attempt) => lensKey(name, attempt));
  expect(new Set(keys).size).toBe(3);
  expect(lensKey(name, 1)).toBe(keys[0]);
  expect(Math.max(...keys.map((key) => key.length))).toBeLessThanOrEqual(255);
});

test('file, mode and label each make another ask', () => {
  const asks = [
    lensManifest('aa', null, null),
    lensManifest('ab', null, null),
    lensManifest('aa', 'geo', null),
    lensManifest('aa', null, 'geo'),
  ];
  expect(new Set(asks).size).toBe(4);
});

test.each<[LensStatus, LensSeen['state'] | null, boolean]>([
  ['completed', 'completed', true],
  ['failed', 'failed', true],
  ['cancelled', 'cancelled', true],
  // By the person: it goes on at the service.
  ['cancelled', null, false],
  ['expired', null, false],
  ['refused', null, false],
  ['unknown_outcome', null, false],
])('asked for again, what was %s (%s) stands: %s', (status, state, stands) => {
  const seen = state === null ? null : ({ state } as LensSeen);
  expect(lensIsFinal({ status, seen } as LensOutcome, 0)).toBe(stands);
});

test('a completed one of which we refused a file does not stand: it is fetched once that is allowed', () => {
  const files = {
    stored: [],
    notStored: [{ artifactId: 'a', type: null, why: 'w', isRefused: true }],
  };
  const seen = { state: 'completed' };
  expect(lensIsFinal({ status: 'completed', seen, files } as never, 0)).toBe(false);
});

test('an analysis that the service let expire is asked for twice more, and then no more', () => {
  const outcome = { status: 'expired', seen: { state: 'expired' } } as LensOutcome;
  expect([1, 2, 3].map((count) => lensIsFinal(outcome, count))).toEqual([false, false, true]);
});

test('a larger file is given more time, up to less than its activity has', () => {
  expect(uploadTimeoutMs(1)).toBe(60_001);
  expect(uploadTimeoutMs(50 * 1024 * 1024)).toBe(60_000 + 524_288);
  expect(uploadTimeoutMs(10 ** 12)).toBe(25 * 60_000);
});
