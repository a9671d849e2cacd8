import type { Call, Model } from "../call.ts";
import { unknownOutput } from "../code-runs.ts";
import type { Mount, Place } from "../facts.ts";
import { type OptionSpec, type ParsedOptions, parseOptions } from "../options.ts";
import type { Output } from "../output.ts";
import { isAbsolute, joinPath, normalisePath } from "../paths.ts";
import {
  concatenate,
  describe,
  dropKnown,
  knownPrefix,
  knownText,
  text,
  unknown,
  type Value,
} from "../value.ts";
import { runInner } from "./inner.ts";
import { remoteCall } from "./remote.ts";

const RUN: OptionSpec = {
  flags: [
    ..."ditPq",
    "detach",
    "interactive",
    "tty",
    "rm",
    "privileged",
    "init",
    "read-only",
    "publish-all",
    "no-healthcheck",
    "oom-kill-disable",
    "sig-proxy",
    "quiet",
    "replace",
    "T",
    "no-deps",
    "service-ports",
    "use-aliases",
    "build",
    "remove-orphans",
  ],
  values: [
    ..."aceHhlmpuvw",
    "volume",
    "mount",
    "workdir",
    "env",
    "env-file",
    "user",
    "name",
    "entrypoint",
    "publish",
    "network",
    "net",
    "label",
    "memory",
    "cpus",
    "hostname",
    "add-host",
    "cap-add",
    "cap-drop",
    "device",
    "dns",
    "gpus",
    "group-add",
    "ip",
    "ipc",
    "isolation",
    "log-driver",
    "log-opt",
    "pid",
    "platform",
    "pull",
    "restart",
    "runtime",
    "security-opt",
    "shm-size",
    "stop-signal",
    "storage-opt",
    "sysctl",
    "tmpfs",
    "ulimit",
    "userns",
    "uts",
    "volume-driver",
    "volumes-from",
    "cpuset-cpus",
    "expose",
    "link",
    "mac-address",
    "health-cmd",
    "cidfile",
    "cgroupns",
    "pod",
    "arch",
    "os",
    "secret",
    "annotation",
  ],
  as: { volume: "v", workdir: "w", env: "e" },
  stopsAtOperand: true,
};

const EXEC: OptionSpec = {
  flags: [..."ditT", "detach", "interactive", "tty", "privileged", "no-TTY", "l", "latest"],
  values: [..."euw", "env", "env-file", "user", "workdir", "detach-keys", "index"],
  stopsAtOperand: true,
};

const GLOBAL: OptionSpec = {
  flags: ["D", "debug", "tls", "tlsverify", "v", "r", "remote", "compatibility", "all-resources"],
  values: [
    ..."cHlfp",
    "config",
    "context",
    "host",
    "log-level",
    "tlscacert",
    "tlscert",
    "tlskey",
    "file",
    "project-name",
    "profile",
    "env-file",
    "project-directory",
    "ansi",
    "url",
    "connection",
    "root",
    "runroot",
  ],
  stopsAtOperand: true,
};

const container: Model = (call, id) => {
  const words = skipGroups(call);
  if (words === undefined) return [unknownOutput(call, id)];
  const { index, name, isCompose } = words;
  if (name === "exec") return runExec(call, id, index + 1);
  if (name !== "run" && name !== "create") return [unknownOutput(call, id)];
  return isCompose ? runService(call, id, index + 1) : runImage(call, id, index + 1);
};

/** Passes options and the words `container` and `compose`. */
function skipGroups(
  call: Call,
): { readonly index: number; readonly name: string; readonly isCompose: boolean } | undefined {
  let isCompose = /compose/.test(describe(call.argv[0] ?? text("")));
  let start = 1;
  for (let hops = 0; hops < 3; hops += 1) {
    const first = parseOptions(call.argv, GLOBAL, start).operands[0];
    const name = first === undefined ? undefined : knownText(first.value);
    if (first === undefined || name === undefined) return undefined;
    if (name !== "container" && name !== "compose") return { index: first.index, name, isCompose };
    isCompose ||= name === "compose";
    start = first.index + 1;
  }
  return undefined;
}

/** A container that is already there is as good as another machine. */
function runExec(call: Call, id: number, start: number): Output {
  const parsed = parseOptions(call.argv, EXEC, start);
  const [name, ...argv] = parsed.operands.map(operand => operand.value);
  const there = remoteCall(call, "docker", name);
  const directory = parsed.valueOf("w", "workdir");
  return runInner(argv, directory === undefined ? there : { ...there, cwd: directory }, id);
}

/** Mounts of a service stand in a file nobody reads here, so it counts as another machine. */
function runService(call: Call, id: number, start: number): Output {
  const [name, ...argv] = parseOptions(call.argv, RUN, start).operands.map(operand => operand.value);
  return runInner(argv, remoteCall(call, "compose", name), id);
}

function runImage(call: Call, id: number, start: number): Output {
  const parsed = parseOptions(call.argv, RUN, start);
  const [, ...words] = parsed.operands.map(operand => operand.value);
  const entrypoint = parsed.valueOf("entrypoint");
  const argv = entrypoint === undefined || entrypoint.pieces.length === 0 ? words : [entrypoint, ...words];
  const mounts = [
    ...parsed.valuesOf("v").flatMap(value => readVolume(value, call)),
    ...parsed.valuesOf("mount").flatMap(value => readMount(value, call)),
  ];
  const cwd = parsed.valueOf("w") ?? unknown("any", "the container's directory");
  return runInner(argv, call, id, {
    place: { kind: "container", via: "docker", mounts },
    cwd,
    environment: readEnvironment(parsed),
  });
}

function readEnvironment(parsed: ParsedOptions): Call["environment"] {
  return parsed.valuesOf("e").flatMap(value => {
    const written = knownPrefix(value);
    const equals = written.indexOf("=");
    return equals < 1 ? [] : [{ name: written.slice(0, equals), value: dropKnown(value, equals + 1) }];
  });
}

/** `HOST:INSIDE[:ro]`; a host part without a slash names a volume, which holds nothing of ours. */
function readVolume(value: Value, call: Call): readonly Mount[] {
  const parts = splitValue(value, ":");
  const [host, inside, mode] = parts;
  if (host === undefined || inside === undefined || !isHostPath(host)) return [];
  return [
    {
      host: joinPath(call.cwd, host),
      inside: normalisePath(inside),
      isReadOnly: /(?:^|,)ro(?:,|$)/.test(knownText(mode ?? text("")) ?? ""),
    },
  ];
}

function isHostPath(host: Value): boolean {
  const [first] = host.pieces;
  return first?.kind !== "text" || /^[./~]/.test(first.text);
}

/** `type=bind,source=/a,target=/b`. */
function readMount(value: Value, call: Call): readonly Mount[] {
  const fields = new Map(
    splitValue(value, ",").map(part => {
      const written = knownPrefix(part);
      const equals = written.indexOf("=");
      return equals < 0
        ? ([written, text("true")] as const)
        : ([written.slice(0, equals), dropKnown(part, equals + 1)] as const);
    }),
  );
  const host = fields.get("source") ?? fields.get("src");
  const inside = fields.get("target") ?? fields.get("destination") ?? fields.get("dst");
  if (host === undefined || inside === undefined || !isHostPath(host)) return [];
  return [
    {
      host: joinPath(call.cwd, host),
      inside: normalisePath(inside),
      isReadOnly: fields.has("readonly") || fields.has("ro"),
    },
  ];
}

/** Splits at a character of the known text. */
function splitValue(value: Value, separator: string): readonly Value[] {
  const parts: Value[][] = [[]];
  for (const piece of value.pieces) {
    if (piece.kind !== "text") {
      parts.at(-1)?.push({ pieces: [piece], origins: value.origins });
      continue;
    }
    piece.text.split(separator).forEach((content, index) => {
      if (index > 0) parts.push([]);
      parts.at(-1)?.push(text(content, value.origins));
    });
  }
  return parts.map(part => concatenate(part));
}

const CHROOT: OptionSpec = {
  flags: ["skip-chdir"],
  values: ["userspec", "groups", "u", "g", "G"],
  stopsAtOperand: true,
};

const chroot: Model = (call, id) => {
  const [root, ...words] = parseOptions(call.argv, CHROOT).operands.map(operand => operand.value);
  if (root === undefined) return [unknownOutput(call, id)];
  const mounts: readonly Mount[] = [{ host: joinPath(call.cwd, root), inside: text("/"), isReadOnly: false }];
  const argv = words.length === 0 ? [text("sh")] : words;
  return runInner(argv, call, id, { place: { kind: "container", via: "chroot", mounts }, cwd: text("/") });
};

/** bwrap: `--bind HOST INSIDE` and its relatives, then the program. */
const bubblewrap: Model = (call, id) => {
  const mounts: Mount[] = [];
  let index = 1;
  while (index < call.argv.length) {
    const option = knownText(call.argv[index] ?? text(""));
    if (option === undefined || !option.startsWith("--")) break;
    const bind = /^--(ro-|dev-)?bind(?:-try)?$/.exec(option);
    if (bind !== null) {
      const [host, inside] = call.argv.slice(index + 1, index + 3);
      if (host !== undefined && inside !== undefined)
        mounts.push({
          host: joinPath(call.cwd, host),
          inside: normalisePath(inside),
          isReadOnly: bind[1] === "ro-",
        });
      index += 3;
    } else if (option === "--") {
      index += 1;
      break;
    } else
      index += /^--(?:setenv|symlink|file|bind-data|ro-bind-data|chmod)$/.test(option)
        ? 3
        : /^--(?:unshare|share|die-with|new-session|clearenv|as-pid-1)/.test(option)
          ? 1
          : 2;
  }
  return runInner(call.argv.slice(index), call, id, { place: { kind: "container", via: "bwrap", mounts } });
};

/**
 * The files of this machine that a path reaches: itself when not in a container, else what the mounts make of
 * it, and the mounts that lie below it. Empty when it is no file of ours.
 */
export function hostPaths(place: Place, path: Value): readonly Value[] {
  if (place.kind !== "container") return [path];
  const inside = normalisePath(path);
  if (place.mounts.length === 0) return [];
  if (!isAbsolute(inside)) return [unknown("any", describe(path))];
  const known = knownPrefix(inside);
  const isWhole = knownText(inside) !== undefined;
  const below: Value[] = [];
  let best: { readonly mount: Mount; readonly length: number } | undefined;
  for (const mount of place.mounts) {
    const root = knownText(mount.inside);
    if (root === undefined) return [unknown("any", describe(path))];
    const isIn = root === "/" || known === root || known.startsWith(`${root}/`);
    if (isIn && root.length > (best?.length ?? 0)) best = { mount, length: root.length };
    else if (!isIn && root.startsWith(known === "/" || !isWhole ? known : `${known}/`))
      below.push(mount.host);
  }
  if (best === undefined) return below;
  const rest = dropKnown(inside, best.length === 1 ? 0 : best.length);
  return [normalisePath(concatenate([best.mount.host, rest])), ...below];
}

export const containerModels: readonly (readonly [string, Model])[] = [
  ...["docker", "podman", "nerdctl", "docker-compose", "podman-compose", "finch", "container"].map(
    name => [name, container] as const,
  ),
  ["chroot", chroot],
  ["bwrap", bubblewrap],
];
