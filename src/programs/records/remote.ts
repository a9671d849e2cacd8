import {
  dropKnown,
  joinValues,
  knownPrefix,
  knownText,
  type OptionGrammar,
  type Output,
  type ProgramEffect,
  parseOptions,
  runInNewShell,
  runInner,
  text,
  unknown,
  unknownOutput,
  type Value,
  wordAt,
} from "../../shell/index.ts";
import { payloads, sendEffect, stdinPayloads } from "../model/payloads.ts";
import type { Field, ParsedCall } from "../model/program.ts";
import { remoteCall, runString } from "../model/run.ts";
import { fetchedOutput } from "./network.ts";
import { remoteRunners } from "./remote-runners.ts";

const SSH: OptionGrammar = {
  flags: "-46AaCfGgKkMNnqsTtVvXxYy",
  values: "-BbcDEeFIiJLlmOoPpQRSWw",
  stopsAtOperand: true,
  abbreviates: false,
};

/** Programs that run something on another machine. */
export const remote: Field = {
  toldExcept: "vagrant ansible lxc",
  programs: () => [
    {
      names: "ssh autossh slogin",
      is: ["readsNothing", "namesHosts", "dangerous"],
      options: SSH,
      effects: effectsOfSsh,
      run: runSsh,
      shellVariables: "SSH_ASKPASS",
    },
    {
      names: "mosh",
      is: ["readsNothing"],
      options: { values: "-p ssh server client predict", stopsAtOperand: true },
      effects: effectsOfSsh,
      run(call) {
        const [host, ...rest] = call.operands;
        const isDashed = rest[0] !== undefined && knownText(rest[0]) === "--";
        return runInner(isDashed ? rest.slice(1) : rest, remoteCall(call, "mosh", host));
      },
    },
    {
      names: "ansible",
      options: { values: "-iuelf m|module-name a|args inventory user limit extra-vars forks" },
      run: runAnsible,
    },
    { names: "lxc incus", run: runLxc },
    { names: "salt salt-ssh salt-call", run: runSalt },
    ...remoteRunners(),
  ],
};

function runSsh(call: ParsedCall): Output {
  const { options } = call;
  const [host] = options.operands;
  const rest = host === undefined ? undefined : parseOptions(call.argv, SSH, host.index + 1);
  for (const option of [...options.valuesOf("o"), ...(rest?.valuesOf("o") ?? [])])
    runLocalCommand(option, call);
  const command = rest?.operandValues ?? [];
  const code = command.length > 0 ? joinValues(command, " ") : call.stdin;
  if (host !== undefined && code !== undefined && !options.has("N")) {
    const there = remoteCall(call, "ssh", host.value);
    const from = command.length > 0 ? "argument" : "stdin";
    const stdin = command.length > 0 ? call.stdin : undefined;
    runInNewShell(code, there, { from, via: "shell" }, { stdin });
  }
  return [fetchedOutput(call)];
}

/** `-o ProxyCommand=…` and `LocalCommand` run here. */
function runLocalCommand(option: Value, call: ParsedCall): void {
  const match = /^(?:ProxyCommand|LocalCommand|KnownHostsCommand)[ =]\s*/i.exec(knownPrefix(option));
  if (match !== null) runString(dropKnown(option, match[0].length), call);
}

function effectsOfSsh(call: ParsedCall): readonly ProgramEffect[] {
  const [host, ...command] = call.operands;
  return sendEffect(host, [...payloads("body", command), ...stdinPayloads(call)]);
}

/** Modules that run a line, or whose arguments say that a path has to go. */
function runAnsible(call: ParsedCall): Output {
  const module = knownText(call.options.valueOf("m") ?? text("command"))?.replace(/^ansible\.\w+\./, "");
  const there = remoteCall(call, "ansible", undefined);
  for (const given of call.options.valuesOf("a")) {
    if (/^(shell|command|raw|script|win_shell|win_command)$/.test(module ?? ""))
      runInNewShell(given, there, { from: "argument", via: "shell" });
    else if (/\bstate=absent\b/.test(knownText(given) ?? "") && module === "file") {
      const path = /\b(?:path|dest|name)=(\S+)/.exec(knownText(given) ?? "")?.[1];
      if (path !== undefined) runInner([text("rm"), text("-rf"), text(path)], there);
    }
  }
  return [unknownOutput(call)];
}

/** `salt '*' cmd.run LINE`, `salt '*' file.remove PATH`. */
function runSalt(call: ParsedCall): Output {
  const at = call.argv.findIndex(word => /^(cmd|file)\.\w+$/.test(knownText(word) ?? ""));
  const given = at < 0 ? undefined : call.argv[at + 1];
  if (given === undefined) return [unknownOutput(call)];
  const there = remoteCall(call, call.program, undefined);
  const name = knownText(wordAt(call.argv, at)) ?? "";
  if (name.startsWith("cmd.")) runInNewShell(given, there, { from: "argument", via: "shell" });
  else if (/^file\.(remove|rmdir)$/.test(name)) runInner([text("rm"), text("-rf"), given], there);
  return [unknownOutput(call)];
}

function runLxc(call: ParsedCall): Output {
  const isExec = knownText(wordAt(call.argv, 1)) === "exec";
  const dashes = call.argv.findIndex(word => knownText(word) === "--");
  return isExec && dashes > 0
    ? runInner(call.argv.slice(dashes + 1), remoteCall(call, "lxc", call.argv[2]))
    : [unknownOutput(call)];
}

const CLUSTER_EXEC: OptionGrammar = {
  flags: "-itq stdin tty quiet",
  values:
    "-ncfs namespace container context cluster kubeconfig filename user pod-running-timeout server as token",
};

/** `kubectl exec POD -- CMD`; without `--` the words behind the pod. */
export function runInCluster(call: ParsedCall): Output {
  const at = call.argv.findIndex(word => ["exec", "rsh"].includes(knownText(word) ?? ""));
  if (at < 0) return runClusterPod(call);
  const dashes = call.argv.findIndex((word, index) => index > at && knownText(word) === "--");
  const parsed = parseOptions(
    call.argv.slice(0, dashes < 0 ? undefined : dashes),
    { ...CLUSTER_EXEC, stopsAtOperand: dashes < 0 },
    at + 1,
  );
  const [pod, ...rest] = parsed.operandValues;
  return runInner(dashes < 0 ? rest : call.argv.slice(dashes + 1), remoteCall(call, "kubectl", pod));
}

/** `kubectl run NAME --image=… -- CMD`: a container of its own, without anything of ours. */
function runClusterPod(call: ParsedCall): Output {
  const isRun = call.argv.some(word => /^(?:run|debug)$/.test(knownText(word) ?? ""));
  const dashes = call.argv.findIndex(word => knownText(word) === "--");
  if (!isRun || dashes < 0) return [unknownOutput(call)];
  return runInner(call.argv.slice(dashes + 1), call, {
    place: { kind: "container", via: "kubectl", mounts: [] },
    cwd: unknown("any", "the container's directory"),
  });
}
