import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FileArchive } from '../../src/archive/file-archive';

/** A folder that is gone after the test, and an archive in it. */
export class TemporaryArchive {
  readonly folder = mkdtempSync(join(tmpdir(), 'diligence-archive-'));
  readonly root = join(this.folder, 'archive');
  readonly archive = new FileArchive(this.root, 'a1b2c3d4-archive-of-a-test');

  path(key: string): string {
    return join(this.root, key);
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}
