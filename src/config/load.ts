import { defined, isJsonObject, isSameJson, type Json, memberAt } from "../protocol/index.ts";
import { type FileFacts, join, type System, sha256Hex } from "../system/index.ts";
import { acceptConfig } from "./accept.ts";
import { tightenByEnvironment } from "./environment.ts";
import { keepLastGood, laidOver, readLastGood, withMember } from "./last-good.ts";
import { POLICIES } from "./levels.ts";
import { asManaged, type ManagedLayers, overrideManaged, withFailurePolicy } from "./managed.ts";
import {
  capProjectLists,
  lowerAutonomy,
  MAX_PROJECT_ENTRIES,
  narrowSandbox,
  override,
  tighten,
} from "./merge.ts";
import { acceptPolicy, findPolicy, MAX_POLICIES, shownPolicy } from "./policies.ts";
import { readConfigFile } from "./read-file.ts";
import type { ConfigNotice, LayerScope, SchemaProblem } from "./schema.ts";
import type { ConfigFile, HistorySection } from "./sections.ts";
import { BUILT_IN, type Config, type MissingPolicy } from "./settings.ts";

export type { ConfigNotice, LayerScope } from "./schema.ts";

export const SYSTEM_CONFIG_FILE = "/etc/amplihack/config.jsonc";
/** Sections that a project file may hold. */
export const PROJECT_SECTIONS: readonly string[] = ["guard", "autonomy", "failure", "history", "sandbox"];
const WRITABLE_BY_OTHERS = 0o022;

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

interface ConfigPlaces {
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

/** Told of the settings after each layer that was found, in rising rank; `policy` is the entry that brought it in. */
type LayerListener = (scope: LayerScope, config: Config, policy?: string) => void;

/**
 * Built-in values, then the machine's file, the user's, the project's and the environment. The last two may only
 * tighten, except that a project file the user trusted by path and hash has full power over guard and failure.
 * With no file present this costs three look-ups.
 */
export function loadConfig(
  system: Pick<System, "files" | "env" | "text">,
  places: ConfigPlaces,
  onLayer?: LayerListener,
): LoadedConfig {
  const notices: ConfigNotice[] = [];
  const used: LoadedConfig["used"][number][] = [];
  const reader: LayerReader = { system, home: places.home, stateHome: places.stateHome, notices };
  const systemFile = readLayer(reader, "system", places.systemFile ?? SYSTEM_CONFIG_FILE);
  const userFile = readLayer(reader, "user", userConfigFile(places.stateHome));
  let config = layMachineAndUser(reader, systemFile, userFile, used, onLayer);
  // On a managed machine only the machine's own files say whom to trust.
  const trusted = config.managed ? [] : (userFile?.file.guard?.trustedProjects ?? []);

  if (places.projectRoot !== undefined) {
    const path = projectConfigFile(places.projectRoot);
    const layer = path === userConfigFile(places.stateHome) ? undefined : readLayer(reader, "project", path);
    if (layer !== undefined) {
      const isTrusted = trusted.some(
        entry => entry.path === places.projectRoot && entry.sha256 === sha256Hex(layer.bytes),
      );
      const refuse = (member: string) => notices.push(loosening(path, member));
      config = isTrusted
        ? {
            ...override(config, withoutAuditFile(layer.file)),
            // Trusted or not: what answers for the person is set by the person alone.
            autonomy: lowerAutonomy(config.autonomy, layer.file.autonomy, refuse),
            sandbox: narrowSandbox(config.sandbox, layer.file.sandbox, refuse),
          }
        : tighten(config, cappedFile(layer.file, path, notices), refuse);
      onLayer?.("project", config);
      used.push({ scope: "project", path, isTrusted });
    }
  }
  config = withFailurePolicy(tightenByEnvironment(config, system, notices));
  onLayer?.("environment", config);
  return { config, notices, used };
}

/** The file of the machine and that of the user, each above the policies that it extends. */
function layMachineAndUser(
  reader: LayerReader,
  machine: Layer | undefined,
  user: Layer | undefined,
  used: LoadedConfig["used"][number][],
  onLayer: LayerListener | undefined,
): Config {
  let config = BUILT_IN;
  let managed: ManagedLayers | undefined;
  for (const layer of [machine, user]) {
    if (layer === undefined) continue;
    const { scope, path } = layer;
    const { policies, missing } = readPolicies(reader, layer);
    const files = [...policies, { file: layer.file, policy: undefined }];
    for (const { file, policy } of files) {
      config =
        managed === undefined
          ? override(config, file)
          : overrideManaged(config, managed, file, member => reader.notices.push(notLoosened(layer, member)));
      onLayer?.(scope, config, policy);
    }
    used.push({ scope, path, isTrusted: true });
    if (scope !== "system" || layer.file.managed !== true) continue;
    const set = files.map(({ file }) => file);
    config = asManaged(config, set, missing);
    managed = { files: set, missing, config };
    onLayer?.(scope, config);
  }
  return config;
}

interface ExtendedPolicies {
  readonly policies: readonly { readonly file: ConfigFile; readonly policy: string }[];
  readonly missing: readonly MissingPolicy[];
}

/** In the order in which they are written. With no `extends` this is one look at a member. */
function readPolicies(reader: LayerReader, { scope, path, file, unread }: Layer): ExtendedPolicies {
  const missing: MissingPolicy[] = unread.map(problem => ({ entry: "extends", problem }));
  if (file.extends === undefined) return { policies: [], missing };
  const { notices, system } = reader;
  const tell = (code: ConfigNotice["code"], entry: string, problem: string) =>
    notices.push({
      code,
      scope,
      source: path,
      message: `${path}: the policy ${shownPolicy(entry)} ${problem}`,
    });
  if (file.extends.length > MAX_POLICIES) {
    const problem = `list is too long: only the first ${MAX_POLICIES}`;
    tell("too-many", problem, "count");
    missing.push({ entry: "extends", problem: `the ${problem} count` });
  }
  const policies = file.extends.slice(0, MAX_POLICIES).flatMap(entry => {
    const found = findPolicy(system, entry, { path, scope }, each => {
      const facts = system.files.follow(each);
      return facts !== undefined && ownershipProblem(reader, facts) === undefined;
    });
    if ("problem" in found) {
      tell("broken", entry, `is ignored: ${found.problem}`);
      missing.push({ entry: shownPolicy(entry), problem: found.problem });
      return [];
    }
    if (found.warning !== undefined) tell("broken", entry, found.warning);
    const { from } = found.reference;
    const accepted = acceptFile(reader, scope, from, found.value);
    const policy = acceptPolicy(accepted, member => tell("loosening", from, `may not hold ${member}`));
    return [{ file: policy, policy: from }];
  });
  return { policies, missing };
}

function notLoosened({ scope, path: source }: Layer, member: string): ConfigNotice {
  const message = `${source}: ${member} is ignored: the configuration of this machine is managed, and this would loosen it`;
  return { code: "loosening", scope, source, message };
}

interface Layer {
  readonly scope: LayerScope;
  readonly path: string;
  readonly bytes: Uint8Array;
  readonly file: ConfigFile;
  /** why entries of its `extends` could not be read as references */
  readonly unread: readonly string[];
}

interface LayerReader {
  readonly system: Pick<System, "files" | "text">;
  readonly home: string;
  readonly stateHome: string;
  readonly notices: ConfigNotice[];
}

/** What can be read of a file counts; the rest is as it was when all of it could be read. */
function readLayer(reader: LayerReader, scope: LayerScope, path: string): Layer | undefined {
  const { system, notices, stateHome } = reader;
  const found = readConfigFile(system, path, facts =>
    scope === "project" ? undefined : ownershipProblem(reader, facts),
  );
  if (found === undefined) return undefined;
  const { bytes, problem } = found;
  const isEmpty = found.value === undefined;
  const good = problem === undefined && !isEmpty ? undefined : readLastGood(system, stateHome, path);
  const why =
    problem ?? (good === undefined ? undefined : ({ code: "broken", text: "it is empty" } as const));
  if (why !== undefined) {
    const isReadInPart = isJsonObject(found.value) && Object.keys(found.value).length > 0;
    const message = `${path}${tellBroken(why.text, isReadInPart, good !== undefined)}`;
    notices.push({ code: why.code, scope, source: path, message });
  }
  const written = isEmpty ? {} : (found.value as Json);
  const value = good === undefined ? written : laidOver(good, written);
  const file = acceptFile(reader, scope, path, value);
  if (why !== undefined && good === undefined && Object.keys(file).length === 0) return undefined;
  return { scope, path, bytes, file, unread: unreadEntries(value, file) };
}

const AS_BEFORE = "your last good settings apply until you fix it";

/** What is wrong with a file, and which settings apply now. */
function tellBroken(why: string, isReadInPart: boolean, hasGood: boolean): string {
  if (!isReadInPart) return hasGood ? `: ${why}; ${AS_BEFORE}` : ` is ignored: ${why}`;
  const rest = hasGood ? "the rest stays as it was until you fix it" : "the rest is ignored";
  return `: ${why}; what can be read applies, ${rest}`;
}

/**
 * Keeps the files that can be read whole, sealed, for the day when one cannot. Called where nothing waits for it: a
 * change that is made and broken between two calls of this is not known.
 */
export function keepGoodConfig(
  system: System,
  { home, stateHome, projectRoot, systemFile }: ConfigPlaces,
): void {
  const project = projectRoot === undefined ? [] : [["project", projectConfigFile(projectRoot)] as const];
  const all = [
    ["system", systemFile ?? SYSTEM_CONFIG_FILE],
    ["user", userConfigFile(stateHome)],
    ...project,
  ] as const;
  const reader: LayerReader = { system, home, stateHome, notices: [] };
  for (const [scope, path] of all) {
    const found = readConfigFile(system, path, facts =>
      scope === "project" ? undefined : ownershipProblem(reader, facts),
    );
    if (found?.value === undefined || found.problem !== undefined) continue;
    const problems: SchemaProblem[] = [];
    acceptConfig(withFailureObject(found.value), problems);
    if (problems.every(problem => lostMember(problem) === undefined))
      keepLastGood(system, stateHome, path, system.text.decode(found.bytes).text);
  }
}

/** `"failure": "closed"` can only mean one thing. */
function withFailureObject(value: Json): Json {
  const failure = memberAt(value, "failure");
  const policy = POLICIES.find(known => known === failure);
  return policy === undefined || !isJsonObject(value) ? value : { ...value, failure: { default: policy } };
}

/** Values of the wrong type, also inside a list, are reported and ignored. */
function unreadEntries(value: Json, file: ConfigFile): readonly string[] {
  const written = memberAt(value, "extends");
  if (written === undefined || isSameJson(written, [...(file.extends ?? [])])) return [];
  return ["it is not a list of texts"];
}

/** The owner of the home directory is the user; the interface has no other way to say who runs this. */
function ownershipProblem({ system, home }: LayerReader, { uid, mode }: FileFacts): string | undefined {
  if (uid !== 0 && uid !== system.files.follow(home)?.uid)
    return `belongs to user ${uid}, not to you or root`;
  return (mode & WRITABLE_BY_OTHERS) === 0 ? undefined : "can be written by others; run chmod go-w on it";
}

function acceptFile(reader: LayerReader, scope: LayerScope, path: string, written: Json): ConfigFile {
  const { notices } = reader;
  const problems: SchemaProblem[] = [];
  const value = withFailureObject(written);
  if (value !== written) {
    const message = `${path}: failure is read as { "default": ${JSON.stringify(memberAt(written, "failure"))} }: expected an object`;
    notices.push({ code: "wrong-type", scope, source: path, message });
  }
  const accepted = acceptConfig(value, problems);
  const wrong = problems.flatMap(problem => lostMember(problem) ?? []);
  const good = wrong.length === 0 ? undefined : readLastGood(reader.system, reader.stateHome, path);
  for (const problem of problems) {
    const { code, member, expected } = problem;
    const rest = good === undefined || lostMember(problem) === undefined ? "" : `; ${AS_BEFORE}`;
    const message = `${path}: ${member === "" ? "the file" : member} is ignored: expected ${expected}${rest}`;
    notices.push({ code, scope, source: path, message });
  }
  const mended = good && wrong.reduce((whole, member) => withMember(whole, good, member), value);
  const file = mended === undefined ? accepted : acceptConfig(withFailureObject(mended), []);
  if (file === undefined) return {};
  if (scope === "user" && file.managed === true) {
    const message = `${path}: managed is ignored: it counts in the machine's file only`;
    notices.push({ code: "loosening", scope, source: path, message });
  }
  if (scope !== "project") return file;
  for (const section of Object.keys(file).filter(name => !PROJECT_SECTIONS.includes(name))) {
    const message = `${path}: ${section} is ignored: a project may hold ${PROJECT_SECTIONS.join(", ")} only`;
    notices.push({ code: "loosening", scope, source: path, message });
  }
  return {
    ...(file.guard === undefined ? {} : { guard: file.guard }),
    ...(file.autonomy === undefined ? {} : { autonomy: file.autonomy }),
    ...(file.failure === undefined ? {} : { failure: file.failure }),
    ...(file.history === undefined ? {} : { history: projectHistory(file.history, path, notices) }),
    ...(file.sandbox === undefined ? {} : { sandbox: file.sandbox }),
  };
}

/**
 * A project never chooses what is kept of a user's files, or for how long. Only a trusted one may
 * exclude files; those are asked about before they are lost.
 */
function projectHistory(
  { precious, exclude, ...limits }: HistorySection,
  path: string,
  notices: ConfigNotice[],
): HistorySection {
  for (const member of Object.keys(limits)) {
    const message = `${path}: history.${member} is ignored: a project may set precious and exclude only`;
    notices.push({ code: "loosening", scope: "project", source: path, message });
  }
  return defined({ precious, exclude });
}

/** A project never chooses where the audit goes, nor whom else to trust. */
function withoutAuditFile(file: ConfigFile): ConfigFile {
  if (file.guard === undefined) return file;
  const { audit, trustedProjects: _, trustHooks: _hooks, ...guard } = file.guard;
  const { file: _file, ...kept } = audit ?? {};
  return { ...file, guard: audit === undefined ? guard : { ...guard, audit: kept } };
}

function cappedFile(file: ConfigFile, source: string, notices: ConfigNotice[]): ConfigFile {
  if (file.guard === undefined) return file;
  const guard = capProjectLists(file.guard, member => {
    const message = `${source}: of ${member} only the first ${MAX_PROJECT_ENTRIES} entries count: a project may not hold up every call`;
    notices.push({ code: "too-many", scope: "project", source, message });
  });
  return { ...file, guard };
}

function loosening(source: string, member: string): ConfigNotice {
  const why =
    member === "autonomy"
      ? "a project may only lower it; you raise it with amplihack autonomy set"
      : member.startsWith("sandbox.")
        ? "a project may only narrow it; you widen it with amplihack sandbox allow"
        : "a project may only tighten unless you trust it (guard init --trust)";
  const message = `${source}: ${member} is ignored: ${why}`;
  return { code: "loosening", scope: "project", source, message };
}

/** What the mistake keeps from being set; a key that nobody knows sets nothing. */
function lostMember({ code, member, meant }: SchemaProblem): string | undefined {
  return code === "unknown-key" || code === "misspelt-key" ? meant : member;
}
