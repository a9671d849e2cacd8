import { Type } from "@sinclair/typebox";
import { type } from "arktype";
import * as v from "valibot";
import { z } from "zod";
import type { EngineOptions } from "../../src/engine/options.ts";
import type { ToolMap } from "../../src/engine/schema/infer.ts";
import type { HookEngine } from "../../src/engine/types.ts";

declare function createHookEngine<const T extends ToolMap = Record<never, never>>(
  options: EngineOptions<T>,
): HookEngine<T>;
const isNote = (value: unknown): value is { text: string } =>
  typeof value === "object" && value !== null && "text" in value;
const e = createHookEngine({
  projectDir: "/p",
  tools: {
    bash: {
      args: z.object({ command: z.string(), timeout: z.number().optional() }),
      result: z.object({ out: z.string() }),
    },
    read: { args: Type.Object({ path: Type.String() }) },
    write: { args: v.object({ path: v.string(), content: v.string() }) },
    edit: { args: type({ path: "string", "line?": "number" }) },
    note: { args: isNote },
  },
});
e.beforeToolCall("bash", call => {
  const c: string = call.args.command;
  call.args.timeout satisfies number | undefined;
  void c;
});
e.beforeToolCall("read", async call => {
  const c: string = call.args.path;
  void c;
});
e.beforeToolCall("write", async call => {
  const c: string = call.args.content;
  void c;
});
e.beforeToolCall("edit", async call => {
  const c: number | undefined = call.args.line;
  void c;
});
e.beforeToolCall("note", async call => {
  const c: string = call.args.text;
  void c;
});
// @ts-expect-error
e.beforeToolCall("nope", () => {});
// @ts-expect-error
e.beforeToolCall("bash", () => ({ block: true }));
// @ts-expect-error
e.beforeToolCall("bash", () => ({ args: { command: 1 } }));
e.beforeToolCall("bash", () => ({ args: { command: "x" } }));
e.beforeToolCall("bash", call => {
  // @ts-expect-error
  call.args.command = "x";
});
e.beforeToolCall(["bash", "read"], call => {
  if (call.tool === "bash") {
    call.args.command satisfies string;
  } else {
    call.args.path satisfies string;
  }
});
e.beforeToolCall("*", call => {
  if (call.tool === "bash") {
    call.args.command satisfies string;
  } else if (call.tool === "read" || call.tool === "write" || call.tool === "edit" || call.tool === "note") {
  } else {
    call.tool satisfies undefined;
    call.args satisfies object;
  }
});
e.beforeToolCall(/x/, call => {
  call.name satisfies string;
});
e.afterToolCall("bash", d => ({ result: { out: d.result.out } }));
// @ts-expect-error
e.afterToolCall("bash", d => ({ result: { out: 1 } }));
const none = createHookEngine({ projectDir: "/" });
// @ts-expect-error
none.beforeToolCall("bash", () => {});
none.beforeToolCall("*", call => {
  call.tool satisfies undefined;
});
