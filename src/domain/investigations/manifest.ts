import type { AuditExcerpt } from '../core/audit-excerpt';
import type { EvidenceRow } from './report';

/** What stands in the folder of a report, and where it came from: `manifest.json`, signed as it stands. */
export interface Manifest {
  version: 1;
  investigation: string;
  plan: string;
  requestedBy: string;
  requestedAt: string;
  settledAt: string;
  /** All but the manifest and its signature. */
  files: ManifestFile[];
  audit: AuditExcerpt;
}

export interface ManifestFile {
  path: string;
  bytes: number;
  sha256: string;
  /** Null: it was made here, of the others. */
  evidence: Omit<EvidenceRow, 'path' | 'bytes' | 'sha256'> | null;
}

/** `manifest.sig`. */
export interface ManifestSignature {
  algorithm: 'Ed25519';
  publicKey: string;
  /** Base64, of the bytes of `manifest.json`. */
  signature: string;
}

export const manifestName = 'manifest.json';
export const signatureName = 'manifest.sig';
