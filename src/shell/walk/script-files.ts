import { LIMITS } from "../limits.ts";
import { joinPath } from "../paths.ts";
import type { ProgramCall, Scope } from "../state/types.ts";
import { knownText, text, type Value } from "../value.ts";

/** The text of a small script on disk; one level deep, so scripts that start scripts end here. */
export function readScript(path: Value, call: ProgramCall): Value | undefined {
  const { scope } = call;
  const { context } = scope.session;
  const name = knownText(joinPath(call.cwd, path));
  if (name === undefined || context.files === undefined || scope.scripts >= 1 || call.place.kind !== "local")
    return undefined;
  if (!isTrustedPlace(name, scope) || isValueFile(name)) return undefined;
  const content = context.files.readText(name, LIMITS.scriptBytes);
  if (content === undefined || content.includes("\u0000")) return undefined;
  return text(content, [{ kind: "file", path: text(name) }]);
}

/** `.env` and its kin hold values, mostly secret ones: what they set stays unknown. */
function isValueFile(name: string): boolean {
  return /\/\.env(?:\.[^/]*)?$/.test(name);
}

function isTrustedPlace(name: string, { session }: Scope): boolean {
  const { context } = session;
  const roots = [context.projectRoot ?? context.cwd, session.tmpdir, "/tmp", "/var/tmp", "/private/tmp"];
  return roots.some(root => name.startsWith(root.endsWith("/") ? root : `${root}/`));
}
