import { block, override, warn, type Check } from '../domain/cnab/finding';

/** Checks of the ZIP of invoices, and of its match with the CNAB file. */
export const invoiceChecks = {
  zip_unreadable: block(
    'a ZIP file',
    'um arquivo ZIP',
    'The invoices cannot be read: they go into one ZIP file, whole and unsplit.',
    'As notas não podem ser lidas: devem estar em um só arquivo ZIP, íntegro e não dividido.',
  ),
  zip_path: block(
    'a name within the ZIP',
    'um nome dentro do ZIP',
    'The entry would be unpacked elsewhere on the disk of whoever opens the ZIP.',
    'A entrada seria descompactada em outro lugar do disco de quem abre o ZIP.',
  ),
  zip_encrypted: block(
    'no password',
    'sem senha',
    'The entry is encrypted: make the ZIP again without a password.',
    'A entrada está criptografada: refaça o ZIP sem senha.',
  ),
  zip_too_large: block(
    'invoices',
    'notas fiscais',
    'The ZIP unpacks to more than invoices do: it is damaged, or made to do harm.',
    'O ZIP descompactado é maior do que notas fiscais: está corrompido, ou foi feito para causar dano.',
  ),
  zip_repeated_name: block(
    'every name once',
    'cada nome uma vez',
    'Two entries have the same name: which of them counts is not known.',
    'Duas entradas têm o mesmo nome: não se sabe qual delas vale.',
  ),
  xml_entities: block(
    'XML without DOCTYPE and entities',
    'XML sem DOCTYPE nem entidades',
    'The document declares entities, which no NF-e does, and which may be made to do harm.',
    'O documento declara entidades, o que nenhuma NF-e faz, e que pode causar dano.',
  ),
  xml_broken: override(
    'a whole XML document',
    'um documento XML inteiro',
    'The document cannot be read: it is cut short or damaged.',
    'O documento não pode ser lido: está truncado ou corrompido.',
  ),
  no_invoice: override(
    'at least one NF-e',
    'ao menos uma NF-e',
    'The ZIP holds no NF-e at all.',
    'O ZIP não tem nenhuma NF-e.',
  ),
  not_an_invoice: warn(
    'an NF-e (nfeProc or NFe)',
    'uma NF-e (nfeProc ou NFe)',
    'The document is no NF-e; the invoice rules have no use for it.',
    'O documento não é uma NF-e e não serve às regras de notas.',
  ),
  not_xml: warn(
    'a name that ends in .xml',
    'um nome que termine em .xml',
    'The entry is no XML document, and was not looked at.',
    'A entrada não é um documento XML e não foi examinada.',
  ),
  xml_key: warn(
    'an NF-e key of 44 characters whose check digit agrees',
    'uma chave de NF-e de 44 caracteres com dígito verificador correto',
    'The key of the invoice cannot be right.',
    'A chave da nota não pode estar certa.',
  ),
  xml_protocol: warn(
    'the key of the invoice',
    'a chave da nota',
    'The protocol of the tax authority is that of another invoice.',
    'O protocolo da SEFAZ é de outra nota.',
  ),
  repeated_invoice: warn(
    'every invoice once',
    'cada nota uma vez',
    'Another entry has an invoice of the same key.',
    'Outra entrada tem uma nota com a mesma chave.',
  ),
  invoice_missing: warn(
    'its XML in the ZIP',
    'o seu XML no ZIP',
    'The ZIP has no invoice of this key.',
    'O ZIP não tem nenhuma nota com esta chave.',
  ),
  invoice_unused: warn(
    'its key in the CNAB file',
    'a sua chave no arquivo CNAB',
    'No receivable names this invoice.',
    'Nenhum recebível indica esta nota.',
  ),
} as const satisfies Record<string, Check>;

export type InvoiceCode = keyof typeof invoiceChecks;
