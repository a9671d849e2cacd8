import type { SandboxSettings } from "../config/index.ts";
import { homeCaches } from "../programs/index.ts";
import { Problem } from "../state/index.ts";
import { dirname, isInside, join, relative, type System, sha256Hex } from "../system/index.ts";
import {
  isSecretVariable,
  PRIVATE_MEMORY,
  startersInCaches,
  type Workspace,
  wiringBelow,
} from "../workspace/index.ts";
import { findGitPlaces, type GitPlaces } from "./git-places.ts";
import { findHidden, type HiddenPlaces } from "./hidden.ts";
import type { Hidden, Layer, Overlay, Policy, ProxyStart } from "./policy.ts";

/** What is open without a layer, in words for people. The tests of ways out hold it to this. */
export const OPEN_WITHOUT: Readonly<Record<Layer, readonly string[]>> = {
  namespaces: [
    "hooks and configuration of git, and settings of hosts: they can be changed",
    "secrets below folders that may be changed",
    "modes, owners, times and attributes of the user's own files everywhere",
    "names of files in hidden folders",
    "names, arguments, priorities and ends of other processes",
    "memory that programs share, and files of services in /run",
    "processes that go on after the sandbox was killed",
    "network by host: it is off or on as a whole",
  ],
  landlock: [
    "abstract sockets, where the network is on",
    "signals to the programs that it was started with, at a terminal",
    "writing into named pipes of others",
  ],
  seccomp: ["typing into the terminal, new namespaces, and calls that reach the kernel"],
};

export interface PlanRequest {
  readonly settings: SandboxSettings;
  readonly layers: readonly Layer[];
  /** undefined: the words that the program is given */
  readonly command?: readonly string[] | undefined;
  readonly leftovers: Policy["leftovers"];
  /** where changes of the project are caught; undefined where they are made */
  readonly caught?: readonly Overlay[] | undefined;
  /** how the proxy is started; needed for `network: hosts` */
  readonly proxy?: ProxyStart | undefined;
}

export interface Plan {
  readonly policy: Policy;
  /** what this policy cannot hold back on these layers, in words for people */
  readonly open: readonly string[];
}

/** The policy of one command from all that is known of where it runs. */
export function planPolicy(
  system: Pick<System, "files" | "env" | "text">,
  workspace: Workspace,
  request: PlanRequest,
): Plan {
  const { settings } = request;
  const hidden = findHidden(system, workspace, settings);
  if (hidden.isTooLarge)
    throw new Problem(`${workspace.project} holds too many files, so the command was not started`, {
      kind: "unavailable",
      causes: ["keys and settings among them that were not found would be open"],
      fix: "remove what is not needed there, or work in a folder of it that is a repository of its own",
      exitCode: 126,
    });
  const git = findGitPlaces(workspace, hidden.nestedRepositories);
  const wiring = findWiring(workspace, hidden);
  const write = findWritable(workspace, settings, git);
  const isWritable = (path: string) => write.some(root => isInside(root, path));
  const full: Policy = {
    version: 1,
    layers: request.layers,
    ...(request.command === undefined ? {} : { command: request.command }),
    environment: {
      keep: keptVariables(system.env, settings.env),
      set: ownVariables(system, workspace, request),
    },
    write,
    readOnly: unique([...git.readOnly, ...wiring.existing].filter(isWritable)),
    reserve: git.reserve.filter(({ path }) => isWritable(path)),
    hide: [...hidden.paths.map(path => ({ path })), ...excludeFile(workspace, git, hidden)],
    show: hidden.shown,
    absent: unique([...git.absent, ...wiring.missing]).filter(isWritable),
    noLinks: git.folders.filter(isWritable),
    overlay: [],
    network: settings.network === "hosts" ? "proxy" : settings.network,
    ...(settings.network === "hosts" ? { proxy: request.proxy } : {}),
    leftovers: request.leftovers,
    project: sha256Hex(workspace.disk.encode(workspace.project ?? workspace.cwd)).slice(0, 32),
  };
  const bounded = request.caught === undefined ? full : catchChanges(full, request.caught);
  const open = [...hidden.open, ...git.open, ...wiring.open];
  return request.layers.includes("namespaces") ? { policy: bounded, open } : withoutNamespaces(bounded, open);
}

/** What starts something later: settings of hosts, continuous integration, hooks, tasks of editors. */
function findWiring(workspace: Workspace, { starters, above }: HiddenPlaces) {
  const { project, disk } = workspace;
  const hosts =
    project === undefined ? { existing: [], missing: [] } : wiringBelow(workspace, project, above);
  const inCaches = startersInCaches(workspace);
  const existing = unique([...hosts.existing, ...starters.existing, ...inCaches.existing]);
  const links = existing.filter(path => disk.kind(path) === "symlink");
  return {
    // A command can replace a link, but must not change what it leads to.
    existing: existing.map(path => disk.resolve(path, true)).filter(path => disk.kind(path) !== undefined),
    missing: [...hosts.missing, ...starters.missing, ...inCaches.missing],
    open: links.map(path => `${path} is a link, which a command can replace`),
  };
}

function unique(paths: readonly string[]): readonly string[] {
  return [...new Set(paths)];
}

function findWritable({ disk, project, temps, home }: Workspace, settings: SandboxSettings, git: GitPlaces) {
  const caches = homeCaches().map(cache => join(home, cache));
  const all = [
    ...(project === undefined ? [] : [project]),
    ...git.write,
    ...temps,
    ...caches,
    ...settings.write,
  ];
  const isTooMuch = (path: string) => path === "/" || isInside(path, home);
  const found = all
    .map(path => ({ path, place: disk.resolve(path, true) }))
    .filter(({ place }) => disk.kind(place) !== undefined && !isInside(PRIVATE_MEMORY, place))
    .filter(({ place }) => !isTooMuch(place));
  // Below what a command may change it may have put a link, which is not followed; all of it is open already.
  const isBelowOther = (path: string) => found.some(({ place }) => place !== path && isInside(place, path));
  return unique(found.filter(({ path }) => !isBelowOther(path)).map(({ place }) => place));
}

/** Where temporary files go must be a folder that is one. */
function ownVariables({ env }: Pick<System, "env">, workspace: Workspace, request: PlanRequest) {
  const tmpdir = env.get("TMPDIR");
  const isTemp = tmpdir === undefined || workspace.temps.some(temp => isInside(temp, tmpdir));
  const address = request.proxy === undefined ? undefined : `http://127.0.0.1:${request.proxy.port}`;
  const isBehindProxy = request.settings.network === "hosts" && address !== undefined;
  const names = ["HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy", "ALL_PROXY", "all_proxy"];
  // Java knows none of these variables.
  const javaOptions = `-Dhttp.proxyHost=127.0.0.1 -Dhttp.proxyPort=${request.proxy?.port} -Dhttps.proxyHost=127.0.0.1 -Dhttps.proxyPort=${request.proxy?.port}`;
  const withJava = (name: string) => [name, `${env.get(name) ?? ""} ${javaOptions}`.trim()];
  return {
    ...(isTemp ? {} : { TMPDIR: "/tmp" }),
    ...(isBehindProxy ? Object.fromEntries(names.map(name => [name, address])) : {}),
    ...(isBehindProxy ? Object.fromEntries(["MAVEN_OPTS", "GRADLE_OPTS", "SBT_OPTS"].map(withJava)) : {}),
    // Node's own requests look for a proxy only when told so.
    ...(isBehindProxy
      ? { NODE_USE_ENV_PROXY: "1", NO_PROXY: "localhost,127.0.0.1,::1", no_proxy: "localhost,127.0.0.1,::1" }
      : {}),
    AMPLIHACK_SANDBOX: "1",
  };
}

/** Git must neither add a hidden file as an empty one nor stop at it. */
function excludeFile(
  { disk, project = "/" }: Workspace,
  git: GitPlaces,
  { inProject }: HiddenPlaces,
): readonly Hidden[] {
  const config = git.readOnly.find(path => path.endsWith("/config"));
  const path = config === undefined ? undefined : join(dirname(config), "info/exclude");
  if (path === undefined || inProject.length === 0 || disk.kind(path) !== "file") return [];
  const lines = inProject.map(file => `/${escapePattern(relative(project, file))}`);
  return [{ path, text: `${disk.text(path, 64 * 1024) ?? ""}\n${lines.join("\n")}\n` }];
}

function escapePattern(path: string): string {
  return path.replace(/[\\*?[\]!#\s]/g, "\\$&");
}

/** Nothing there is changed, so nothing needs to be protected from it; secrets stay hidden. */
function catchChanges(policy: Policy, caught: readonly Overlay[]): Policy {
  const isElsewhere = (path: string) => !caught.some(overlay => isInside(overlay.path, path));
  return {
    ...policy,
    write: policy.write.filter(isElsewhere),
    readOnly: policy.readOnly.filter(isElsewhere),
    reserve: policy.reserve.filter(({ path }) => isElsewhere(path)),
    absent: policy.absent.filter(isElsewhere),
    noLinks: policy.noLinks.filter(isElsewhere),
    overlay: caught,
    leftovers: "kill",
  };
}

/** Landlock only adds rights to whole trees: single files below a folder that may be changed stay as open as it is. */
function withoutNamespaces(policy: Policy, open: readonly string[]): Plan {
  const isBelow = (path: string) => policy.write.some(root => isInside(root, path));
  const shownBelow = (path: string) => policy.show.some(shown => isInside(path, shown));
  return {
    policy: {
      ...policy,
      readOnly: [],
      reserve: [],
      hide: policy.hide
        .filter(({ path }) => !isBelow(path) && !shownBelow(path))
        .map(({ path }) => ({ path })),
      show: [],
      network: policy.network === "proxy" ? "off" : policy.network,
      proxy: undefined,
    },
    open: [
      ...open,
      ...OPEN_WITHOUT.namespaces,
      ...(policy.network === "on" ? ["sockets of docker, D-Bus, agents and displays"] : []),
    ],
  };
}

/** Ways to agents, displays, buses and editors outside: the sockets are hidden, and the names would only mislead. */
const LEADS_OUTSIDE =
  /^(SSH_(AUTH_SOCK|AGENT_PID|ASKPASS|CONNECTION|CLIENT)|GPG_AGENT_INFO|DBUS_.*|DISPLAY|WAYLAND_DISPLAY|XAUTHORITY|XDG_RUNTIME_DIR|DOCKER_(HOST|CONTEXT)|CONTAINER_HOST|KUBECONFIG|GIT_ASKPASS|SUDO_ASKPASS|VSCODE_.*|CURSOR_TRACE_ID|TMUX|STY|BROWSER|NOTIFY_SOCKET|LISTEN_.*|(HTTPS?|ALL|FTP|NO)_PROXY)$/i;

/** Names of the variables that a command in the sandbox is given; `kept` are those that a person named. */
function keptVariables(env: System["env"], kept: readonly string[]): readonly string[] {
  return env
    .names()
    .filter(name => kept.includes(name) || !(LEADS_OUTSIDE.test(name) || isSecretVariable(env, name)));
}
