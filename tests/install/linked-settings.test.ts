import { linkSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { widenSandbox } from "../../src/config/starter.ts";
import { applyEdit } from "../../src/install/file-edit.ts";
import { importSettings } from "../../src/install/user-hooks/manage.ts";
import { createNodeSystem } from "../../src/system/node.ts";
import { temporaryDirectory } from "../temporary-directory.ts";
import { systemIn } from "./sandbox.ts";

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

it.each<[string, (system: ReturnType<typeof systemIn>, folder: string) => unknown]>([
  [
    "the user's configuration",
    (system, folder) => widenSandbox(system, join(folder, "config.jsonc"), "hosts", "a.example"),
  ],
  ["hooks.jsonc", (system, folder) => importSettings(system, folder, "claude")],
])("%s that has another name stays one file", (_, change) => {
  const folder = temporaryDirectory();
  for (const name of ["config.jsonc", "hooks.jsonc"]) {
    writeFileSync(join(folder, `dotfiles-${name}`), "{}\n", { mode: 0o600 });
    linkSync(join(folder, `dotfiles-${name}`), join(folder, name));
  }
  change(systemIn(folder, { HOME: folder, PATH: "" }), folder);
  for (const name of ["config.jsonc", "hooks.jsonc"])
    expect(statSync(join(folder, name)).ino).toBe(statSync(join(folder, `dotfiles-${name}`)).ino);
  const texts = ["config.jsonc", "hooks.jsonc"].map(name =>
    readFileSync(join(folder, `dotfiles-${name}`), "utf8"),
  );
  expect(texts.filter(text => text !== "{}\n")).toHaveLength(1);
  expect(readdirSync(folder).filter(name => name.endsWith(".tmp"))).toEqual([]);
});
