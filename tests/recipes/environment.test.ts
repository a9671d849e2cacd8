import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { runs } from "../generated-inputs.ts";
import { recipeMachine } from "./recipe-machine.ts";

function parseEnvironment(text: string): Record<string, string> {
  return Object.fromEntries(
    text
      .split("\0")
      .filter(Boolean)
      .map(entry => [entry.slice(0, entry.indexOf("=")), entry.slice(entry.indexOf("=") + 1)]),
  );
}

async function environmentOf(context: string, env: Record<string, string> = {}) {
  const machine = recipeMachine(env);
  const {
    steps,
    context: final,
    document,
  } = await machine.runText(`name: r\n${context}\nsteps: [{id: show, command: 'env -0 | base64 -w0'}]`);
  const text = Buffer.from(steps["show"]?.output ?? "", "base64").toString("utf8");
  return { env: parseEnvironment(text), machine, final, document };
}

describe("the environment of a bash step", () => {
  it("mirrors the context under RECIPE_VAR_ names", async () => {
    const { env } = await environmentOf(
      "context: {a: text, my-key: dash, n: 1, o: {b: {c: deep}, l: [1, 2]}, z: null}",
    );
    expect(env).toMatchObject({
      RECIPE_VAR_a: "text",
      RECIPE_VAR_my_key: "dash",
      RECIPE_VAR_n: "1",
      RECIPE_VAR_o: '{"b":{"c":"deep"},"l":[1,2]}',
      RECIPE_VAR_o__b: '{"c":"deep"}',
      RECIPE_VAR_o__b__c: "deep",
      RECIPE_VAR_o__l: "[1,2]",
      RECIPE_VAR_z: "",
    });
  });

  it("has upper-case names for plain values, except where they would do harm", async () => {
    const { env, document } = await environmentOf(
      "context: {repo_path: /x, path: /evil, ld_preload: /evil.so, lc_all: evil, node_options: --evil, o: {a: 1}}",
    );
    expect(env).toMatchObject({ REPO_PATH: "/x", LC_ALL: "C.UTF-8" });
    expect(env["PATH"]).not.toBe("/evil");
    expect(env["LD_PRELOAD"]).toBeUndefined();
    expect(env["NODE_OPTIONS"]).toBeUndefined();
    expect(env["O"]).toBeUndefined();
    expect(document.warnings).toEqual(
      expect.arrayContaining([
        "Context key 'path' is not exported as PATH",
        "Context key 'ld_preload' is not exported as LD_PRELOAD",
      ]),
    );
  });

  it("keeps the parent's, without CLAUDECODE, and sets the engine's over everything", async () => {
    const { env, machine, document } = await environmentOf("context: {ci: 'no', pager: less, tree: x}", {
      KEPT: "kept",
      CLAUDECODE: "1",
      AMPLIHACK_SESSION_DEPTH: "2",
      AMPLIHACK_TREE_ID: "abcd1234",
      AMPLIHACK_AGENT_BINARY: "codex",
    });
    expect(env["CLAUDECODE"]).toBeUndefined();
    expect(env).toMatchObject({
      KEPT: "kept",
      AMPLIHACK_NONINTERACTIVE: "1",
      NONINTERACTIVE: "1",
      DEBIAN_FRONTEND: "noninteractive",
      CI: "true",
      PAGER: "cat",
      GIT_PAGER: "cat",
      GH_PAGER: "cat",
      LESS: "FRX",
      AMPLIHACK_AGENT_BINARY: "codex",
      AMPLIHACK_HOME: `${machine.home}/.amplihack`,
      AMPLIHACK_RECIPE_RUN_ID: document.run_id,
      AMPLIHACK_STEP_ID: "show",
      AMPLIHACK_TREE_ID: "abcd1234",
      AMPLIHACK_SESSION_DEPTH: "3",
      AMPLIHACK_MAX_DEPTH: "6",
      AMPLIHACK_MAX_SESSIONS: "10",
      AMPLIHACK_GRAPH_DB_PATH: `${machine.project}/.amplihack/graph_db`,
    });
    expect(env["TMPDIR"]).toBe(env["AMPLIHACK_RUNTIME_ROOT"]);
    expect(env["AMPLIHACK_STEP_TIMEOUT"]).toBeUndefined();
  });

  it("has a path and a tree id where the parent has none", async () => {
    const { env } = await environmentOf("context: {}", { PATH: "" });
    expect(env["PATH"]).toBe("/usr/local/bin:/usr/bin:/bin");
    expect(env["AMPLIHACK_TREE_ID"]).toMatch(/^[0-9a-f]{8}$/);
    expect(env["AMPLIHACK_AGENT_BINARY"]).toBe("claude");
  });

  it("has our own programs behind the parent's PATH where a step names them, and else the PATH as it is", async () => {
    const machine = recipeMachine({ PATH: "/usr/bin:/bin" });
    const { steps } = await machine.runText(
      `name: r
steps:
  - {id: plain, command: 'printf "%s|" "$PATH"; ls "$TMPDIR"'}
  - {id: named, command: 'printf %s "$PATH"; amplihack " one two"'}`,
      { launcher: ["/bin/echo"] },
    );
    expect(steps["plain"]?.output).toBe("/usr/bin:/bin|");
    expect(steps["named"]?.output).toMatch(/^\/usr\/bin:\/bin:\/\S+\/bin one two$/);
  });

  it("tells the global step timeout", async () => {
    const machine = recipeMachine();
    const { steps } = await machine.runText(
      "name: r\nsteps: [{id: a, command: 'echo $AMPLIHACK_STEP_TIMEOUT'}]",
      {
        stepTimeoutSeconds: 30,
      },
    );
    expect(steps["a"]?.output).toBe("30");
  });
});

describe("a placeholder in a command", () => {
  it("has its own value even where names collide or are already taken outside", async () => {
    const machine = recipeMachine({ RECIPE_VAR_missing: "from outside", RECIPE_VAR_a_b: "outside" });
    const { steps } = await machine.runText(`
name: r
context: {a-b: dash, a_b: underscore, x: {y: nested}, x__y: flat, l: [zero, {k: one}], "d.e": dotted, d: {e: path}}
steps:
  - id: a
    command: |
      echo {{a-b}} {{a_b}} {{x.y}} {{x__y}} {{l.0}} {{l.1.k}} {{d.e}} "<{{missing}}>"
`);
    expect(steps["a"]?.output).toBe("dash underscore nested flat zero one path <>");
  });

  it("loses NUL characters, with a warning", async () => {
    const machine = recipeMachine();
    const { steps, document } = await machine.runText(
      "name: r\nsteps: [{id: a, command: 'printf %s {{v}}'}]",
      {
        context: { v: "a\0b" },
      },
    );
    expect(steps["a"]?.output).toBe("ab");
    expect(JSON.stringify(document.warnings)).toContain("NUL characters were removed from 'v'");
  });
});

describe("large contexts", () => {
  it("never stop a step: what does not fit is loaded by the script", async () => {
    const big = `${"é'\"$(x)`\\\n".repeat(120_000)}\n\n`;
    const machine = recipeMachine();
    const { steps } = await machine.runText(
      `
name: r
steps:
  - id: sum
    command: |
      printf %s {{big}} | sha256sum | cut -d' ' -f1
      printf %s "$BIG" | sha256sum | cut -d' ' -f1
      printf %s '{{big}}' | sha256sum | cut -d' ' -f1
      cat <<'E' | head -c -1 | sha256sum | cut -d' ' -f1
      {{big}}
      E
      env | grep -c '^RECIPE_VAR_big=' || :
      /bin/true && stat -c %a "$AMPLIHACK_CONTEXT_FILE"
      jq -j .small "$AMPLIHACK_CONTEXT_FILE" 2>/dev/null || grep -o '"small":"here"' "$AMPLIHACK_CONTEXT_FILE" | cut -d'"' -f4
`,
      { context: { big, small: "here" } },
    );
    const { createHash } = await import("node:crypto");
    const hash = createHash("sha256").update(big).digest("hex");
    expect(steps["sum"]?.error).toBe("");
    expect(steps["sum"]?.output.split("\n")).toEqual([hash, hash, hash, hash, "0", "600", "here"]);
  });

  it("of very many values still start programs, small and essential ones exported first", async () => {
    const context = Object.fromEntries(
      Array.from({ length: 80 }, (_, index) => [`v${index}`, "x".repeat(90_000)]),
    );
    const machine = recipeMachine();
    const { steps } = await machine.runText(
      `
name: r
steps:
  - id: a
    command: echo {{tiny}} "$(env | grep -c ^RECIPE_VAR_v)" "$(env | grep -c ^TASK_DESCRIPTION=)" "\${#V79}" "$(printf %s {{v79}} | wc -c)"
`,
      { context: { ...context, tiny: "t", task_description: "y".repeat(80_000) } },
    );
    const [tiny, exported, essential, length, seen] = (steps["a"]?.output ?? "").split(" ");
    expect(tiny).toBe("t");
    expect(Number(exported)).toBeLessThan(30);
    expect(essential).toBe("1");
    expect([length, seen]).toEqual(["90000", "90000"]);
  });

  it("obey a budget of their own", async () => {
    const machine = recipeMachine({ AMPLIHACK_CONTEXT_ENV_BUDGET_BYTES: "300" });
    const { steps } = await machine.runText(
      "name: r\nsteps: [{id: a, command: 'echo \"$(env | grep -c ^RECIPE_VAR_)\" {{long}} | head -c 20'}]",
      { context: { long: "z".repeat(500), short: "s" } },
    );
    expect(steps["a"]?.output).toBe("1 zzzzzzzzzzzzzzzzzz");
  });

  it("always export what every recipe relies on, however small the budget", async () => {
    const machine = recipeMachine({ AMPLIHACK_CONTEXT_ENV_BUDGET_BYTES: "1" });
    const { steps } = await machine.runText(
      JSON.stringify({
        name: "r",
        context: { task_description: "t", repo_path: ".", existing_branch: "b", should_go: true, other: "o" },
        steps: [
          {
            id: "a",
            command: "env | grep -E '^(RECIPE_VAR_|SHOULD_GO=)' | sort; printf '%s ' {{other}} {{should_go}}",
          },
        ],
      }),
    );
    expect(steps["a"]?.output.split("\n")).toEqual([
      "RECIPE_VAR_existing_branch=b",
      "RECIPE_VAR_repo_path=.",
      "RECIPE_VAR_should_go=true",
      "RECIPE_VAR_task_description=t",
      "SHOULD_GO=true",
      "o true",
    ]);
  });

  it("does not leak a large value through a name the parent exports", async () => {
    const machine = recipeMachine({ BIG: "outside" });
    const { steps } = await machine.runText(
      "name: r\nsteps: [{id: a, command: '/bin/true && echo ${#BIG}'}]",
      {
        context: { big: "x".repeat(3_000_000) },
      },
    );
    expect(steps["a"]).toMatchObject({ status: "completed", output: "3000000" });
  });
});

describe("any context", () => {
  it("reaches the programs of a step unchanged", async () => {
    const machine = recipeMachine();
    const key = fc.constantFrom("a", "b-c", "b_c", "d", "e");
    await fc.assert(
      fc.asyncProperty(fc.dictionary(key, fc.string({ unit: "grapheme" }), { minKeys: 1 }), async context => {
        const keys = Object.keys(context);
        const command = keys.map(name => `printf '%s\\0' {{${name}}} "{{${name}}}" '{{${name}}}'`).join("\n");
        const recipe = JSON.stringify({
          name: "r",
          steps: [{ id: "a", command: `{\n${command}\n} | base64 -w0` }],
        });
        const { steps } = await machine.runText(recipe, { context });
        const seen = Buffer.from(steps["a"]?.output ?? "", "base64")
          .toString("utf8")
          .split("\0")
          .slice(0, -1);
        const wanted = keys.flatMap(name => Array(3).fill((context[name] ?? "").replaceAll("\0", "")));
        expect(seen).toEqual(wanted);
      }),
      { numRuns: runs(40) },
    );
  });
});
