import { readFileSync } from "node:fs";
import { expect, it } from "vitest";

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");

it(".ci/run begins with the README's test command, word for word, and builds nothing before it", () => {
  const [, command = ""] = /Run every check and test:[\s\S]*?```sh\n(.*)\n```/.exec(read("README.md")) ?? [];
  expect(command).toContain("npm test");
  const words = read(".ci/run").split("\n");
  const commands = words.filter(line => /\b(?:npm|npx|node|cargo)\b/.test(line) && !line.startsWith("#"));
  expect(commands[0]).toBe(`(${command})`);
});
