import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { type Command, isFamily, type LeafCommand } from "../../src/cli/command.ts";
import { loadCommands } from "../../src/cli/command-table.ts";
import { newUserInside } from "./run-command.ts";

const commands = await loadCommands(fileURLToPath(new URL("../../src/commands/", import.meta.url)));

/** One command of a user who has nothing yet, and no agents. */
const run = (words: readonly string[], env: Readonly<Record<string, string>> = {}) =>
  newUserInside().type(words, { env: { PATH: "/usr/bin:/bin", AMPLIHACK_NO_UPDATE_CHECK: "1", ...env } });

interface Typed {
  readonly words: readonly string[];
  readonly command: Command;
}

const typed: readonly Typed[] = commands.flatMap((command): readonly Typed[] => [
  { words: [command.name], command },
  ...(isFamily(command)
    ? command.subcommands.map(sub => ({ words: [command.name, sub.name], command: sub }))
    : []),
]);
const leaves = typed.filter((each): each is Typed & { command: LeafCommand } => !isFamily(each.command));
const named = <T extends Typed>(list: readonly T[]): readonly (readonly [string, T])[] =>
  list.map(each => [each.words.join(" "), each] as const);

describe.each(named(typed))("amplihack %s", (_, { words, command }) => {
  it("has help with an example that begins the way it is typed", async () => {
    const { code, stdout, stderr } = await run([...words, "--help"]);
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toContain(command.summary);
    expect(stdout).toContain("Examples:");
    expect(Object.keys(command.examples).length).toBeGreaterThan(0);
    expect(Object.keys(command.examples).join("\n")).toMatch(/amplihack/);
  });
});

/** One letter is missing: the last but one. */
function misspelt(word: string): string {
  return word.slice(0, -2) + word.slice(-1);
}

describe("a typing mistake", () => {
  it.each(named(typed.filter(({ words }) => words.join("").length > 3)))(
    "in %s names the nearest",
    async (_, { words }) => {
      const wrong = [...words.slice(0, -1), misspelt(words.at(-1) ?? "")];
      const { code, stdout, stderr } = await run([...wrong]);
      expect([2, 4]).toContain(code);
      expect(stdout).toBe("");
      expect(stderr).toContain("did you mean");
    },
  );

  const withOptions = leaves.filter(
    ({ command }) =>
      command.isPassThrough !== true &&
      Object.entries(command.options).some(([name, spec]) => name.length > 5 && spec.isHidden !== true),
  );
  it.each(named(withOptions))("in an option of %s names the nearest", async (_, { words, command }) => {
    const option = Object.entries(command.options).find(
      ([name, spec]) => name.length > 5 && spec.isHidden !== true,
    )?.[0];
    const { code, stderr } = await run([...words, `--${misspelt(option ?? "")}`]);
    expect([2, 4]).toContain(code);
    expect(stderr).toContain(`did you mean --${option}?`);
  });
});

describe("with --format json", () => {
  const formatted = leaves.filter(({ command }) => {
    const format = command.options["format"];
    return format?.kind === "choice" && format.choices.includes("json");
  });

  it.each(named(formatted))("%s prints one JSON document also when it fails", async (_, { words }) => {
    const { code, stdout } = await run([...words, "--format", "json", "--no-such-option"]);
    expect(code).not.toBe(0);
    expect(() => JSON.parse(stdout)).not.toThrow();
  });

  it.each(named(formatted))("%s takes --json for it and shows that once", async (_, { words, command }) => {
    const { stdout } = await run([...words, "--help"]);
    const isHidden = command.options["format"]?.isHidden === true;
    expect(stdout.match(/^ +--json /gm)?.length ?? 0).toBe(isHidden ? 0 : 1);
    const { stdout: answer } = await run([...words, "--json", "--no-such-option"]);
    expect(JSON.stringify(JSON.parse(answer))).not.toContain("'--json'");
  });
});

describe("words for an agent", () => {
  it.each([
    ["exec", "--json"],
    ["--", "--format", "json"],
  ])("that ask for JSON, %s %s, do not ask us", async (...words) => {
    const { code, stdout, stderr } = await run(["codex", ...words]);
    expect([code, stdout]).toEqual([127, ""]);
    expect(stderr).toContain("Error: binary for 'codex' not found");
  });
});

describe("a variable that cannot be used", () => {
  it.each([["claude", "--dry-run"], ["install"]])(
    "is an error of %s %s that says what to do",
    async (...words) => {
      const { code, stderr } = await run(words, { AMPLIHACK_HOOK_ENGINE: "rust" });
      expect(code).toBe(1);
      expect(stderr).toContain("expected one of node, native");
      expect(stderr).toContain("fix: set AMPLIHACK_HOOK_ENGINE as expected, or unset it");
    },
  );
});

describe("global flags", () => {
  it("may stand between a family and its command", async () => {
    const { code, stdout } = await run(["memory", "--quiet", "--help", "list"]);
    expect(code).toBe(0);
    expect(stdout).toContain("amplihack memory list:");
    expect((await run(["memory", "-V"])).stdout).toMatch(/^amplihack \d/);
  });

  it("are no commands: what is missing is told", async () => {
    const { code, stdout } = await run(["memory", "--format", "json", "list"]);
    expect(code).toBe(2);
    expect(JSON.parse(stdout)).toMatchObject({
      success: false,
      error: { kind: "usage", message: expect.stringContaining("amplihack memory needs one of: ") },
    });
  });
});

describe("amplihack help", () => {
  it("names the nearest command, and never looks for files", async () => {
    const { code, stderr } = await run(["help", "recpie"]);
    expect([code, stderr.split("\n")[0]]).toEqual([
      2,
      "Error: unknown command 'recpie'; did you mean 'recipe'?",
    ]);
    const outside = await run(["help", "../cli/program"]);
    expect([outside.code, outside.stderr]).toEqual([
      2,
      "Error: unknown command '../cli/program'\n  fix: amplihack --help\n",
    ]);
  });
});

describe("a name that is not part of this build", () => {
  it.each(["fleet", "remote", "signal", "docker", "auto", "pr"])("%s is refused", async name => {
    const { code, stderr } = await run([name]);
    expect(code).toBe(2);
    expect(stderr).toContain(`'${name}' is not part of this build`);
  });
});

describe("a home that cannot be used", () => {
  const withHome = async (home: string, words: string) => {
    const user = newUserInside();
    return {
      user,
      ...(await user.type(words.split(" "), { env: { PATH: "/usr/bin:/bin", AMPLIHACK_HOME: home } })),
    };
  };

  it.each([
    ["install"],
    ["uninstall"],
    ["doctor"],
    ["guard test ls"],
    ["recipe list"],
    ["memory tree"],
    ["hooks list"],
  ])("is an error of %s, which writes nothing", async words => {
    const { user, code, stderr } = await withHome("relative/home", words);
    expect(code).toBe(1);
    expect(stderr).toMatch(
      /^Error: the environment variable AMPLIHACK_HOME is not usable: expected an absolute path/,
    );
    expect(existsSync(join(user.home, ".amplihack"))).toBe(false);
  });

  it("may not climb", async () => {
    const { code, stdout } = await withHome("/tmp/../elsewhere", "recipe list --format json");
    expect([code, JSON.parse(stdout)]).toMatchObject([1, { success: false, error: { kind: "environment" } }]);
  });

  it.each(["version", "completions bash", "status", "recipe --help"])("leaves %s alone", async words => {
    expect((await withHome("relative/home", words)).code).toBe(0);
  });
});
