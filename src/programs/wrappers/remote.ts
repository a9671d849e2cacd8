import { type OptionGrammar, parseOptions } from "../../shell/options.ts";
import {
  dropKnown,
  knownPrefix,
  knownText,
  unknown,
  type Value,
  withOrigins,
  wordAt,
} from "../../shell/value.ts";
import type { Model, ProgramCall } from "../../shell/walk/call.ts";
import { runInNewShell, unknownOutput } from "../../shell/walk/code-runs.ts";
import { runInner } from "../../shell/walk/inner.ts";
import type { Output } from "../../shell/walk/output.ts";
import { joinValues } from "../../shell/words/fragments.ts";
import { runString } from "./strings.ts";

/** Programs that run something on another machine, or in a container that is already there. */

/** The same call seen from over there: nothing is known about the directory. */
export function remoteCall(call: ProgramCall, via: string, host: Value | undefined): ProgramCall {
  return { ...call, place: { kind: "remote", via, host }, cwd: unknown("any", "the remote directory") };
}

const SSH: OptionGrammar = {
  flags: "-46AaCfGgKkMNnqsTtVvXxYy",
  values: "-BbcDEeFIiJLlmOoPpQRSWw",
  stopsAtOperand: true,
};

const ssh: Model = call => {
  const parsed = parseOptions(call.argv, SSH);
  const [host, ...late] = parsed.operands;
  const rest = host === undefined ? undefined : parseOptions(call.argv, SSH, host.index + 1);
  for (const option of [...parsed.valuesOf("o"), ...(rest?.valuesOf("o") ?? [])])
    runLocalCommand(option, call);
  const words = (rest?.operands ?? late).map(operand => operand.value);
  const code = words.length > 0 ? joinValues(words, " ") : call.stdin;
  const there = remoteCall(call, "ssh", host?.value);
  const fetched = withOrigins(unknownOutput(call), [{ kind: "network", invocation: call.id }]);
  if (host === undefined || code === undefined || parsed.has("N")) return [fetched];
  const from = words.length > 0 ? "argument" : "stdin";
  runInNewShell(code, there, { from, road: "shell" }, { stdin: words.length > 0 ? call.stdin : undefined });
  return [fetched];
};

/** `-o ProxyCommand=…` and `LocalCommand` run here. */
function runLocalCommand(option: Value, call: ProgramCall): void {
  const match = /^(?:ProxyCommand|LocalCommand|KnownHostsCommand)[ =]\s*/i.exec(knownPrefix(option));
  if (match !== null) runString(dropKnown(option, match[0].length), call);
}

const mosh: Model = call => {
  const [host, ...words] = parseOptions(call.argv, {
    values: "-p ssh server client predict",
    stopsAtOperand: true,
  }).operands.map(operand => operand.value);
  return runInner(
    words[0] !== undefined && knownText(words[0]) === "--" ? words.slice(1) : words,
    remoteCall(call, "mosh", host),
  );
};

const CLUSTER: OptionGrammar = {
  flags: "-itq stdin tty quiet",
  values:
    "-ncfs namespace container context cluster kubeconfig filename user pod-running-timeout server as token",
};

/** `kubectl exec POD -- CMD`; without `--` the words behind the pod. */
const cluster: Model = call => {
  const at = call.argv.findIndex(word => ["exec", "rsh"].includes(knownText(word) ?? ""));
  if (at < 0) return runClusterPod(call);
  const dashes = call.argv.findIndex((word, index) => index > at && knownText(word) === "--");
  const parsed = parseOptions(
    call.argv.slice(0, dashes < 0 ? undefined : dashes),
    { ...CLUSTER, stopsAtOperand: dashes < 0 },
    at + 1,
  );
  const [pod, ...words] = parsed.operands.map(operand => operand.value);
  return runInner(dashes < 0 ? words : call.argv.slice(dashes + 1), remoteCall(call, "kubectl", pod));
};

/** `kubectl run NAME --image=… -- CMD`: a container of its own, without anything of ours. */
function runClusterPod(call: ProgramCall): Output {
  const isRun = call.argv.some(word => knownText(word) === "run" || knownText(word) === "debug");
  const dashes = call.argv.findIndex(word => knownText(word) === "--");
  if (!isRun || dashes < 0) return [unknownOutput(call)];
  return runInner(call.argv.slice(dashes + 1), call, {
    place: { kind: "container", via: "kubectl", mounts: [] },
    cwd: unknown("any", "the container's directory"),
  });
}

/** An option holds the command line: `vagrant ssh -c`, `gcloud compute ssh --command`, `ansible -a`. */
function optionModel(
  via: string,
  required: RegExp,
  names: readonly string[],
  values: readonly string[],
): Model {
  return call => {
    const written = call.argv.map(word => knownText(word) ?? "").join(" ");
    if (!required.test(written)) return [unknownOutput(call)];
    const codes = parseOptions(call.argv, { values: [...names, ...values].join(" ") }).valuesOf(...names);
    for (const code of codes)
      runInNewShell(code, remoteCall(call, via, undefined), { from: "argument", road: "shell" });
    return [unknownOutput(call)];
  };
}

const lxc: Model = call => {
  const isExec = knownText(wordAt(call.argv, 1)) === "exec";
  const dashes = call.argv.findIndex(word => knownText(word) === "--");
  return isExec && dashes > 0
    ? runInner(call.argv.slice(dashes + 1), remoteCall(call, "lxc", call.argv[2]))
    : [unknownOutput(call)];
};

export const remoteModels: readonly (readonly [string, Model])[] = [
  ["ssh", ssh],
  ["autossh", ssh],
  ["slogin", ssh],
  ["mosh", mosh],
  ["kubectl", cluster],
  ["oc", cluster],
  ["k3s", cluster],
  ["vagrant", optionModel("vagrant", / ssh\b/, ["c", "command"], [])],
  ["gcloud", optionModel("gcloud", / ssh\b/, ["command"], ["zone", "project"])],
  ["fly", optionModel("fly", / ssh\b/, ["C", "command"], ["a", "app"])],
  ["flyctl", optionModel("fly", / ssh\b/, ["C", "command"], ["a", "app"])],
  [
    "ansible",
    optionModel(
      "ansible",
      /-m\s*(?:ansible\.builtin\.)?(?:shell|command|raw)|^(?!.* -m).* -a/,
      ["a", "args"],
      ["m", "i", "u", "e", "l", "f"],
    ),
  ],
  ["lxc", lxc],
  ["incus", lxc],
];
