import type { CertificateType, RowStatus } from '../../domain/certificates/certificates';
import type { DecisionAction } from '../../domain/certificates/job';
import type { Advice, StatusLeft } from './next-steps';

/** Texts of a report. Numbers come in as text, formatted for the language; `n` selects singular or plural. */
export const en = {
  htmlLanguage: 'en',
  title: 'Certificate report',
  titleSingle: 'Certificate',
  issuedOf: (issued: string, total: string, n: number) =>
    n === 1 ? `${issued} of 1 line issued` : `${issued} of ${total} lines issued`,
  nothingLeft: 'Nothing is left to do.',
  needAPerson: (count: string, n: number) =>
    n === 1 ? '1 line needs a person.' : `${count} lines need a person.`,
  onlyCancelled: (count: string, n: number) =>
    n === 1 ? '1 line was cancelled.' : `${count} lines were cancelled.`,

  tiles: {
    issued: 'Issued',
    ofTotal: (share: string, total: string) => `${share} of ${total}`,
    person: 'Need a person',
    personNone: 'every line has a good end',
    personSome: 'see “What is left to do”',
    requested: 'Requests sent',
    takenOver: (count: string) => `${count} taken from earlier work`,
    requestedNote: 'or may have been sent',
    doubleCharges: 'Possible double charges',
    doubleChargesNone: 'nothing was sent over an unknown outcome',
    doubleChargesSome: 'see the lines below',
    cost: 'Cost',
    costNotReported: 'not told',
    costNote: 'the service tells no cost for certificates',
    costReported: 'as the service told it',
    wait: 'Median wait',
    waitNote: (most: string) => `9 in 10 within ${most}`,
    waitNone: 'nothing was issued',
  },

  outcomes: 'How the lines ended',
  status: 'Status',
  lines: 'Lines',
  share: 'Share',
  total: 'Total',
  statuses: {
    issued: 'Issued',
    duplicate: 'Duplicate',
    unknown_outcome: 'Unknown outcome',
    failed: 'Failed',
    expired: 'Expired',
    invalid: 'Invalid',
    unsupported: 'Unsupported',
    cancelled: 'Cancelled',
    erased: 'Erased',
  } satisfies Record<RowStatus, string>,
  statusMeans: {
    issued: 'completed, and its PDF was checked',
    duplicate: 'same document and type as an earlier line; carries its result',
    unknown_outcome: 'the answer was lost: the service may or may not have accepted the request',
    failed: 'refused by the service, or ended there as failed',
    expired: 'not settled within the time given',
    invalid: 'the line of the spreadsheet cannot be read as a request',
    unsupported: 'valid, but the service does not take it yet',
    cancelled: 'never sent, left at the service, or given up',
    erased: 'personal data, erased for good',
  } satisfies Record<RowStatus, string>,

  issuedOverTime: 'Issued over time',
  issuedOverTimeSummary: (count: string, from: string, to: string) =>
    `${count} issued between ${from} and ${to}, by the service’s clock.`,
  laterIssued: (count: string, last: string) => `${count} more came later, the last ${last}.`,
  untimed: (count: string) => `${count} more without a time told by the service.`,
  waits: 'From request to issuance',
  waitsSummary: (half: string, most: string, longest: string) =>
    `Half within ${half}, nine in ten within ${most}, the longest ${longest}.`,
  longerWaits: (count: string, longest: string) =>
    `${count} waited longer than the picture shows, up to ${longest}.`,
  waitsUnit: { ms: 'in seconds', s: 'in seconds', min: 'in minutes', h: 'in hours', d: 'in days' },
  noneIssued: 'This work issued nothing that could be drawn here.',
  figures: 'The figures',
  until: 'Until',
  waitedFrom: 'Waited from',
  issuedSoFar: 'Issued so far',
  certificates: 'Certificates',

  classifications: 'What the certificates say',
  classification: 'Classification, as the service told it',
  noClassification: '(none told)',
  otherClassifications: '(other words)',
  divergent: (count: string, n: number) =>
    n === 1
      ? 'One has official data that differ from the data on record (“divergent” in results.csv).'
      : `${count} have official data that differ from the data on record (“divergent” in results.csv).`,

  issuedRows: 'Issued certificates',
  holder: 'Holder',
  says: 'What it says',
  source: 'Source',
  officialName: (name: string) => `official name: ${name}`,
  differs: (name: string | null) => `differs from the name on record: ${name ?? '–'}`,

  left: 'What is left to do',
  leftIntro:
    'Copy a command, put your reason into --note, and run it where diligence is set up. The reason goes on record.',
  line: 'Line',
  subject: 'Document',
  happened: 'What happened',
  next: 'What to do next',
  reference: 'reference',
  requestedAt: 'requested',
  certidaoId: 'certidao_id',
  all: 'All of them at once',
  more: (count: string) => `and ${count} more in results.csv`,
  notePlaceholder: 'why',
  leftMeans: {
    unknown_outcome:
      'The request left and its answer was lost. Asking again may be charged twice, so nothing asks again by itself. In this order:',
    failed: 'Read the message first. Asking again is a new request, which may be charged.',
    expired: 'The service had not finished in the time given. Looking again sends no new request.',
    invalid:
      'Mend these lines in the spreadsheet and run the file again, which makes a new batch. What was issued within --max-age (7 days) is not bought again; lines that failed are asked for again.',
    unsupported:
      'Alphanumeric CNPJs are valid, but the service does not take them yet. Nothing can be done today.',
    cancelled: 'These count as done. If they are wanted after all:',
  } satisfies Record<StatusLeft, string>,
  unknownSteps: {
    watch: 'Look for an answer that came late. Sends nothing.',
    adopt: 'Ask the service’s support about the line. If they name an id, take it over:',
    reissue: 'Send again, and accept that both may be charged:',
    abandon: 'Or give it up:',
  } satisfies Record<DecisionAction, string>,
  advice: {
    look_for_late_answer: 'Look for a late answer first. Sends nothing.',
    ask_again: 'Ask for it again.',
    ask_again_in_doubt: 'The service says that asking again does not help. If the cause is mended:',
    read_again: 'Look at it again. Sends no new request.',
    mend: 'Mend the line.',
    wait: 'Wait.',
    nothing: 'Nothing: it was given up on purpose.',
  } satisfies Record<Advice, string>,

  doubleCharges: 'Possible double charges',
  doubleChargesMeans: (count: string, n: number) =>
    `${n === 1 ? 'One line was' : `${count} lines were`} sent again over an unknown outcome. If the lost request had been accepted, the service may charge both. Compare with its invoice.`,

  decisions: 'Decisions taken',
  decision: 'Decision',
  decidedAt: 'When',
  decidedBy: 'Who',
  reason: 'Reason',
  actions: {
    reissue: 'send again',
    abandon: 'give up',
    watch: 'look again',
    adopt: 'take over an id',
  } satisfies Record<DecisionAction, string>,
  decidedLines: (count: string, n: number) => (n === 1 ? '1 line' : `${count} lines`),

  details: 'About this work',
  batchId: 'Batch id',
  input: 'Input',
  singleInput: 'one document, given on the command line',
  sha256: 'sha256 of the input',
  blankLines: (count: string) => `${count} blank lines left out`,
  label: 'Label',
  type: 'Type for lines without one',
  types: {
    cnpj: 'cnpj',
    trabalhista: 'trabalhista (labour)',
  } satisfies Record<CertificateType, string>,
  createdBy: 'Started by',
  started: 'Started',
  ended: 'Ended',
  took: (duration: string) => `after ${duration}`,
  edition: 'Results written',
  times: (count: string, n: number) => (n === 1 ? 'once' : `${count} times`),
  terms: 'Terms',
  auditHead: 'Audit trail, head',
  termsNotStored: 'not on file: an earlier version of diligence started this work',
  deadlineTerm: (duration: string) => `a row has ${duration} from its request`,
  reuseTerm: (since: string) => `what was issued since ${since} is taken over, not bought again`,
  unknownTerms: {
    report: 'a lost answer waits for a person',
    reissue: 'a lost answer is sent again once, by itself',
  },
  timeZone: 'Time zone',
  footer:
    'Documents are masked. The lines are those of the spreadsheet (the header is line 1), and results.csv beside this file holds them in full.',
  written: (at: string) => `Written by diligence on ${at}.`,

  /** A message of this program, in the report's language: English is unchanged. */
  message: (reported: { code: string | null; category: string | null; message: string | null }) =>
    reported.message ?? reported.code ?? '',
  note: (note: string) => note,
};

export type ReportTexts = typeof en;
