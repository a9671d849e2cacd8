// Calls from which the build of the native program learns what most runs do: ordinary commands.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const CORPORA = ["ordinary", "ordinary-more", "ordinary-third"];
const EVERY = 5;

/**
 * Makes a home with a repository and a folder for `work`, and payloads as hosts would send them from either. The
 * repository is not in the folder for temporary files, of which the hooks think otherwise than of a project.
 */
export function inTrainingPlace(work) {
  mkdirSync("native/target", { recursive: true });
  const home = mkdtempSync(resolve("native/target/training-"));
  const folder = mkdtempSync(join(tmpdir(), "amplihack-training-"));
  try {
    const repository = join(home, "project");
    for (const name of [repository, folder]) mkdirSync(join(name, ".claude"), { recursive: true });
    makeRepository(repository);
    writeOwnHook(join(home, ".amplihack/hooks"));
    // As an installation leaves it.
    writeFileSync(join(home, ".amplihack/config.jsonc"), '{\n  "guard": { "level": "standard" }\n}\n', {
      mode: 0o600,
    });
    return work({ home, payloads: makePayloads([repository, folder]) });
  } finally {
    for (const place of [home, folder]) rmSync(place, { recursive: true, force: true });
  }
}

/** With files that are changed, new, and ignored but precious, as the history finds them before most calls. */
function makeRepository(folder) {
  const names = ["README.md", "src/index.ts", "src/parser.ts", "tests/parser.test.ts"];
  for (const name of ["src", "tests"]) mkdirSync(join(folder, name));
  for (const name of names) writeFileSync(join(folder, name), `${name}\n`);
  writeFileSync(join(folder, ".gitignore"), ".env\n.claude\n");
  const git = (...words) =>
    spawnSync("git", ["-c", "user.name=x", "-c", "user.email=x@example.org", ...words], { cwd: folder });
  const isMade = git("init", "--quiet", "--initial-branch=topic").status === 0;
  if (!isMade) {
    mkdirSync(join(folder, ".git"));
    writeFileSync(join(folder, ".git/HEAD"), "ref: refs/heads/topic\n");
  }
  git("add", "--all");
  git("commit", "--quiet", "--message", "All");
  for (const name of ["src/parser.ts", "src/reader.ts", ".env"])
    writeFileSync(join(folder, name), "changed\n");
}

/**
 * Said by a few commands alone: for these a user's hook is loaded. They come first: what the first runs touch lies side
 * by side, whatever else touches it, so that such a call has little loaded on demand.
 */
const OWN_WORD = "trained-with-a-hook";
/** What the hook says of one of these. Where it is not heard the build would learn nothing of such calls. */
const OWN_ANSWER = "heard from the trained hook";

/** As `amplihack hooks build` leaves one: what it was made of is compared by content before it runs. */
function writeOwnHook(hooks) {
  const folder = join(hooks, ".build");
  mkdirSync(folder, { recursive: true });
  const code = "trained.js";
  const text = `var{defineHook:o,deny:n}=require("amplihack/hooks");module.exports={default:o({name:"trained",event:"PreToolUse",tool:"Bash",run:({input:e})=>e.command.startsWith("echo")?n("${OWN_ANSWER}"):void 0})}`;
  const compiled = `(function (module, exports, require) {${text}})`;
  for (const place of [hooks, folder]) writeFileSync(join(place, code), compiled);
  const hook = {
    name: "trained",
    exportName: "default",
    events: ["PreToolUse"],
    tools: ["Bash"],
    hostTools: [],
    hosts: [],
    when: { words: [OWN_WORD] },
    order: 0,
    timeoutMs: 5000,
    onFailure: "open",
  };
  const source = join(hooks, code);
  const { size, mtimeMs } = statSync(source);
  const sha256 = createHash("sha256").update(compiled).digest("hex");
  const inputs = [{ path: source, size, modifiedMs: mtimeMs, sha256 }];
  const file = { source, inputs, sha256, code, isPortable: true, usesFacts: false, hooks: [hook] };
  const manifest = { version: 1, runner: [], builder: [], files: [file], handlers: [], configurations: [] };
  const written = JSON.stringify(manifest);
  writeFileSync(join(folder, "manifest.json"), written);
  const index = { version: 1, manifestLength: written.length, hooks: [hook], handlers: [], sources: inputs };
  writeFileSync(join(folder, "wanted.json"), JSON.stringify(index));
}

function makePayloads(places) {
  const ordinary = CORPORA.flatMap(readCorpus).filter((_, number) => number % EVERY === 0);
  const own = ["git status", "echo", "npm test", "ls -la"].map(command => `${command} ${OWN_WORD}`);
  const before = [...own, ...ENDED, ...ordinary].map((command, number) =>
    makePayload("PreToolUse", command, number, places[number % places.length]),
  );
  // Every call that ended has begun.
  const payloads = before.flatMap((payload, number) => {
    const command = ENDED[number - own.length];
    return command === undefined
      ? payload
      : [payload, makePayload("PostToolUse", command, number, payload.cwd)];
  });
  return payloads.map((payload, number) => ({ ...payload, name: String(number).padStart(4, "0") }));
}

/**
 * Calls of which the end is told as well, in the repository and elsewhere. They are few: what only they touch is not copied
 * at every start. And they come early, as those for which a hook is loaded.
 */
const ENDED = [
  "npm test",
  "make",
  "npm test",
  "npm run build",
  "make",
  "npm test",
  "echo x > note.txt",
  "ls",
];

function makePayload(event, command, number, cwd) {
  const isEnd = event === "PostToolUse";
  const session = { session_id: "7d1f0a52-6c3b-4e7f-9a55-0b6f2f1c9e11", cwd };
  const isShort = number % 4 === 0 && !ENDED.includes(command);
  const more = isShort
    ? {}
    : {
        transcript_path: `${cwd}/transcript.jsonl`,
        permission_mode: "default",
        tool_use_id: `toolu_${number}`,
      };
  const answer = isEnd ? { tool_response: { stdout: "done", stderr: "", interrupted: false } } : {};
  const call = { hook_event_name: event, tool_name: "Bash", tool_input: { command }, ...answer };
  const input = JSON.stringify({ ...session, ...more, ...call });
  const hears = command === `echo ${OWN_WORD}` ? OWN_ANSWER : "";
  return { subcommand: isEnd ? "post-tool-use" : "pre-tool-use", cwd, input, hears };
}

/** Runs one payload and throws where it is not answered as it must be. */
export function runPayload(argv, home, { subcommand, name, cwd, input, hears }) {
  const env = { HOME: home, PATH: "/usr/bin:/bin" };
  const [program, ...words] = [...argv, subcommand];
  const { status, stdout, stderr } = spawnSync(program, words, { cwd, env, input, encoding: "utf8" });
  if (status === 0 && stdout.includes(hears)) return;
  throw new Error(`a training run ended with ${status}, on ${subcommand} ${name}: ${stdout}${stderr}`);
}

function readCorpus(name) {
  return readFileSync(`tests/guard/corpus/${name}.txt`, "utf8")
    .split("\n")
    .filter(line => line.trim() !== "" && !line.startsWith("#"))
    .map(line => line.replaceAll("⏎", "\n"));
}
