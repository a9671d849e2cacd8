import { readCode } from "../../src/code/read-code.ts";
import { describeOutput } from "../../src/programs/model/analyse.ts";
import type { CodeCall, CodeContext, CodeReading, Language } from "../../src/shell/facts.ts";
import { createBudget } from "../../src/shell/limits.ts";
import { knownText, text, type Value } from "../../src/shell/value.ts";

export const HOME = "/home/me";
export const CWD = "/home/me/work";

export interface Circumstances {
  readonly arguments?: readonly Value[];
  readonly stdin?: Value;
  readonly environment?: Readonly<Record<string, string>>;
  readonly steps?: number;
}

export function contextOf(circumstances: Circumstances = {}): CodeContext {
  const variables = new Map(Object.entries(circumstances.environment ?? {}));
  return {
    cwd: text(CWD),
    home: HOME,
    tmpdir: "/tmp",
    user: "me",
    arguments: circumstances.arguments ?? [],
    stdin: circumstances.stdin,
    environment: name => {
      const value = variables.get(name);
      return value === undefined ? undefined : text(value);
    },
    outputOf: describeOutput,
    budget: createBudget(circumstances.steps ?? 50_000_000),
  };
}

export function read(language: Language, code: string | Value, circumstances?: Circumstances): CodeReading {
  return readCode(language, typeof code === "string" ? text(code) : code, contextOf(circumstances), 7);
}

/** The calls of a text, one line each, so that a table can say what is expected. */
export function callsOf(language: Language, code: string | Value, circumstances?: Circumstances): string[] {
  return read(language, code, circumstances).calls.map(describeCall);
}

/** Calls that could hurt: everything but reading along, printing, changing directory, speaking to the network and names alone. */
export function effectsOf(language: Language, code: string | Value, circumstances?: Circumstances): string[] {
  return callsOf(language, code, circumstances).filter(
    call => !/^(read|output|network|directory|member) /.test(call),
  );
}

function describeCall(call: CodeCall): string {
  switch (call.kind) {
    case "shell":
      return `shell ${show(call.command)}${inDirectory(call.cwd)}`;
    case "spawn":
      return `spawn ${call.argv.map(show).join(" ")}${call.isOpenEnded ? " …" : ""}${inDirectory(call.cwd)}${
        call.stdin === undefined ? "" : ` < ${show(call.stdin)}`
      }`;
    case "output":
      return `output ${show(call.value)}`;
    case "evaluate":
      return `evaluate ${call.language}: ${show(call.code)}`;
    case "delete":
      return `delete ${call.isRecursive ? "-r " : ""}${show(call.path)}`;
    case "read":
    case "directory":
      return `${call.kind} ${show(call.path)}`;
    case "mode":
      return `mode ${call.isRecursive ? "-r " : ""}${show(call.path)}`;
    case "write":
      return `${call.isAppend ? "append" : "write"} ${show(call.path)}${call.content === undefined ? "" : ` = ${show(call.content)}`}`;
    case "move":
    case "copy":
      return `${call.kind} ${show(call.from)} -> ${show(call.to)}`;
    case "sql":
      return `sql ${show(call.statement)}${call.file === undefined ? "" : ` (in ${show(call.file)})`}`;
    case "member":
      return `member ${call.name}`;
    case "operation":
      return `${call.effect.rule} ${call.effect.target}`;
    case "network":
      return `network ${show(call.target)}${call.sends.map(value => ` <- ${show(value)}`).join("")}`;
  }
}

function inDirectory(cwd: Value | undefined): string {
  return cwd === undefined ? "" : ` (in ${show(cwd)})`;
}

/** Known text as it is, patterns as they are, unknowns as `?` (any) or `#` (token), origins behind in brackets. */
export function show(value: Value): string {
  const body = value.pieces
    .map(piece => {
      if (piece.kind === "text") return piece.text;
      if (piece.kind === "glob") return piece.pattern;
      return piece.shape === "token" ? "#" : "?";
    })
    .join("");
  const origins = value.origins.map(origin => {
    if (origin.kind === "file") return `file ${knownText(origin.path) ?? "?"}`;
    return origin.kind === "environment" ? `environment ${origin.name}` : origin.kind;
  });
  return origins.length === 0 ? body : `${body}[${origins.join(", ")}]`;
}
