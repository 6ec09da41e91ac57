import { execFile, execFileSync } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, rm, truncate, writeFile } from 'node:fs/promises';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

const run = promisify(execFile);

/**
 * Tests on disks of their own. Mounting needs root: elsewhere they are skipped by name, but not where
 * `TEST_DISKS=required` (`.ci/run`).
 */
export const testWithDisks: jest.It =
  process.env['TEST_DISKS'] === 'required' || canMount() ? test : test.skip;

function canMount(): boolean {
  const folder = mkdtempSync(join(tmpdir(), 'diligence-mount-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', folder], { stdio: 'ignore' });
    execFileSync('umount', [folder], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A disk that can be full. */
export class SmallDisk {
  readonly path: string;

  private constructor(path: string) {
    this.path = path;
  }

  static async make(mebibytes: number): Promise<SmallDisk> {
    const path = await mkdtemp(join(tmpdir(), 'diligence-small-'));
    await run('mount', ['-t', 'tmpfs', '-o', `size=${mebibytes}m`, 'tmpfs', path]);
    return new SmallDisk(path);
  }

  /** Takes all of the room that is left. */
  async fill(): Promise<void> {
    const filler = join(this.path, 'filler');
    await run('dd', ['if=/dev/zero', `of=${filler}`, 'bs=4096']).catch(() => undefined);
  }

  async free(): Promise<void> {
    await rm(join(this.path, 'filler'));
  }

  async remove(): Promise<void> {
    await unmount(this.path);
    await rm(this.path, { recursive: true });
  }
}

/** A process that has just ended may hold it, on a busy machine for seconds: one that stays is named. */
async function unmount(path: string): Promise<void> {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  for (let tries = 1; ; tries += 1) {
    // Statements of a database that is closed hold its files until they are collected.
    collect();
    try {
      await run('umount', [path]);
      return;
    } catch (error) {
      if (tries === 120) throw new Error(`held by: ${await holdersOf(path)}`, { cause: error });
    }
    await sleep(250);
  }
}

async function holdersOf(path: string): Promise<string> {
  const { stdout } = await run('sh', [
    '-c',
    'for p in /proc/[0-9]*; do ls -l $p/fd $p/cwd 2>/dev/null | grep -q "$0" && tr "\\0" " " < $p/cmdline; done; true',
    path,
  ]);
  return stdout === '' ? 'nobody' : stdout;
}

/** An ext4 file system in a file: what is on it at an instant can be kept, as after a power cut. */
export class LoopDisk {
  readonly path: string;
  readonly #folder: string;
  readonly #image: string;

  private constructor(folder: string) {
    this.#folder = folder;
    this.path = join(folder, 'mounted');
    this.#image = join(folder, 'disk.img');
  }

  static async make(mebibytes: number): Promise<LoopDisk> {
    const disk = new LoopDisk(await mkdtemp(join(tmpdir(), 'diligence-power-')));
    await mkdir(disk.path);
    await writeFile(disk.#image, '');
    await truncate(disk.#image, mebibytes * 1024 * 1024);
    await run('mkfs.ext4', ['-q', '-F', disk.#image]);
    await disk.#mount();
    return disk;
  }

  /** Copies what is on the disk while it is in use: what is only in memory is lost. */
  async cutPower(): Promise<void> {
    for (let tries = 1; ; tries += 1) {
      await copyFile(this.#image, this.#copy);
      // A copy of an image in use may be torn: one that cannot be repaired is made anew.
      const code = await run('e2fsck', ['-p', this.#copy]).then(
        () => 0,
        (error: { code?: number }) => error.code ?? 16,
      );
      if (code < 4) return;
      if (tries === 3) throw new Error(`the copy of the disk cannot be repaired (${code})`);
    }
  }

  /** The disk is what it was when the power was cut. */
  async bringBack(): Promise<void> {
    await unmount(this.path);
    await copyFile(this.#copy, this.#image);
    await this.#mount();
  }

  async remove(): Promise<void> {
    await unmount(this.path);
    await rm(this.#folder, { recursive: true });
  }

  get #copy(): string {
    return `${this.#image}.cut`;
  }

  async #mount(): Promise<void> {
    await run('mount', ['-o', 'loop', this.#image, this.path]);
  }
}
