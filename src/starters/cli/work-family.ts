import type { ReportLanguage } from '../../report/formats';
import { UsageError } from '../jobs/errors';
import type { CommandContext } from '../jobs/context';

/** What `result` is told about what it writes. */
export interface ResultOptions {
  out?: string;
  excel?: true;
  pdfNames: 'id' | 'reference';
  lang: ReportLanguage;
  json?: true;
}

export type OrderName = 'cancel' | 'cancel_now' | 'pause' | 'resume';

/** What `cancel` is told beside the id. */
export interface OrderOptions {
  /** What runs at the service too. */
  cancelRemote?: true;
}

/** Works of one resource, as `status`, `result` and the orders see them. */
export interface WorkFamily {
  owns(id: string): boolean;
  /** `result` takes `--excel`. */
  takesExcel?: true;
  /** `cancel` takes `--cancel-remote`. */
  ordersTheService?: true;
  status(place: CommandContext, id: string, json: boolean): Promise<void>;
  /** @returns the exit code */
  result(place: CommandContext, id: string, options: ResultOptions): Promise<number>;
  order(place: CommandContext, id: string, name: OrderName, options: OrderOptions): Promise<void>;
}

/** @throws UsageError when there is one: it would change nothing */
export function refuseCertificateFlags(
  id: string,
  { excel, lang, pdfNames }: ResultOptions,
  takesExcel?: true,
): void {
  const flag =
    excel === true && takesExcel !== true
      ? '--excel'
      : lang !== 'en'
        ? `--lang ${lang}`
        : pdfNames !== 'id'
          ? `--pdf-names ${pdfNames}`
          : null;
  if (flag !== null) throw new UsageError(`${flag} is for certificates: ${id} is written without`);
}

/** @throws UsageError when it is another order than to stop */
export function refuseAllButCancel(id: string, name: OrderName, what: string): void {
  if (!name.startsWith('cancel')) throw new UsageError(`${id}: ${what} can only be cancelled`);
}
