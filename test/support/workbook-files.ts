import writeXlsxFile, { type SheetData } from 'write-excel-file/node';

export interface TestSheet {
  name: string;
  /** Cells as the writer takes them; with `xml`, what stands in `<sheetData>` instead. */
  data?: SheetData;
  xml?: string;
  hidden?: boolean;
}

/** A workbook of several sheets; what the writer cannot write is given as XML. */
export async function workbookFile(sheets: readonly TestSheet[]): Promise<Buffer> {
  const hidden = sheets.filter((sheet) => sheet.hidden === true).map(({ name }) => name);
  return writeXlsxFile(
    sheets.map(({ name, data }) => ({
      sheet: name,
      data: data ?? [['']],
      dateFormat: 'dd/mm/yyyy',
    })),
    {
      features: [
        {
          files: {
            transform: {
              'xl/worksheets/sheet{id}.xml': {
                transform: (content, _options, { sheetIndex }) => {
                  const xml = sheets[sheetIndex]?.xml;
                  if (xml === undefined) return content;
                  return content.replace(
                    /<sheetData>.*<\/sheetData>|<sheetData\/>/s,
                    () => `<sheetData>${xml}</sheetData>`,
                  );
                },
              },
              'xl/workbook.xml': {
                transform: (content) =>
                  content.replace(/<sheet [^>]*name="([^"]*)"/g, (all, name: string) =>
                    hidden.includes(name) ? `${all} state="hidden"` : all,
                  ),
              },
            },
          },
        },
      ],
    },
  ).toBuffer();
}

/** A cell for `<sheetData>`: its address, its attributes (` t="e"`) and what stands in it. */
export function cellXml(address: string, attributes: string, content: string): string {
  return `<c r="${address}"${attributes}>${content}</c>`;
}

/** A cell of text within the sheet itself. */
export function textXml(address: string, text: string): string {
  return cellXml(address, ' t="inlineStr"', `<is><t>${text}</t></is>`);
}

export function rowXml(row: number, ...cells: string[]): string {
  return `<row r="${row}">${cells.join('')}</row>`;
}
