import { describe, expect, it } from "vitest";
import { entryFor } from "../../src/commands/guard/allow-once.ts";
import { createMemorySystem } from "../../src/system/memory.ts";

const HOME = "/home/user";
const PROJECT = `${HOME}/project`;
const PUSH = "git push --force origin main";

const entryOf = (command: string) => {
  const files = {
    [`${PROJECT}/.git/HEAD`]: "ref: refs/heads/main\n",
    [`${PROJECT}/push.sh`]: `${PUSH}\n`,
    [`${PROJECT}/package.json`]: `{ "scripts": { "ship": "${PUSH}" } }`,
  };
  const system = createMemorySystem({ files, env: { HOME }, cwd: PROJECT });
  return entryFor(system, { code: "ABC234", command, cwd: PROJECT, rules: ["git.push"], refusedMs: 0 });
};

describe("what can be allowed for good", () => {
  it("is a command whose words say all", async () => {
    expect(await entryOf(PUSH)).toMatchObject({ command: PUSH, cwd: PROJECT });
  });

  it.each(["bash push.sh", "sudo bash push.sh", "npm run ship", `${PUSH}; git stash drop`, "ls"])(
    "is not: %s",
    async command => {
      expect(await entryOf(command)).toBeUndefined();
    },
  );
});
