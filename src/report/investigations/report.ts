import type { InvestigationReport } from '../../domain/investigations/report';
export function investigationHtml(report: InvestigationReport, writtenAt: number): string {
  return `${report.id} ${writtenAt}`;
}
