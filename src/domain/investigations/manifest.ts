import type { AuditExcerpt } from '../core/audit-excerpt';
import type { EvidenceRow } from './report';

/** `manifest.json`: the files of a report's folder and their origin. Its bytes are signed. */
export interface Manifest {
  version: 1;
  investigation: string;
  plan: string;
  requestedBy: string;
  requestedAt: string;
  settledAt: string;
  /** All except the manifest and its signature. */
  files: ManifestFile[];
  audit: AuditExcerpt;
}

export interface ManifestFile {
  path: string;
  bytes: number;
  sha256: string;
  /** Null: derived from the others. */
  evidence: Omit<EvidenceRow, 'path' | 'bytes' | 'sha256'> | null;
}

export interface ManifestSignature {
  algorithm: 'Ed25519';
  publicKey: string;
  /** Base64, of the bytes of `manifest.json`. */
  signature: string;
}

export const manifestName = 'manifest.json';
export const signatureName = 'manifest.sig';
