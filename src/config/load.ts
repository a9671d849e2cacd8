import { errorText } from "../protocol/error-text.ts";
import type { FailurePolicy } from "../protocol/index.ts";
import { sha256Hex } from "../state/sha256.ts";
import { join } from "../system/paths.ts";
import { hasErrorCode, type System } from "../system/system.ts";
import { readJsonc } from "./jsonc.ts";
import { LEVELS, POLICIES } from "./levels.ts";
import { override, stricterLevel, tighten } from "./merge.ts";
import { accept, type SchemaProblem } from "./schema.ts";
import { CONFIG_SCHEMA, type ConfigFile, PROJECT_SECTIONS } from "./sections.ts";
import { BUILT_IN, type Config } from "./settings.ts";

export const SYSTEM_CONFIG_FILE = "/etc/amplihack/config.jsonc";
const SIZE_LIMIT = 256 * 1024;
const WRITABLE_BY_OTHERS = 0o022;

export type LayerScope = "system" | "user" | "project" | "environment";

/** Something in the configuration that does not count, and why. Never fatal; `doctor` fails on `broken`. */
export interface ConfigNotice {
  readonly code: "broken" | "untrusted-file" | "loosening" | SchemaProblem["code"];
  readonly scope: LayerScope;
  /** the file, or the variable */
  readonly source: string;
  readonly message: string;
}

export interface LoadedConfig {
  readonly config: Config;
  readonly notices: readonly ConfigNotice[];
  /** the files that were found, in rising rank */
  readonly used: readonly {
    readonly scope: LayerScope;
    readonly path: string;
    readonly isTrusted: boolean;
  }[];
}

export interface ConfigPlaces {
  readonly home: string;
  /** `~A` */
  readonly stateHome: string;
  readonly projectRoot: string | undefined;
  /** for tests; the machine's file otherwise */
  readonly systemFile?: string;
}

export function userConfigFile(stateHome: string): string {
  return join(stateHome, "config.jsonc");
}

export function projectConfigFile(projectRoot: string): string {
  return join(projectRoot, ".amplihack", "config.jsonc");
}

/**
 * Built-in values, then the machine's file, the user's, the project's and the environment. The last two may only
 * tighten, except that a project file the user trusted by path and hash has full power over guard and failure.
 * With no file present this costs three look-ups.
 */
export function loadConfig(
  system: Pick<System, "files" | "env" | "text">,
  places: ConfigPlaces,
): LoadedConfig {
  const notices: ConfigNotice[] = [];
  const used: { scope: LayerScope; path: string; isTrusted: boolean }[] = [];
  const reader = new LayerReader(system, places.home, notices);
  let config = BUILT_IN;
  let trusted: readonly { readonly path: string; readonly sha256: string }[] = [];

  const systemFile = reader.read("system", places.systemFile ?? SYSTEM_CONFIG_FILE);
  const userFile = reader.read("user", userConfigFile(places.stateHome));
  for (const layer of [systemFile, userFile]) {
    if (layer === undefined) continue;
    config = override(config, layer.file);
    used.push({ scope: layer.scope, path: layer.path, isTrusted: true });
    if (layer.scope === "user") trusted = layer.file.guard?.trustedProjects ?? [];
  }

  if (places.projectRoot !== undefined) {
    const path = projectConfigFile(places.projectRoot);
    const layer = path === userConfigFile(places.stateHome) ? undefined : reader.read("project", path);
    if (layer !== undefined) {
      const isTrusted = trusted.some(
        entry => entry.path === places.projectRoot && entry.sha256 === sha256Hex(layer.bytes),
      );
      config = isTrusted
        ? override(config, withoutAuditFile(layer.file))
        : tighten(config, layer.file, member => notices.push(loosening(path, member)));
      used.push({ scope: "project", path, isTrusted });
    }
  }
  return { config: tightenByEnvironment(config, system, notices), notices, used };
}

interface Layer {
  readonly scope: LayerScope;
  readonly path: string;
  readonly bytes: Uint8Array;
  readonly file: ConfigFile;
}

class LayerReader {
  private readonly system: Pick<System, "files" | "text">;
  private readonly home: string;
  private readonly notices: ConfigNotice[];

  constructor(system: Pick<System, "files" | "text">, home: string, notices: ConfigNotice[]) {
    this.system = system;
    this.home = home;
    this.notices = notices;
  }

  read(scope: LayerScope, path: string): Layer | undefined {
    const { files, text } = this.system;
    try {
      const facts = files.follow(path);
      if (facts === undefined) return undefined;
      if (scope !== "project") {
        const problem = this.ownershipProblem(facts);
        if (problem !== undefined) return this.ignore(scope, path, "untrusted-file", problem);
      }
      const bytes = files.read(path, SIZE_LIMIT);
      const read = readJsonc(text.decode(bytes).text);
      if (!read.ok && read.problem === "empty") return { scope, path, bytes, file: {} };
      if (!read.ok)
        return this.ignore(scope, path, "broken", `not valid JSON with comments (${read.problem})`);
      return { scope, path, bytes, file: this.accepted(scope, path, read.value) };
    } catch (error) {
      if (hasErrorCode(error, "ENOENT", "ENOTDIR")) return undefined;
      const reason = errorText(error);
      return this.ignore(scope, path, "broken", `could not be read: ${reason}`);
    }
  }

  /** The owner of the home directory is the user; the interface has no other way to say who runs this. */
  private ownershipProblem(facts: { readonly uid: number; readonly mode: number }): string | undefined {
    const user = this.system.files.follow(this.home)?.uid;
    if (facts.uid !== 0 && facts.uid !== user) return `belongs to user ${facts.uid}, not to you or root`;
    if ((facts.mode & WRITABLE_BY_OTHERS) !== 0) return "can be written by others; run chmod go-w on it";
    return undefined;
  }

  private accepted(scope: LayerScope, path: string, value: Parameters<typeof accept>[1]): ConfigFile {
    const problems: SchemaProblem[] = [];
    const file = accept(CONFIG_SCHEMA, value, "", problems) as ConfigFile | undefined;
    for (const { code, member, expected } of problems) {
      const message = `${path}: ${member === "" ? "the file" : member} is ignored: expected ${expected}`;
      this.notices.push({ code, scope, source: path, message });
    }
    if (file === undefined) return {};
    if (scope !== "project") return file;
    for (const section of Object.keys(file).filter(name => !PROJECT_SECTIONS.includes(name))) {
      const message = `${path}: ${section} is ignored: a project may hold ${PROJECT_SECTIONS.join(" and ")} only`;
      this.notices.push({ code: "loosening", scope, source: path, message });
    }
    return {
      ...(file.guard === undefined ? {} : { guard: file.guard }),
      ...(file.failure === undefined ? {} : { failure: file.failure }),
    };
  }

  private ignore(scope: LayerScope, path: string, code: ConfigNotice["code"], problem: string): undefined {
    this.notices.push({ code, scope, source: path, message: `${path} is ignored: ${problem}` });
    return undefined;
  }
}

/** A project never chooses where the audit goes, nor whom else to trust. */
function withoutAuditFile(file: ConfigFile): ConfigFile {
  if (file.guard === undefined) return file;
  const { audit, trustedProjects: _, ...guard } = file.guard;
  const { file: _file, ...kept } = audit ?? {};
  return { ...file, guard: audit === undefined ? guard : { ...guard, audit: kept } };
}

function loosening(source: string, member: string): ConfigNotice {
  const message = `${source}: ${member} is ignored: a project may only tighten unless you trust it (guard init --trust)`;
  return { code: "loosening", scope: "project", source, message };
}

const FAILURE_VARIABLE = "AMPLIHACK_FAILURE_POLICY";
const LEVEL_VARIABLE = "AMPLIHACK_GUARD_LEVEL";

function tightenByEnvironment(config: Config, system: Pick<System, "env">, notices: ConfigNotice[]): Config {
  const level = readEnumeration(system, LEVEL_VARIABLE, LEVELS, notices);
  const failure = readFailureVariable(system, notices);
  if (level === undefined && failure === undefined) return config;
  return {
    ...config,
    guard: { ...config.guard, level: stricterLevel(config.guard.level, level) },
    failure: failure === undefined ? config.failure : [...config.failure, failure],
  };
}

function readEnumeration<T extends string>(
  system: Pick<System, "env">,
  name: string,
  values: readonly T[],
  notices: ConfigNotice[],
): T | undefined {
  const raw = system.env.get(name);
  if (raw === undefined) return undefined;
  const found = findValue(raw, values);
  if (found === undefined) notices.push(badVariable(name, raw, values.join(", ")));
  return found;
}

function readFailureVariable(
  system: Pick<System, "env">,
  notices: ConfigNotice[],
): Record<string, FailurePolicy> | undefined {
  const raw = system.env.get(FAILURE_VARIABLE);
  if (raw === undefined) return undefined;
  const entries: [string, FailurePolicy][] = [];
  for (const part of raw.split(",")) {
    const equals = part.indexOf("=");
    const policy = findValue(part.slice(equals + 1), POLICIES);
    if (policy !== undefined)
      entries.push([equals < 0 ? "default" : subcommandName(part.slice(0, equals)), policy]);
    else notices.push(badVariable(FAILURE_VARIABLE, part, `${POLICIES.join(", ")}, or subcommand=policy`));
  }
  return Object.fromEntries(entries);
}

/** `pre_tool_use` and `PRE-TOOL-USE` are the subcommand too: what is asked for must not fail for its spelling. */
function subcommandName(text: string): string {
  return text.trim().toLowerCase().replaceAll("_", "-");
}

function findValue<T extends string>(raw: string, values: readonly T[]): T | undefined {
  const wanted = raw.trim().toLowerCase();
  return values.find(value => value === wanted);
}

function badVariable(source: string, raw: string, expected: string): ConfigNotice {
  const shown = JSON.stringify(raw.slice(0, 40));
  const message = `${source} is ignored: expected ${expected}, found ${shown}`;
  return { code: "bad-value", scope: "environment", source, message };
}
