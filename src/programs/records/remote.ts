import { readJson } from "../../protocol/index.ts";
import {
  dropKnown,
  endingAtOperand,
  inputText,
  joinValues,
  knownPrefix,
  knownText,
  type OptionGrammar,
  type Output,
  type ProgramCall,
  type ProgramEffect,
  parseOptions,
  runInNewShell,
  runInner,
  text,
  unknown,
  unknownOutput,
  type Value,
  wordAt,
  words,
} from "../../shell/index.ts";
import { payloads, sendEffect, stdinPayloads } from "../model/effects.ts";
import { type Field, type ParsedCall, type Program, program, withOperations } from "../model/program.ts";
import { remoteCall, runString } from "../model/run.ts";
import { readTable, type TableRow } from "../model/text-table.ts";
import { fetchedOutput } from "./network.ts";

const SSH: OptionGrammar = {
  flags: "-46AaCfGgKkMNnqsTtVvXxYy",
  values: "-BbcDEeFIiJLlmOoPpQRSWw",
  stopsAtOperand: true,
  abbreviates: false,
};

/** Programs that run something on another machine. */
export const remote: Field = {
  reaches: true,
  tellsChanges: true,
  programs: () => [
    program("ssh autossh slogin", "readsNothing namesHosts dangerous usesFiles", {
      options: SSH,
      effects: effectsOfSsh,
      run: runSsh,
      shellVariables: "SSH_ASKPASS",
      operations: [
        "ssh autossh: net.expose - | make a port of this machine reachable from another | needs R | stops ssh web -R | passes ssh web",
      ],
    }),
    program("mosh", "readsNothing", {
      options: { values: "-p ssh server client predict", stopsAtOperand: true },
      effects: effectsOfSsh,
      run(call) {
        const [host, ...rest] = call.operands;
        const isDashed = rest[0] !== undefined && knownText(rest[0]) === "--";
        return runInner(isDashed ? rest.slice(1) : rest, remoteCall(call, "mosh", host));
      },
    }),
    program("ansible", "changesMore", {
      uses: "i",
      options: { values: "-iuelf m|module-name a|args inventory user limit extra-vars forks" },
      run: runAnsible,
      operations: [
        "sys.power * | restart or switch off other machines | needs m=*reboot m=*shutdown | stops ansible web -m reboot | passes ansible web -m ping",
      ],
    }),
    program("lxc incus", "changesMore", {
      run: runLxc,
      operations: [
        "cloud.container delete|rm|purge | delete a virtual machine or container with its disk | safer {tool} list | stops lxc delete web",
        "container.host launch|init|create | run a container with every right on this machine | needs c=security.privileged* config=security.privileged* | stops lxc launch web -c security.privileged | passes lxc launch web",
        "container.host config set …security.privileged=true|security.privileged | give a container every right on this machine | stops lxc config set security.privileged=true web | passes lxc config set list web",
        "container.host config device …source=/ | give a container the whole file system of this machine | stops lxc config device source=/ web | passes lxc config device list web",
      ],
    }),
    program("salt salt-ssh salt-call", "", { run: runSalt }),
    ...withOperations(remoteRunners(), [
      "eb: cloud.infra terminate | terminate an environment | safer eb status | stops eb terminate",
      "vagrant: cloud.infra destroy | destroy the virtual machine | safer vagrant status | stops vagrant destroy",
      "multipass colima limactl: cloud.container delete|rm|purge | delete a virtual machine or container with its disk | safer {tool} list | stops multipass delete web",
    ]),
  ],
};

function runSsh(call: ParsedCall): Output {
  const { options } = call;
  const [host] = options.operands;
  const rest = host === undefined ? undefined : parseOptions(call.argv, SSH, host.index + 1);
  for (const option of [...options.valuesOf("o"), ...(rest?.valuesOf("o") ?? [])])
    runLocalCommand(option, call);
  const command = rest?.operandValues ?? [];
  const input = inputText(call);
  const code = command.length > 0 ? joinValues(command, " ") : input;
  if (host !== undefined && code !== undefined && !options.has("N")) {
    const there = remoteCall(call, "ssh", host.value);
    const from = command.length > 0 ? "argument" : "stdin";
    const stdin = command.length > 0 ? input : undefined;
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

/** Where the command line stands: in an option, behind so many operands, behind `--`, or in parameters of a document. */
const CELLS = ["text", "parameters", "behind", "dashes", "values"] as const;

/**
 * Programs that run a command on another machine: the words that make them do so, then where that command stands, and
 * options of their own that have values.
 */
const TABLE = `
    aws ssm send-command | parameters parameters
    aws ecs execute-command | text command
    az vm|vmss run-command invoke | text scripts
    az vm|vmss run-command create | text script
    az container exec | text exec-command
    az aks command invoke | text command
    gcloud compute|workstations|cloud-shell ssh | text command | dashes
    gcloud compute tpus tpu-vm ssh | text command
    heroku run|run:detached|run:inside|ps:exec | behind 0 | values -arst app remote size type env dyno
    fly|flyctl ssh console | text C command
    fly|flyctl machine exec | behind 1
    railway ssh|run | behind 0 | values -spe service project environment
    render ssh | behind 1
    dokku run|enter | behind 1
    doctl compute ssh | text ssh-command
    nomad alloc exec | behind 1 | values task job namespace region
    cf ssh | text c command | values -ip
    gh codespace|cs ssh | dashes | values -c codespace
    minikube ssh | behind 0 | values -np node profile
    multipass exec | behind 1 | values -d working-directory
    limactl shell | behind 1 | values workdir shell
    lima | behind 0
    colima ssh | behind 0
    vagrant ssh | text c command
    docker-machine ssh | behind 1
    crictl exec | behind 1
    plink | behind 1 | values -PlpwimNLRDJ pw pwfile load hostkey
    klink | behind 1
    tsh ssh | behind 1 | values -lpLRDJiN login proxy user ttl cluster
    fab | dashes
    bolt command run | behind 0 | values -tnu targets nodes query user password run-as
    knife ssh | behind 1 | values -xPiaCp ssh-user ssh-password ssh-identity-file attribute
    eb ssh | text c command
    pssh|parallel-ssh|mpssh | behind 0 | values -hHlpotOxXe host hosts user par outdir errdir timeout
    pdsh | behind 0 | values -wxlftug
    clush | behind 0 | values -wgxXloftu nodes group exclude user options fanout
    dsh | behind 0 | values -mgfrFo machine group file
    mussh | text c | values -hHlmt
    adb shell | behind 0 | values -stHP
    adb exec-out | behind 0 | values -stHP
`;

type Cells = TableRow<(typeof CELLS)[number]>["cells"];

interface RemoteRunner {
  readonly path: readonly string[];
  readonly cells: Cells;
}

let runners: ReadonlyMap<string, readonly RemoteRunner[]> | undefined;

function findRunners(program: string): readonly RemoteRunner[] {
  runners ??= readRunners();
  return runners.get(program) ?? [];
}

function readRunners(): ReadonlyMap<string, readonly RemoteRunner[]> {
  const found = new Map<string, RemoteRunner[]>();
  for (const { columns, cells } of readTable(TABLE, 1, CELLS)) {
    const [names = "", ...path] = (columns[0] ?? "").split(" ");
    for (const name of names.split("|")) found.set(name, [...(found.get(name) ?? []), { path, cells }]);
  }
  return found;
}

/** Records of those that do nothing else which is known. */
function remoteRunners(): readonly Program[] {
  const names = `multipass limactl lima colima docker-machine crictl plink klink tsh bolt knife eb pssh parallel-ssh
    mpssh pdsh clush dsh mussh vagrant adb`;
  return [{ names, changesMore: true, run: call => runRemotely(call) ?? [unknownOutput(call)] }];
}

/** Runs what the command line of another machine says; undefined when this is no such command. */
export function runRemotely(call: ParsedCall): Output | undefined {
  for (const { path, cells } of findRunners(call.program)) {
    const grammar = readGrammar(cells);
    const start = skipPath(path, call.argv, grammar);
    if (start === undefined) continue;
    const there = remoteCall(call, call.program, undefined);
    runLines(cells, start, grammar, call, there);
    return [unknownOutput(call)];
  }
  return undefined;
}

/** Whether it is such a command, which is judged by what runs there. */
export function runsElsewhere({ program, argv }: ParsedCall): boolean {
  return findRunners(program).some(
    ({ path, cells }) => skipPath(path, argv, readGrammar(cells)) !== undefined,
  );
}

const grammars = new WeakMap<Cells, OptionGrammar>();

function readGrammar(cells: Cells): OptionGrammar {
  const { values = "", text: lines = "", parameters = "" } = cells;
  const grammar = grammars.get(cells) ?? {
    abbreviates: false,
    unknownTakesValue: values === "",
    values: `${values} ${lines} ${parameters}`,
    flags: "-biqvVTtAaNS interactive batch quiet verbose no-tty debug",
  };
  grammars.set(cells, grammar);
  return grammar;
}

/** The place behind the subcommands; undefined when they are others. */
function skipPath(
  path: readonly string[],
  argv: readonly Value[],
  grammar: OptionGrammar,
): number | undefined {
  let start = 1;
  for (const part of path) {
    const [first] = parseOptions(argv, endingAtOperand(grammar), start).operands;
    if (first === undefined || !part.split("|").includes(knownText(first.value) ?? "")) return undefined;
    start = first.index + 1;
  }
  return start;
}

function runLines(
  cells: Cells,
  start: number,
  grammar: OptionGrammar,
  { argv }: ParsedCall,
  there: ProgramCall,
): void {
  const dashes = argv.findIndex((word, index) => index >= start && knownText(word) === "--");
  const parsed = parseOptions(dashes < 0 ? argv : argv.slice(0, dashes), grammar, start);
  for (const line of parsed.valuesOf(...words(cells.text ?? ""))) runLine(line, there);
  for (const line of parsed.valuesOf(...words(cells.parameters ?? "")))
    for (const one of linesOfParameters(line)) runLine(one, there);
  const from =
    dashes < 0 ? behindOperands(cells.behind, argv, { ...grammar, stopsAtOperand: true }, start) : dashes + 1;
  if (from !== undefined) runWords(argv.slice(from), there);
}

/** Where the words behind so many operands begin. */
function behindOperands(
  count: string | undefined,
  argv: readonly Value[],
  grammar: OptionGrammar,
  start: number,
): number | undefined {
  if (count === undefined) return undefined;
  let [next] = parseOptions(argv, grammar, start).operands;
  for (let skipped = 0; skipped < Number(count) && next !== undefined; skipped += 1)
    [next] = parseOptions(argv, grammar, next.index + 1).operands;
  return next?.index;
}

/** One word is a line of a shell; several are a program with its words, which may come to a shell as well. */
function runWords(argv: readonly Value[], there: ProgramCall): void {
  const [only] = argv;
  if (only === undefined) return;
  if (argv.length === 1 || knownText(only)?.includes(" ") === true) runLine(only, there);
  else runInner(argv, there);
}

function runLine(line: Value, there: ProgramCall): void {
  runInNewShell(line, there, { from: "argument", via: "shell" });
}

/** `commands=["a","b"]`, `commands=a`, `{"commands":["a"]}` */
function linesOfParameters(value: Value): readonly Value[] {
  const assigned = /^\w+=/.exec(knownPrefix(value))?.[0].length ?? 0;
  const given = dropKnown(value, assigned);
  const known = knownText(given);
  const read = known === undefined ? undefined : readJson(known);
  if (read?.ok !== true) return [given];
  const lines = textsIn(read.value);
  return lines.length === 0 ? [] : [text(lines.join("\n"), value.origins)];
}

function textsIn(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsIn) : [];
}
