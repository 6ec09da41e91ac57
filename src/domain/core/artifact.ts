export interface Artifact {
  /** As reported, if fit for a file name; else its hash, or its position in the list. */
  artifactId: string;
  type: string | null;
  mediaType: string | null;
  status: string | null;
  /** Null: not reported. May hold a signature: never logged, never in a history. */
  url: string | null;
  /** ISO 8601 instant after which the address no longer works; the artifact may be there still. */
  urlExpiresAt: string | null;
  availableUntil: string | null;
}

export interface StoredArtifact {
  artifactId: string;
  type: string | null;
  mediaType: string;
  key: string;
  sha256: string;
  bytes: number;
}

export interface ArtifactNotStored {
  artifactId: string;
  type: string | null;
  /** `no longer available`, `no address`, `empty`, `not a PDF`...: our words. */
  why: string;
  /** By us: its address is not allowed. */
  isRefused?: true;
}

export interface ArtifactFiles {
  stored: StoredArtifact[];
  notStored: ArtifactNotStored[];
}
