import fc from "fast-check";
import { BUILT_IN } from "../../src/config/settings.ts";
import * as guard from "../../src/exports/guard.ts";
import { judgeCommand, judgeTool, PACKS } from "../../src/exports/guard.ts";
import type { Hook } from "../../src/protocol/index.ts";
import { createMemorySystem } from "../../src/system/memory.ts";
import { anyCharacter } from "../generated-inputs.ts";
import { contextFor, HOME, machine, PROJECT, readCorpus } from "../guard/scene.ts";
import { describePublicFunctions, forAll, forBoth } from "./public-functions.ts";
import { environments, json, paths, texts } from "./values.ts";

const corpus = [...readCorpus("ordinary.txt"), ...readCorpus("dangerous.txt")];
const RULES: readonly string[] = PACKS.flatMap(pack => pack.rules.map(rule => rule.id));
const system = machine();
const context = contextFor();

const pieces = fc.constantFrom(
  ..."rm -rf / ~ $(x) `y` | ; && > < \\ ' \" * { } $HOME git push --force sudo".split(" "),
);
/** Short ones: what whole commands of people look like is the corpus, which other tests go through. */
const commands = fc.oneof(
  { weight: 1, arbitrary: fc.constantFrom(...corpus) },
  {
    weight: 1,
    arbitrary: fc.tuple(fc.constantFrom(...corpus), fc.nat(40)).map(([text, cut]) => text.slice(0, cut)),
  },
  { weight: 5, arbitrary: fc.array(pieces, { maxLength: 4 }).map(words => words.join(" ")) },
  { weight: 3, arbitrary: fc.string({ unit: anyCharacter, maxLength: 30 }) },
);
const tools = fc.constantFrom("Bash", "Write", "Edit", "Read", "powershell", "mcp__x__y", "WebFetch", "");

/** Allowed without a reason, or stopped with one and with rules that exist; never a failure inside. */
function isSound(judgement: guard.Judgement): boolean {
  const { verdict, reason, findings, failure } = judgement;
  const { targets, unknownIn, unresolved } = judgement.footprint();
  const paths = [...targets.map(target => target.path), ...unknownIn];
  if (failure !== undefined || unresolved.some(shown => shown.startsWith("not worked out"))) return false;
  if (!paths.every(path => path.startsWith("/")) || judgement.settle([]).verdict !== "allow") return false;
  if (verdict === "allow") return reason === undefined;
  return reason !== undefined && reason !== "" && findings.length > 0 && findings.length <= 5;
}

function decisionOf(hook: Hook<typeof system>, command: string): string | undefined {
  const input = toolInput("Bash", { command }, command);
  return (hook.run(input as never, system) as { decision?: { kind: string } } | undefined)?.decision?.kind;
}

function toolInput(name: string, input: unknown, command: string | null) {
  return {
    kind: "tool",
    cwd: PROJECT,
    tool: { name, canonicalName: name, input },
    facts: { command, paths: command === null ? ["/etc/passwd"] : [] },
  };
}

describePublicFunctions("guard", guard, {
  isUnderstood: forAll(commands, command => {
    const judgement = judgeCommand(command, context);
    return !guard.isUnderstood(judgement) || (judgement.verdict === "allow" && judgement.gaps().length === 0);
  }),
  isCode: forAll(fc.oneof(texts, fc.constantFrom("ABCDEF", "abcdef", "AAAAA0")), text =>
    guard.isCode(text) ? /^[A-Z0-9]{6}$/i.test(text.trim()) : !/^[A-HJKMNP-T]{6}$/.test(text),
  ),
  redact: forAll(fc.oneof(commands, texts), text => {
    const redacted = guard.redact(text);
    return (
      guard.redact(redacted) === redacted &&
      !guard.redact(`${text} ghp_${"a1B2".repeat(9)}`).includes("a1B2a1B2")
    );
  }),
  findRule: forAll(fc.oneof(texts, fc.constantFrom(...RULES)), id => {
    const rule = guard.findRule(id);
    return rule === undefined ? !RULES.includes(id) : rule.id === id;
  }),
  factsOfCall: forBoth(tools, json, (name, input) => {
    const known = { command: "ls", paths: [] };
    const { command, paths: named } = guard.factsOfCall(name, input, { command: null, paths: [] });
    const isText = (value: unknown) => typeof value === "string" && value !== "";
    return (
      (command === null || isText(command)) &&
      named.every(isText) &&
      guard.factsOfCall(name, input, known) === known
    );
  }),
  findUnkept: forBoth(paths, texts, (path, why) => {
    const finding = guard.findUnkept(BUILT_IN.guard, path, why);
    return finding?.verdict === "ask" && finding.target === path && finding.lost.includes(why);
  }),
  judgeCommand: forAll(commands, command => isSound(judgeCommand(command, context))),
  judgeArgv: forAll(fc.array(fc.oneof(texts, pieces), { maxLength: 4 }), argv =>
    isSound(guard.judgeArgv(argv, context)),
  ),
  judgeTool: forBoth(tools, fc.tuple(json, fc.option(commands)), (name, [input, command]) => {
    const { tool, facts } = toolInput(name, input, command);
    const judgement = judgeTool({ tool: { ...tool, input }, facts } as guard.JudgedTool, context);
    const isShell = name === "Bash" && command !== null && command !== "";
    return isSound(judgement) && (isShell || name !== "WebFetch" || judgement.verdict === "allow");
  }),
  guard: forAll(commands, command =>
    [undefined, "ask", "deny"].includes(decisionOf(guard.guard({ cwd: PROJECT, home: HOME }), command)),
  ),
  contextOf: forBoth(environments(["HOME", "OLDPWD", "TMPDIR", "USER"]), paths, (env, cwd) => {
    const made = guard.contextOf({ cwd }, createMemorySystem({ env, files: { "/a/b/x": "" } }));
    return made.cwd.startsWith("/") && made.home.startsWith("/") && made.previousCwd === undefined;
  }),
});
