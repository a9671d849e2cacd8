import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { codeCachePath, readCache } from "../../src/system/node.ts";
import { temporaryDirectory } from "../temporary-directory.ts";

it("reads no compiled code of another architecture, on which V8 would crash", () => {
  const file = join(temporaryDirectory(), "stop.cjs");
  const other = process.arch === "arm64" ? "x64" : "arm64";
  for (const path of [`${file}.${other}.cache`, `${file}.cache`]) writeFileSync(path, "theirs");
  expect(readCache(file)).toBeUndefined();
  writeFileSync(codeCachePath(file), "ours");
  expect(readCache(file)?.toString()).toBe("ours");
});
