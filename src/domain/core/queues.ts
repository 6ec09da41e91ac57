export const queueKinds = [
  'workflows',
  'certificate-requests',
  'certificate-watches',
  'credit-uploads',
  'credit',
  'investigation',
] as const;
export type QueueKind = (typeof queueKinds)[number];

export const queuesOf = {
  certificates: ['workflows', 'certificate-requests', 'certificate-watches'],
  credit: ['workflows', 'credit-uploads', 'credit'],
  monitors: ['workflows', 'investigation'],
  investigation: ['workflows', 'investigation'],
} as const satisfies Record<string, readonly QueueKind[]>;

/** @param suffix of the store, so that a worker with another or a not yet restored store never gets the tasks */
export function queueName(kind: QueueKind, suffix: string): string {
  return `diligence-${kind}-${suffix}`;
}

export function queueSuffix({ id, epoch }: { id: string; epoch: number }): string {
  return epoch === 1 ? id.slice(0, 8) : `${id.slice(0, 8)}-${epoch}`;
}
