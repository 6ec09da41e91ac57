import type {
  RequestInput,
  RowAnswer,
  PollAnswer,
  PollInput,
} from '../../src/domain/certificates/certificate-rows';
import type * as workflows from '../../src/workflows';
import type { CertificateActivities } from '../../src/workflows/certificates/activities';
import type { IssueCertificateInput } from '../../src/workflows/inputs';

/** Histories carry references, never tax numbers: no input of a workflow has a place for one. */

type DocumentKey = 'document' | 'documents' | 'documento' | 'cpf' | 'cnpj' | 'taxNumber';

/** Every key at every depth of a type, through arrays, tuples and unions. */
type KeysWithin<T> = T extends readonly (infer Item)[]
  ? KeysWithin<Item>
  : T extends (...args: never) => unknown
    ? never
    : T extends object
      ? { [Key in keyof T]-?: Key | KeysWithin<T[Key]> }[keyof T]
      : never;

type DocumentsIn<T> = Extract<KeysWithin<T>, DocumentKey>;

type InputsOf<Functions> = {
  [Name in keyof Functions]: Functions[Name] extends (...args: infer Input) => unknown
    ? Input
    : never;
}[keyof Functions];

type ResultsOf<Functions> = {
  [Name in keyof Functions]: Functions[Name] extends (...args: never) => Promise<infer Result>
    ? Result
    : never;
}[keyof Functions];

/** Compiles only when nothing is found. */
type None<T extends never> = [T] extends [never] ? true : false;

export const nowhere: [
  None<DocumentsIn<InputsOf<typeof workflows>>>,
  None<DocumentsIn<ResultsOf<typeof workflows>>>,
  None<DocumentsIn<InputsOf<CertificateActivities>>>,
  None<DocumentsIn<ResultsOf<CertificateActivities>>>,
  None<DocumentsIn<RequestInput | RowAnswer | PollInput | PollAnswer>>,
] = [true, true, true, true, true];

// The search finds what it is to find.
// @ts-expect-error a document, deep down
export const found: None<DocumentsIn<{ rows: [{ of: { document: string } }] }>> = true;

export function withDocument(input: IssueCertificateInput): IssueCertificateInput {
  // @ts-expect-error there is no place for a document
  return { ...input, document: '52998224725' };
}

export function withNumberInTheWork(input: IssueCertificateInput): IssueCertificateInput {
  // @ts-expect-error nor in the reference to the work
  return { ...input, list: { ...input.list, cnpj: '11222333000181' } };
}
