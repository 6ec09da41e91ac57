/** A file that the service made or holds: a dossier's PDF, the picture of a lens analysis. */
export interface Artifact {
  /** As it was told, where that is fit for a name; else a hash of it, or its place in the list. */
  artifactId: string;
  type: string | null;
  mediaType: string | null;
  /** `available` is shown; others are kept as they came. */
  status: string | null;
  /** Null: not told. May hold a signature: never logged, never in a history. */
  url: string | null;
  /** ISO 8601 instant after which the address no longer works; the artifact may be there still. */
  urlExpiresAt: string | null;
  /** ISO 8601 instant after which the artifact is gone. */
  availableUntil: string | null;
}

/** As it is stored. */
export interface StoredArtifact {
  artifactId: string;
  type: string | null;
  /** By its content. */
  mediaType: string;
  key: string;
  sha256: string;
  bytes: number;
}

export interface ArtifactNotStored {
  artifactId: string;
  type: string | null;
  /** `no longer available`, `no address`, `empty`, `not a PDF`...: words of ours. */
  why: string;
  /** By us: we do not call where it lies, until that is allowed. */
  isRefused?: true;
}

export interface ArtifactFiles {
  stored: StoredArtifact[];
  notStored: ArtifactNotStored[];
}
