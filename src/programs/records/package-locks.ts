import { isJsonObject, ownValue, readJson } from "../../protocol/index.ts";
import { joinPath, knownText, type ProgramCall, text } from "../../shell/index.ts";
import type { PackageSpec } from "./package-names.ts";

const MAX_LOCK_BYTES = 16 * 1024 * 1024;
const MAX_MANIFEST_BYTES = 256 * 1024;
const SCRIPTS = ["preinstall", "install", "postinstall"] as const;

/**
 * The script that installing an npm package would run, where this machine knows it and the project's lock file does not
 * have the package yet. Of a package that was never here nothing is known.
 */
export function installScriptOf(spec: PackageSpec, call: ProgramCall): string | undefined {
  const read = (path: string, limit: number) => {
    const full = knownText(joinPath(call.cwd, text(path)));
    return full === undefined ? undefined : call.scope.session.context.files?.readText(full, limit);
  };
  if (spec.kind === "local") return scriptIn(read(`${spec.path}/package.json`, MAX_MANIFEST_BYTES));
  if (spec.kind !== "package") return undefined;
  const place = `node_modules/${spec.name}`;
  const lock = read("package-lock.json", MAX_LOCK_BYTES);
  if (lock === undefined || lock.includes(`"${place}"`)) return undefined;
  return scriptIn(read(`${place}/package.json`, MAX_MANIFEST_BYTES));
}

function scriptIn(manifest: string | undefined): string | undefined {
  const parsed = manifest === undefined ? undefined : readJson(manifest);
  const value = parsed?.ok === true ? parsed.value : undefined;
  const scripts = isJsonObject(value) ? ownValue(value, "scripts") : undefined;
  return isJsonObject(scripts)
    ? SCRIPTS.find(name => typeof ownValue(scripts, name) === "string")
    : undefined;
}
