import { joinPath, knownText, type Origin, type Span, unknown, type Value } from "../value.ts";
import { appendOutput, type FileEntry, type Output, type Scope } from "./state.ts";

const OWN_STDIN = /^\/(?:dev\/stdin|dev\/fd\/0|proc\/self\/fd\/0)$/;

/** What the command itself put at this path, links followed. */
export function writtenEntry(path: Value, cwd: Value, scope: Scope): FileEntry | undefined {
  const { files } = scope.state;
  let name = knownText(joinPath(cwd, path));
  for (let hops = 0; name !== undefined && hops < 4; hops += 1) {
    const entry = files.get(name);
    if (entry?.sameAs === undefined || !files.has(entry.sameAs)) return entry;
    name = entry.sameAs;
  }
  return undefined;
}

/** The bytes a program gets when it reads `path`: what was written there, or unknown with the file as origin. */
export function readContents(
  path: Value,
  cwd: Value,
  stdin: Value | undefined,
  scope: Scope,
): readonly Value[] {
  const absolute = joinPath(cwd, path);
  const name = knownText(absolute);
  if (name !== undefined && OWN_STDIN.test(name))
    return [stdin ?? unknown("any", "stdin", [{ kind: "input" }])];
  const entry = writtenEntry(path, cwd, scope);
  if (entry !== undefined && entry.isDirectory !== true) return entry.contents;
  const origins: Origin[] = [{ kind: "file", path: absolute }];
  if (name !== undefined && /^\/dev\/(?:tcp|udp)\//.test(name)) {
    origins.push({ kind: "network", invocation: scope.session.invocations.length });
  }
  return [unknown("any", `content of ${name ?? "a file"}`, origins)];
}

/** Records that a file now holds `contents`; a `>(…)` reads them at once. */
export function writeContents(
  path: Value,
  contents: Output,
  isAppend: boolean,
  target: { readonly cwd: Value; readonly scope: Scope; readonly invocation: number; readonly span: Span },
): void {
  const { scope, cwd } = target;
  const absolute = joinPath(cwd, path);
  const name = knownText(absolute);
  const before = isAppend && name !== undefined ? scope.state.files.get(name)?.contents : undefined;
  const after = before === undefined ? contents : appendOutput(before, contents);
  for (const content of contents) {
    scope.session.writtenFiles.push({
      path: absolute,
      content,
      isAppend,
      invocation: target.invocation,
      span: target.span,
    });
  }
  if (name === undefined || name === "/dev/null") return;
  const sink = scope.state.sinks.get(name);
  if (sink !== undefined) {
    scope.state.sinks.delete(name);
    for (const stdin of contents)
      scope.session.walker.runSubstitution(sink.script, sink.node, { ...scope, stdin });
    return;
  }
  scope.state.files.set(name, { contents: after });
}
