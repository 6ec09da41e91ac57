/** Documents as PDF files of one page: the same words always give the same bytes. */

export interface PdfWords {
  heading: string;
  name?: string;
  document?: string;
  id: string;
  outcome: string;
}

export function fictionalPdf({
  heading,
  name = '-',
  document = '-',
  id,
  outcome,
}: PdfWords): Buffer {
  const lines = [
    heading,
    `Nome:      ${name}`,
    `Documento: ${document}`,
    `Certidao:  ${id}`,
    `Resultado: ${outcome}`,
    'Documento ficticio, emitido pelo sandbox. Sem valor legal.',
  ];
  // Parentheses and backslashes would end or bend the PDF string.
  const shown = lines.map((line) => `(${line.replaceAll(/[()\\]/g, ' ')}) Tj T*`).join('\n');
  const content = `BT\n/F 10 Tf\n20 TL\n50 780 Td\n${shown}\nET`;
  const objects = [
    '<</Type/Catalog/Pages 2 0 R>>',
    '<</Type/Pages/Kids[3 0 R]/Count 1>>',
    '<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Resources<</Font<</F 4 0 R>>>>/Contents 5 0 R>>',
    '<</Type/Font/Subtype/Type1/BaseFont/Courier>>',
    `<</Length ${content.length}>>\nstream\n${content}\nendstream`,
  ];
  let text = '%PDF-1.4\n';
  let entries = '0000000000 65535 f \n';
  for (const [index, object] of objects.entries()) {
    entries += `${String(text.length).padStart(10, '0')} 00000 n \n`;
    text += `${index + 1} 0 obj\n${object}\nendobj\n`;
  }
  const trailer = `trailer\n<</Size ${objects.length + 1}/Root 1 0 R>>\nstartxref\n${text.length}\n%%EOF\n`;
  return Buffer.from(`${text}xref\n0 ${objects.length + 1}\n${entries}${trailer}`, 'latin1');
}
