import type { CodeCall } from "../shell/code-calls.ts";
import type { Invocation, Redirection, ShellFacts } from "../shell/facts.ts";
import { components } from "../shell/paths.ts";
import { describe, text, type Value, wordAt } from "../shell/value.ts";
import type { Workspace } from "./context.ts";
import type { Actor, CommandEffect } from "./effects.ts";
import { lookUp } from "./look-up.ts";
import { archives } from "./models/archives.ts";
import { type Call, callOf, type Model, type ModelTable } from "./models/call.ts";
import { databaseClients } from "./models/databases.ts";
import { fd } from "./models/fd.ts";
import { find } from "./models/find.ts";
import { type BranchMemory, effectsOfGit } from "./models/git.ts";
import { mirrors } from "./models/mirrors.ts";
import { network } from "./models/network.ts";
import { processes } from "./models/processes.ts";
import { readFiles } from "./models/readers.ts";
import { removal } from "./models/removal.ts";
import { transfer } from "./models/transfer.ts";
import { uploads } from "./models/uploads.ts";
import { writing } from "./models/writing.ts";
import { componentCouldBe } from "./paths/match.ts";
import { cloudVerbs } from "./verbs/cloud.ts";
import { databaseVerbs } from "./verbs/databases.ts";
import { publishVerbs } from "./verbs/publish.ts";
import { secretVerbs } from "./verbs/secrets.ts";
import { systemVerbs } from "./verbs/system.ts";
import { type Tool, toolBehind } from "./verbs/tool.ts";
import { effectsOfVerbs, type VerbTable } from "./verbs/verb.ts";
import { wordSet, words } from "./words.ts";

const TABLES: readonly ModelTable[] = [
  removal,
  transfer,
  mirrors,
  archives,
  writing,
  network,
  processes,
  databaseClients,
  { find, fd, fdfind: fd },
];

/** Tables of verbs. A function, because they are long, and commands of everyday programs alone need none of them. */
export function verbTables(): readonly VerbTable[] {
  return [cloudVerbs, databaseVerbs, publishVerbs, secretVerbs, systemVerbs];
}

/** Programs that no verb is about; any other program is looked up. */
export const WITHOUT_VERBS = wordSet(
  "echo printf cd pwd ls cat head tail grep rg sed sort uniq cut tr wc tee touch mkdir rm rmdir mv cp test [ true false",
);

/** Everything a command does, as effects, in the order of evaluation. */
export function collectEffects(facts: ShellFacts, workspace: Workspace): readonly CommandEffect[] {
  const memory: BranchMemory = new Map();
  const effects: CommandEffect[] = [];
  for (const invocation of facts.invocations)
    effects.push(...effectsOfInvocation(invocation, facts, workspace, memory));
  for (const redirection of facts.redirections) effects.push(...effectsOfRedirection(redirection, facts));
  for (const { call, invocation } of facts.codeEffects) {
    const starter = facts.invocations[invocation];
    if (starter !== undefined) effects.push(...effectsOfCode(call, actorOf(starter)));
  }
  for (const { path, content, invocation } of facts.writtenFiles) {
    const host = /^\/dev\/(?:tcp|udp)\/([^/]*)/.exec(describe(path))?.[1];
    const writer = facts.invocations[invocation];
    if (host === undefined || writer === undefined) continue;
    const payloads = [{ value: content, role: "body" } as const];
    effects.push({ kind: "send", by: actorOf(writer), to: text(host), payloads });
  }
  return effects;
}

function actorOf(invocation: Invocation): Actor {
  const { cwd, place, span } = invocation;
  const program = invocation.program ?? describe(wordAt(invocation.argv, 0));
  return { cwd, place, span, program, invocation };
}

function effectsOfInvocation(
  invocation: Invocation,
  facts: ShellFacts,
  workspace: Workspace,
  memory: BranchMemory,
): readonly CommandEffect[] {
  const names = invocation.program === undefined ? possiblePrograms(invocation) : [invocation.program];
  return names.flatMap(program => {
    const call = callOf(invocation, program, facts, workspace);
    if (program === "git") return [...effectsOfGit(call, memory), ...effectsOfTables(call)];
    if (/^git-[a-z]/.test(program)) {
      const argv = [text("git"), text(program.slice(4)), ...invocation.argv.slice(1)];
      const plain = callOf({ ...invocation, program: "git", argv }, "git", facts, workspace);
      return [...effectsOfGit(plain, memory), ...effectsOfTables(call)];
    }
    return [...effectsOfModels(call), ...effectsOfTables(call)];
  });
}

/** A pattern in the place of the name (`/bin/r?`) is judged as every dangerous program it could be. */
const DANGEROUS = words(
  "rm dd mv cp chmod chown shred git curl wget bash sh mkfs tee find truncate kubectl terraform docker",
);

function possiblePrograms({ argv }: Invocation): readonly string[] {
  const [word] = argv;
  if (word === undefined || !word.pieces.some(piece => piece.kind === "glob")) return [];
  const last = components(word).at(-1) ?? [];
  return DANGEROUS.filter(name => componentCouldBe(last, name));
}

function effectsOfModels(call: Call): readonly CommandEffect[] {
  const models: Model[] = [];
  for (const table of TABLES) {
    const model = lookUp(table, call.program);
    if (model !== undefined) models.push(model);
  }
  if (models.length === 0) models.push(readFiles);
  const upload = lookUp(uploads, call.program);
  if (upload !== undefined) models.push(upload);
  return models.flatMap(model => model(call));
}

function effectsOfTables(call: Call): readonly CommandEffect[] {
  const tool = withArgumentsOfVariables(toolBehind(call), call.invocation);
  if (WITHOUT_VERBS.has(tool.program)) return [];
  return verbTables().flatMap(table =>
    effectsOfVerbs(table, tool.program, { ...call.invocation, argv: tool.argv }, call.by, call.facts),
  );
}

/** `TF_CLI_ARGS` and `TF_CLI_ARGS_apply` add options behind the subcommand. */
function withArgumentsOfVariables(tool: Tool, { environment }: Invocation): Tool {
  if (tool.program !== "terraform" && tool.program !== "tofu") return tool;
  const added = environment.flatMap(({ name, value }) =>
    value !== undefined && name.startsWith("TF_CLI_ARGS") ? words(describe(value)) : [],
  );
  return added.length === 0 ? tool : { ...tool, argv: [...tool.argv, ...added.map(word => text(word))] };
}

function effectsOfRedirection(redirection: Redirection, facts: ShellFacts): readonly CommandEffect[] {
  const { operation, target, cwd, place, span } = redirection;
  const invocation =
    redirection.invocation === undefined ? undefined : facts.invocations[redirection.invocation];
  const by: Actor = { cwd, place, span, program: invocation?.program ?? "redirection", invocation };
  const shown = describe(target);
  if (operation === "read")
    return reachesReader(invocation) ? [{ kind: "read", by, path: target, isCopy: false }] : [];
  const effects: CommandEffect[] = [
    {
      kind: "write",
      by,
      path: target,
      how: operation === "append" ? "append" : operation === "write" ? "replace" : "edit",
    },
  ];
  if (/^\/dev\/(tcp|udp)\//.test(shown) && invocation !== undefined) {
    const address = text(shown.split("/")[3] ?? "");
    const output: Value = { pieces: [], origins: [{ kind: "program", invocation: invocation.id }] };
    effects.push({ kind: "send", by, to: address, payloads: [{ value: output, role: "body" }] });
  }
  return effects;
}

/** Network tools are judged by what they send, and a loop's `read` keeps what it gets. */
function reachesReader(invocation: Invocation | undefined): boolean {
  const program = invocation?.program;
  return program === undefined || !/^(source|\.|docker|podman|ssh-add|wc|md5sum|sha256sum)$/.test(program);
}

function effectsOfCode(call: CodeCall, by: Actor): readonly CommandEffect[] {
  switch (call.kind) {
    case "delete":
      return [{ kind: "delete", by, path: call.path, isRecursive: call.isRecursive }];
    case "read":
      return [{ kind: "read", by, path: call.path, isCopy: false }];
    case "write":
      return [{ kind: "write", by, path: call.path, how: call.isAppend ? "append" : "replace" }];
    case "move":
      return [
        { kind: "move", by, from: call.from, to: call.to },
        { kind: "write", by, path: call.to, how: "replace", from: call.from },
      ];
    case "copy":
      return [
        { kind: "read", by, path: call.from, isCopy: true },
        { kind: "write", by, path: call.to, how: "replace", from: call.from },
      ];
    case "mode":
      return [
        { kind: "attributes", by, path: call.path, isRecursive: call.isRecursive, what: "mode", setting: "" },
      ];
    case "network": {
      const payloads = [
        ...call.sends.map(value => ({ value, role: "body" as const })),
        { value: call.target, role: "address" as const },
      ];
      return [{ kind: "send", by, to: call.target, payloads }];
    }
    default:
      return [];
  }
}
