import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { findRoot } from "../package.ts";

/** The file behind `amplihack/hooks` in users' hooks: the built one, or the source in a checkout that runs from it. */
export function authoringFile(): string {
  const here = fileURLToPath(import.meta.url);
  const root = findRoot(join(here, ".."));
  const isSource = here.endsWith(".ts");
  const built = join(root, "dist", "hooks", "user", "authoring.js");
  return isSource || !existsSync(built) ? join(root, "src", "hooks", "user", "authoring.ts") : built;
}

/** The same as declarations, for editors. */
export function authoringTypes(): string {
  return join(
    findRoot(join(fileURLToPath(import.meta.url), "..")),
    "dist",
    "types",
    "hooks",
    "user",
    "authoring.d.ts",
  );
}
