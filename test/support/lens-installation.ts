import { createHash, randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { LensOutcome } from '../../src/domain/lens/analyze';
import type { ScenarioInput } from '../../src/sandbox';
import { Installation } from './diligence-process';

type LensSection = NonNullable<ScenarioInput['lens']>;
export type FileScript = NonNullable<LensSection['files']>[string];

/** What `--json` prints of one analysis. */
interface ShownLens {
  id: string;
  exitCode: number;
  folder: string | null;
  artifacts: { name: string; mediaType: string | null }[];
  outcome: LensOutcome;
}

export interface Picture {
  path: string;
  sha256: string;
  body: Buffer;
}

const soon: FileScript = { waitingMs: [0, 0], processingMs: [200, 400] };
const png = Buffer.from('89504e470d0a1a0a', 'hex');

/** An installation that has files analysed by the sandbox, which is read each second: one worker. */
export class LensInstallation {
  readonly place: Installation;
  #pictures = 0;
  #commands = 0;

  private constructor(place: Installation) {
    this.place = place;
  }

  static async start(env: Record<string, string> = {}): Promise<LensInstallation> {
    const settings = { INVESTIGATION_RPS: '400', ...env };
    const place = await Installation.start({ lens: { pollAfterSeconds: 1 } }, settings);
    await place.startWorkerHere();
    return new LensInstallation(place);
  }

  /** A new file, whose analysis goes as the script says, and soon unless it says otherwise. */
  async picture(script: FileScript, bytes = 20_000): Promise<Picture> {
    this.#pictures += 1;
    const body = Buffer.concat([png, randomBytes(bytes - png.length)]);
    const sha256 = createHash('sha256').update(body).digest('hex');
    const path = join(this.place.folder, `picture-${this.#pictures}.jpg`);
    await writeFile(path, body);
    this.place.sandbox.configure({ lens: { files: { [sha256]: { ...soon, ...script } } } });
    return { path, sha256, body };
  }

  /** `diligence lens analyze`, to its end. */
  async analyze(path: string, ...more: string[]) {
    this.#commands += 1;
    const out = `out-${this.#commands}`;
    const words = ['lens', 'analyze', '--json', '--input', path, '--out', out, ...more];
    const { code, stdout, stderr } = await this.place.run(words);
    const shown = (stdout.startsWith('{') ? JSON.parse(stdout) : null) as ShownLens;
    return { code, stderr, shown };
  }

  /** The same, left alone once it runs. @returns its id */
  async begin(path: string): Promise<string> {
    const { stdout } = await this.place.run(['lens', 'analyze', '--input', path, '--detach']);
    return stdout.trim();
  }

  async ended(id: string): Promise<LensOutcome> {
    const { workflow } = await this.place.client();
    return workflow.getHandle(id.replace(/\/\d{8}T\w+$/, '')).result() as Promise<LensOutcome>;
  }

  /** What the service was asked about a file, and what it really did. */
  counted(sha256: string) {
    return this.place.sandbox.lens.counts().items.find((item) => item.sha256 === sha256);
  }
}
