import { join } from 'node:path';

/** Commands of the demo on the sandbox, as a person would type them. */
export interface DemoCommands {
  examples: string;
  /** Folder of the results. */
  out: string;
}

const monitors = ['1', '2', '3'].map((n) => `5f0d2f0a-3c11-4b7e-9a55-6d1c0c0a000${n}`);
const completedDossier = '8d5b9f3e-2c1a-4e7d-9b60-1f2e3d4c5b60';
/** The service requests a review of it. */
export const reviewedDossier = '8d5b9f3e-2c1a-4e7d-9b60-1f2e3d4c5b6a';

/** A company whose receivables are bought: its dossier waits for a person. */
export function assignor({ examples }: DemoCommands): string[] {
  const file = (name: string): string => join(examples, 'remessas', name);
  const receivables = ['--receivables', file('lote-1.rem'), '--xmls', file('lote-1.zip')];
  const about = ['--cnpj', '11222333000181', ...receivables, '--dossier', reviewedDossier];
  return ['investigate', '--plan', 'assignor', ...about];
}

/** Both complete without a person. */
export function investigations({ out }: DemoCommands): string[][] {
  const supplier = ['--cnpj', '11222333000181', '--name', 'Padaria Pao e Cia'];
  const person = ['--cpf', '52998224725', '--email', 'bia@example.com'];
  const about = {
    supplier: [...supplier, '--email', 'ana@example.com'],
    individual: [...person, '--dossier', completedDossier],
  };
  return Object.entries(about).map(([plan, words]) => {
    return ['investigate', '--plan', plan, ...words, '--out', join(out, `investigation-${plan}`)];
  });
}

export function sweep(): string[] {
  return ['monitor', 'sweep', '--monitors', monitors.join(',')];
}
