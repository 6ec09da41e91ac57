/** What a row of the coverage table says. One table for each service; see `investigation.ts`. */
export interface CoverageRow {
  /** Which behaviour of the sandbox shows the item. */
  sandbox: string;
  client: ClientPlace;
  /** `file › title` of a test, the file below `test/`. */
  test: `${string} › ${string}`;
}

/**
 * Where the client holds the item: a declaration in src; the matter of an assumption for what the
 * specification does not show; the reason why the client does not read it; or what is to hold it.
 */
export type ClientPlace =
  | `src/${string}#${string}`
  | `assumption: ${string}`
  | `not read: ${string}`
  | `planned: ${string}`;

/** Items of the specification by section, in our own words. */
export type Checklist = Readonly<Record<string, readonly string[]>>;

/** Exactly one row for each item of the checklist: a missing or a foreign one does not compile. */
export type CoverageTable<List extends Checklist = Checklist> = {
  readonly [Section in keyof List]: Readonly<Record<List[Section][number], CoverageRow>>;
};

/** Method and path of an endpoint, and the words of a command. */
export type EndpointCommands = Readonly<Record<string, string>>;
