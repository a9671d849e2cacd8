import { HOST_LIST } from "./descriptors.ts";
import type { AgentProgram, ProtectedFiles } from "./host.ts";

// What the guard knows about hosts, collected from their descriptors.

function collect(kind: keyof ProtectedFiles): readonly string[] {
  return [...new Set(HOST_LIST.flatMap(({ protects }) => protects?.[kind] ?? []))];
}

/** Files that decide which hooks an agent runs, below a project or a home directory; `/**` is a whole tree. */
export const WIRING_FILES: readonly string[] = [
  ...collect("wiring"),
  ...HOST_LIST.flatMap(({ registration }) => {
    const ending = registration?.layout.kind === "executables" ? "/**" : "";
    return Object.values(registration?.files ?? {}).map(path => path + ending);
  }),
];

/** Directories whose loss takes the wiring with it. */
export const WIRING_TREES = collect("trees");

/** Absolute directories in which an administrator's settings of hosts lie. */
export const MANAGED_DIRECTORIES = collect("managed");

/** Below the home directory. */
export const CREDENTIAL_FILES = collect("credentials");

/** Command line programs of agents. */
export const AGENT_PROGRAMS: readonly AgentProgram[] = HOST_LIST.flatMap(({ program }) => program ?? []);
