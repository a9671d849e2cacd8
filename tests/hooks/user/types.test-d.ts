// Facts about types that must hold at compile time. `tsc` checks this file: an expected error that does not come is an
// error. Nothing here runs.
import {
  allow,
  ask,
  context,
  defineHook,
  deny,
  type EffectKind,
  type HookAnswer,
  type HookCall,
  halt,
  message,
  type Rewrite,
  replaceOutput,
  rewrite,
  type Said,
  type ToolInputs,
  type ToolName,
} from "../../../src/hooks/user/authoring.ts";
import type { EventName, JsonObject } from "../../../src/protocol/index.ts";

export const aToolDecidesTheTypeOfItsInput = [
  defineHook({
    name: "bash",
    event: "PreToolUse",
    tool: "Bash",
    run({ input, tool, event, clock }) {
      input.command satisfies string;
      input.timeout satisfies number | undefined;
      tool satisfies "Bash";
      event satisfies "PreToolUse";
      if (/\bdeploy\b/.test(input.command) && new Date(clock.nowMs()).getDay() === 5) return ask("Monday.");
      // @ts-expect-error: a shell has no content
      void input.content;
      return undefined;
    },
  }),
  defineHook({
    name: "files",
    event: "PreToolUse",
    tool: ["Write", "Edit"],
    run({ tool, input }) {
      input.paths satisfies readonly string[];
      input.file_path satisfies string;
      // @ts-expect-error: only Write has content
      void input.content;
      if (tool === "Write") input.content satisfies string;
      else input.new_string satisfies string | undefined;
    },
  }),
  defineHook({
    name: "mcp",
    event: "PreToolUse",
    tool: "mcp__github__*",
    run({ tool, toolName, input }) {
      tool satisfies undefined;
      toolName satisfies string;
      input satisfies JsonObject;
    },
  }),
  defineHook({
    name: "any",
    event: "PreToolUse",
    run(call) {
      if (call.tool === "Bash") return call.input.command === "" ? deny("empty") : undefined;
      if (call.tool === undefined) call.input satisfies JsonObject;
      return undefined;
    },
  }),
  defineHook({
    name: "own",
    event: "PreToolUse",
    hostTool: "my_tool",
    run: ({ hostTool }) => deny(hostTool),
  }),
];

/** Every canonical tool, by itself: `input` is exactly that tool's. */
type InputGiven<T extends ToolName> = Parameters<typeof defineHook<"PreToolUse", T>>[0] extends {
  run(call: infer C): unknown;
}
  ? C extends { readonly input: infer I }
    ? I
    : never
  : never;
type Same<A, B> = (<X>() => X extends A ? 1 : 2) extends <X>() => X extends B ? 1 : 2 ? true : false;
export const everyToolIsInferred = {
  Bash: true,
  Read: true,
  Write: true,
  Edit: true,
  NotebookEdit: true,
  Glob: true,
  Grep: true,
  LS: true,
  WebFetch: true,
  WebSearch: true,
  Agent: true,
  TodoWrite: true,
} as const satisfies { [T in ToolName]: Same<InputGiven<T>, ToolInputs[T]> };

export const everyEventTellsItsOwn = [
  defineHook({ name: "p", event: "UserPromptSubmit", run: ({ prompt }) => void (prompt satisfies string) }),
  defineHook({
    name: "o",
    event: "PostToolUse",
    tool: "Bash",
    run: ({ output, input }) => (input.command === "" ? replaceOutput(output) : context("ran")),
  }),
  defineHook({ name: "f", event: "PostToolUseFailure", run: ({ error }) => deny(error) }),
  defineHook({
    name: "s",
    event: "Stop",
    run: ({ stopHookActive }) => (stopHookActive ? undefined : deny("no")),
  }),
  defineHook({ name: "e", event: "SessionEnd", run: ({ reason }) => message(reason ?? "") }),
  defineHook({ name: "b", event: "SessionStart", run: ({ source }) => context(source ?? "") }),
  defineHook({ name: "c", event: "PreCompact", run: ({ trigger }) => deny(trigger ?? "") }),
  defineHook({
    name: "two",
    event: ["PostToolUse", "PostToolUseFailure"],
    tool: "Bash",
    run(call) {
      if (call.event === "PostToolUseFailure") call.error satisfies string;
      // @ts-expect-error: only a failure has an error
      void call.error;
      return [context(call.input.command), message("done")];
    },
  }),
];

/** A hook that says one thing on one event compiles exactly where the event carries it. */
export const everyEventIsKnown = (event: EventName) =>
  defineHook({ name: "every", event, run: () => message("every event can tell the person") });

/** The words of what a hook may say on an event, in the order of the alphabet. */
type Word<E extends EventName, K extends EffectKind> = [
  Extract<HookAnswer<E>, { readonly [kind: symbol]: K } | Said<K>>,
] extends [never]
  ? ""
  : ` ${K}`;
type Words<E extends EventName> =
  `${Word<E, "allow">}${Word<E, "ask">}${Word<E, "context">}${Word<E, "deny">}${Word<E, "halt">}${Word<E, "message">}${Word<E, "replaceOutput">}${RewriteWord<E>}`;
type RewriteWord<E extends EventName> = [Extract<HookAnswer<E>, Rewrite<JsonObject>>] extends [never]
  ? ""
  : " rewrite";
type HasTool<E extends EventName> = HookCall<E> extends { readonly toolName: string } ? true : false;
type GivenEvent<E extends EventName> = Same<HookCall<E>["event"], E>;

/** Every canonical event: whether it has a tool, and all that may be said on it. */
export const everyEventIsInferred = {
  PreToolUse: [true, "allow ask context deny halt message rewrite"],
  PermissionRequest: [true, "allow deny halt message rewrite"],
  PermissionDenied: [true, "message"],
  PostToolUse: [true, "context deny halt message replaceOutput"],
  PostToolUseFailure: [true, "context deny halt message"],
  PostToolBatch: [false, "context deny halt message"],
  UserPromptSubmit: [false, "context deny halt message"],
  UserPromptExpansion: [false, "context deny halt message"],
  SessionStart: [false, "context message"],
  SessionEnd: [false, "message"],
  Setup: [false, "context message"],
  InstructionsLoaded: [false, "message"],
  Notification: [false, "context message"],
  MessageDisplay: [false, "message"],
  SubagentStart: [false, "context message"],
  SubagentStop: [false, "context deny halt message"],
  Stop: [false, "context deny halt message"],
  StopFailure: [false, "message"],
  TeammateIdle: [false, "deny halt message"],
  TaskCreated: [false, "deny halt message"],
  TaskCompleted: [false, "deny halt message"],
  PreCompact: [false, "deny halt message"],
  PostCompact: [false, "message"],
  ConfigChange: [false, "deny halt message"],
  CwdChanged: [false, "message"],
  DirectoryAdded: [false, "message"],
  FileChanged: [false, "message"],
  WorktreeCreate: [false, "deny halt message"],
  WorktreeRemove: [false, "message"],
  Elicitation: [false, "deny halt message"],
  ElicitationResult: [false, "deny halt message"],
  PreModelSwitch: [false, "ask deny halt message"],
  PostModelSwitch: [false, "context message"],
} as const satisfies { [E in EventName]: readonly [HasTool<E>, Words<E> extends ` ${infer W}` ? W : never] };

export const everyCallKnowsItsEvent = (event: { [E in EventName]: GivenEvent<E> }[EventName]): true => event;

export const whatAnEventCarries = [
  defineHook({ name: "1", event: "PreToolUse", tool: "Bash", run: () => allow() }),
  defineHook({ name: "2", event: "PreToolUse", tool: "Bash", run: () => rewrite({ command: "ls" }) }),
  defineHook({
    name: "3",
    event: "PreToolUse",
    tool: "Bash",
    run: ({ input }) => rewrite({ ...input, command: "ls" }),
  }),
  defineHook({
    name: "4",
    event: "PreToolUse",
    tool: "Write",
    run: async () => [rewrite({ content: "" }), halt("no")],
  }),
  defineHook({ name: "5", event: "PermissionRequest", run: () => allow() }),
  defineHook({ name: "6", event: "PreModelSwitch", run: () => ask("really?") }),
];

export const whatItDoesNot = [
  // @ts-expect-error: a shell's command is text
  defineHook({ name: "1", event: "PreToolUse", tool: "Bash", run: () => rewrite({ command: 3 }) }),
  // @ts-expect-error: a shell has no file
  defineHook({ name: "2", event: "PreToolUse", tool: "Bash", run: () => rewrite({ file_path: "x" }) }),
  // @ts-expect-error: a finished call has no input to change
  defineHook({ name: "3", event: "PostToolUse", tool: "Bash", run: () => rewrite({ command: "ls" }) }),
  // @ts-expect-error: there is no output yet
  defineHook({ name: "4", event: "PreToolUse", tool: "Bash", run: () => replaceOutput("") }),
  // @ts-expect-error: nobody can be asked about what has happened
  defineHook({ name: "5", event: "PostToolUse", run: () => ask("?") }),
  // @ts-expect-error: the start of a session cannot be refused
  defineHook({ name: "6", event: "SessionStart", run: () => deny("no") }),
  // @ts-expect-error: the end of a session has no model to tell
  defineHook({ name: "7", event: "SessionEnd", run: () => context("bye") }),
  // @ts-expect-error: a prompt is not allowed, it is just not refused
  defineHook({ name: "8", event: "UserPromptSubmit", run: () => allow() }),
  // @ts-expect-error: a stop is held, not asked about
  defineHook({ name: "9", event: "Stop", run: () => ask("?") }),
  // @ts-expect-error: one of the two cannot be refused
  defineHook({ name: "10", event: ["PreToolUse", "SessionStart"], run: () => deny("no") }),
  // @ts-expect-error: no such tool
  defineHook({ name: "11", event: "PreToolUse", tool: "Shell", run: () => undefined }),
  // @ts-expect-error: no such event
  defineHook({ name: "12", event: "BeforeTool", run: () => undefined }),
  // @ts-expect-error: a prompt has no tool
  defineHook({ name: "13", event: "UserPromptSubmit", tool: "Bash", run: () => undefined }),
  // @ts-expect-error: a refusal needs a reason
  defineHook({ name: "14", event: "PreToolUse", run: () => deny() }),
  // @ts-expect-error: a plain object says nothing
  defineHook({ name: "15", event: "PreToolUse", run: () => ({ decision: "deny" }) }),
];
