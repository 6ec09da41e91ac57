import type { ReportLanguage } from '../../report/formats';
import type { Order } from '../jobs/job-kind';
import type { CommandContext } from '../jobs/context';

/** What `result` is told about what it writes. */
export interface ResultOptions {
  out?: string;
  excel?: true;
  pdfNames: 'id' | 'reference';
  lang: ReportLanguage;
  json?: true;
}

export type OrderName = Order;

/** Works of one resource, as `show`, `result` and the orders see them. */
export interface WorkFamily {
  owns(id: string): boolean;
  /** `result` takes `--excel`. */
  takesExcel?: true;
  status(place: CommandContext, id: string, json: boolean): Promise<void>;
  /** @returns the exit code */
  result(place: CommandContext, id: string, options: ResultOptions): Promise<number>;
  order(place: CommandContext, id: string, name: OrderName): Promise<void>;
}
