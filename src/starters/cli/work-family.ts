import type { ReportLanguage } from '../../report/formats';
import { UsageError } from '../jobs/errors';
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

/** @throws UsageError when it is another order than to stop */
export function refuseAllButCancel(id: string, name: OrderName, what: string): void {
  if (!name.startsWith('cancel')) throw new UsageError(`${id}: ${what} can only be cancelled`);
}
