import {
  describe,
  dropKnown,
  knownPrefix,
  knownText,
  type Mount,
  type OptionGrammar,
  type Output,
  type ParsedOptions,
  type ProgramCall,
  type ProgramEffect,
  parseOptions,
  programName,
  runInner,
  text,
  unknown,
  unknownOutput,
  type Value,
  wordAt,
} from "../../shell/index.ts";
import { keptVariables } from "../model/prefix.ts";
import type { Field, ParsedCall } from "../model/program.ts";
import { remoteCall } from "../model/run.ts";
import { runComposeFile } from "./compose-files.ts";
import { OTHER_ROOT, reachesOf } from "./host-reach.ts";
import { readMount, readVolume } from "./mounts.ts";

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
  flags: "-vafqs volumes all force quiet remove-orphans stop help",
  shortEquals: true,
  abbreviates: false,
};

const COMPOSE_OPTIONS: OptionGrammar = {
  values:
    "-Hclfpt host context config log-level file project-name profile env-file project-directory timeout filter rmi",
  flags: "-vaqs volumes all quiet remove-orphans stop help",
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
export const containers: Field = {
  programs: () => [
    {
      names: "docker podman nerdctl",
      is: ["readsNothing", "namesHosts", "dangerous"],
      options: ENGINE_OPTIONS,
      effects: call => [...copyIntoContainer(call), ...reachesOfRun(call)],
      run: runContainer,
    },
    {
      names: "docker-compose podman-compose",
      is: ["readsNothing"],
      options: COMPOSE_OPTIONS,
      effects: reachesOfRun,
      run: runContainer,
    },
    { names: "finch container", is: ["readsNothing"], effects: reachesOfRun, run: runContainer },
  ],
};

function runContainer(call: ParsedCall): Output {
  const found = skipGroups(call);
  if (found === undefined) return [unknownOutput(call)];
  const { index, name, isCompose } = found;
  if (name === "exec") return runExec(call, index + 1);
  if (isCompose && /^(up|run|create|start|restart|watch)$/.test(name)) runComposeFile(call);
  if (name !== "run" && name !== "create") return [unknownOutput(call)];
  return isCompose ? runService(call, index + 1) : runImage(call, index + 1);
}

/** What a container that is started, or a program that is started in one, gets of this machine. */
function reachesOfRun(call: ParsedCall): readonly ProgramEffect[] {
  const found = skipGroups(call);
  if (found === undefined || !/^(?:run|create|exec)$/.test(found.name)) return [];
  const parsed = parseOptions(call.argv, found.name === "exec" ? EXEC : RUN, found.index + 1);
  return parsed.isOn("help") ? [] : reachesOf(parsed, mountsOf(parsed, call), call);
}

function mountsOf(parsed: ParsedOptions, { cwd }: ProgramCall): readonly Mount[] {
  return [
    ...parsed.valuesOf("v").flatMap(value => readVolume(value, cwd)),
    ...parsed.valuesOf("mount").flatMap(value => readMount(value, cwd)),
  ];
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
  return [...reads, { kind: "write", path: destination, how: "replace", isInto: true }];
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
    ...mountsOf(parsed, call),
    ...devicesOf(parsed).map((path): Mount => ({ host: path, inside: path, isReadOnly: false })),
    ...(seesProcesses ? [OTHER_ROOT] : []),
  ];
  const cwd = parsed.valueOf("w") ?? unknown("any", "the container's directory");
  // It goes back to where the processes of this machine are.
  if (seesProcesses && programName(wordAt(argv, 0)) === "nsenter") return runInner(argv, call, { cwd });
  return runInner(argv, call, {
    place: { kind: "container", via: "docker", mounts },
    cwd,
    environment: [...readEnvironment(parsed), ...(parsed.has("env-file") ? [keptVariables(call)] : [])],
  });
}

/** A privileged container has all devices of this machine. */
function devicesOf(parsed: ParsedOptions): readonly Value[] {
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
