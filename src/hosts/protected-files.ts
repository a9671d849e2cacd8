import { dirname, join } from "../system/index.ts";
import { HOST_LIST } from "./descriptors.ts";
import type { AgentProgram, HostDescriptor, ProtectedFiles, Registration } from "./host.ts";
import { OWN_SKILLS } from "./own-names.ts";

// What the guard knows about hosts, collected from their descriptors.

function collect(kind: keyof ProtectedFiles): readonly string[] {
  return [...new Set(HOST_LIST.flatMap(({ protects }) => protects?.[kind] ?? []))];
}

/** The files that an installation writes, and those beside them that the host reads as well. */
function registeredFiles({ files, layout, alternativeFile, personalFile, fingerprints }: Registration) {
  const ending = layout.kind === "executables" ? "/**" : "";
  const beside = [alternativeFile, fingerprints?.file].flatMap(name => name ?? []);
  return [
    ...Object.values(files).flatMap(path => [
      path + ending,
      ...beside.map(name => join(dirname(path), name)),
    ]),
    ...(personalFile === undefined ? [] : [personalFile]),
  ];
}

/** `ownNames` as patterns, without asking each host for its setup. */
function ownPatterns({ skillFolders = [] }: Pick<HostDescriptor, "skillFolders">): readonly string[] {
  return skillFolders.flatMap(folder => [
    ...OWN_SKILLS.map(name => `${folder}/${name}/**`),
    `${dirname(folder)}/agents/amplihack-*`,
  ]);
}

/** Files that decide which hooks an agent runs, below a project or a home directory; `/**` is a whole tree. */
export const WIRING_FILES: readonly string[] = [
  ...new Set([
    ...collect("wiring"),
    ...HOST_LIST.flatMap(({ registration }) =>
      registration === undefined ? [] : registeredFiles(registration),
    ),
    ...HOST_LIST.flatMap(ownPatterns),
  ]),
];

/** Directories whose loss takes the wiring with it. */
export const WIRING_TREES = collect("trees");

/** Absolute directories in which an administrator's settings of hosts lie. */
export const MANAGED_DIRECTORIES = collect("managed");

/** Below the home directory. */
export const CREDENTIAL_FILES = collect("credentials");

/** Environment variables that move a host's folder, and the folder below the home directory that they stand for. */
export const RELOCATIONS = HOST_LIST.flatMap(({ registration }) => registration?.relocation ?? []);

/** Command line programs of agents. */
export const AGENT_PROGRAMS: readonly AgentProgram[] = HOST_LIST.flatMap(({ program }) => program ?? []);
