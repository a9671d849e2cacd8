import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { buildCli } from "./built-cli.ts";
import { askAbout, type RecipeMachine, recipeMachine, scriptedAgent } from "./recipe-machine.ts";

// Recipes that call our commands the way those of the original do: through PATH, pipes and variables.

const DIVIDE = `
name: divide
context: {task_description: "", repo_path: ".", verdict_text: ""}
steps:
  - id: preflight
    command: command -v recipe-runner-rs >/dev/null && command -v amplihack >/dev/null && echo ready
  - id: plan
    agent: amplihack:architect
    prompt: "Divide: {{task_description}}"
    output: decomposition_json
  - id: type
    command: |
      set -euo pipefail
      RAW=$(printf '%s' "$DECOMPOSITION_JSON" | amplihack orch helper extract-json)
      TYPE=$(printf '%s' "$RAW" | amplihack orch helper extract-field --field task_type --default Development \\
        | amplihack orch helper normalise-type)
      printf '%s' "$TASK_DESCRIPTION" | amplihack orch helper reclassify-task-type --current "$TYPE"
    output: task_type
  - id: count
    command: printf '%s' "$DECOMPOSITION_JSON" | amplihack orch helper count-workstreams
    output: workstream_count
  - id: register
    command: |
      SESSION_ID=abcd1234
      if OUTPUT=$(amplihack session-tree register "$SESSION_ID" 2>&1); then
        TREE_ID=$(echo "$OUTPUT" | grep -oE 'TREE_ID=[A-Za-z0-9_-]+' | cut -d= -f2)
        printf '{"session_id":"%s","tree_id":"%s","status":"ok"}\\n' "$SESSION_ID" "$TREE_ID"
      else
        printf '{"status":"registration_failed"}\\n'
      fi
    output: session_info
    parse_json: true
  - id: config
    condition: workstream_count != 1 and session_info.status == 'ok'
    command: printf '%s' "$DECOMPOSITION_JSON" | amplihack orch helper build-workstreams-config
    output: workstreams_file
  - id: parallel
    condition: workstreams_file
    command: |
      set -o pipefail
      trap 'rm -f -- "$WORKSTREAMS_FILE"' EXIT
      AMPLIHACK_REPO_PATH="$REPO_PATH" "\${AMPLIHACK_BIN:-amplihack}" orch run -- "$WORKSTREAMS_FILE" 2>&1
    output: round_1_result
  - id: verdict
    command: |
      printf '%s' '{"verdict":"PASS"} but then {"verdict":"FAILED"}' \\
        | amplihack orch helper extract-json --require-field verdict \\
        | amplihack orch helper extract-field --field verdict --default INSUFFICIENT_EVIDENCE \\
        | amplihack orch helper normalise-verdict
    output: verdict
  - id: guard
    command: amplihack hygiene artifact-guard --repo "$REPO_PATH" --mode pre-publish
  - id: assets
    command: echo "<$(amplihack resolve-bundle-asset hooks-dir 2>/dev/null || true)>"
    output: assets
  - id: complete
    command: |
      TREE_ID=$(printf '%s' '{{session_info.tree_id}}')
      AMPLIHACK_TREE_ID="$TREE_ID" amplihack session-tree complete abcd1234
      AMPLIHACK_TREE_ID="$TREE_ID" amplihack session-tree status | grep -c '"abcd1234"'
`;

const PART = `
name: part
context: {task_description: "", repo_path: "."}
steps:
  - id: work
    command: |
      echo "$TASK_DESCRIPTION" > part.txt
      git add part.txt && git -c user.name=a -c user.email=a@b commit -qm "{{task_description}}"
`;

const PLAN = JSON.stringify({
  task_type: "ops",
  workstreams: [
    { name: "Web", description: "build the web part", recipe: "part" },
    { name: "API", description: "build the api part", recipe: "part" },
  ],
});

let cli: ReturnType<typeof buildCli>;
beforeAll(() => {
  cli = buildCli();
});

function project(): RecipeMachine {
  // No amplihack on PATH, as after npx.
  const machine = recipeMachine({ PATH: "/usr/bin:/bin" });
  machine.write(".claude/recipes/divide.yaml", DIVIDE);
  machine.write(".claude/recipes/part.yaml", PART);
  const git = (...words: readonly string[]) =>
    execFileSync("git", words, { cwd: machine.project, stdio: "pipe" });
  git("init", "-q", "-b", "main");
  git("add", "-A");
  git("-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "start");
  return machine;
}

const WORDS = ["-c", "task_description=Add parts in src/parts.ts", "--format", "json"];

describe("a recipe that divides a task among agents", () => {
  it("runs unchanged, with our commands behind its own", () => {
    const machine = project();
    scriptedAgent(machine, `printf '%s' 'The plan: ${PLAN}'`);
    // An agent may be what runs the tests.
    askAbout(machine, readFileSync(join(machine.project, ".claude/recipes/divide.yaml"), "utf8"));
    const { code, stdout, stderr } = cli.run(machine, "recipe", "run", "divide", ...WORDS);
    const document = JSON.parse(stdout);
    const failed = document.step_results.filter((step: { status: string }) => step.status !== "completed");
    expect([code, failed], stderr).toEqual([0, []]);
    expect(document.context).toMatchObject({
      task_type: "Development",
      workstream_count: 2,
      verdict: "HOLLOW_SUCCESS",
      assets: "<>",
    });
    expect(document.context.round_1_result).toContain("PARALLEL WORKSTREAM REPORT");
    expect(document.context.round_1_result).toContain("2 of 2 succeeded");
    const log = execFileSync("git", ["log", "--format=%s", "--branches=feat/*", "--not", "main"], {
      cwd: machine.project,
      encoding: "utf8",
    });
    expect(log.trim().split("\n").sort()).toEqual(["build the api part", "build the web part"]);
    expect(readdirSync(machine.env["TMPDIR"] ?? "")).toEqual([]);
    expect(readdirSync(join(machine.home, ".amplihack", "session-trees"))).toHaveLength(1);
  });

  it("is valid, and shows its steps without running any", () => {
    const machine = project();
    expect(cli.run(machine, "recipe", "validate", "divide").code).toBe(0);
    const { code, stdout } = cli.run(machine, "recipe", "run", "divide", "--dry-run", ...WORDS);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ success: true, dry_run: true });
  });
});
