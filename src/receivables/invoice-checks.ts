import type { Check } from '../domain/cnab/finding';

/** What the ZIP of invoices is looked at for, and how it fits the CNAB file. */
export const invoiceChecks = {
  zip_unreadable: {
    level: 'block',
    expected: 'a ZIP file',
    sentence: 'The invoices cannot be read: they go into one ZIP file, whole and unsplit.',
  },
  zip_path: {
    level: 'block',
    expected: 'a name within the ZIP',
    sentence: 'The entry would be unpacked elsewhere on the disk of whoever opens the ZIP.',
  },
  zip_encrypted: {
    level: 'block',
    expected: 'no password',
    sentence: 'The entry is encrypted: make the ZIP again without a password.',
  },
  zip_too_large: {
    level: 'block',
    expected: 'invoices',
    sentence: 'The ZIP unpacks to more than invoices do: it is damaged, or made to do harm.',
  },
  zip_repeated_name: {
    level: 'block',
    expected: 'every name once',
    sentence: 'Two entries have the same name: which of them counts is anybody’s guess.',
  },
  xml_entities: {
    level: 'block',
    expected: 'XML without DOCTYPE and entities',
    sentence:
      'The document declares entities, which no NF-e does, and which may be made to do harm.',
  },
  xml_broken: {
    level: 'override',
    expected: 'a whole XML document',
    sentence: 'The document cannot be read: it is cut short or damaged.',
  },
  no_invoice: {
    level: 'override',
    expected: 'at least one NF-e',
    sentence: 'The ZIP holds no NF-e at all.',
  },
  not_an_invoice: {
    level: 'warn',
    expected: 'an NF-e (nfeProc or NFe)',
    sentence: 'The document is no NF-e; the invoice rules have no use for it.',
  },
  not_xml: {
    level: 'warn',
    expected: 'a name that ends in .xml',
    sentence: 'The entry is no XML document, and was not looked at.',
  },
  xml_key: {
    level: 'warn',
    expected: 'an NF-e key of 44 characters whose check digit agrees',
    sentence: 'The key of the invoice cannot be right.',
  },
  xml_protocol: {
    level: 'warn',
    expected: 'the key of the invoice',
    sentence: 'The protocol of the tax authority is that of another invoice.',
  },
  repeated_invoice: {
    level: 'warn',
    expected: 'every invoice once',
    sentence: 'Another entry has an invoice of the same key.',
  },
  invoice_missing: {
    level: 'warn',
    expected: 'its XML in the ZIP',
    sentence: 'The ZIP has no invoice of this key.',
  },
  invoice_unused: {
    level: 'warn',
    expected: 'its key in the CNAB file',
    sentence: 'No receivable names this invoice.',
  },
} as const satisfies Record<string, Check>;

export type InvoiceCode = keyof typeof invoiceChecks;
