// npm run understood [-- recorded|this|ordinary] [--all]: which share of recorded calls is understood, by host and by gap. Three
// sets: what real hosts recorded (tests/fixtures), the commands of this project's own development (as npm run dogfood collects
// them), and the ordinary commands of the guard's corpora. Nothing is run.
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { loadSource } from "./load-source.mjs";
import { collectCommands, readVersions } from "./replay-commands.mjs";
import { collectingTools } from "./replay-development.mjs";

const CORPORA = ["ordinary", "ordinary-more", "ordinary-third", "ordinary-fourth"];
const SHOWN = 25;
const ROOT = fileURLToPath(new URL("..", import.meta.url));

const modules = await loadSource({
  "../tests/guard/scene.ts": ["contextFor", "machine"],
  "verify/answered-calls.ts": ["AnswerTally"],
  "verify/guard-summary.ts": ["readRecordedCall"],
  "verify/transcript-inputs.ts": ["transcriptInputs"],
  "guard/guard.ts": ["judgeTool"],
  "hosts/index.ts": ["normalise"],
  "protocol/index.ts": ["checkInput"],
  "system/node.ts": ["createNodeSystem"],
  "verify/scan.ts": ["readSnippets"],
  "system/processes.ts": ["quoteWord"],
  "programs/model/program-index.ts": ["makeProgramIndex"],
});
const { AnswerTally, checkInput, contextFor, judgeTool, normalise, readRecordedCall, transcriptInputs } =
  modules;
const system = modules.createNodeSystem();
const isAll = process.argv.includes("--all");

/** The project that recorded sessions worked in, on the machine that the guard's tests know. */
const RECORDED = ["/home/dev/project", "/home/user/project", "/work/project"];
const recordedMachine = modules.machine(
  Object.fromEntries(
    RECORDED.flatMap(project => [
      [`${project}/.git/HEAD`, "ref: refs/heads/feature/x\n"],
      [`${project}/.git/config`, "[core]\n\tbare = false\n"],
      [`${project}/.git/objects/aa/bb`, "x"],
      [`${project}/notes.txt`, "first line\nsecond line\n"],
      [`${project}/sub/file.txt`, "x\n"],
    ]),
  ),
);

function judge(input, tally, context = {}) {
  if (input === undefined) return;
  const cwd = input.cwd ?? "/home/dev/project";
  const home = cwd.startsWith("/home/dev") ? "/home/dev" : "/home/user";
  const judgement = judgeTool(input, contextFor({ searchPath: "/usr/bin:/bin", cwd, home, ...context }));
  tally.add(input, judgement);
  if (!isAll || judgement.verdict !== "allow" || judgement.gaps().length === 0) return;
  const shown = input.facts.command ?? `${input.tool.canonicalName} ${input.facts.paths.join(" ")}`;
  const gaps = judgement.gaps().map(({ kind, what }) => `${kind}: ${what}`);
  console.log(`${shown.replaceAll("\n", "⏎").slice(0, 110)}\n      ${gaps.join("; ")}`);
}

function filesBelow(folder, ending) {
  return readdirSync(folder, { recursive: true })
    .map(name => join(folder, name))
    .filter(path => path.endsWith(ending) && !path.includes("/answers/") && statSync(path).isFile());
}

/** What hosts sent to hooks, and what they wrote down of their sessions. */
function recordedCalls(tally) {
  const fixtures = join(ROOT, "tests/fixtures");
  const hosts = {
    claude: "claude-code",
    codex: "codex",
    copilot: "copilot-cli",
    gemini: "gemini-cli",
    opencode: "opencode",
    pi: "pi",
  };
  const context = { system: recordedMachine };
  for (const [folder, host] of Object.entries(hosts)) {
    const { environment, fixtures: listed } = JSON.parse(
      readFileSync(join(fixtures, "hosts", folder, "index.json"), "utf8"),
    );
    for (const { file, event, env: own = {} } of listed) {
      const text = readFileSync(join(fixtures, "hosts", folder, file), "utf8");
      const variables = { ...environment, ...own };
      const env = { get: name => variables[name] };
      const read = normalise(text, { host, event: event.replace(/^event:/, ""), env });
      const checked = read.ok ? checkInput(read.value) : undefined;
      if (checked?.ok === true && checked.input.kind === "tool" && checked.input.event === "PreToolUse")
        judge(checked.input, tally, context);
    }
  }
  const transcripts = [
    ["claude-code", join(fixtures, "transcripts")],
    ...Object.entries(hosts).map(([folder, host]) => [host, join(fixtures, "usage", folder)]),
  ];
  for (const [host, folder] of transcripts) {
    const paths = existsSync(folder) ? filesBelow(folder, ".jsonl") : [];
    for (const path of paths)
      for (const recorded of transcriptInputs(system, path, { lines: 0, bytes: 0, bad: 0 }))
        judge(readRecordedCall(recorded, host), tally, context);
  }
}

function shellCalls(commands, tally) {
  for (const command of commands) {
    const payload = { cwd: "/home/user/project", tool_name: "Bash", tool_input: { command } };
    judge(readRecordedCall({ event: "PreToolUse", payload }, "claude-code"), tally);
  }
}

const corpus = name =>
  readFileSync(new URL(`../tests/guard/corpus/${name}.txt`, import.meta.url), "utf8")
    .split("\n")
    .filter(line => line !== "" && !line.startsWith("# "))
    .map(line => line.replaceAll("⏎", "\n"));

const SETS = {
  "recorded sessions": recordedCalls,
  "this project's development": tally => {
    const { commands } = collectCommands(readVersions(ROOT), collectingTools(modules));
    shellCalls(
      commands.map(({ command }) => command),
      tally,
    );
  },
  "ordinary commands": tally => shellCalls(CORPORA.flatMap(corpus), tally),
};

const percent = (part, all) => `${((100 * part) / Math.max(all, 1)).toFixed(1)} %`;
const wanted = process.argv.slice(2).filter(word => !word.startsWith("--"));
for (const [name, fill] of Object.entries(SETS)) {
  if (wanted.length > 0 && !wanted.some(word => name.startsWith(word))) continue;
  const tally = new AnswerTally();
  fill(tally);
  const { calls, understood, prompted, spared, bounded, sandbox, hosts, gaps } = tally.result();
  console.log(`${name}: ${calls} calls, ${understood} understood (${percent(understood, calls)})`);
  console.log(
    `  ${spared} of ${prompted} that a host would ask about are answered (${percent(spared, prompted)})`,
  );
  console.log(
    `  ${spared + bounded} of ${prompted} at the level sandbox (${percent(spared + bounded, prompted)}); ${sandbox} calls are what a sandbox bounds`,
  );
  for (const host of hosts)
    console.log(
      `  ${host.host}: ${host.understood} of ${host.calls} understood, ${host.spared} of ${host.prompted} questions answered, ${host.spared + host.bounded} at sandbox`,
    );
  const kinds = new Map();
  for (const { kind, calls: count } of gaps) kinds.set(kind, (kinds.get(kind) ?? 0) + count);
  console.log(
    `  by gap: ${[...kinds]
      .sort((a, b) => b[1] - a[1])
      .map(([kind, count]) => `${kind} ${count}`)
      .join(", ")}`,
  );
  for (const { kind, what, calls: count } of gaps.slice(0, isAll ? 200 : SHOWN))
    console.log(`${String(count).padStart(6)}  ${kind} ${what.replaceAll("\n", "⏎").slice(0, 100)}`);
}
