import type { ProgramEffect } from "../shell/effects.ts";
import { type OptionGrammar, parseOptions, words } from "../shell/options.ts";
import type { Output } from "../shell/state/types.ts";
import { dropKnown, knownPrefix, knownText, unknown, type Value, wordAt } from "../shell/value.ts";
import { runInNewShell, unknownOutput } from "../shell/walk/code-runs.ts";
import { runInner } from "../shell/walk/inner.ts";
import { joinValues } from "../shell/words/fragments.ts";
import { fetchedOutput } from "./network.ts";
import { payloads, sendEffect, stdinPayloads } from "./payloads.ts";
import type { Field, ParsedCall, Program } from "./program.ts";
import { remoteCall, runString } from "./run.ts";

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
    remoteOption("vagrant", / ssh\b/, "c command"),
    remoteOption(
      "ansible",
      /-m\s*(?:ansible\.builtin\.)?(?:shell|command|raw)|^(?!.* -m).* -a/,
      "a args",
      "-miuelf",
    ),
    { names: "lxc incus", run: runLxc },
    // Their last word runs on many machines.
    {
      names: "pssh parallel-ssh pdsh clush dsh salt mpssh",
      run(call) {
        const last = call.argv.at(-1);
        if (last !== undefined) runInNewShell(last, call, { from: "argument", via: "shell" });
        return [unknownOutput(call)];
      },
    },
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

/** An option holds the command line: `vagrant ssh -c`, `gcloud compute ssh --command`, `ansible -a`. */
function remoteOption(names: string, required: RegExp, code: string, values = ""): Program {
  return {
    names,
    options: { values: `${code} ${values}` },
    run: call => runRemoteOption(call, required, code),
  };
}

export function runRemoteOption(call: ParsedCall, required: RegExp, code: string): Output {
  const written = call.argv.map(word => knownText(word) ?? "").join(" ");
  if (required.test(written)) {
    for (const given of call.options.valuesOf(...words(code)))
      runInNewShell(given, remoteCall(call, call.program, undefined), { from: "argument", via: "shell" });
  }
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
