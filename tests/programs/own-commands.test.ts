import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { isFamily, type LeafCommand } from "../../src/cli/command.ts";
import { loadCommands } from "../../src/cli/command-files.ts";
import { GLOBAL_OPTIONS } from "../../src/cli/parse.ts";
import { OWN_COMMANDS, readOwnCall } from "../../src/programs/records/own-commands.ts";
import { words } from "../../src/shell/options.ts";

const commands = await loadCommands(fileURLToPath(new URL("../../src/commands/", import.meta.url)));
const leaves = commands.flatMap((command): readonly (readonly [string, LeafCommand])[] =>
  isFamily(command)
    ? command.subcommands.map(sub => [`${command.name} ${sub.name}`, sub] as const)
    : [[command.name, command]],
);
const optionsOf = ({ options }: LeafCommand) => Object.entries(options);
const spelled = (name: string, short: string | undefined) =>
  short === undefined ? name : `${short}|${name}`;

describe.each(leaves)("amplihack %s", (path, leaf) => {
  it("says what it means to the guard", () => {
    expect(Object.keys(OWN_COMMANDS), `add '${path}' to OWN_COMMANDS`).toContain(path);
  });

  it("has the options that the guard reads it with", () => {
    const { use, values, bare = "", flags, ...more } = OWN_COMMANDS[path] ?? { use: "passes" };
    const conditions = Object.values(more).filter(value => typeof value === "string");
    if (use === "passes" && conditions.length === 0) return;
    const valued = optionsOf(leaf).filter(([, spec]) => spec.kind !== "boolean");
    expect([...words(values ?? "")].sort()).toEqual(
      valued.map(([name, { short }]) => spelled(name, short)).sort(),
    );
    expect([...words(bare)].sort()).toEqual(
      valued
        .filter(([, spec]) => "bare" in spec)
        .map(([name]) => name)
        .sort(),
    );
    expect(flags !== undefined).toBe(leaf.isPassThrough === true);
    const known = optionsOf(leaf).map(([name, { short }]) => spelled(name, short));
    if (flags !== undefined)
      expect([...words(flags), ...words(values ?? "")].sort()).toEqual([...known].sort());
    for (const condition of words(conditions.join(" ")).map(each => each.split("=")[0] ?? ""))
      if (leaf.isPassThrough !== true) expect(known).toContain(condition);
  });
});

/** Options with a file or a folder that is only read, or in which files of new names are made after a question. */
const NOT_WRITTEN = words(`
  memory.i|input memory.db-path hooks.input hooks.transcript hooks.golden-dir hooks.reference-map hygiene.repo
  hygiene.allowlist history.path guard.cwd guard.transcript install.local launch.cwd recipe.R|recipe-dir
  recipe.w|working-dir recipe.C|cd recipe.context-file recipe.audit-dir recipe.resume
`);

describe("an option that names a file", () => {
  it.each(
    leaves.flatMap(([path, leaf]) =>
      optionsOf(leaf)
        .filter(([, spec]) => "label" in spec && /FILE|DIR|PATH/.test(spec.label))
        .map(([name, { short }]) => [path, spelled(name, short)] as const),
    ),
  )("of %s is read or written: %s", (path, name) => {
    const family = OWN_COMMANDS[path]?.flags === undefined ? path.split(" ")[0] : "launch";
    const isWritten = words(OWN_COMMANDS[path]?.writes ?? "").includes(name);
    expect(isWritten || NOT_WRITTEN.includes(`${family}.${name}`)).toBe(true);
  });

  it.each(["store", "pin", "unpin", "delete", "edit", "forget", "import", "clean"])(
    "is written by memory %s",
    name => expect(OWN_COMMANDS[`memory ${name}`]?.writes).toBe("db-path"),
  );
});

describe("the command line of this program", () => {
  it("knows the global options, and the command of a family's name alone", () => {
    expect(Object.keys(GLOBAL_OPTIONS)).toEqual(["help", "version", "quiet", "no-color"]);
    for (const command of commands)
      if (isFamily(command)) {
        const initial = command.initial?.name;
        const named = Object.entries(OWN_COMMANDS).filter(
          ([path, { isInitial }]) => isInitial && path.startsWith(`${command.name} `),
        );
        expect(named.map(([path]) => path)).toEqual(
          initial === undefined ? [] : [`${command.name} ${initial}`],
        );
      }
  });

  it.each([
    ["", "passes"],
    ["--quiet", "passes"],
    ["help uninstall", "passes"],
    ["uninstall --help", "passes"],
    ["--quiet guard --no-color allow-once ABC234", "loosens"],
    ["uninstall --host --help", "loosens"],
    ["uninstall -f --help", "loosens"],
    ["uninstall --format=json --dry-run", "passes"],
    ["uninstall -- --dry-run", "loosens"],
    ["update --version", "loosens"],
    ["update --version 0.0.1", "loosens"],
    ["update --check", "passes"],
    ["install --host claude", "passes"],
    ["install --failure open", "loosens"],
    ["install --failure=closed", "asks"],
    ["install --failure open --dry-run", "passes"],
    ["parts on memory", "asks"],
    ["memory store key value", "passes"],
    ["memory store key value --team x", "passes"],
    ["memory store key value --url postgres://elsewhere/x", "asks"],
    ["memory store --url=postgres://elsewhere/x key value", "asks"],
    ["memory store key value --backend postgres", "asks"],
    ["memory store key value --backend sqlite", "passes"],
    ["memory store key -- --backend=postgres", "passes"],
    ["memory pin key --backend=postgres", "asks"],
    ["memory search word --backend postgres", "passes"],
    ["memory delete key --backend postgres", "asks"],
    ["memory clean --backend postgres", "passes"],
    ["memory clean --backend postgres --no-dry-run", "asks"],
    ["memory move --to postgres", "asks"],
    ["parts off guard", "loosens"],
    ["parts --off guard", "loosens"],
    ["config", "passes"],
    ["config --json", "passes"],
    ["config get guard.level --json", "passes"],
    ["config set guard.level relaxed", "loosens"],
    ["config set --json guard.level relaxed", "loosens"],
    ["config set --help", "passes"],
    ["config unset guard.level", "loosens"],
    ["config edit", "loosens"],
    ["mcp", "asks"],
    ["mcp serve --http --port 8124", "asks"],
    ["mcp serve --help", "passes"],
    ["parts", "passes"],
    ["parts --off workflow", "asks"],
    ["parts --off workflow --off history", "loosens"],
    ["parts --off=guard", "loosens"],
    ["undo -n", "passes"],
    ["undo -yn", "passes"],
    ["undo --since --dry-run", "history"],
    ["undo --session --dry-run", "passes"],
    ["history", "passes"],
    ["history --turn 2", "passes"],
    ["history clear", "history"],
    ["guard init", "asks"],
    ["guard init --trust", "loosens"],
    ["hooks trust", "loosens"],
    ["recipe run x.yaml", "asks"],
    ["recipe run x.yaml -c --dry-run", "asks"],
    ["recipe run x.yaml --dry-run", "passes"],
    ["recipe --quiet run x.yaml", "asks"],
    ["launch", "asks"],
    ["claude --dry-run", "passes"],
    ["claude --unknown --dry-run", "asks"],
    ["claude -- --dry-run", "asks"],
    ["launch --skip-permissions", "loosens"],
    ["doctor", "passes"],
    ["doctor --fix", "asks"],
    ["brand-new", "asks"],
    ["guard brand-new", "asks"],
  ])("%s %s", (line, use) => {
    expect(readOwnCall(words(line)).use).toBe(use);
  });
});
