import { z } from 'zod';
import {
  changeStates,
  severities,
  type Change,
  type Monitor,
  type MonitorState,
} from '../../../domain/monitors/change';
import { ContractError, type CallName } from '../../http/errors';
import { parseJson } from '../../http/problem';
import { reported as anyText, tolerant } from '../../http/tolerant';
import { pageFromWire, type Listed } from '../pages';
import { flag, id, isSameId, number, parseWire, reported } from './wire-fields';

/**
 * The service's shape of a monitor and its changes (specification: "Monitor", "Monitor change"). Ids are required; any
 * other field of another type counts as missing.
 */
const words = tolerant(z.array(z.string()));
const changeWire = z.object({
  id,
  status: reported,
  severity: reported,
  type: reported,
  detected_at: reported,
  acknowledged_at: reported,
});
const listedChange = changeWire.transform(changeOf);

const monitorWire = z.object({
  id,
  status: reported,
  identifier: reported,
  identifier_type: reported,
  name: anyText,
  listen_items: words,
  emails: words,
  frequency_hours: number,
  health: z
    .object({ status: reported, consecutive_failures: number, last_cycle_at: reported })
    .nullish()
    .catch(null),
  subscription: z.object({ status: reported, id: reported }).nullish().catch(null),
  execution_allowed: flag,
  blocking_reason: reported,
  created_at: reported,
  updated_at: reported,
});

/** One entry of a list: an invalid one does not hide the others. */
export type ListedChange =
  | { kind: 'change'; change: Change; answer: object }
  | Extract<Listed<Change>, { kind: 'unreadable' }>;

export interface ChangePage {
  /** In the order of the response, which is arbitrary. */
  items: ListedChange[];
  /** May be null despite `hasMore: true`, and set despite `hasMore: false`. */
  nextCursor: string | null;
  hasMore: boolean;
}

/** @throws ContractError when the body is no list; an invalid entry is an entry of the page */
export function changePageFromWire(call: CallName, body: Buffer): ChangePage {
  const { items, nextCursor, hasMore } = pageFromWire(call, listedChange, body);
  return {
    items: items.map((listed) =>
      listed.kind === 'item'
        ? { kind: 'change', change: listed.item, answer: listed.answer }
        : listed,
    ),
    nextCursor,
    hasMore,
  };
}

/**
 * @param changeId the requested change: a response about another one is rejected
 * @throws ContractError when the body is not JSON or lacks a required field
 */
export function changeFromWire(call: CallName, changeId: string, body: Buffer): Change {
  const change = changeOf(parseWire(changeWire, call, parseJson(body)));
  if (isSameId(change.changeId, changeId)) return change;
  throw new ContractError(call, [{ path: 'id', code: 'another_change' }]);
}

/** @throws ContractError as `changeFromWire` */
export function monitorFromWire(call: CallName, monitorId: string, body: Buffer): Monitor {
  const wire = parseWire(monitorWire, call, parseJson(body));
  if (!isSameId(wire.id, monitorId)) {
    throw new ContractError(call, [{ path: 'id', code: 'another_monitor' }]);
  }
  const { health, subscription } = wire;
  return {
    monitorId: wire.id,
    state: monitorStates.find((state) => state === wire.status) ?? 'unknown',
    statusWord: wire.status,
    identifier: wire.identifier,
    identifierType: wire.identifier_type,
    name: wire.name,
    listenItems: wire.listen_items,
    emails: wire.emails,
    frequencyHours: wire.frequency_hours,
    health:
      health == null
        ? null
        : {
            status: health.status,
            consecutiveFailures: health.consecutive_failures,
            lastCycleAt: health.last_cycle_at,
          },
    subscription: subscription ?? null,
    executionAllowed: wire.execution_allowed,
    blockingReason: wire.blocking_reason,
    createdAt: wire.created_at,
    updatedAt: wire.updated_at,
  };
}

const monitorStates: readonly MonitorState[] = ['active', 'paused', 'cancelled'];

function changeOf(wire: z.output<typeof changeWire>): Change {
  return {
    changeId: wire.id,
    state: changeStates.find((state) => state === wire.status) ?? 'unknown',
    statusWord: wire.status,
    severity: severities.find((severity) => severity === wire.severity) ?? 'unknown',
    severityWord: wire.severity,
    type: wire.type,
    detectedAt: wire.detected_at,
    acknowledgedAt: wire.acknowledged_at,
  };
}
