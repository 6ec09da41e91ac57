import type { AuditEntry } from './audit';

export interface AuditExcerpt {
  /** The keyed names of its entries, by the numbers that replace them. */
  names: Readonly<Record<string, string>>;
  chains: { chain: string; beginning: string; links: ExcerptLink[] }[];
  anchors: (Omit<ExcerptLink, 'text'> & { text: string })[];
}

export interface ExcerptLink {
  number: number;
  at: string;
  prev: string;
  hash: string;
  /** JSON of the entry; null: about another job. */
  text: string | null;
}

/** Its entries, with names instead of numbers; without unreadable ones. */
export function entriesIn({ chains, names }: AuditExcerpt): Partial<AuditEntry>[] {
  return chains.flatMap(({ links }) =>
    links.flatMap(({ text }) => {
      try {
        const reported = text?.replaceAll(/[0-9a-f]{32,}/g, (number) => names[number] ?? number);
        return reported === undefined ? [] : [JSON.parse(reported) as Partial<AuditEntry>];
      } catch {
        return [];
      }
    }),
  );
}

/** @param hashOf computes the hash of a link with this text */
export function faultsOfExcerpt(
  { chains, anchors }: AuditExcerpt,
  hashOf: (position: Pick<ExcerptLink, 'prev' | 'number' | 'at'>, text: string) => string,
): string[] {
  const faults: string[] = [];
  const heads = new Map<string, string>();
  for (const { text, ...link } of anchors) {
    if (hashOf(link, text) !== link.hash)
      faults.push(`anchor ${link.number} is not as it was written`);
    else for (const [chain, number, hash] of headsIn(text)) heads.set(`${chain} ${number}`, hash);
  }
  for (const { beginning, chain, links } of chains) {
    let before: ExcerptLink | null = null;
    for (const { text, ...link } of links) {
      if (text !== null && hashOf(link, text) !== link.hash)
        faults.push(`${chain} record ${link.number} is not as it was written`);
      const prev: string | null = before?.hash ?? (link.number === 1 ? beginning : link.prev);
      const isNext = before === null || link.number === before.number + 1;
      if (!isNext || link.prev !== prev)
        faults.push(`${chain} record ${link.number} does not follow the one before it`);
      before = { ...link, text };
    }
    const isNamed = before !== null && heads.get(`${chain} ${before.number}`) === before.hash;
    if (!isNamed) faults.push(`${chain}: no anchor names its end`);
  }
  return faults;
}

/** Empty when it is no anchor: its writer is unknown. */
function headsIn(text: string): [string, number, string][] {
  try {
    const { heads } = JSON.parse(text) as { heads?: [string, number, string][] };
    return Array.isArray(heads) ? heads.filter((head) => Array.isArray(head)) : [];
  } catch {
    return [];
  }
}
