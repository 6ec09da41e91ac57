import { maskDocument } from '../domain/documents';

const documents =
  /(?<![0-9A-Za-z])(?:\d{3}[. ]?\d{3}[. ]?\d{3}[- ]?\d{2}|[0-9A-Z]{2}[. ]?[0-9A-Z]{3}[. ]?[0-9A-Z]{3}[/ ]?[0-9A-Z]{4}[- ]?\d{2})(?![0-9A-Za-z])/g;

/** Text with everything that has the shape of a CPF or CNPJ masked, whether or not it is one. */
export function maskDocumentsIn(text: string): string {
  return text.replaceAll(documents, (found) => {
    const bare = found.replaceAll(/[./ -]/g, '');
    return /\d{8}/.test(bare) || /[./-]/.test(found) ? maskDocument(bare) : found;
  });
}
