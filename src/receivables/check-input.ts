import { type CnabCode } from '../domain/cnab/checks';
import { type Finding, type FindingLevel, worstLevel } from '../domain/cnab/finding';
import type { CnabReceivable } from '../domain/cnab/records';
import { maskInvoiceKey } from '../domain/cnab/invoice-key';
import type { InvoiceCode } from './invoice-checks';
import { type InvoiceZip, readInvoiceZip } from './invoice-zip';
import { shownEntry } from './zip-entries';
import { scanFile, type ScannedFile } from './scan-file';

export interface InputFiles {
  cnab: string;
  /** A ZIP of NF-e documents. */
  xmls?: string;
  /** `YYYY-MM-DD`. */
  today: string;
}

export interface CheckedInvoices {
  entries: number;
  invoices: number;
  documents: ReadonlySet<string>;
  findings: Finding<InvoiceCode>[];
  counts: Partial<Record<InvoiceCode, number>>;
}

export interface CheckedInput {
  cnab: ScannedFile;
  /** Null without a ZIP. */
  invoices: CheckedInvoices | null;
  /** The most severe of both; null without findings. */
  worst: FindingLevel | null;
}

/**
 * Checks the CNAB file, the ZIP of invoices, and whether they match.
 * Throws InputFileError when one of them cannot be read at all.
 */
export async function checkInput({ cnab, xmls, today }: InputFiles): Promise<CheckedInput> {
  const zip = xmls === undefined ? null : await readInvoiceZip(xmls);
  const match = zip && invoiceMatch(zip);
  const scanned = await scanFile(cnab, {
    today,
    ...(match && { onReceivable: (receivable) => match.add(receivable) }),
  });
  match?.finish(scanned);
  const invoices = zip && {
    entries: zip.entries,
    invoices: zip.invoices.size,
    documents: zip.documents,
    findings: zip.findings.list(),
    counts: zip.findings.counts(),
  };
  const findings: Finding<CnabCode | InvoiceCode>[] = [
    ...scanned.findings,
    ...(invoices?.findings ?? []),
  ];
  return { cnab: scanned, invoices, worst: worstLevel(findings) };
}

/** Keys of the CNAB file without a document in the ZIP, and the reverse. */
function invoiceMatch({ findings, invoices }: InvoiceZip) {
  const used = new Set<string>();
  return {
    add({ line, invoiceKey: key, invoiceKeyColumns: columns }: CnabReceivable): void {
      if (key === null || invoices.size === 0) return;
      if (invoices.has(key)) used.add(key);
      else
        findings.add('invoice_missing', maskInvoiceKey(key), { line, ...(columns && { columns }) });
    },
    /** A 400-column file names no invoices: nothing to compare. */
    finish({ withInvoiceKey }: ScannedFile): void {
      if (withInvoiceKey === 0) return;
      for (const [key, { entry }] of invoices) {
        const position = { entry: shownEntry(entry) };
        if (!used.has(key)) findings.add('invoice_unused', maskInvoiceKey(key), position);
      }
    },
  };
}
