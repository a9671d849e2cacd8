// A clone of this repository that is thrown away, in which commands run between the hooks as an agent's calls do.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync, symlinkSync } from "node:fs";
import { join, relative } from "node:path";

/**
 * What a developer's agent does all day: builds, tools that write files, git, and deletions. `before` prepares what the
 * command needs, outside the hooks.
 */
const RUNS = [
  { command: "npm run types" },
  { command: "npm run build" },
  { command: "npx biome check --write src/version.ts", before: "printf 'const   x=1\\n' >> src/version.ts" },
  { command: "node scripts/write-docs.mjs", before: "sed -i 's/history/HISTORY/' docs/guard.md" },
  { command: "sed -i 's/hook/HOOK/g' src/hooks/*.ts" },
  { command: "npm version patch --no-git-tag-version" },
  { command: "cat >> CHANGELOG.md <<'END'\n- one more line\nEND" },
  { command: "git checkout -b topic" },
  { command: "git commit -am 'docs: one more line'", before: "echo more >> README.md" },
  { command: "git commit --amend --no-edit", before: "echo more >> README.md; git add README.md" },
  { command: "git stash", before: "echo mine >> README.md; echo new > scratch.txt" },
  { command: "git stash pop", before: "echo mine >> README.md; git stash -q" },
  { command: "git stash drop", before: "echo mine >> README.md; git stash -q" },
  { command: "git checkout -- README.md", before: "echo mine >> README.md" },
  { command: "git restore --staged --worktree .", before: "echo mine >> README.md; git add -A" },
  { command: "git reset --hard HEAD~1", before: "echo mine >> README.md" },
  {
    command: "git clean -fdx -e node_modules -e .claude",
    before: "echo notes > notes.txt; echo secret > .env.local",
  },
  {
    command: "git branch -D topic",
    before: "git branch topic; git switch -q topic; git commit -q --allow-empty -m x; git switch -q -",
  },
  { command: "git rebase HEAD~1 --onto HEAD~2" },
  { command: "git rm -rq docs/embedding" },
  { command: "git mv src/demo src/tour" },
  { command: "rm -rf src/guard/rules tests/guard/*.ts" },
  { command: "rm -rf dist", before: "mkdir -p dist; echo built > dist/out.js" },
  { command: "rm -rf node_modules" },
  { command: "find docs -name '*.svg' -delete" },
  { command: "mv docs/guard.md docs/hooks.md" },
];

/** The history does not keep what a build makes. */
const MADE_AGAIN = /^dist(\/|$)/;
/** The hooks' own notes about the session. */
const RUNTIME = ".claude";

export function openClone(root, home) {
  const project = join(home, "amplihack");
  const env = {
    PATH: process.env.PATH,
    HOME: home,
    LANG: "C.UTF-8",
    GIT_CONFIG_NOSYSTEM: "1",
    npm_config_offline: "true",
  };
  for (const name of ["AUTHOR", "COMMITTER"])
    Object.assign(env, { [`GIT_${name}_NAME`]: "dev", [`GIT_${name}_EMAIL`]: "dev@example.org" });
  const clone = { root, home, project, env };
  must(clone, "git", ["clone", "-q", "--no-hardlinks", root, project], { cwd: home });
  symlinkSync(join(root, "node_modules"), join(project, "node_modules"));
  return clone;
}

/** Runs every command of the table on a state of its own and takes it back. */
export function runAndUndo(clone, runs = RUNS) {
  const { root, project } = clone;
  mkdirSync(join(clone.home, ".claude"), { recursive: true });
  must(clone, process.execPath, [
    join(root, "dist/bin/amplihack.cjs"),
    "install",
    "--host",
    "claude",
    "--quiet",
  ]);
  const clean = must(clone, "git", ["rev-parse", "HEAD"]).trim();
  return runs.map(({ command, before = "" }, index) => {
    reset(clone, clean);
    must(clone, "bash", ["-c", before]);
    const state = stateOf(clone);
    const payload = {
      session_id: "dogfood",
      cwd: project,
      tool_name: "Bash",
      tool_use_id: `call${index}`,
      tool_input: { command },
    };
    const said = callHook(clone, "pre-tool-use", { ...payload, hook_event_name: "PreToolUse" });
    const decision = said.hookSpecificOutput?.permissionDecision;
    if (decision !== undefined) return { command, said: decision, outcome: "not run", isRestored: false };
    const ran = run(clone, "bash", ["-c", command]);
    const response = { stdout: ran.stdout, stderr: ran.stderr };
    callHook(clone, "post-tool-use", { ...payload, hook_event_name: "PostToolUse", tool_response: response });
    const changed = differences(state, stateOf(clone));
    run(clone, process.execPath, [join(root, "dist/bin/amplihack.cjs"), "undo", "--yes"]);
    const left = differences(state, stateOf(clone));
    const lost = left.filter(path => !MADE_AGAIN.test(path));
    return {
      command,
      said: said.systemMessage === undefined ? "passed" : "kept",
      code: ran.status,
      changed: changed.length,
      left,
      outcome: outcomeOf(ran.status, changed, left, lost),
      isRestored: lost.length === 0,
    };
  });
}

function outcomeOf(code, changed, left, lost) {
  const ended = code === 0 ? "" : `, and the command ended with ${code}`;
  if (lost.length > 0)
    return `${lost.length} of ${changed.length} changes stay: ${lost.slice(0, 3).join(", ")}${ended}`;
  const built = left.length === 0 ? "" : `, and ${left.length} of what can be built again stay`;
  return `${changed.length - left.length} changes undone${built}${ended}`;
}

function reset(clone, commit) {
  must(clone, "bash", [
    "-c",
    `git rebase --abort 2>/dev/null; git stash clear; git checkout -qf -B start ${commit}; git reset -q --hard ${commit}; git clean -fdxq -e node_modules -e .claude; git branch | grep -v '^\\*' | xargs -r git branch -qD`,
  ]);
}

function callHook(clone, event, payload) {
  const program = join(clone.home, ".amplihack/.claude/bin/amplihack-hooks");
  const ran = run(clone, program, [event], { input: JSON.stringify(payload) });
  if (ran.status !== 0) throw new Error(`${event} ended with ${ran.status}: ${ran.stderr}`);
  return JSON.parse(ran.stdout);
}

function run({ project, env }, program, words, options = {}) {
  return spawnSync(program, words, { cwd: project, env, encoding: "utf8", maxBuffer: 1024 ** 3, ...options });
}

function must(clone, program, words, options) {
  const ran = run(clone, program, words, options);
  if (ran.status !== 0)
    throw new Error(`${program} ${words.join(" ")} ended with ${ran.status}: ${ran.stderr}`);
  return ran.stdout;
}

/** Every file with its mode and bytes, and what git knows: branch, refs, stashes, index. */
function stateOf(clone) {
  const state = new Map();
  const walk = folder => {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const path = join(folder, entry.name);
      if (folder === clone.project && [".git", RUNTIME].includes(entry.name)) continue;
      if (entry.isDirectory()) walk(path);
      const { mode } = lstatSync(path);
      const content = entry.isSymbolicLink()
        ? readlinkSync(path)
        : entry.isFile()
          ? hash(readFileSync(path))
          : "";
      state.set(relative(clone.project, path), `${mode} ${content}`);
    }
  };
  walk(clone.project);
  const facts = [
    ["symbolic-ref", "-q", "HEAD"],
    ["for-each-ref"],
    ["stash", "list", "--format=%H %gs"],
    ["ls-files", "--stage"],
  ];
  for (const words of facts) state.set(`git ${words[0]}`, hash(run(clone, "git", words).stdout));
  return state;
}

function hash(content) {
  return createHash("sha256").update(content).digest("hex");
}

function differences(one, other) {
  return [...new Set([...one.keys(), ...other.keys()])].filter(key => one.get(key) !== other.get(key));
}
