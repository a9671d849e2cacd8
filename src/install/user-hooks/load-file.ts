import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describeExports, isUserHook, type UserHook } from "../../hooks/index.ts";
import { bundle, findBundler } from "./bundle.ts";
import { type Exports, loadCompiled } from "./load-compiled.ts";
import { compileAlone } from "./without-bundler.ts";

/** Compiles a hook file and loads it here, for trying it out. */
export async function loadHookFile(
  path: string,
): Promise<{ readonly hooks: readonly UserHook[]; readonly exports: Exports }> {
  const bundler = await findBundler(dirname(path));
  const { code, isPortable } = bundler === undefined ? compileAlone(path) : await bundle(bundler, path);
  const folder = mkdtempSync(join(tmpdir(), "amplihack-hook-"));
  try {
    const file = join(folder, isPortable ? "hook.js" : "hook.mjs");
    writeFileSync(file, code);
    const exports = await loadCompiled(file);
    const known = describeExports(exports);
    const hooks = known.map(({ exportName }) => exports[exportName]).filter(isUserHook);
    if (hooks.length === 0) throw new Error("it exports no hook; export what defineHook returns");
    return { hooks, exports };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
