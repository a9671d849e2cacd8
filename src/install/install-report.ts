import type { Autonomy, Part, RuleSetting } from "../config/index.ts";
import type { HostId, InstallScope } from "../hosts/index.ts";
import type { FailurePolicy } from "../protocol/index.ts";
import type { ConfigSetting } from "./config-setting.ts";
import type { Protections } from "./targets.ts";

export interface InstallRequest {
  /** those that are there when absent */
  readonly hosts: readonly HostId[] | "all" | undefined;
  readonly scope: InstallScope;
  /** a folder with framework files */
  readonly assets: string | undefined;
  readonly isDryRun: boolean;
  /** replace files that a person changed, write read-only ones */
  readonly isForced: boolean;
  /** take away registrations that make a host run every hook twice */
  readonly isDeduping: boolean;
  /** what hooks do when they cannot run; as configured when absent */
  readonly failure: FailurePolicy | undefined;
  /** what amplihack is to do; the configured value when absent */
  readonly parts: readonly Part[] | undefined;
  /** rules of the guard that the chosen profile sets */
  readonly rules?: Readonly<Record<string, RuleSetting>> | undefined;
  /** false: agents may commit on main and push to it; as configured otherwise */
  readonly isMainProtected: boolean | undefined;
  /** undefined: as it is */
  readonly autonomy?: Autonomy | undefined;
  /** a host that asks for it may run our hooks without asking again */
  readonly isTrustAgreed: boolean;
  /** the shell's start-up file may be changed so that it finds `amplihack` */
  readonly isProfileAgreed: boolean;
  readonly defaultTool: string | undefined;
  readonly updatePreference: string | undefined;
}

/** An installation for the user with nothing special asked for and nothing agreed to. */
export const PLAIN_INSTALL: InstallRequest = {
  hosts: undefined,
  scope: "user",
  assets: undefined,
  isDryRun: false,
  isForced: false,
  isDeduping: false,
  failure: undefined,
  parts: undefined,
  isMainProtected: undefined,
  isTrustAgreed: false,
  isProfileAgreed: false,
  defaultTool: undefined,
  updatePreference: undefined,
};

/** The members of the user's configuration that a request sets. */
export function requestedSettings({
  failure,
  parts,
  rules = {},
  isMainProtected,
  autonomy,
}: Pick<
  InstallRequest,
  "failure" | "parts" | "rules" | "isMainProtected" | "autonomy"
>): readonly ConfigSetting[] {
  return [
    ...(failure === undefined ? [] : [{ path: ["failure", "default"] as const, value: failure }]),
    ...(parts === undefined ? [] : [{ path: ["parts"] as const, value: parts }]),
    ...(autonomy === undefined ? [] : [{ path: ["autonomy"] as const, value: autonomy }]),
    ...Object.entries(rules).map(([id, value]) => ({ path: ["guard", "rules", id] as const, value })),
    ...(isMainProtected === false ? [{ path: ["guard", "rules", "git.main"] as const, value: "allow" }] : []),
  ];
}

export interface InstalledHost {
  readonly host: HostId;
  readonly scope: InstallScope;
  readonly status: "registered" | "unchanged" | "skipped" | "failed";
  readonly settings_path: string | null;
  readonly backup_path: string | null;
  readonly events: readonly string[];
  readonly reason?: string;
  readonly protections?: Protections;
  readonly next_steps: readonly string[];
}

/** Our MCP server in the file of one host. */
export interface InstalledServer {
  readonly host: HostId;
  readonly scope: InstallScope;
  readonly path: string;
  readonly status: "registered" | "unchanged" | "removed" | "failed";
  readonly reason?: string;
}

export interface PlannedChange {
  readonly path: string;
  /** for `patch`; empty for a file that is not text */
  readonly diff: string;
}

export interface InstallReport {
  readonly success: boolean;
  readonly dry_run: boolean;
  readonly hosts: readonly InstalledHost[];
  readonly mcp_servers: readonly InstalledServer[];
  /** the program that hosts start */
  readonly binary: string;
  readonly engine: "native" | "node" | "given";
  /** what stands behind it: the native program it is a copy of, the script for Node, or what the user named */
  readonly program: string;
  readonly manifest: string;
  readonly warnings: readonly string[];
  readonly next_steps: readonly string[];
  /** the files that would change */
  readonly changes: readonly PlannedChange[];
  /** the folder that a dry run would copy this package to, because it lies where files do not last */
  readonly package_copy?: string;
}
