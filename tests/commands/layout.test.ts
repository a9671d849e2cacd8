import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { commandNames, loadCommands } from "../../src/cli/command-table.ts";
import { makeCommandTable } from "../../src/cli/make-command-table.ts";
import { temporaryDirectory } from "../temporary-directory.ts";
import { newUserInside } from "./run-command.ts";

const SOURCE = fileURLToPath(new URL("../../src/commands/", import.meta.url));
const BUILT = fileURLToPath(new URL("../../dist/commands/", import.meta.url));

/** As CONTRIBUTING says: a file that exports `command`, and nothing else. */
const GREET = `export const command = {
  name: "greet",
  summary: "say hello",
  group: "Work",
  options: { loud: { kind: "boolean", summary: "in capitals" } },
  forAgents: "passes",
  examples: { "amplihack greet --loud": "says HELLO" },
  run({ options, terminal }) {
    terminal.print(options.loud ? "HELLO\\n" : "hello\\n");
    return 0;
  },
};
`;

function folderWithGreet(): string {
  const folder = temporaryDirectory();
  writeFileSync(join(folder, "greet.js"), GREET);
  return folder;
}

describe("a file in the folder of commands", () => {
  it("is a command that runs, has help and is listed, with no other file changed", async () => {
    const user = newUserInside(folderWithGreet());
    expect(await user.type(["greet", "--loud"])).toMatchObject({ code: 0, stdout: "HELLO\n" });
    expect((await user.type(["greet", "--help"])).stdout).toContain("amplihack greet --loud");
    expect((await user.type(["--help"])).stdout).toMatch(/^ {2}greet +say hello$/m);
    expect((await user.type(["gret"])).stderr).toContain("did you mean 'greet'?");
    expect((await user.type(["greet", "--lod", "--format", "json"])).stdout).toContain(
      "did you mean --loud?",
    );
  });

  it("is completed", async () => {
    const { completed } = await makeCommandTable(folderWithGreet());
    const greet = completed.find(({ path }) => path === "amplihack/greet");
    expect(greet?.options.flatMap(({ names }) => names)).toContain("--loud");
  });

  it("is bundled", () => {
    expect(commandNames(BUILT)).toEqual(commandNames(SOURCE));
  });
});

describe("src/commands", () => {
  it("names every command after its file", async () => {
    const commands = await loadCommands(SOURCE);
    expect(commands.map(({ name }) => name)).toEqual(commandNames(SOURCE));
  });

  it("keeps the parts of a command in a folder of its name", async () => {
    const names = commandNames(SOURCE);
    const folders = readdirSync(SOURCE, { withFileTypes: true }).filter(entry => entry.isDirectory());
    for (const { name } of folders)
      expect(names, `src/commands/${name} belongs to no command`).toContain(name);
  });
});
