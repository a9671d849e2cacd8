import type { Value } from "./value.ts";

/**
 * `local`: this machine. `remote`: another one (ssh, kubectl exec, docker exec), cwd unknown. `container`: a
 * fresh file system (docker run, chroot) in which only the mounts are ours.
 */
export type Place =
  | { readonly kind: "local" }
  | { readonly kind: "remote"; readonly via: string; readonly host: Value | undefined }
  | { readonly kind: "container"; readonly via: string; readonly mounts: readonly Mount[] };

export interface Mount {
  readonly host: Value;
  /** Absolute path inside. */
  readonly inside: Value;
  readonly isReadOnly: boolean;
}

/** The home directory on another machine: somewhere below the homes there, under a name that is not known. */
export const REMOTE_HOME = "/home/~";

/** The home directory that a program finds there, when `local` is the one of this machine. */
export function homeAt({ kind }: Place, local: string): string {
  return kind === "local" ? local : kind === "container" ? "/root" : REMOTE_HOME;
}
