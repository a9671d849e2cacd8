import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { type Command, isFamily, type LeafCommand } from "../../src/cli/command.ts";
import { loadCommands } from "../../src/cli/command-table.ts";
import { newUserInside } from "../commands/run-command.ts";

const commands = await loadCommands(fileURLToPath(new URL("../../src/commands/", import.meta.url)));

interface Leaf {
  readonly words: readonly string[];
  readonly command: LeafCommand;
  readonly usageCode: number;
}

const leavesOf = (command: Command): readonly Leaf[] => {
  const { usageExitCode: usageCode = 2, name } = command;
  if (!isFamily(command)) return [{ words: [name], command, usageCode }];
  return command.subcommands.map(sub => ({ words: [name, sub.name], command: sub, usageCode }));
};
/** The words of a launch belong to the agent. */
const leaves = commands.flatMap(leavesOf).filter(({ command }) => command.isPassThrough !== true);
const named = (list: readonly Leaf[]) => list.map(leaf => [leaf.words.join(" "), leaf] as const);

const requiredOptions = ({ options }: LeafCommand): readonly string[] =>
  Object.entries(options).flatMap(([name, spec]) =>
    spec.kind === "string" && spec.isRequired === true ? [`--${name}`, "given"] : [],
  );
const requiredArguments = ({ positionals = [] }: LeafCommand): readonly string[] =>
  positionals.filter(({ isOptional }) => isOptional !== true).map(() => "given");
const hasFormat = ({ command: { options } }: Leaf): boolean => {
  const format = options["format"];
  return format?.kind === "choice" && format.choices.includes("json");
};

async function expectUsageError({ words, usageCode }: Leaf, more: readonly string[], message: RegExp) {
  const { code, stdout, stderr } = await newUserInside().type([...words, ...more]);
  expect({ code, stdout }).toEqual({ code: usageCode, stdout: "" });
  const [first = "", ...rest] = stderr.split("\n");
  expect(first).toMatch(message);
  expect(rest.join("\n")).toMatch(/^ {2}fix: \S/m);
}

describe("exit codes of usage errors", () => {
  it("are 4 where 2 has another meaning, and 2 elsewhere", () => {
    const own = commands.filter(({ usageExitCode }) => usageExitCode !== undefined);
    expect(own.map(({ name, usageExitCode }) => [name, usageExitCode])).toEqual([
      ["guard", 4],
      ["recipe", 4],
    ]);
  });
});

describe("an option that does not exist", () => {
  it.each(named(leaves))("is a usage error of %s", async (path, leaf) => {
    await expectUsageError(
      leaf,
      ["--no-such-option"],
      new RegExp(`^Error: unknown option '--no-such-option' for amplihack ${path}`),
    );
  });
});

describe("what is missing", () => {
  const demanding = leaves.filter(
    ({ command }) => requiredArguments(command).length + requiredOptions(command).length > 0,
  );
  it.each(named(demanding))("is told by %s, with what it is", async (_, leaf) => {
    await expectUsageError(leaf, [], /^Error: (missing [A-Z|]+: \S|--[a-z-]+ is required)/);
  });
});

describe("an argument too many", () => {
  const closed = leaves.filter(
    ({ command }) =>
      command.positionals?.at(-1)?.isVariadic !== true && command.positionals?.at(-1)?.isCommandLine !== true,
  );
  it.each(named(closed))("is a usage error of %s that says what it takes", async (path, leaf) => {
    const given = (leaf.command.positionals ?? []).map(() => "given");
    await expectUsageError(
      leaf,
      [...requiredOptions(leaf.command), ...given, "extra"],
      new RegExp(
        `^Error: unexpected argument 'extra': amplihack ${path} takes (no arguments|only (?:[A-Z| ]+)?(?:-- [A-Z]+ \\[ARGUMENT(?:\\.\\.\\.|…)\\])?)$`,
      ),
    );
  });
});

describe("a value that is none of the choices", () => {
  const choosing = leaves.filter(hasFormat);
  it.each(named(choosing))("is a usage error of %s that names them", async (_, leaf) => {
    await expectUsageError(leaf, ["--format", "xml"], /^Error: Invalid format: xml\. Must be one of \w+/);
  });
});

describe("--json", () => {
  /** Commands that need nothing, on a machine where nothing is. What they do stays in a home of their own. */
  const free = leaves.filter(
    leaf =>
      hasFormat(leaf) && requiredArguments(leaf.command).length + requiredOptions(leaf.command).length === 0,
  );
  it.each(named(free))("gives one JSON document of %s, and nothing else on stdout", async (_, leaf) => {
    const env = { PATH: "/usr/bin:/bin", AMPLIHACK_NO_UPDATE_CHECK: "1" };
    const { code, stdout } = await newUserInside().type([...leaf.words, "--json"], { env });
    const document = JSON.parse(stdout) as unknown;
    if (code === leaf.usageCode && leaf.usageCode === 4)
      expect(document).toMatchObject({ success: false, error: { kind: "usage", fix: expect.any(String) } });
  });

  it.each(named(leaves.filter(hasFormat)))("is asked for: without it %s prints text", async (_, leaf) => {
    const format = leaf.command.options["format"];
    const initial = format?.kind === "choice" && format.isHidden !== true ? format.initial : "text";
    expect(initial).not.toBe("json");
  });
});
