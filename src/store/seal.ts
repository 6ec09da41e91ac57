/** Seals what a column holds for the row it stands in. */
export interface Seal {
  seal(name: string, plain: string): Promise<Uint8Array | string>;
  open(name: string, body: Uint8Array): Buffer;
}

/** Leaves everything as it is. */
export const noSeal: Seal = {
  seal: async (_name, plain) => plain,
  open: (_name, body) => Buffer.from(body),
};

/** What is sealed for one row of a table opens in no other. */
export function rowName(table: string, ...key: readonly unknown[]): string {
  return `${table}/${JSON.stringify(key)}`;
}
