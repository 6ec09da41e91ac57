import { Command } from 'commander';
import { isHttpError } from '../../apis/http/errors';
import { DossiersApi } from '../../apis/investigation/dossiers';
import { walkPages } from '../../apis/investigation/pages';
import { BillingTotals } from '../../domain/core/billing-totals';
import { dossierStates, type Dossier, type DossierState } from '../../domain/dossiers/dossier';
import { withService } from '../jobs/service-access';
import { printJsonList } from '../cli/json-list';
import { messageOf, RepeatedCalls } from '../jobs/repeated-calls';
import { CommandError } from '../jobs/errors';
import { printable } from '../jobs/text';
import { oneOf, print, tell } from '../cli/terminal';

interface ListFlags {
  status?: DossierState;
  json?: true;
}

const listCall = { method: 'GET', pathTemplate: '/dossies' } as const;
/** A bound, whatever the length of the list. */
const mostRemembered = 10_000;

/** `diligence dossier list`. */
export function dossierListCommand(): Command {
  return new Command('list')
    .description('List the dossiers that the service holds, and what their attempts cost.')
    .option('--status <status>', dossierStates.join(', '), oneOf(dossierStates))
    .option('--json', 'one JSON document on standard output')
    .action(async (flags: ListFlags) => {
      await listDossiers(flags);
    });
}

/** Page by page, however many there are. */
async function listDossiers({ json, status }: ListFlags): Promise<void> {
  const totals = new BillingTotals();
  const read = (show: (dossier: Dossier) => void): Promise<number> =>
    eachDossier(status, (dossier) => {
      show(dossier);
      totals.add(dossier.attempt?.billing ?? null);
    });
  if (json === true) {
    await printJsonList('dossiers', async (add) => {
      const unreadable = await read((dossier) => add(viewOf(dossier)));
      return { unreadable, billing: totals.all() };
    });
    return;
  }
  const unreadable = await read((dossier) => print(lineOf(dossier)));
  const { count, untold } = totals;
  print(`${count} ${count === 1 ? 'dossier' : 'dossiers'}`);
  for (const { amount, count: of, status: word, unit } of totals.all()) {
    print(printable(`  ${of} ${word ?? '-'}: ${amount ?? '-'} ${unit ?? ''}`.trimEnd()));
  }
  if (untold > 0) print(`  ${untold} without billing`);
  if (unreadable > 0) tell(`${unreadable} entries of the list could not be read`);
}

/**
 * Each dossier once, judged by its own fields: a service may ignore the filter.
 *
 * @returns how many entries could not be read
 * @throws CommandError when the list was not read to its end
 */
export async function eachDossier(
  status: DossierState | undefined,
  each: (dossier: Dossier) => void,
): Promise<number> {
  const lately = new Set<string>();
  const filter = { ...(status !== undefined && { status }), pageSize: 100 };
  let unreadable = 0;
  await withService('investigation', async (service, { dossierNames }, timeoutMs) => {
    const dossiers = new DossiersApi(service, dossierNames, timeoutMs);
    const calls = new RepeatedCalls({ tell });
    const pages = walkPages<Dossier>(listCall, (cursor) =>
      calls.again(() =>
        dossiers.list({ ...filter, ...(cursor !== null && { cursor }) }, 'interactive'),
      ),
    );
    for await (const { items } of pages) {
      for (const listed of items) {
        if (listed.kind === 'unreadable') unreadable += 1;
        else if (status === undefined || listed.item.state === status) {
          if (isNews(lately, listed.item.dossierId)) each(listed.item);
        }
      }
    }
  }).catch((error: unknown) => {
    if (!isHttpError(error)) throw error;
    throw new CommandError(`the list was not read to its end: ${messageOf(error)}`);
  });
  return unreadable;
}

/** What is made meanwhile moves others onto the next page. */
function isNews(lately: Set<string>, id: string): boolean {
  if (lately.has(id)) return false;
  lately.add(id);
  const [oldest] = lately;
  if (lately.size > mostRemembered && oldest !== undefined) lately.delete(oldest);
  return true;
}

function viewOf(dossier: Dossier) {
  const { attempt, coverage, createdAt, failure, kind, mode, risk, stale, updatedAt } = dossier;
  return {
    id: dossier.dossierId,
    status: dossier.statusWord,
    subjectType: dossier.subjectType,
    mode,
    kind,
    attempt: attempt?.number ?? null,
    billing: attempt?.billing ?? null,
    coverage: coverage && { completed: coverage.completed, eligible: coverage.eligible },
    risk: risk && { status: risk.status, level: risk.level, score: risk.score },
    failure: failure && { code: failure.code, retryable: failure.retryable },
    stale,
    createdAt,
    updatedAt,
  };
}

function lineOf(dossier: Dossier): string {
  const { attempt, dossierId, kind, mode, statusWord, updatedAt } = dossier;
  const { amount, status, unit } = attempt?.billing ?? { amount: null, status: null, unit: null };
  const cost = `${status ?? 'billing not told'} ${amount ?? ''} ${unit ?? ''}`.trimEnd();
  const number = `attempt ${attempt?.number ?? '?'}`;
  const what = `${kind ?? '-'} ${mode ?? '-'}`;
  return printable(
    [dossierId, (statusWord ?? '-').padEnd(12), number, what, cost, updatedAt ?? ''].join('  '),
  );
}
