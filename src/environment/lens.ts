import type { LensAssumptions } from '../apis/assumptions';

interface Found {
  LENS_READ_PATH: string;
  LENS_MODE_FIELD: string;
  LENS_SUBMIT_PATH?: string | undefined;
  LENS_MAX_BYTES: number;
}

/** How a lens analysis is asked for and read. */
export function lensOf(found: Found): LensAssumptions {
  return {
    readPath: found.LENS_READ_PATH,
    modeField: found.LENS_MODE_FIELD,
    submitPath: found.LENS_SUBMIT_PATH ?? null,
    maxFileBytes: found.LENS_MAX_BYTES,
  };
}
