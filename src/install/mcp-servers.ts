import { loadConfig } from "../config/index.ts";
import { type HostId, type InstallScope, resolveHost } from "../hosts/index.ts";
import type { UserDirectories } from "../state/index.ts";
import type { System } from "../system/index.ts";
import {
  applyEdit,
  type Computed,
  describeProblem,
  type FileChange,
  type FileEdit,
  hashText,
  planEdit,
  readFile,
  unifiedDiff,
} from "./file-edit.ts";
import type { InstalledServer, InstallRequest, PlannedChange } from "./install-report.ts";
import type { Manifest, ManifestWriter } from "./manifest.ts";
import {
  addServer,
  allServerFiles,
  findServer,
  removeServer,
  type ServerFile,
  serverFile,
  serverProgram,
} from "./mcp-entries.ts";
import { type ChosenHost, hostSetup } from "./targets.ts";
import { restoreFile, restoreServers } from "./unregister.ts";

const FILE_MODES: Readonly<Record<InstallScope, number>> = { user: 0o600, project: 0o644 };
const FOLDER_MODES: Readonly<Record<InstallScope, number>> = { user: 0o700, project: 0o755 };

/** Whether hosts start our MCP server: by the option, else by the configuration. */
export function isServerWanted(
  system: System,
  places: UserDirectories,
  { parts }: Pick<InstallRequest, "parts">,
): boolean {
  const { config } = loadConfig(system, { ...places, projectRoot: undefined });
  return (parts ?? config.parts).includes("mcp");
}

/** Registers the server with the chosen hosts, or takes it back where the part is switched off. */
export function registerServers(
  system: System,
  places: UserDirectories,
  chosen: readonly ChosenHost[],
  writer: ManifestWriter,
  isWanted: boolean,
): readonly InstalledServer[] {
  if (!isWanted) {
    const isChosen = (file: ServerFile) =>
      chosen.some(({ host, scope }) => host === file.host && scope === file.scope);
    return unregisterServers(system, recordedFiles(writer.manifest).filter(isChosen), writer);
  }
  return filesFor(system, places, chosen).map(file =>
    attempt(file, () => {
      const known = writer.fileRecord(file.path);
      try {
        // What our hooks made of the same file needs no copy: the one from before them is there.
        const isOwnText = hashText(readFile(system, file.path) ?? "") === known?.sha256_after;
        const change = applyEdit(system, addingEdit(places, file), {
          isBackedUp: !isOwnText,
          onBefore: planned => writer.noteFile("mcp", file.host, planned),
        });
        writer.noteServer(file);
        writer.pruneBackups(file.path);
        return change.isChanged ? "registered" : "unchanged";
      } catch (error) {
        writer.forgetFile(file.path, known);
        throw error;
      }
    }),
  );
}

/** What that would change, on top of what the registration of the hooks would make of the same files. */
export function planServers(
  system: System,
  places: UserDirectories,
  chosen: readonly ChosenHost[],
  changes: readonly FileChange[],
): readonly PlannedChange[] {
  return filesFor(system, places, chosen).flatMap(file => {
    const hooks = changes.find(({ path }) => path === file.path);
    const before = hooks === undefined ? readFile(system, file.path) : hooks.after;
    const computed = addingEdit(places, file).compute(before);
    if (!computed.ok || computed.text === before) return [];
    return [{ path: file.path, diff: unifiedDiff(file.path, before, computed.text) }];
  });
}

/** Takes the server out of files, and strikes them from the manifest, which the caller saves. */
export function unregisterServers(
  system: System,
  files: readonly ServerFile[],
  writer: ManifestWriter,
): readonly InstalledServer[] {
  return files.map(file =>
    attempt(file, () => {
      const { path, servers, host } = file;
      const record = writer.fileRecord(path);
      const isShared = record !== undefined && record.kind !== "mcp";
      if (isShared) {
        // The hooks of the same file go by themselves, from the text that they left.
        const change = applyEdit(
          system,
          { path, compute: current => withoutServer(current, file, record.empty_containers) },
          { isBackedUp: false },
        );
        if (hashText(change.before ?? "") === record.sha256_after) writer.noteFile(record.kind, host, change);
      } else {
        restoreFile(system, restoreServers(system, path, servers, record), { isForced: false });
        writer.forgetFile(path, undefined);
      }
      writer.dropServer(file);
      return "removed";
    }),
  );
}

/** What that would change in files that hold nothing else of ours; the others are told with their hooks. */
export function planWithoutServers(
  system: System,
  files: readonly ServerFile[],
  { edited_files }: Manifest,
): readonly FileChange[] {
  return files.map(({ path, servers }) =>
    planEdit(system, restoreServers(system, path, servers, edited_files[path]).edit),
  );
}

/** What the manifest knows, of any project, and what stands in the user's files without its knowledge. */
export function findServerFiles(
  system: System,
  places: UserDirectories,
  manifest: Manifest,
  isWanted: (file: ServerFile) => boolean,
): readonly ServerFile[] {
  const recorded = recordedFiles(manifest);
  const found = allServerFiles(system, places).filter(
    file =>
      recorded.every(({ path }) => path !== file.path) &&
      findServer(readFile(system, file.path) ?? "", file.servers) !== undefined,
  );
  return [...recorded, ...found].filter(isWanted);
}

function recordedFiles({ mcp_servers }: Manifest): readonly ServerFile[] {
  return mcp_servers.flatMap(({ host, scope, path }) => {
    const id = resolveHost(host);
    const servers = id === undefined ? undefined : hostSetup(id).mcp;
    return id === undefined || servers === undefined ? [] : [{ host: id, scope, path, servers }];
  });
}

function filesFor(
  system: System,
  places: UserDirectories,
  chosen: readonly ChosenHost[],
): readonly ServerFile[] {
  return chosen.flatMap(one =>
    "target" in one ? (serverFile(system, places, one.host, one.scope) ?? []) : [],
  );
}

function addingEdit(places: UserDirectories, { path, servers, scope }: ServerFile): FileEdit {
  return {
    path,
    mode: FILE_MODES[scope],
    directoryMode: FOLDER_MODES[scope],
    compute: current => addServer(current, servers, serverProgram(places)),
    check: written =>
      findServer(written ?? "", servers) === undefined ? "the MCP server is not there" : undefined,
  };
}

function withoutServer(
  current: string | undefined,
  { servers }: ServerFile,
  emptyBefore: Readonly<Record<string, string>>,
): Computed {
  return current === undefined ? { ok: true, text: undefined } : removeServer(current, servers, emptyBefore);
}

function attempt(
  { host, scope, path }: { readonly host: HostId; readonly scope: InstallScope; readonly path: string },
  act: () => InstalledServer["status"],
): InstalledServer {
  try {
    return { host, scope, path, status: act() };
  } catch (error) {
    return { host, scope, path, status: "failed", reason: describeProblem(error) };
  }
}
