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
