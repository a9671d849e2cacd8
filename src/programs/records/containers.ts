import { readJson } from "../../protocol/index.ts";
import {
  baseName,
  concatenate,
  describe,
  dropKnown,
  isAbsolute,
  joinPath,
  knownPrefix,
  knownText,
  type Mount,
  normalisePath,
  type OptionGrammar,
  type Output,
  type ParsedOptions,
  type Place,
  type ProgramCall,
  type ProgramEffect,
  parseOptions,
  programName,
  readScript,
  runInNewShell,
  runInner,
  text,
  unknown,
  unknownOutput,
  type Value,
  wordAt,
} from "../../shell/index.ts";
import { singleQuoted } from "../../system/index.ts";
import { type Field, type ParsedCall, program } from "../model/program.ts";
import { remoteCall } from "../model/run.ts";
import { keptVariables } from "./prefixes.ts";
import { isRegenerableName } from "./regenerable.ts";
import { hostAccessEffects, OTHER_ROOT } from "./requests.ts";
import { writtenText } from "./tasks.ts";

const RUN: OptionGrammar = {
  flags:
    "-ditPqT detach interactive tty rm privileged init read-only publish-all no-healthcheck oom-kill-disable sig-proxy quiet replace no-deps service-ports use-aliases build remove-orphans help",
  values:
    "-acHhlmpu e|env v|volume w|workdir mount env-file user name entrypoint publish network net label memory cpus hostname add-host cap-add cap-drop device dns gpus group-add ip ipc isolation log-driver log-opt pid platform pull restart runtime security-opt shm-size stop-signal storage-opt sysctl tmpfs ulimit userns uts volume-driver volumes-from cpuset-cpus expose link mac-address health-cmd cidfile cgroupns pod arch os secret annotation",

  stopsAtOperand: true,
  shortEquals: true,
};

const EXEC: OptionGrammar = {
  flags: "-ditTl detach interactive tty privileged no-TTY latest",
  values: "-euw env env-file user workdir detach-keys index",
  stopsAtOperand: true,
  shortEquals: true,
};

/** Options of the engine and of all its subcommands. */
const ENGINE_OPTIONS: OptionGrammar = {
  values: "-Hlpt host context config log-level filter project-name file env-file profile timeout rmi",
  flags:
    "-vafqs volumes all force quiet remove-orphans stop help services images profiles hash no-interpolate",
  shortEquals: true,
  abbreviates: false,
};

const COMPOSE_OPTIONS: OptionGrammar = {
  values:
    "-Hclfpt host context config log-level file project-name profile env-file project-directory timeout filter rmi",
  flags: "-vaqs volumes all quiet remove-orphans stop help services images profiles hash no-interpolate",
  shortEquals: true,
  abbreviates: false,
};

/** Options in front of the subcommand. */
const GLOBAL: OptionGrammar = {
  flags: "-Dvr debug tls tlsverify remote compatibility all-resources",
  values:
    "-cHlfp config context host log-level tlscacert tlscert tlskey file project-name profile env-file project-directory ansi url connection root runroot",
  stopsAtOperand: true,
  shortEquals: true,
};

/** Programs that run others in containers. */
const COMPOSE_FILES = "compose*.yml compose*.yaml docker-compose*.yml docker-compose*.yaml";

export const containers: Field = {
  reaches: true,
  programs: () => [
    program(
      "docker podman nerdctl",
      "readsNothing namesHosts dangerous guessed keepsTexts usesFiles endsDaily",
      {
        runsFiles: COMPOSE_FILES,
        chosenBy: /^docker context use /,
        shows: "ps images logs inspect stats top port version info history events diff search",
        options: ENGINE_OPTIONS,
        effects: call => [
          ...copyIntoContainer(call),
          ...reachesOfRun(call),
          ...contextOfBuild(call),
          ...shownByConfig(call),
        ],
        effectsAfter: volumesEmptied,
        run: runContainer,
        operations: [
          "deploy.production stack|service deploy|update|rollback|scale|create | deploy | stops docker stack deploy web | passes docker stack ls",
          "deploy.production compose up|restart|create|scale | deploy | needs context H host | stops docker --context prod compose up | passes docker compose up",

          "publish push | publish an image to everybody | free on *.*/*|*:*/*|localhost/*|*$* | safer docker images | stops docker push acme/web | passes docker push registry.example.com/web:1",
          "publish image push | publish an image to everybody | free on *.*/*|*:*/*|localhost/*|*$* | safer docker images | stops docker image push acme/web | passes docker image push registry.example.com/web:1",
          "cloud.container system prune|reset | remove images, containers and caches that are not in use | safer docker system df | stops docker system prune web",
          "cloud.container volume rm|prune|remove | delete volumes with their data | safer docker volume ls | stops docker volume rm web",
          "cloud.container rm | remove every listed container | needs f force | of unknown | safer docker ps -a | stops docker rm $(docker ps -aq) -f",
          "cloud.container container rm | remove every listed container | needs f force | of unknown | safer docker ps -a | stops docker container rm $(docker ps -aq) -f",
          "sys.kill kill | end every listed container | of unknown | safer docker ps | stops docker kill $(docker ps -q) | passes docker kill web",
          "podman: sys.kill kill|stop|pause | end every container | needs a all | safer podman ps | stops podman kill --all | passes podman stop web",
          "cloud.container rmi | remove every listed image | needs f force | of unknown | safer docker images | stops docker rmi $(docker ps -aq) -f",
          "cloud.container image rm | remove every listed image | needs f force | of unknown | safer docker images | stops docker image rm $(docker ps -aq) -f",
          "cloud.container compose …down | delete the volumes or images of the project | needs v volumes rmi | safer docker compose down | stops docker compose down web -v",
          "cloud.container compose …rm | delete the volumes of the project | needs v volumes | safer docker compose rm | stops docker compose rm web -v",
          "podman: cloud.container rm|rmi | remove everything | needs a all + f force | safer podman ps -a | stops podman rm web -a -f",
          "podman: cloud.container pod rm | remove every pod | needs a all + f force | safer podman pod ps | stops podman pod rm web -a -f",
          "docker: cloud.container stack|service|secret|config rm | remove a deployed stack | safer docker stack ls | stops docker stack rm web",
          "docker: cloud.container swarm leave | leave the swarm and lose its state | needs f force | stops docker swarm leave web -f | passes docker swarm leave web",
          "docker podman: sec.keychain compose config | show the values of all variables | needs env-file | unless q quiet services images profiles volumes hash no-interpolate | stops docker compose config web --env-file | passes docker compose config web",
          "docker podman: sec.keychain …inspect …*.Env* | show the variables of a container | stops docker inspect '{{.Config.Env}}' web | passes docker inspect ps web",
        ],
      },
    ),
    program("docker-compose podman-compose", "readsNothing keepsTexts usesFiles endsDaily", {
      runsFiles: COMPOSE_FILES,
      options: COMPOSE_OPTIONS,
      effects: call => [...reachesOfRun(call), ...shownByConfig(call)],
      run: runContainer,
      operations: [
        "cloud.container down | delete the volumes or images of the project | needs v volumes rmi | safer docker-compose down | stops docker-compose down web -v",
        "cloud.container rm | delete the volumes of the project | needs v volumes f=v f=sv f=vs | safer docker-compose rm | stops docker-compose rm web -v",
        "docker-compose: sec.keychain config | show the values of all variables | needs env-file | unless q quiet services images profiles volumes hash no-interpolate | stops docker-compose config web --env-file | passes docker-compose config web",
      ],
    }),
    program("finch container", "readsNothing", { effects: reachesOfRun, run: runContainer }),
  ],
};

function runContainer(call: ParsedCall): Output {
  const found = skipGroups(call);
  if (found === undefined) return [unknownOutput(call)];
  const { index, name, isCompose } = found;
  if (name === "exec") return runExec(call, index + 1);
  // On this machine, in a namespace of its own.
  if (name === "unshare") return runInner(call.argv.slice(index + 1), call);
  if (isCompose && /^(up|run|create|start|restart|watch)$/.test(name)) runComposeFile(call);
  if (name !== "run" && name !== "create") return [unknownOutput(call)];
  return isCompose ? runService(call, index + 1) : runImage(call, index + 1);
}

/** What a container that is started, or a program that is started in one, gets of this machine. */
function reachesOfRun(call: ParsedCall): readonly ProgramEffect[] {
  const found = skipGroups(call);
  if (found === undefined || !/^(?:run|create|exec)$/.test(found.name)) return [];
  const parsed = parseOptions(call.argv, found.name === "exec" ? EXEC : RUN, found.index + 1);
  return parsed.isOn("help") ? [] : hostAccessEffects(parsed, readMounts(parsed, call), call);
}

function readMounts(parsed: ParsedOptions, { cwd }: ProgramCall): readonly Mount[] {
  return [
    ...parsed.valuesOf("v").flatMap(value => readVolume(value, cwd)),
    ...parsed.valuesOf("mount").flatMap(value => readMount(value, cwd)),
  ];
}

/** `run -v data:/v alpine find /v -delete`: a volume with a name is kept for others, with all that it holds. */
function volumesEmptied(call: ParsedCall): readonly ProgramEffect[] {
  const found = skipGroups(call);
  if (found?.name !== "run") return [];
  const { invocations, effects } = call.scope.session;
  const parsed = parseOptions(call.argv, RUN, found.index + 1);
  return parsed.valuesOf("v").flatMap((value): readonly ProgramEffect[] => {
    const [name = "", inside = ""] = splitValue(value, ":").map(describe);
    if (!/^\w/.test(name) || inside === "" || isRegenerableName(baseName(inside))) return [];
    const isEmptied = invocations.some(
      ({ id, place, cwd }) =>
        id > call.id &&
        place.kind === "container" &&
        (effects[id] ?? []).some(
          effect =>
            effect.kind === "delete" && isWhole(knownPrefix(joinPath(cwd, effect.path)), inside, effect.path),
        ),
    );
    const what = "delete what a volume holds";
    return isEmptied
      ? [{ kind: "operation", rule: "cloud.container", what, target: name, names: [name] }]
      : [];
  });
}

/** The folder itself, one around it, or whatever a pattern finds right in it. */
function isWhole(start: string, folder: string, path: Value): boolean {
  const place = start.replace(/\/+$/, "") || "/";
  return knownText(path) === undefined
    ? place === folder
    : place === folder || folder.startsWith(`${place}/`);
}

/** `docker cp FILE container:/path`: into another file system, or out of it. */
export function copyIntoContainer({ argv }: ParsedCall): readonly ProgramEffect[] {
  const shown = argv.map(describe);
  const at = shown.findIndex((word, index) => index > 0 && word === "cp");
  if (at < 0 || at > 4) return [];
  const operands = argv.slice(at + 1).filter(word => !/^-/.test(describe(word)));
  const destination = operands.at(-1);
  const isThere = (word: Value) => /^[^/]*:/.test(describe(word));
  const reads = operands
    .slice(0, -1)
    .filter(word => !isThere(word))
    .map((path): ProgramEffect => ({ kind: "read", path, isCopy: true }));
  if (destination === undefined || isThere(destination)) return reads;
  const names = operands.slice(0, -1).map(word => nameThere(word));
  // Where the names are known it is these that are written.
  if (/^\.{1,2}\/?$|\/$/.test(describe(destination)) && names.every(name => name !== undefined))
    return [
      ...reads,
      ...names.map((name): ProgramEffect => {
        const path = joinPath(destination, text(name ?? ""));
        return { kind: "write", path, how: "replace", isInto: true };
      }),
    ];
  return [...reads, { kind: "write", path: destination, how: "replace", isInto: true }];
}

/** The last name of a path in a container; undefined for the content of a folder. */
function nameThere(word: Value): string | undefined {
  const name = /^(?=[^/]*:)(?:[\s\S]*\/|[^/]*:(?![^/:]*:))([^/*?[\]]+)$/.exec(knownText(word) ?? "")?.[1];
  return name === undefined || /^\.{1,2}$/.test(name) ? undefined : name;
}

const BUILD: OptionGrammar = {
  flags: "-qD push load no-cache pull rm force-rm quiet squash compress help",
  values:
    "-cmtuo f|file t|tag build-arg target platform label network cache-from cache-to secret ssh output progress",
  abbreviates: false,
};
const MAX_BUILD_FILE = 64 * 1024;

/** An image that is made of the whole folder has its secrets in it, and stays readable layer by layer. */
function contextOfBuild(call: ParsedCall): readonly ProgramEffect[] {
  const shown = call.argv.slice(0, 4).map(describe);
  const at = shown.findIndex((word, index) => index > 0 && /^(?:build|bud)$/.test(word));
  if (at < 0 || shown.includes("compose")) return [];
  const options = parseOptions(call.argv, BUILD, at + 1);
  const path = options.operandValues.at(-1);
  if (path === undefined) return [];
  const named = options.valueOf("f");
  const file = knownText(joinPath(call.cwd, named ?? joinPath(path, text("Dockerfile"))));
  const content =
    file === undefined ? undefined : call.scope.session.context.files?.readText(file, MAX_BUILD_FILE);
  const copiesAll = /^[ \t]*(?:COPY|ADD)\s+(?:--(?!from)\S+\s+)*(?:\.\/?|\["\.\/?",)\s*\S/im.test(
    content ?? "",
  );
  const taken = { ignoreFiles: [".dockerignore", ".containerignore"], leftOut: [] };
  return copiesAll ? [{ kind: "read", path, isCopy: true, taken }] : [];
}

/** Passes options and the words `container` and `compose`. */
function skipGroups(
  call: ProgramCall,
): { readonly index: number; readonly name: string; readonly isCompose: boolean } | undefined {
  let isCompose = /compose/.test(describe(wordAt(call.argv, 0)));
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
function runExec(call: ProgramCall, start: number): Output {
  const parsed = parseOptions(call.argv, EXEC, start);
  const [name, ...argv] = parsed.operandValues;
  const there = remoteCall(call, "docker", name);
  const directory = parsed.valueOf("w", "workdir");
  return runInner(argv, directory === undefined ? there : { ...there, cwd: directory });
}

/** Mounts of a service stand in a file that is not read here, so it counts as another machine. */
function runService(call: ProgramCall, start: number): Output {
  const [name, ...argv] = parseOptions(call.argv, RUN, start).operandValues;
  return runInner(argv, remoteCall(call, "compose", name));
}

function runImage(call: ProgramCall, start: number): Output {
  const parsed = parseOptions(call.argv, RUN, start);
  const [, ...words] = parsed.operandValues;
  const entrypoint = parsed.valueOf("entrypoint");
  const argv = entrypoint === undefined || entrypoint.pieces.length === 0 ? words : [entrypoint, ...words];
  const seesProcesses = knownText(parsed.valueOf("pid") ?? text("")) === "host";
  const mounts = [
    ...readMounts(parsed, call),
    ...listDevices(parsed).map((path): Mount => ({ host: path, inside: path, isReadOnly: false })),
    ...(seesProcesses ? [OTHER_ROOT] : []),
  ];
  const cwd = parsed.valueOf("w") ?? unknown("any", "the container's directory");
  // An image has a program of its own, which may do anything to what is mounted.
  const isOwnProgram = argv.length === 0 && mounts.some(({ isReadOnly }) => !isReadOnly);
  // It goes back to where the processes of this machine are.
  if (seesProcesses && programName(wordAt(argv, 0)) === "nsenter") return runInner(argv, call, { cwd });
  return runInner(isOwnProgram ? [text("entrypoint")] : argv, call, {
    place: { kind: "container", via: "docker", mounts },
    cwd,
    environment: [...readEnvironment(parsed), ...(parsed.has("env-file") ? [keptVariables(call)] : [])],
  });
}

/** A privileged container has all devices of this machine. */
function listDevices(parsed: ParsedOptions): readonly Value[] {
  const named = parsed.valuesOf("device").map(value => text(describe(value).replace(/:.*$/s, "")));
  return parsed.has("privileged") ? [text("/dev"), ...named] : named;
}

function readEnvironment(parsed: ParsedOptions): ProgramCall["environment"] {
  return parsed.valuesOf("e").flatMap(value => {
    const written = knownPrefix(value);
    const equals = written.indexOf("=");
    return equals < 1 ? [] : [{ name: written.slice(0, equals), value: dropKnown(value, equals + 1) }];
  });
}

/** `HOST:INSIDE[:ro]`; a host part without a slash names a volume, which holds nothing of ours. */
function readVolume(value: Value, cwd: Value): readonly Mount[] {
  const parts = splitValue(value, ":");
  const [host, inside, mode] = parts;
  if (host === undefined || inside === undefined || !isHostPath(host)) return [];
  return [
    {
      host: joinPath(cwd, host),
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
function readMount(value: Value, cwd: Value): readonly Mount[] {
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
      host: joinPath(cwd, host),
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

const NAMES = ["compose.yaml", "compose.yml", "docker-compose.yaml", "docker-compose.yml"];
const VOLUME = /^[ \t]*-\s*["']?((?:[./~]|\$\{?\w)[^"'\s:]*:\/[^"'\s:]*(?::[\w,]+)?)["']?\s*(?:#.*)?$/gm;
const COMMAND = /^[ \t]*(?:command|entrypoint)\s*:\s*(\S.*)$/gm;

/** The commands of a compose file that this command or this session wrote, with what it mounts of this machine. */
export function runComposeFile(call: ProgramCall): void {
  const named = parseOptions(call.argv, { values: "f|file", abbreviates: false }).valuesOf("f");
  for (const file of named.length > 0 ? named : NAMES.map(name => text(name)))
    for (const content of writtenText(file, call)) runServices(knownText(content) ?? "", call);
}

const SHOWS_NO_VALUES =
  /^(?:-q|--quiet|--services|--images|--volumes|--networks|--profiles|--hash(?:=.*)?|--help)$/;
const VARIABLES_FILE = /^[ \t]*(?:env_file\s*:[ \t]*(\S+)|-\s*(?:path\s*:\s*)?(\S*\.env[\w.-]*))[ \t]*$/gm;

/** `compose config` prints the file with the values of all variables in it. */
function shownByConfig(call: ParsedCall): readonly ProgramEffect[] {
  const shown = call.argv.map(describe);
  const at = shown.findIndex(word => /^(?:config|convert)$/.test(word));
  const isCompose = /compose/.test(shown[0] ?? "") || shown.slice(1, Math.max(at, 1)).includes("compose");
  if (at < 1 || !isCompose || shown.some(word => SHOWS_NO_VALUES.test(word))) return [];
  const options = parseOptions(call.argv, { values: "f|file env-file", abbreviates: false });
  const named = options.valuesOf("f");
  const files = (named.length > 0 ? named : NAMES.map(name => text(name))).flatMap(
    file => readScript(file, call) ?? [],
  );
  const listed = files.flatMap(content =>
    [...(knownText(content) ?? "").matchAll(VARIABLES_FILE)].map(([, one, other]) =>
      text((one ?? other ?? "").replace(/^["']|["']$/g, "")),
    ),
  );
  const given = options.valuesOf("env-file");
  const interpolated = given.length > 0 ? given : [text(".env")];
  const taken = [...(shown.includes("--no-interpolate") ? [] : interpolated), ...listed];
  return files.length === 0 ? [] : taken.map(path => ({ kind: "read", path, isCopy: false }));
}

function runServices(content: string, call: ProgramCall): void {
  const { home } = call.scope.session.context;
  const mounts: readonly Mount[] = [...content.matchAll(VOLUME)].flatMap(([, volume = ""]) =>
    readVolume(text(volume.replace(/^~(?=\/|:)/, home)), call.cwd),
  );
  const cwd = unknown("any", "the container's directory");
  const there: ProgramCall = { ...call, cwd, place: { kind: "container", via: "compose", mounts } };
  for (const [, written = ""] of content.matchAll(COMMAND))
    runInNewShell(text(commandLine(written)), there, { from: "file", via: "script" });
}

/** A list of words, or a text that a shell would split. */
function commandLine(written: string): string {
  const list = written.startsWith("[") ? readJson(written.replaceAll("'", '"')) : undefined;
  if (list?.ok !== true || !Array.isArray(list.value)) return written.replace(/^(["'])(.*)\1$/, "$2");
  return list.value.map(word => singleQuoted(String(word))).join(" ");
}
