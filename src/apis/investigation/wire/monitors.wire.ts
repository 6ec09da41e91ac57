import { z } from 'zod';
import {
  changeStates,
  severities,
  type Change,
  type Monitor,
} from '../../../domain/monitors/change';
import type { CallName } from '../../http/errors';
import { camel, flag, idText, number, reported as anyText, tolerant } from '../../http/tolerant';
import { pageFromWire, type Listed } from '../pages';
import { id, reported, stateOf } from './wire-fields';

/**
 * The service's shape of a monitor and its changes (specification: "Monitor", "Monitor change"). Ids are required; any
 * other field of another type counts as missing.
 */
const words = tolerant(z.array(z.string()));
export const changeWire = camel({
  id: idText,
  status: reported,
  severity: reported,
  type: reported,
  detected_at: reported,
  acknowledged_at: reported,
}).transform(({ id: changeId, severity, status, ...wire }): Change => ({
  ...wire,
  changeId,
  ...stateOf(changeStates, status),
  severity: stateOf(severities, severity).state,
  severityWord: severity,
}));

export const monitorWire = camel({
  id,
  status: reported,
  identifier: reported,
  name: anyText,
  listen_items: words,
  emails: words,
  frequency_hours: number,
  health: tolerant(
    camel({ status: reported, consecutive_failures: number, last_cycle_at: reported }),
  ),
  subscription: tolerant(z.object({ status: reported, id: reported })),
  execution_allowed: flag,
  blocking_reason: reported,
}).transform(({ id: monitorId, status, ...wire }): Monitor => ({
  ...wire,
  monitorId,
  statusWord: status,
}));

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
  const { items, nextCursor, hasMore } = pageFromWire(call, changeWire, body);
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
