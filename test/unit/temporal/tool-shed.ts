import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { existsSync } from 'node:fs';

/** What the scripts below call; nothing else is on the PATH of a shed, so that go, java and temporal are absent unless put there. */
const plainCommands = ['sh', 'cat', 'chmod', 'cp', 'dirname', 'echo', 'mkdir', 'sleep', 'touch'];

/** A throw-away machine: its own PATH, cache and home. */
export class ToolShed {
  readonly root = mkdtempSync(join(tmpdir(), 'diligence-shed-'));
  readonly bin = join(this.root, 'bin');
  readonly cache = join(this.root, 'cache', 'diligence');
  readonly said: string[] = [];
  readonly env: NodeJS.ProcessEnv = {
    PATH: this.bin,
    HOME: this.root,
    XDG_CACHE_HOME: join(this.root, 'cache'),
  };

  constructor() {
    mkdirSync(this.bin);
    for (const name of plainCommands) symlinkSync(whereIs(name), join(this.bin, name));
  }

  readonly say = (line: string): void => {
    this.said.push(line);
  };

  /** Puts an executable script on the PATH. */
  put(name: string, script: string): string {
    return this.write(join('bin', name), script);
  }

  write(name: string, script: string): string {
    const path = join(this.root, name);
    writeFileSync(path, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    return path;
  }

  /** A go that takes note of each build and "builds" a temporal of that server version. */
  putGo(
    options: { version?: string; server?: string; seconds?: number; fails?: string } = {},
  ): void {
    this.put(
      'go',
      `if [ "$1" = version ]; then echo "go version go${options.version ?? '1.26.8'} linux/amd64"; exit; fi
echo "$GOTOOLCHAIN $CGO_ENABLED $*" >> ${this.root}/go-calls
mkdir -p "$GOBIN"; echo half > "$GOBIN/temporal"
sleep ${options.seconds ?? 0}
${options.fails === undefined ? '' : `echo '${options.fails}' >&2; exit 1`}
cat > "$GOBIN/temporal" <<'END'
#!/bin/sh
${printsServer(options.server ?? '1.29.1')}
END
chmod +x "$GOBIN/temporal"`,
    );
  }

  /** What the cache holds, but for locks, which stay. */
  cached(): string[] {
    const names = existsSync(this.cache) ? readdirSync(this.cache) : [];
    return names.filter((name) => !name.endsWith('.lock')).sort();
  }

  dispose(): void {
    rmSync(this.root, { recursive: true, force: true });
  }
}

export function printsServer(version: string): string {
  return `echo 'temporal version 0.0.0-DEV (Server ${version}, UI 2.42.1)'`;
}

/** Nobody listens there: the download fails at once. */
export const noDownload = 'http://127.0.0.1:1';

export interface DownloadSite {
  origin: string;
  /** Paths with queries, in order. */
  received: string[];
  close(): Promise<void>;
}

/** The SDK's download site, offering one archive that holds the script under `entry`. */
export async function openDownloadSite(options: {
  script: string;
  entry: string;
  offers?: string;
  cutAfterBytes?: number;
}): Promise<DownloadSite> {
  const folder = mkdtempSync(join(tmpdir(), 'diligence-site-'));
  writeFileSync(join(folder, options.entry), `#!/bin/sh\n${options.script}\n`, { mode: 0o755 });
  const archive = execFileSync('tar', ['-czf', '-', '-C', folder, options.entry]);
  rmSync(folder, { recursive: true });
  const received: string[] = [];
  const server = createServer((request, response) => {
    received.push(request.url ?? '');
    if (request.url === '/archive.tar.gz') {
      response.writeHead(200, { 'content-length': archive.length });
      const { cutAfterBytes } = options;
      if (cutAfterBytes === undefined) response.end(archive);
      else response.write(archive.subarray(0, cutAfterBytes), () => response.destroy());
    } else {
      response.end(
        JSON.stringify({
          archiveUrl: `${origin}/archive.tar.gz`,
          fileToExtract: options.offers ?? options.entry,
        }),
      );
    }
  });
  await new Promise<void>((listening) => {
    server.listen(0, '127.0.0.1', listening);
  });
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    origin,
    received,
    close: () =>
      new Promise((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      }),
  };
}

function whereIs(name: string): string {
  for (const folder of (process.env.PATH ?? '').split(delimiter)) {
    if (existsSync(join(folder, name))) return join(folder, name);
  }
  throw new Error(`${name} is not on PATH`);
}
