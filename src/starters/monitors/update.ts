import { Command } from 'commander';
import { ContractError } from '../../apis/http/errors';
import { MonitorsApi, type MonitorAnswer } from '../../apis/investigation/monitors';
import { isUuid, maskDocument } from '../../domain/core/documents/documents';
import { decisionEntry } from '../../domain/core/audit';
import {
  listenItems,
  longestFrequencyHours,
  shortestFrequencyHours,
  type ListenItem,
  type Monitor,
  type MonitorUpdate,
} from '../../domain/monitors/change';
import { healthNotes, healthOf } from '../../domain/monitors/health';
import { noteLine } from '../../report/monitors/sweep-words';
import {
  notTaken,
  updateFault,
  type FieldValue,
  type NotTaken,
} from '../../domain/monitors/update';
import type { Reader } from '../../report/reader';
import { stateWord } from '../../report/words';
import { recordsOf } from './stored-changes';
import { exitCodes, print, printJson, printNote, printWords, wholeNumber } from '../cli/terminal';
import { openContext, type CommandContext } from '../jobs/context';
import { CommandError, UsageError } from '../jobs/errors';
import {
  withService,
  isMissing,
  messageOf,
  repeating,
  type RepeatOptions,
} from '../jobs/begin/repeated-calls';
import { printable } from '../jobs/text';
import { listOf } from './ids';

interface UpdateFlags {
  name?: string;
  listen?: ListenItem[];
  emails?: string[];
  frequency?: number;
  json?: true;
}

export function updateCommand(options: Pick<RepeatOptions, 'pause'> = {}): Command {
  return new Command('update')
    .description('Change what is given of a monitor; everything else keeps its value.')
    .argument('<monitor>', 'its id')
    .option('--name <text>', 'how it is called')
    .option(
      '--listen <items>',
      `of ${listenItems.join(', ')}, separated by commas`,
      listOf(listenItems),
    )
    .option('--emails <addresses>', 'separated by commas; "" for none', emailsOf)
    .option(
      '--frequency <hours>',
      `hours between two checks of the service, ${shortestFrequencyHours} to ${longestFrequencyHours}`,
      wholeNumber(shortestFrequencyHours, longestFrequencyHours),
    )
    .option('--json', 'one JSON document on standard output')
    .action(async (given: string, flags: UpdateFlags) => {
      const monitorId = wantedMonitor(given);
      const update = updateOf(flags);
      const ctx = await openContext(printNote);
      const { monitor, answer } = await change(ctx, monitorId, update, {
        print: printWords,
        ...options,
      });
      const others = notTaken(update, monitor);
      if (flags.json === true) printJson({ monitor: answer, notTaken: others });
      else showMonitor(monitor, others, ctx.reader);
      if (others.length > 0) process.exitCode = exitCodes.needsAttention;
    });
}

function emailsOf(text: string): string[] {
  return text.trim() === '' ? [] : text.split(',').map((email) => email.trim());
}

function wantedMonitor(id: string): string {
  if (isUuid(id)) return id.trim().toLowerCase();
  throw new UsageError([
    'expected the id of a monitor, a UUID; nothing was sent',
    'espera-se o id de um monitor, um UUID; nada foi enviado',
  ]);
}

/** Only the given fields. Validated before anything is sent. */
function updateOf({ name, listen, emails, frequency }: UpdateFlags): MonitorUpdate {
  const update: MonitorUpdate = {
    ...(name !== undefined && { name }),
    ...(listen !== undefined && { listenItems: listen }),
    ...(emails !== undefined && { emails }),
    ...(frequency !== undefined && { frequencyHours: frequency }),
  };
  const fault = updateFault(update);
  if (fault !== null)
    throw new UsageError([`${fault[0]}; nothing was sent`, `${fault[1]}; nada foi enviado`]);
  return update;
}

/** Writes the audit event before the call, without addresses and names. */
async function change(
  { store, audit, environment, idKey }: CommandContext,
  monitorId: string,
  update: MonitorUpdate,
  options: RepeatOptions,
): Promise<MonitorAnswer> {
  const { monitors: known } = recordsOf({ store, idKey });
  return withService('investigation', async (service, { monitorNames }, timeoutMs) => {
    const details = {
      name: update.name !== undefined,
      listenItems: update.listenItems?.join(' ') ?? null,
      emails: update.emails?.length ?? null,
      frequencyHours: update.frequencyHours ?? null,
    };
    const who = { jobId: `monitor/${monitorId}`, by: environment.actor };
    await audit.append([decisionEntry('update', who, details)]);
    const monitors = new MonitorsApi(service, monitorNames, timeoutMs);
    const reported = await send(monitors, monitorId, update, options);
    const at = new Date().toISOString();
    await known.putAnswer(
      monitorId,
      { at, by: 'update', ...reported },
      healthOf(reported.monitor, at),
    );
    return reported;
  });
}

async function send(
  monitors: MonitorsApi,
  monitorId: string,
  update: MonitorUpdate,
  options: RepeatOptions,
): Promise<MonitorAnswer> {
  const again = repeating(options);
  try {
    return await again(() => monitors.update(monitorId, update));
  } catch (error) {
    if (isMissing(error))
      throw new CommandError([`there is no monitor ${monitorId}`, `não há o monitor ${monitorId}`]);
    if (!(error instanceof ContractError)) throw error;
    // Some answer 204: what it took is read.
    return again(() => monitors.read(monitorId, 'interactive')).catch(() => {
      throw new CommandError([
        `the service took the change, but ${messageOf(error)}`,
        `o serviço aceitou a alteração, mas ${messageOf(error)}`,
      ]);
    });
  }
}

export function showMonitor(monitor: Monitor, others: readonly NotTaken[], reader: Reader): void {
  const { language, say } = reader;
  const { monitorId, statusWord, name, identifier, emails, frequencyHours } = monitor;
  const document = identifier === null ? '' : ` (${maskDocument(identifier)})`;
  const status =
    statusWord === null
      ? say('status unknown', 'situação desconhecida')
      : stateWord(statusWord, language);
  const valueOf = (value: FieldValue): string => {
    if (value === null) return say('not told', 'não informado');
    if (typeof value !== 'object') return String(value);
    return value.length === 0 ? say('none', 'nenhum') : value.join(', ');
  };
  const lines = [
    `${monitorId}  ${status}  ${name ?? ''}${document}`,
    `  ${say('listens to', 'monitora')} ${valueOf(monitor.listenItems)}, ${say('every', 'a cada')} ${frequencyHours ?? '?'} h`,
    `  e-mails: ${valueOf(emails)}`,
    ...healthNotes(healthOf(monitor, '')).map((note) => `  ${noteLine(note, reader)}`),
    ...others.map(({ field, requested, answered }) => {
      return `  ${field}: ${say('asked for', 'pedido')} ${valueOf(requested)}, ${say('answered', 'respondido')} ${valueOf(answered)}`;
    }),
  ];
  for (const line of lines) print(printable(line));
  // Values go to standard output only: standard error may end in a log.
  const fields = others.map(({ field }) => field).join(', ');
  if (others.length > 0) printNote(`${say('not as asked for', 'diferente do pedido')}: ${fields}`);
}
