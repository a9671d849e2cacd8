import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { type ForAgents, isFamily, type LeafCommand } from "../../src/cli/command.ts";
import { loadCommands } from "../../src/cli/command-table.ts";
import { renderOwnCommands } from "../../src/cli/own-command-table.ts";
import { readOwnCall } from "../../src/programs/records/own-commands.ts";
import { words } from "../../src/shell/options.ts";
import { text } from "../../src/shell/value.ts";

const commands = await loadCommands(fileURLToPath(new URL("../../src/commands/", import.meta.url)));
const leaves = commands.flatMap((command): readonly (readonly [string, LeafCommand])[] =>
  isFamily(command)
    ? command.subcommands.map(sub => [`${command.name} ${sub.name}`, sub] as const)
    : [[command.name, command]],
);
const optionsOf = ({ options }: LeafCommand) => Object.entries(options);
const usesOf = ({ forAgents }: LeafCommand): ForAgents =>
  typeof forAgents === "string" ? { use: forAgents } : forAgents;

describe("what the guard knows of our own commands", () => {
  it("is what they declare", () => {
    const file = new URL("../../src/programs/records/own-commands.json", import.meta.url);
    expect(readFileSync(file, "utf8"), "run: node scripts/write-own-commands.mjs").toBe(
      renderOwnCommands(commands),
    );
  });

  it.each(leaves.filter(([, leaf]) => leaf.isPassThrough !== true))(
    "names options that there are: %s",
    (_, leaf) => {
      const { passesWith = [], asksWith = [], loosensWith = [], writes = [], asksAbroad } = usesOf(leaf);
      const named = [
        ...passesWith,
        ...asksWith,
        ...loosensWith,
        ...writes,
        ...(asksAbroad ? [asksAbroad] : []),
      ];
      for (const condition of named) expect(Object.keys(leaf.options)).toContain(condition.split("=")[0]);
    },
  );
});

/** Options with a file or a folder that is only read, or in which files of new names are made after a question. */
const NOT_WRITTEN = words(`
  memory.input memory.db-path hooks.input hooks.transcript hooks.golden-dir hooks.reference-map hygiene.repo
  hygiene.allowlist history.path guard.cwd guard.file guard.transcript install.local launch.cwd recipe.recipe-dir
  recipe.working-dir recipe.cd recipe.context-file recipe.audit-dir recipe.resume sandbox.read
  serve.cert serve.key consent-service.into
`);

describe("an option that names a file", () => {
  it.each(
    leaves.flatMap(([path, leaf]) =>
      optionsOf(leaf)
        .filter(([, spec]) => "label" in spec && /FILE|DIR|PATH/.test(spec.label))
        .map(([name]) => [path, name, leaf] as const),
    ),
  )("of %s is read or written: %s", (path, name, leaf) => {
    const family = leaf.isPassThrough === true ? "launch" : path.split(" ")[0];
    const isWritten = usesOf(leaf).writes?.includes(name) === true;
    expect(isWritten || NOT_WRITTEN.includes(`${family}.${name}`)).toBe(true);
  });

  it.each(["store", "pin", "unpin", "delete", "edit", "forget", "import", "clean"])(
    "is written by memory %s",
    name => {
      const leaf = leaves.find(([path]) => path === `memory ${name}`)?.[1] as LeafCommand;
      expect(usesOf(leaf).writes).toEqual(["db-path"]);
    },
  );
});

describe("the command line of this program", () => {
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
    ["doctor --fix --version", "passes"],
    ["history diff", "asks"],
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
    expect(readOwnCall(words(line).map(word => text(word))).use).toBe(use);
  });
});
