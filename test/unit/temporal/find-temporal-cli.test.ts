import { readFileSync, writeFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { findTemporalCli, ToolNotFoundError } from '../../../src/temporal/temporal-cli';
import { noDownload, openDownloadSite, printsServer, ToolShed } from './tool-shed';

let shed: ToolShed;
beforeEach(() => {
  shed = new ToolShed();
});
afterEach(() => shed.dispose());

function find(more: Partial<Parameters<typeof findTemporalCli>[0]> = {}): Promise<string> {
  return findTemporalCli({ env: shed.env, say: shed.say, downloadOrigin: noDownload, ...more });
}

function putInCache(server: string): string {
  mkdirSync(shed.cache, { recursive: true });
  return shed.write('cache/diligence/temporal', printsServer(server));
}

describe('what is at hand', () => {
  it('takes the executable that the variable names before anything else', async () => {
    putInCache('1.29.1');
    const named = shed.write('mine', printsServer('1.30.0'));
    shed.env.TEMPORAL_CLI_PATH = named;
    expect(await find()).toBe(named);
    expect(shed.said).toEqual([]);
  });

  it('names the variable when it points at nothing', async () => {
    shed.env.TEMPORAL_CLI_PATH = join(shed.root, 'nothing');
    const failure = find();
    await expect(failure).rejects.toBeInstanceOf(ToolNotFoundError);
    await expect(failure).rejects.toThrow(
      /^TEMPORAL_CLI_PATH points at .*nothing, which does not serve \(there is no such file\)/,
    );
  });

  it('names the variable when it points at a server that is too old', async () => {
    shed.env.TEMPORAL_CLI_PATH = shed.write('old', printsServer('1.28.3'));
    await expect(find()).rejects.toThrow(/TEMPORAL_CLI_PATH .* server 1\.28\.3/);
  });

  it('takes an empty variable for an unset one', async () => {
    shed.env.TEMPORAL_CLI_PATH = '';
    const cached = putInCache('1.29.1');
    expect(await find()).toBe(cached);
  });

  it('prefers the cache to PATH', async () => {
    const cached = putInCache('1.29.1');
    shed.put('temporal', printsServer('1.31.0'));
    expect(await find()).toBe(cached);
    expect(shed.said).toEqual([]);
  });

  it('compares the version of the server, not of the CLI, on PATH', async () => {
    shed.put('temporal', `echo 'temporal version 0.9.0 (Server 1.29.0, UI 2.42.1)'`);
    expect(await find()).toBe('temporal');
  });

  it('passes over a temporal on PATH whose server is too old, and says so', async () => {
    shed.put('temporal', `echo 'temporal version 1.9.9 (Server 1.28.9, UI 2.42.1)'`);
    shed.putGo();
    expect(await find()).toBe(join(shed.cache, 'temporal'));
    expect(shed.said[0]).toBe(
      'The temporal on PATH is not used: it is server 1.28.9, and 1.29 is needed.',
    );
  });

  it('replaces a cached file that does not run', async () => {
    mkdirSync(shed.cache, { recursive: true });
    writeFileSync(join(shed.cache, 'temporal'), 'half', { mode: 0o755 });
    shed.putGo();
    await find();
    expect(readFileSync(join(shed.cache, 'temporal'), 'utf8')).toContain('Server 1.29.1');
  });
});

describe('the download', () => {
  it('asks for the archive of this machine as the SDK does, and keeps the one executable', async () => {
    const site = await openDownloadSite({ script: printsServer('1.31.2'), entry: 'temporal' });
    const path = await find({ downloadOrigin: site.origin });
    await site.close();
    expect(path).toBe(join(shed.cache, 'temporal'));
    expect(site.received[0]).toMatch(
      /^\/cli\/default\?arch=(amd64|arm64)&platform=\w+&format=tar\.gz&sdk-name=sdk-typescript&/,
    );
    expect(shed.cached()).toEqual(['temporal']);
    expect(shed.said.at(-1)).toBe('temporal (server 1.31.2) is in the cache.');
  });

  it.each([
    ['is too old', { script: printsServer('1.25.0'), entry: 'temporal' }],
    ['does not run', { script: 'exit 3', entry: 'temporal' }],
    ['breaks off', { script: printsServer('1.31.2'), entry: 'temporal', cutAfterBytes: 20 }],
    [
      'is not in the archive',
      { script: printsServer('1.31.2'), entry: 'temporal', offers: 'other' },
    ],
    [
      'would be a path outside',
      { script: printsServer('1.31.2'), entry: 'temporal', offers: '/etc/passwd' },
    ],
  ])('goes on to the build when what comes %s', async (_what, archive) => {
    shed.putGo();
    const site = await openDownloadSite(archive);
    await find({ downloadOrigin: site.origin });
    await site.close();
    expect(shed.cached()).toEqual(['temporal']);
    expect(shed.said.at(-1)).toBe('temporal (server 1.29.1) is in the cache.');
  });
});

describe('the build', () => {
  it('installs the pinned module without cgo, and tells each step and what comes next', async () => {
    shed.putGo();
    await find();
    expect(readFileSync(join(shed.root, 'go-calls'), 'utf8')).toBe(
      'auto 0 install -ldflags=-s -w github.com/temporalio/cli/cmd/temporal@v1.5.1\n',
    );
    expect(shed.said).toEqual([
      expect.stringContaining('if that fails, it is built with Go.'),
      expect.stringMatching(/^The download did not work \(.+\): building temporal with Go/),
      'temporal (server 1.29.1) is in the cache.',
    ]);
  });

  it('leaves nothing half written and ends with the cure when it fails', async () => {
    shed.putGo({ fails: 'no required module provides package' });
    const failure = find();
    await expect(failure).rejects.toBeInstanceOf(ToolNotFoundError);
    await expect(failure).rejects.toThrow(
      /nor built \(go install: no required module provides package\): install the Temporal CLI .* TEMPORAL_CLI_PATH to it\.$/,
    );
    expect(shed.cached()).toEqual([]);
  });

  it('says that Go is missing', async () => {
    await expect(find()).rejects.toThrow(/nor built \(go install: spawn go ENOENT\)/);
  });

  it('keeps our tokens from the tools it runs', async () => {
    shed.env.INVESTIGATION_TOKEN = 'secret';
    shed.putGo();
    shed.put(
      'go',
      `${readFileSync(join(shed.bin, 'go'), 'utf8')}\necho "$INVESTIGATION_TOKEN" > ${shed.root}/token`,
    );
    await find();
    expect(readFileSync(join(shed.root, 'token'), 'utf8')).toBe('\n');
  });

  it('ends the build when it is interrupted, and leaves nothing', async () => {
    shed.putGo({ seconds: 20 });
    const interrupt = new AbortController();
    const failure = find({
      signal: interrupt.signal,
      say: (line) => {
        if (line.includes('building')) setTimeout(() => interrupt.abort(), 200);
      },
    });
    await expect(failure).rejects.toMatchObject({ name: 'AbortError' });
    expect(shed.cached()).toEqual([]);
  });
});

describe('the lock', () => {
  it('lets one build while the other waits, says so, and takes what was built', async () => {
    shed.putGo({ seconds: 0.3 });
    const paths = await Promise.all([find(), find()]);
    expect(new Set(paths)).toEqual(new Set([join(shed.cache, 'temporal')]));
    expect(readFileSync(join(shed.root, 'go-calls'), 'utf8').trim().split('\n')).toHaveLength(1);
    expect(shed.said).toContain(
      `Process ${process.pid} is already fetching or building temporal: waiting for it.`,
    );
    expect(shed.cached()).toEqual(['temporal']);
  });
});
