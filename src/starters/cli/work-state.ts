import type { WorkOnFile } from './works-on-file';

/**
 * What can be learned of a work's workflow. `closed`: it ended, was terminated, or failed.
 * `no engine`: the embedded one does not run, and its works wait for it.
 */
export type EngineSight = 'running' | 'closed' | 'not known' | 'no engine' | 'unreachable';

/** How a work stands, the store and the engine taken together. */
export type WorkState =
  'ended' | 'running' | 'broken off' | 'lost' | 'waits for the engine' | 'engine unreachable';

/**
 * Results in the store are the end, whatever the engine still knows. Without them, only the
 * engine can tell.
 */
export function workState(hasResults: boolean, sight: EngineSight): WorkState {
  if (hasResults) return 'ended';
  const states = {
    running: 'running',
    closed: 'broken off',
    'not known': 'lost',
    'no engine': 'waits for the engine',
    unreachable: 'engine unreachable',
  } as const;
  return states[sight];
}

/** What a person can do about a work that does not go on by itself; null when nothing is to do. */
export function wayOn(work: WorkOnFile, state: WorkState): string | null {
  switch (state) {
    case 'ended':
    case 'running':
      return null;
    case 'lost':
      return `was lost by the engine: ${again(work)}`;
    case 'broken off':
      return `ended in the engine without results (terminated, or failed): ${again(work)}`;
    case 'waits for the engine':
      return `no engine runs: it goes on with the next command that starts one, or \`diligence dev --background\``;
    case 'engine unreachable':
      return 'the Temporal server does not answer: whether it runs cannot be told';
  }
}

/** Claims and receipts are on file, so the same command takes up what was bought. */
function again({ record, decision }: WorkOnFile): string {
  if (decision !== null) {
    const { workId } = record;
    return `give the decision again to go on (\`diligence certificate resolve --batch ${workId} --action ${decision.action} ...\`)`;
  }
  const words =
    record.kind === 'certificate'
      ? `certificate issue --type ${record.type ?? 'T'} --document N`
      : `certificate batch --input ${[record.inputName ?? 'FILE', ...flagsOf(record)].join(' ')}`;
  return `start the same command again to go on (\`diligence ${words}\`)`;
}

/** Those that make the batch the same one. */
function flagsOf({ type, label }: WorkOnFile['record']): string[] {
  return [
    ...(type === null ? [] : ['--type', type]),
    ...(label === null ? [] : ['--label', JSON.stringify(label)]),
  ];
}
