import { linkSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { applyEdit } from "../../src/install/file-edit.ts";
import { createNodeSystem } from "../../src/system/node.ts";
import { temporaryDirectory } from "../temporary-directory.ts";

it("settings that have another name stay one file", () => {
  const folder = temporaryDirectory();
  const [settings, kept] = [join(folder, "settings.json"), join(folder, "dotfiles.json")];
  writeFileSync(kept, "{}\n", { mode: 0o640 });
  linkSync(kept, settings);
  applyEdit(
    createNodeSystem(),
    { path: settings, compute: () => ({ ok: true, text: '{"hooks":{}}\n' }) },
    { isBackedUp: false },
  );
  expect(readFileSync(kept, "utf8")).toBe('{"hooks":{}}\n');
  expect(statSync(kept).ino).toBe(statSync(settings).ino);
  expect(statSync(kept).mode & 0o777).toBe(0o640);
  expect(readdirSync(folder).sort()).toEqual(["dotfiles.json", "settings.json"]);
});
