import { Command, InvalidArgumentError } from 'commander';
import { ContractError } from '../../apis/http/errors';
import { Service } from '../../apis/http/service';
import { Token } from '../../apis/http/token';
import { MonitorsApi, type MonitorAnswer } from '../../apis/investigation/monitors';
import { isUuid } from '../../domain/core/uuid';
import { maskDocument } from '../../domain/core/documents';
import {
  listenItems,
  longestFrequencyHours,
  shortestFrequencyHours,
  type ListenItem,
  type Monitor,
  type MonitorUpdate,
} from '../../domain/monitors/change';
import { blockOf, healthOf, unwellOf } from '../../domain/monitors/health';
import type { MonitorOnFile } from '../../domain/monitors/kept';
import {
  monitorDifferences,
  monitorUpdateEntry,
  notTaken,
  updateFault,
  type FieldValue,
  type MonitorDifference,
} from '../../domain/monitors/update';
import { ConfigError, type Environment } from '../../environment';
import { MonitorRepository } from '../../store/monitors/monitors';
import { isMissing, messageOf, RepeatedCalls, type RepeatOptions } from '../jobs/repeated-calls';
import { CommandError, UsageError } from '../jobs/errors';
import { printable } from '../jobs/text';
import { exitCodes, namedOnce, print, printJson, tell, wholeNumber } from '../cli/terminal';
import { openContext, type CommandContext } from '../jobs/context';

interface UpdateFlags {
  id?: string;
  name?: string;
  listen?: ListenItem[];
  emails?: string[];
  frequency?: number;
  json?: true;
}

/** What an update came to. */
interface Updated extends MonitorAnswer {
  /** The last answer on file before it; null when there was none. */
  before: MonitorOnFile<Monitor> | null;
  differences: MonitorDifference[];
  notTaken: MonitorDifference[];
}

/** A command does a few calls: the workers have the rate. */
const commandRps = 5;

/** `diligence monitor update`. */
export function updateCommand(options: Pick<RepeatOptions, 'pause'> = {}): Command {
  return new Command('update')
    .description('Change what is given of a monitor; everything else keeps its value.')
    .argument('[monitor]', 'its id')
    .option('--id <monitor>', 'the same as the argument')
    .option('--name <text>', 'how it is called')
    .option('--listen <items>', `of ${listenItems.join(', ')}, separated by commas`, listened)
    .option('--emails <addresses>', 'separated by commas; "" for none', words)
    .option(
      '--frequency <hours>',
      `hours between two looks of the service, ${shortestFrequencyHours} to ${longestFrequencyHours}`,
      wholeNumber(shortestFrequencyHours, longestFrequencyHours),
    )
    .option('--json', 'one JSON document on standard output')
    .action(async (argument: string | undefined, flags: UpdateFlags) => {
      const monitorId = wantedMonitor(argument, flags.id);
      const update = updateOf(flags);
      const updated = await changeMonitor(await openContext(tell), monitorId, update, {
        tell,
        ...options,
      });
      if (flags.json === true) printJson(asDocument(updated));
      else show(updated);
      if (updated.notTaken.length > 0) process.exitCode = exitCodes.needsAttention;
    });
}

function words(text: string): string[] {
  return text.trim() === '' ? [] : text.split(',').map((word) => word.trim());
}

function listened(text: string): ListenItem[] {
  return words(text).map((word) => {
    const item = listenItems.find((known) => known === word);
    if (item !== undefined) return item;
    throw new InvalidArgumentError(`Expected some of ${listenItems.join(', ')}.`);
  });
}

function wantedMonitor(argument: string | undefined, flag: string | undefined): string {
  const wanted = namedOnce(argument, flag, { flagName: '--id', what: 'monitors' })?.trim() ?? '';
  if (isUuid(wanted)) return wanted.toLowerCase();
  throw new UsageError('a monitor is named by its id, a UUID; nothing was sent');
}

/** What is given, and nothing else. Looked at before anything is sent. */
function updateOf({ name, listen, emails, frequency }: UpdateFlags): MonitorUpdate {
  const update: MonitorUpdate = {
    ...(name !== undefined && { name }),
    ...(listen !== undefined && { listenItems: listen }),
    ...(emails !== undefined && { emails }),
    ...(frequency !== undefined && { frequencyHours: frequency }),
  };
  const fault = updateFault(update);
  if (fault !== null) throw new UsageError(`${fault}; nothing was sent`);
  return update;
}

async function changeMonitor(
  { store, audit, environment, idKey }: CommandContext,
  monitorId: string,
  update: MonitorUpdate,
  options: RepeatOptions,
): Promise<Updated> {
  const known = new MonitorRepository(store, (text) => idKey.nameOf('document', text));
  return withMonitors(environment, async (monitors) => {
    const before = await known.answer(monitorId);
    const { actor } = environment;
    await audit.append([monitorUpdateEntry(monitorId, update, actor, Date.now())]);
    const told = await sendUpdate(monitors, monitorId, update, options);
    const at = new Date().toISOString();
    const health = healthOf(told.monitor, at);
    await known.putAnswer(monitorId, { at, by: 'update', ...told }, health);
    return {
      ...told,
      before,
      differences: before === null ? [] : monitorDifferences(before.monitor, told.monitor),
      notTaken: notTaken(update, told.monitor),
    };
  });
}

/** @throws CommandError when there is no such monitor, or the answer cannot be read */
async function sendUpdate(
  monitors: MonitorsApi,
  monitorId: string,
  update: MonitorUpdate,
  options: RepeatOptions,
): Promise<MonitorAnswer> {
  const calls = new RepeatedCalls(options);
  try {
    return await calls.again(() => monitors.update(monitorId, update));
  } catch (error) {
    if (isMissing(error)) throw new CommandError(`there is no monitor ${monitorId}`);
    if (!(error instanceof ContractError)) throw error;
    throw new CommandError(`the service took the change, but ${messageOf(error)}`);
  }
}

/** @throws ConfigError when the investigation service is not configured */
async function withMonitors<T>(
  { investigation, monitorNames, resendOn503 }: Environment,
  work: (monitors: MonitorsApi) => Promise<T>,
): Promise<T> {
  if (investigation === null) {
    throw new ConfigError('INVESTIGATION_BASE_URL', 'is not set: no investigation service');
  }
  const { baseUrl, rps, token } = investigation;
  const service = new Service({
    baseUrl,
    token: 'file' in token ? Token.fromFile(token.file) : Token.of(token.value),
    ratePerSecond: Math.min(rps, commandRps),
    resendOn503,
    keepsAlive: true,
  });
  try {
    return await work(new MonitorsApi(service, monitorNames));
  } finally {
    await service.close();
  }
}

function asDocument({ answer, before, differences, notTaken: others }: Updated): object {
  return {
    monitor: answer,
    comparedWith: before === null ? null : { at: before.at, by: before.by },
    differences,
    notTaken: others.map(({ field, before: asked, after }) => ({ field, asked, answered: after })),
  };
}

function show({ monitor, before, differences, notTaken: others }: Updated): void {
  for (const line of linesOf(monitor)) print(printable(line));
  if (before === null) print('  no earlier answer on file');
  else if (differences.length === 0) print(`  as it was on ${before.at}`);
  else print(`  since ${before.at}:`);
  for (const { field, before: was, after } of differences) {
    print(printable(`    ${field}: ${valueOf(field, was)} -> ${valueOf(field, after)}`));
  }
  if (others.length === 0) return;
  // Values are for standard output alone: standard error may end in a log.
  for (const { field, before: asked, after } of others) {
    print(
      printable(
        `  ${field}: asked for ${valueOf(field, asked)}, answered ${valueOf(field, after)}`,
      ),
    );
  }
  tell(`not as asked for: ${others.map(({ field }) => field).join(', ')}`);
}

function linesOf(monitor: Monitor): string[] {
  const { monitorId, statusWord, name, identifier, emails, frequencyHours } = monitor;
  const document = identifier === null ? '' : ` (${maskDocument(identifier)})`;
  const block = blockOf(healthOf(monitor, ''));
  const unwell = unwellOf(healthOf(monitor, ''));
  return [
    `${monitorId}  ${statusWord ?? 'status unknown'}  ${name ?? ''}${document}`,
    `  listens to ${valueOf('listen_items', monitor.listenItems)}, every ${frequencyHours ?? '?'} h`,
    `  e-mails: ${valueOf('emails', emails)}`,
    block === null
      ? `  may run: ${valueOf('execution_allowed', monitor.executionAllowed)}`
      : `  may not run: ${block}`,
    ...(unwell === null ? [] : [`  the service's own looks at it fail: ${unwell}`]),
  ];
}

function valueOf(field: string, value: FieldValue): string {
  if (value === null) return 'not told';
  if (typeof value === 'object') return value.length === 0 ? 'none' : value.join(', ');
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return field === 'identifier' ? maskDocument(String(value)) : String(value);
}
