import { LIMITS } from "../limits.ts";
import { joinPath } from "../paths.ts";
import { leaveUnexamined } from "../state/session.ts";
import type { ProgramCall, Scope } from "../state/types.ts";
import { knownText, text, type Value } from "../value.ts";

/**
 * The text of a script on disk: a small one of the project, one level deep, so that scripts that start scripts end
 * there; and whatever the session itself wrote, at any depth.
 */
export function readScript(path: Value, call: ProgramCall): Value | undefined {
  const { scope } = call;
  const name = localName(path, call);
  if (name === undefined) return undefined;
  const isReadable = scope.scripts === 0 && isTrustedPlace(name, scope);
  const content = isReadable ? scope.session.context.files?.readText(name, LIMITS.scriptBytes) : undefined;
  if (content === undefined) return readOwnScript(path, call);
  return content.includes("\u0000") ? undefined : fileText(content, name);
}

/** The text of a file that the session wrote, or that lies in a temporary directory; what is too large is left open. */
export function readOwnScript(path: Value, call: ProgramCall): Value | undefined {
  const { session } = call.scope;
  const { files } = session.context;
  const name = localName(path, call);
  if (name === undefined || files === undefined || files.kind(name) !== "file") return undefined;
  if (!isOwnFile(name, call.scope) || files.isBinary?.(name) === true) return undefined;
  const runs = session.ownScripts.get(name) ?? 0;
  if (runs >= LIMITS.ownScriptRuns) return undefined;
  session.ownScripts.set(name, runs + 1);
  const content =
    session.ownScripts.size > LIMITS.ownScripts ? undefined : files.readText(name, LIMITS.ownScriptBytes);
  if (content !== undefined) return fileText(content, name);
  leaveUnexamined(session, "input-size", `the script ${name} is too large or cannot be read`, "", call.span);
  return undefined;
}

function fileText(content: string, name: string): Value {
  return text(content, [{ kind: "file", path: text(name) }]);
}

function localName(path: Value, { cwd, place }: ProgramCall): string | undefined {
  const name = place.kind === "local" ? knownText(joinPath(cwd, path)) : undefined;
  return name === undefined || isValueFile(name) ? undefined : name;
}

/** `.env` and its kin hold values, mostly secret ones: what they set stays unknown. */
function isValueFile(name: string): boolean {
  return /\/\.env(?:\.[^/]*)?$/.test(name);
}

function isTrustedPlace(name: string, scope: Scope): boolean {
  return isInProject(name, scope) || isTemporary(name, scope);
}

/** A project in a temporary directory is a project like any other. */
function isOwnFile(name: string, scope: Scope): boolean {
  if (isTemporary(name, scope) && !isInProject(name, scope)) return true;
  return scope.session.context.ownFiles?.has(name) === true;
}

function isInProject(name: string, { session: { context } }: Scope): boolean {
  return isBelow(context.projectRoot?.() ?? context.cwd, name);
}

function isTemporary(name: string, { session }: Scope): boolean {
  return [session.tmpdir, "/tmp", "/var/tmp", "/private/tmp", "/dev/shm"].some(root => isBelow(root, name));
}

function isBelow(root: string, name: string): boolean {
  return name.startsWith(root.endsWith("/") ? root : `${root}/`);
}
