import { existsSync, openSync, readFileSync } from "node:fs";
import { ReadStream } from "node:tty";
import semver from "semver";
import { type Config, loadConfig } from "../../config/index.ts";
import { AGENTS } from "../../hosts/index.ts";
import {
  booleanAt,
  errorText,
  type Json,
  listAt,
  memberAt,
  numberAt,
  readJson,
  stringAt,
} from "../../protocol/index.ts";
import { AtomicJsonFile, Problem, requireDirectories } from "../../state/index.ts";
import { dirname, isLoopback, join, quoteWord, type System } from "../../system/index.ts";
import { afterPending } from "../../system/node.ts";
import { version } from "../../version.ts";
import type { LaunchConsole } from "../child-environment.ts";

interface FetchLimits {
  readonly bytes: number;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
}

const MAX_REDIRECTS = 5;

/** Bytes behind an address, which must be https, or http on this machine; so must all it redirects to. */
export async function fetchBytes(address: string, limits: FetchLimits): Promise<Uint8Array> {
  const timeout = AbortSignal.timeout(limits.timeoutMs);
  const signal = limits.signal === undefined ? timeout : AbortSignal.any([timeout, limits.signal]);
  let url = checkedUrl(address);
  try {
    for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
      const response = await fetch(url, {
        redirect: "manual",
        signal,
        headers: { "user-agent": "amplihack", accept: "application/json, application/octet-stream, */*" },
      });
      const target = response.headers.get("location");
      if (response.status >= 300 && response.status < 400 && target !== null) {
        await response.body?.cancel();
        url = checkedUrl(new URL(target, url).href);
        continue;
      }
      if (!response.ok) throw problem(url, `the server answered ${response.status}`);
      return await readBody(response, url, limits.bytes);
    }
    throw problem(url, `more than ${MAX_REDIRECTS} redirects`);
  } catch (error) {
    if (error instanceof Problem) throw error;
    const cause =
      error instanceof Error && error.cause !== undefined ? errorText(error.cause) : errorText(error);
    throw problem(url, timeout.aborted ? `no answer within ${limits.timeoutMs} ms` : cause);
  }
}

async function readBody(response: Response, url: URL, limitBytes: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    if (size > limitBytes) throw problem(url, `the answer is longer than ${limitBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function checkedUrl(address: string): URL {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  const isSafe = url?.protocol === "https:" || (url?.protocol === "http:" && isLoopback(url.hostname));
  if (url !== undefined && isSafe && url.username === "" && url.password === "") return url;
  throw new Problem("releases are fetched over https, or http from this machine, only", {
    kind: "update",
    fix: "set update.source in config.jsonc to such an address",
  });
}

/** Queries may hold tokens, so they are not shown. */
function problem(url: URL, cause: string): Problem {
  return new Problem(`could not fetch ${url.origin}${url.pathname}`, {
    kind: "update",
    causes: [cause],
  });
}

export interface Release {
  /** without a leading `v` */
  readonly version: string;
  readonly isPrerelease: boolean;
  /** where one of its files is */
  addressOf(name: string): string;
}

const MAX_BYTES = 1024 * 1024;
const TIMEOUT_MS = 5_000;

/** What a source offers: a list of releases, or one, in the form of GitHub's interface. Drafts are left out. */
export async function fetchReleases(source: string, signal?: AbortSignal): Promise<readonly Release[]> {
  const bytes = await fetchBytes(source, {
    bytes: MAX_BYTES,
    timeoutMs: TIMEOUT_MS,
    ...(signal === undefined ? {} : { signal }),
  });
  const read = readJson(new TextDecoder().decode(bytes), { recover: false, maxDepth: 50 });
  if (!read.ok) {
    throw new Problem("the list of releases is not valid JSON", {
      kind: "update",
      fix: "check update.source in config.jsonc",
    });
  }
  const list = Array.isArray(read.value) ? read.value : [read.value];
  return list.flatMap(value => readRelease(value, source));
}

function readRelease(value: Json, source: string): readonly Release[] {
  const tag = stringAt(value, "tag_name") ?? "";
  const version = semver.valid(tag.replace(/^v/, ""));
  if (version === null || booleanAt(value, "draft") === true) return [];
  const assets = new Map(
    listAt(value, "assets").map(asset => [stringAt(asset, "name"), stringAt(asset, "browser_download_url")]),
  );
  return [
    {
      version,
      isPrerelease: booleanAt(value, "prerelease") === true || semver.prerelease(version) !== null,
      addressOf: name =>
        assets.get(name) ?? `${source.replace(/\/+$/, "")}/download/${encodeURIComponent(tag)}/${name}`,
    },
  ];
}

/** The newest that is no trial version. */
export function latestRelease(releases: readonly Release[]): Release | undefined {
  return releases
    .filter(({ isPrerelease }) => !isPrerelease)
    .sort((a, b) => semver.rcompare(a.version, b.version))[0];
}

/** What is no version is not newer. */
export function isNewer(version: string, than: string): boolean {
  return semver.valid(version) !== null && semver.valid(than) !== null && semver.gt(version, than);
}

const HOUR_MS = 60 * 60 * 1000;
const INTERVAL_HOURS = 24;
/** A machine without network must not try at every launch. */
const FAILURE_INTERVAL_HOURS = 1;

interface Known {
  readonly latest: string | null;
}

/** Why no check is made; `told` ones get a line, because the user may expect the check. */
export function whySkipped(
  system: System,
  options: { readonly isUnwanted: boolean; readonly isDelegated: boolean },
): "silent" | "told" | undefined {
  const isSet = (name: string): boolean => (system.env.get(name) ?? "") !== "";
  if (options.isUnwanted || system.env.get("AMPLIHACK_NO_UPDATE_CHECK") === "1") return "silent";
  const isMachine = ["AMPLIHACK_NONINTERACTIVE", "AMPLIHACK_AGENT_BINARY", "CI"].some(isSet);
  return isMachine || options.isDelegated || !system.stdio.isTerminal("stdin") ? "told" : undefined;
}

export interface UpdateCheck {
  /** the newest known version */
  latest(): string | undefined;
  /** Ends a question that has no answer yet. */
  cancel(): void;
  /** for those who want to wait */
  readonly done: Promise<void>;
}

/** Begins to look for a newer version: in the cache, else at the source. Never throws and never delays. */
export function startUpdateCheck(
  system: System,
  stateHome: string,
  source: string,
  onFailure: (error: unknown) => void,
): UpdateCheck {
  const file = new AtomicJsonFile(join(stateHome, "cache", "update_check.json"), { system });
  let known = readFresh(file, system.clock.nowMs());
  const abort = new AbortController();
  const ask = async (): Promise<void> => {
    try {
      known = { latest: latestRelease(await fetchReleases(source, abort.signal))?.version ?? null };
    } catch (error) {
      if (abort.signal.aborted) return;
      onFailure(error);
    }
    remember(file, system.clock.nowMs(), known);
  };
  const done = known === undefined ? ask().catch(onFailure) : Promise.resolve();
  return { latest: () => known?.latest ?? undefined, cancel: () => abort.abort(), done };
}

function remember(file: AtomicJsonFile, nowMs: number, known: Known | undefined): void {
  file.write({
    last_check: new Date(nowMs).toISOString(),
    latest_version: known?.latest ?? null,
    check_interval_hours: known === undefined ? FAILURE_INTERVAL_HOURS : INTERVAL_HOURS,
    current_version: version,
  });
}

/** What was found lately by this very version; undefined when it is time to ask again. */
function readFresh(file: AtomicJsonFile, nowMs: number): Known | undefined {
  let value: Json | undefined;
  try {
    value = file.read();
  } catch {
    return undefined;
  }
  const ageMs = nowMs - Date.parse(stringAt(value, "last_check") ?? "");
  const hours = numberAt(value, "check_interval_hours") ?? INTERVAL_HOURS;
  const lifeMs = HOUR_MS * Math.min(hours, INTERVAL_HOURS);
  if (stringAt(value, "current_version") !== version || !(ageMs >= 0 && ageMs < lifeMs)) return undefined;
  return { latest: stringAt(value, "latest_version") ?? null };
}

/** What put this copy of the program where it is, and the command that replaces it. */
type Owner =
  | { readonly kind: "npm" | "project" | "checkout"; readonly command: (version: string) => string }
  | { readonly kind: "runner" | "ours" };

/** Package managers by their lock file; npm is the default. */
const MANAGERS: readonly (readonly [string, (folder: string, isDev: boolean) => string])[] = [
  ["pnpm-lock.yaml", (folder, isDev) => `pnpm --dir ${folder} add${isDev ? " --save-dev" : ""}`],
  ["yarn.lock", (folder, isDev) => `yarn --cwd ${folder} add${isDev ? " --dev" : ""}`],
  ["bun.lock", (folder, isDev) => `bun add --cwd ${folder}${isDev ? " --dev" : ""}`],
  ["bun.lockb", (folder, isDev) => `bun add --cwd ${folder}${isDev ? " --dev" : ""}`],
];

/** `self` is the running program, links followed; `stateHome` is where `update` puts versions. */
export function findOwner(self: string, stateHome: string): Owner {
  const root = dirname(dirname(dirname(self)));
  if (root.startsWith(`${join(stateHome, "versions")}/`)) return { kind: "ours" };
  if (/\/(?:_npx|dlx-[^/]*|bunx-[^/]*)\//.test(self)) return { kind: "runner" };
  if (existsSync(join(root, ".git"))) {
    const place = quoteWord(root);
    return { kind: "checkout", command: () => `git -C ${place} pull && npm --prefix ${place} run build` };
  }
  if (/\/node_modules\/amplihack$/.test(root)) {
    // pnpm keeps packages below .pnpm and links to them.
    const project = root.replace(/\/node_modules\/(?:\.pnpm\/.*|amplihack)$/, "");
    const dependency = dependencyKind(project);
    if (dependency === undefined)
      return { kind: "npm", command: version => `npm install -g amplihack@${version}` };
    return { kind: "project", command: version => addCommand(project, dependency, version) };
  }
  return { kind: "ours" };
}

/** How a project's package.json names amplihack; undefined for a folder of global packages. */
function dependencyKind(project: string): "dependencies" | "devDependencies" | undefined {
  const path = join(project, "package.json");
  const read = existsSync(path)
    ? readJson(readFileSync(path, "utf8"), { recover: false, maxDepth: 50 })
    : undefined;
  const manifest = read?.ok ? read.value : undefined;
  return (["devDependencies", "dependencies"] as const).find(
    kind => memberAt(manifest, kind, "amplihack") !== undefined,
  );
}

function addCommand(project: string, kind: "dependencies" | "devDependencies", version: string): string {
  const folder = quoteWord(project);
  const isDev = kind === "devDependencies";
  const manager = MANAGERS.find(([lock]) => existsSync(join(project, lock)));
  const start = manager?.[1](folder, isDev) ?? `npm --prefix ${folder} install${isDev ? " --save-dev" : ""}`;
  return `${start} amplihack@${version}`;
}

export interface UpdateSettings {
  readonly stateHome: string;
  readonly update: Config["update"];
}

/** Where updates come from is the user's or the machine's to say, never a project's. */
export function readUpdateSettings(system: System, directory?: string): UpdateSettings {
  const { home, stateHome } = requireDirectories(system, directory);
  const { config } = loadConfig(system, { home, stateHome, projectRoot: undefined });
  return { stateHome, update: config.update };
}

const PLAIN_COMMANDS =
  "install uninstall launch doctor update lock unlock lock-status completions version".split(" ");
/** Commands that may be started again by the new version, with their subcommands. */
const COMMANDS: Readonly<Record<string, readonly string[]>> = {
  ...Object.fromEntries([...AGENTS, ...PLAIN_COMMANDS].map(name => [name, []])),
  recipe: ["run", "list", "show", "validate"],
  hooks: ["list", "compare", "replay", "capture"],
  memory: ["tree", "list", "get", "store", "delete", "export", "import", "clean"],
  plugin: ["install", "uninstall", "link", "verify", "list"],
  mode: ["detect", "to-plugin", "to-local"],
};
const FLAGS = new Set("--auto --ui --no-reflection --docker -v --verbose --help --version".split(" "));
const VALUE_FLAGS = new Set(["--max-turns", "--checkout-repo", "-p"]);

/**
 * Whether these words mean the same to another version: every one must be on the list, spelt in full. Otherwise the
 * person is told the command, because leaving a word out would start something else.
 */
export function canRestart(argv: readonly string[]): boolean {
  const [command = "", ...words] = argv;
  if (!Object.hasOwn(COMMANDS, command)) return false;
  const subcommands = COMMANDS[command] ?? [];
  for (let index = 0; index < words.length; index++) {
    const word = words[index] ?? "";
    if (word === "--") return true;
    const isSubcommand = index === 0 && subcommands.includes(word);
    const equals = word.indexOf("=");
    const hasAttached = equals > 0 && VALUE_FLAGS.has(word.slice(0, equals));
    if (VALUE_FLAGS.has(word)) {
      if (words[++index] === undefined) return false;
    } else if (!isSubcommand && !hasAttached && !FLAGS.has(word)) return false;
  }
  return true;
}

const ANSWER_MS = 5_000;

/** Tells of a newer version in one line; asks, where a person can answer, whether to take it now. */
export async function offerUpdate(current: string, latest: string, console: LaunchConsole): Promise<boolean> {
  if (console.ask === undefined) {
    console.note(`amplihack ${latest} is available, this is ${current}; run: amplihack update`);
    return false;
  }
  console.note(`amplihack ${latest} is available, this is ${current}. Update now? [y/N]`);
  return /^\s*y(?:es)?\s*$/i.test(await readAnswer(ANSWER_MS));
}

/** A line typed within the time, else nothing. The terminal is opened anew, so that the agent's input stays whole. */
function readAnswer(limitMs: number): Promise<string> {
  return new Promise(resolve => {
    let input: ReadStream;
    try {
      input = new ReadStream(openSync("/dev/tty", "r"));
    } catch {
      resolve("");
      return;
    }
    const settle = (answer: string): void => {
      clearTimeout(timer);
      input.destroy();
      resolve(answer);
    };
    // What was typed in time counts also where this process is late to read it.
    const timer = setTimeout(afterPending, limitMs, () => settle(""));
    input.once("data", data => settle(String(data)));
    input.once("error", () => settle(""));
  });
}
