// Facts about types that must hold at compile time. `tsc` checks this file: an expected error that does not
// come is an error. Nothing here runs.
import { Type } from "@sinclair/typebox";
import { type } from "arktype";
import * as v from "valibot";
import { z } from "zod";
import {
  createHookEngine,
  type HookEngine,
  type Json,
  type JsonObject,
  type ToolMap,
} from "../../src/exports/engine.ts";

const isNote = (value: unknown): value is { text: string } =>
  typeof value === "object" && value !== null && "text" in value;

const engine = createHookEngine({
  projectDir: "/project",
  tools: {
    bash: {
      args: z.object({ command: z.string(), timeout: z.number().optional() }),
      result: z.object({ stdout: z.string(), lines: z.array(z.string()) }),
    },
    read: { args: Type.Object({ path: Type.String(), limit: Type.Optional(Type.Number()) }) },
    write: { args: v.object({ path: v.string(), content: v.string() }) },
    edit: { args: type({ path: "string", "line?": "number" }) },
    note: { args: isNote },
  },
});

export const argumentsAreInferredPerTool = () => {
  engine.beforeToolCall("bash", ({ args, tool, name, id }) => {
    args satisfies { readonly command: string; readonly timeout?: number | undefined };
    tool satisfies "bash";
    name satisfies string;
    id satisfies string;
  });
  engine.beforeToolCall("read", async ({ args }) => {
    args satisfies { readonly path: string; readonly limit?: number | undefined };
  });
  engine.beforeToolCall("write", ({ args }) => void (args.content satisfies string));
  engine.beforeToolCall("edit", ({ args }) => void (args.line satisfies number | undefined));
  engine.beforeToolCall("note", ({ args }) => void (args.text satisfies string));
  // @ts-expect-error: bash has no such argument
  engine.beforeToolCall("bash", ({ args }) => void args.path);
};

export const severalToolsGiveTheirUnion = () => {
  engine.beforeToolCall(["bash", "read"], call => {
    if (call.tool === "bash") call.args.command satisfies string;
    else call.args.path satisfies string;
    // @ts-expect-error: only bash has a command
    void call.args.command;
  });
};

export const anUndeclaredToolIsAnErrorInTheLiteralOverload = () => {
  // @ts-expect-error: not declared
  engine.beforeToolCall("nope", () => undefined);
  // @ts-expect-error: one of them is not declared
  engine.beforeToolCall(["bash", "nope"], () => undefined);
  // @ts-expect-error: not declared
  engine.afterToolCall("nope", () => undefined);
  const plain = createHookEngine({ projectDir: "/project" });
  // @ts-expect-error: nothing is declared
  plain.beforeToolCall("bash", () => undefined);
  plain.beforeToolCall("*", call => void (call.tool satisfies undefined));
};

export const aBlockNeedsAReason = () => {
  engine.beforeToolCall("bash", () => ({ block: true, reason: "because" }));
  engine.beforeToolCall("bash", () => ({ decision: "deny", reason: "because" }));
  // @ts-expect-error: no reason
  engine.beforeToolCall("bash", () => ({ block: true }));
  // @ts-expect-error: no reason
  engine.beforeToolCall("bash", () => ({ decision: "deny" }));
  // @ts-expect-error: no reason, later
  engine.beforeToolCall("bash", async () => ({ block: true }));
};

export const aRewriteHasTheToolsShape = () => {
  engine.beforeToolCall("bash", ({ args }) => ({ args: { ...args, command: "ls" } }));
  engine.beforeToolCall("read", async () => ({ args: { path: "/x" } }));
  // @ts-expect-error: command is text
  engine.beforeToolCall("bash", () => ({ args: { command: 7 } }));
  // @ts-expect-error: command is missing
  engine.beforeToolCall("bash", () => ({ args: {} }));
  // @ts-expect-error: the arguments of another tool
  engine.beforeToolCall("bash", () => ({ args: { path: "/x" } }));
};

export const aResultHasTheToolsShape = () => {
  engine.afterToolCall("bash", ({ result, isError }) => {
    // @ts-expect-error: a failed call reports whatever it likes
    void result.stdout;
    if (isError) return { result: { stdout: "", lines: [] }, isError: false };
    result.stdout satisfies string;
    return { result: { stdout: "x", lines: [...result.lines] } };
  });
  // @ts-expect-error: stdout is text
  engine.afterToolCall("bash", () => ({ result: { stdout: 7, lines: [] } }));
  engine.afterToolCall("read", ({ result }) => {
    // @ts-expect-error: read declares no result, so it is unknown
    void result.anything;
    return { result: "anything" };
  });
};

export const whatAHookSeesCannotBeWritten = () => {
  engine.beforeToolCall("bash", call => {
    // @ts-expect-error: frozen
    call.args.command = "x";
    // @ts-expect-error: frozen
    call.name = "x";
  });
  engine.afterToolCall("bash", ({ result, isError }) => {
    if (isError) return;
    // @ts-expect-error: frozen
    result.stdout = "x";
    // @ts-expect-error: frozen at any depth
    result.lines.push("x");
  });
};

export const aStarNarrowsByTool = () => {
  engine.beforeToolCall("*", call => {
    if (call.tool === "bash") {
      call.args.command satisfies string;
      // @ts-expect-error: not the arguments of bash
      void call.args.path;
    } else if (call.tool === "read") {
      call.args.path satisfies string;
    } else if (call.tool === "write" || call.tool === "edit" || call.tool === "note") {
      call.args satisfies object;
    } else {
      call.tool satisfies undefined;
      call.args satisfies JsonObject;
    }
    // @ts-expect-error: no tool has this name
    if (call.tool === "nope") return;
  });
  engine.beforeToolCall(/^mcp__/, ({ name }) => void (name satisfies string));
  engine.afterToolCall("*", done => {
    if (done.tool === "bash") done.args.command satisfies string;
  });
};

export const anyHookMaySayNothing = () => {
  engine.beforeToolCall("bash", () => {});
  engine.beforeToolCall("bash", () => undefined);
  engine.beforeToolCall("bash", () => null);
  engine.beforeToolCall("bash", async () => {});
  engine.on("Stop", "*", () => {});
  engine.observe("Stop", () => {});
};

export const anEngineCanBePassedOn = (): Pick<HookEngine<ToolMap>, "dispatch" | "has" | "close"> => engine;

export const eventsHaveTheirPayload = () => {
  engine.on("UserPromptSubmit", "*", ({ prompt, session_id, anything }) => {
    prompt satisfies string;
    session_id satisfies string | undefined;
    anything satisfies Json | undefined;
  });
  engine.on("PostToolUse", "*", ({ tool_name, tool_response }) => {
    tool_name satisfies string;
    tool_response satisfies Json;
  });
  engine.on("ModelRequest", "*", ({ model }) => void (model satisfies string | undefined));
  // @ts-expect-error: no event has this name
  engine.on("PreToolUze", "*", () => undefined);
  // @ts-expect-error: no hook says this
  engine.on("Stop", "*", () => ({ blok: true }));
  const own = createHookEngine({
    projectDir: "/",
    events: [
      {
        name: "Deploy",
        subject: undefined,
        power: "veto",
        text: "ignored",
        rewrites: [],
        timeoutMs: 1,
        requiresTool: false,
      },
    ],
  });
  own.on("Deploy", "*", () => undefined);
  // @ts-expect-error: not declared
  own.on("Deplay", "*", () => undefined);
};

export const theRunsContextIsTyped = async () => {
  const typed = createHookEngine<{ user: string }>()({
    projectDir: "/",
    tools: { bash: { args: z.object({ command: z.string() }) } },
  });
  typed.beforeToolCall("bash", ({ args }, { context }) => {
    args.command satisfies string;
    context.user satisfies string;
  });
  typed.on("Stop", "*", (_, { context }) => void (context.user satisfies string));
  await typed.dispatch("Stop", {}, { context: { user: "ada" } });
  // @ts-expect-error: the context is missing
  await typed.dispatch("Stop", {});
  // @ts-expect-error: another context
  await typed.call("bash", {}, () => ({ stdout: "", lines: [] }), { context: { user: 7 } });
};

export const aCallCarriesItsTypes = async () => {
  const done = await engine.call("bash", { command: "ls" }, ({ command }) => ({
    stdout: command,
    lines: [],
  }));
  if (done.status === "done") done.result.stdout satisfies string;
  if (done.status === "denied") done.reason satisfies string;
  if (done.status === "failed") done.error satisfies unknown;
  // @ts-expect-error: only a call that is done has a result
  void done.result;
  // @ts-expect-error: not what the tool declares
  await engine.call("bash", { command: "ls" }, () => 7);
  const other = await engine.call("undeclared", { n: 1 }, ({ n }) => n + 1);
  if (other.status === "done") other.result satisfies number;
};

export const whatIsSpecialAboutATypeSurvives = () => {
  type UserId = string & { readonly brand: "user" };
  const isPair = (value: unknown): value is { pair: [UserId, number]; all: UserId[] } => value !== null;
  const typed = createHookEngine({ projectDir: "/", tools: { pair: { args: isPair } } });
  typed.beforeToolCall("pair", ({ args }) => {
    args.pair satisfies readonly [UserId, number];
    args.all satisfies readonly UserId[];
    // @ts-expect-error: frozen
    args.pair[0] = args.all[0];
  });
};

export const payloadsMayBeInterfaces = () => {
  interface Call {
    tool_name: string;
    tool_input: { command: string };
  }
  const call: Call = { tool_name: "bash", tool_input: { command: "ls" } };
  void engine.dispatch("PreToolUse", call);
  void engine.dispatch("PreToolUse", () => call);
  // @ts-expect-error: a payload is an object
  void engine.dispatch("PreToolUse", "ls");
};
