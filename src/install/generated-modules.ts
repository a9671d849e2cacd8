import {
  HOSTS,
  type HostId,
  type HostRegistration,
  MODULE_DEADLINE_SECONDS,
  planRegistrations,
  rowsWaiting,
} from "../hosts/index.ts";
import type { FailurePolicy } from "../protocol/index.ts";
import { quoteWord } from "../system/index.ts";
import { hookArguments, quoteProgram } from "./hook-entries.ts";
import { namesHome } from "./package.ts";

export interface ModuleOptions {
  /** the staged hook program, as the file shall name it */
  readonly program: string;
  /** what to do when the hook program cannot be run or does not answer; it acts before tools and prompts */
  readonly failure: FailurePolicy;
  /** written into the first line, so that a person sees where the file comes from */
  readonly version: string;
  /** how long a question waits for an answer of the team */
  readonly waitMs?: number;
}

function planFor(host: HostId, { waitMs = 0 }: ModuleOptions): readonly HostRegistration[] {
  return planRegistrations(host, rowsWaiting(waitMs)).registrations;
}

/** Hooks that are waited for longer than the rest, in seconds. */
function longLimits(host: HostId, options: ModuleOptions): Readonly<Record<string, number>> {
  const limits = planFor(host, options).flatMap(({ subcommand, limitSeconds }) =>
    limitSeconds === undefined ? [] : [[subcommand, limitSeconds] as const],
  );
  return Object.fromEntries(limits);
}

/** More than any answer of ours; a program that prints more is not ours. */
const OUTPUT_LIMIT = 4 * 1024 * 1024;

/**
 * The part that both generated modules share: run the hook program with the host's own arguments, wait no longer
 * than the deadline, read the answer. `askProgram` never rejects; a failure is a value that the policy judges.
 */
function moduleRuntime(host: HostId, options: ModuleOptions): string {
  return `// Written by amplihack ${singleLine(options.version)}. Changes are lost at the next install.
import { spawn } from "node:child_process";

const PROGRAM = ${JSON.stringify(options.program)};
const program = PROGRAM.replace(/^\\$HOME(?=\\/)/, () => process.env.HOME ?? "");
const FAILURE = ${JSON.stringify(options.failure)};
const USUAL_SECONDS = ${MODULE_DEADLINE_SECONDS};
const LONG_SECONDS = ${JSON.stringify(longLimits(host, options))};
const OUTPUT_LIMIT = ${OUTPUT_LIMIT};

/**
 * Runs one hook. Resolves to { answer } or, when policy could not run, to { problem }. A hook that failed and lets
 * things pass says so in a notice.
 */
function askProgram(subcommand, nativeEvent, cwd, payload) {
  return new Promise(resolve => {
    let child;
    let timer;
    let isDone = false;
    const finish = result => {
      if (isDone) return;
      isDone = true;
      clearTimeout(timer);
      resolve(result);
    };
    const fail = problem => finish({ problem: "could not check this: " + problem });
    const stopChild = () => {
      try {
        process.kill(-child.pid, "SIGKILL");
      } catch {
        child.kill("SIGKILL");
      }
    };
    try {
      const input = JSON.stringify({ ...payload, hook_event_name: nativeEvent, cwd });
      const long = LONG_SECONDS[subcommand];
      const seconds = long ?? USUAL_SECONDS;
      const limit = long === undefined ? [] : ["--limit=" + long];
      child = spawn(program, [subcommand, "--host", ${JSON.stringify(host)}, "--event", nativeEvent, ...limit], {
        cwd,
        detached: true,
        stdio: ["pipe", "pipe", "pipe"],
      });
      timer = setTimeout(() => {
        stopChild();
        fail("the hook program did not answer within " + seconds + " s");
      }, seconds * 1000);
      let stdout = "";
      let stderr = "";
      child.stdout.setEncoding("utf8");
      child.stderr.setEncoding("utf8");
      child.stdout.on("data", text => {
        stdout += text;
        if (stdout.length > OUTPUT_LIMIT) {
          stopChild();
          fail("the hook program printed too much");
        }
      });
      child.stderr.on("data", text => {
        stderr = (stderr + text).slice(-8192);
      });
      child.on("error", error => fail("the hook program cannot be started (" + (error.code ?? error.message) + ")"));
      child.on("close", (code, signal) => {
        if (code === 2) return finish({ answer: { decision: "block", reason: humanLines(stderr) } });
        if (code !== 0) return fail("the hook program ended with " + (signal ?? "code " + code));
        try {
          const answer = JSON.parse(stdout);
          if (typeof answer !== "object" || answer === null || Array.isArray(answer)) throw new Error("no object");
          finish({ answer, notice: /^could not check.*/m.exec(stderr)?.[0] });
        } catch {
          fail("the hook program did not answer in JSON");
        }
      });
      child.stdin.on("error", () => {});
      child.stdin.end(input);
    } catch (error) {
      fail("the hook program cannot be started (" + (error?.code ?? error?.message) + ")");
    }
  });
}

/** The lines for people: the last one is telemetry, for machines. */
function humanLines(stderr) {
  const text = stderr
    .split("\\n")
    .filter(line => !line.startsWith("{"))
    .join("\\n")
    .trim();
  return text === "" ? "could not check this: the hook program gave no reason" : text;
}

/** An answer in Claude's form, as one plain value. */
function readAnswer(answer) {
  const nested = answer.hookSpecificOutput ?? {};
  const isRefused = nested.permissionDecision === "deny" || answer.decision === "block" || answer.continue === false;
  return {
    refusal: isRefused
      ? (nested.permissionDecisionReason ?? answer.reason ?? answer.stopReason ?? "refused by amplihack")
      : undefined,
    question: nested.permissionDecision === "ask" ? (nested.permissionDecisionReason ?? "please confirm") : undefined,
    allowOnce: answer.allowOnce,
    modelReason: answer.modelReason,
    input: nested.updatedInput,
    output: nested.updatedToolOutput,
    context: nested.additionalContext,
    message: answer.systemMessage,
  };
}

/** A failure as an answer; the policy acts only where an action can still be refused. */
function judge(result, canRefuse) {
  if (result.answer !== undefined) {
    const said = readAnswer(result.answer);
    return { ...said, message: said.message ?? result.notice };
  }
  if (canRefuse && FAILURE === "closed") return { refusal: result.problem };
  if (canRefuse && FAILURE === "ask") return { question: result.problem };
  return { message: result.problem };
}

/** The arguments object is shared with the host, so its members change, not the object. */
function replaceMembers(target, members) {
  for (const name of Object.keys(target)) delete target[name];
  Object.assign(target, members);
}

function asText(value) {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function joinTexts(texts) {
  return texts.filter(text => typeof text === "string" && text !== "").join("\\n\\n");
}
`;
}

function singleLine(text: string): string {
  return text.replace(/[\r\n\u2028\u2029]/g, " ");
}

/**
 * Text of the OpenCode plugin: a module with exactly one export, which OpenCode calls. Before a tool it throws to
 * refuse and changes the arguments in place to rewrite; after one it changes the output; at a prompt it throws or
 * appends to the last text. Context for a session start has no place of its own and goes with the first prompt.
 * The function is long because it is one text.
 */
export function opencodePlugin(options: ModuleOptions): string {
  return `${moduleRuntime("opencode", options)}
export const Amplihack = async ({ client, directory }) => {
  /** session id → the answer to its start, until its first prompt takes it along */
  const starts = new Map();
  const sessions = new Set();

  const run = async (subcommand, nativeEvent, sessionID, payload, canRefuse) =>
    judge(await askProgram(subcommand, nativeEvent, directory, { ...payload, session_id: sessionID }), canRefuse);

  /** For the person: on the screen where there is one, in OpenCode's log in any case. */
  const show = message => {
    if (typeof message !== "string" || message === "") return;
    const toast = { title: "amplihack", message, variant: "warning" };
    for (const send of [
      () => client.app.log({ body: { service: "amplihack", level: "warn", message } }),
      () => client.tui.showToast({ body: toast }),
    ]) {
      Promise.resolve().then(send).catch(() => {});
    }
  };

  /** A hook cannot ask the user here, so a question is a refusal. */
  const refuse = said => {
    const reason = said.refusal ?? said.question;
    if (reason !== undefined) throw new Error(reason);
  };

  const startSession = (sessionID, event) => {
    sessions.add(sessionID);
    starts.set(sessionID, run("session-start", "session.created", sessionID, { event }, false));
  };

  const endSession = async (sessionID, event) => {
    if (!sessions.delete(sessionID)) return;
    starts.delete(sessionID);
    const said = await run("session-stop", "session.deleted", sessionID, { event }, false);
    show(said.message);
  };

  return {
    event: async ({ event }) => {
      const properties = event?.properties ?? {};
      const sessionID = properties.sessionID ?? properties.info?.id;
      if (typeof sessionID !== "string" || properties.info?.parentID) return;
      if (event.type === "session.created") startSession(sessionID, event);
      if (event.type === "session.deleted") await endSession(sessionID, event);
    },

    // A run without a screen ends without an event for its session.
    dispose: async () => {
      const closing = sessionID => ({ type: "session.deleted", properties: { sessionID } });
      await Promise.all([...sessions].map(sessionID => endSession(sessionID, closing(sessionID))));
    },

    "chat.message": async (input, output) => {
      const payload = { input, output };
      const [start, ...said] = await Promise.all([
        starts.get(input.sessionID) ?? {},
        run("workflow-classification-reminder", "chat.message", input.sessionID, payload, true),
        run("user-prompt-submit", "chat.message", input.sessionID, payload, true),
      ]);
      starts.delete(input.sessionID);
      for (const each of [start, ...said]) show(each.message);
      // OpenCode tells only of an unexpected error here.
      for (const each of said) show(each.refusal ?? each.question);
      for (const each of said) refuse(each);
      const context = joinTexts([start, ...said].map(each => each.context));
      const part = output.parts.findLast(each => each.type === "text" && typeof each.text === "string");
      if (context !== "" && part !== undefined) part.text += "\\n\\n" + context;
    },

    "tool.execute.before": async (input, output) => {
      const said = await run("pre-tool-use", "tool.execute.before", input.sessionID, { input, output }, true);
      show(said.message);
      refuse(said);
      if (said.input !== undefined) replaceMembers(output.args, said.input);
    },

    "tool.execute.after": async (input, output) => {
      const said = await run("post-tool-use", "tool.execute.after", input.sessionID, { input, output }, false);
      show(said.message);
      const replacement = said.refusal ?? said.output;
      const isText = typeof output.output === "string";
      if (replacement !== undefined) {
        if (isText) output.output = asText(replacement);
        else output.content = [{ type: "text", text: asText(replacement) }];
      }
      if (said.context === undefined) return;
      if (isText) output.output += "\\n\\n" + said.context;
      else if (Array.isArray(output.content)) output.content.push({ type: "text", text: said.context });
    },

    "experimental.session.compacting": async (input, output) => {
      const event = "experimental.session.compacting";
      const said = await run("pre-compact", event, input.sessionID, { input }, false);
      show(said.message);
      if (said.context !== undefined) output.context.push(said.context);
    },
  };
};
`;
}

/**
 * Text of the Pi extension. Before a tool it blocks or changes the input in place, and asks where there is a screen;
 * after one it returns other content. A prompt is judged when it comes in; its context, and that of the session
 * start, is a message before the agent starts. The function is long because it is one text.
 */
export function piExtension(options: ModuleOptions): string {
  return `${moduleRuntime("pi", options)}
export default function (pi) {
  let start = Promise.resolve({});
  let pending = [];
  /** kept from the last event that could tell: at the end of a run the context can no longer be read */
  let place = { cwd: process.cwd(), session_id: undefined, transcript_path: undefined };

  const placeOf = ctx => {
    try {
      const { sessionManager } = ctx;
      place = {
        cwd: ctx.cwd,
        session_id: sessionManager.getSessionId(),
        transcript_path: sessionManager.getSessionFile(),
      };
    } catch {}
    return place;
  };

  const run = async (subcommand, event, ctx, canRefuse) => {
    const { cwd, ...ids } = placeOf(ctx);
    const said = judge(await askProgram(subcommand, event.type, cwd, { ...event, ...ids }), canRefuse);
    tell(ctx, said.message);
    return said;
  };

  const tell = (ctx, text) => {
    if (typeof text !== "string" || text === "") return;
    try {
      if (ctx.hasUI) ctx.ui.notify(text, "warning");
      else console.error(text);
    } catch {}
  };

  /** The reason to refuse, after asking where there is a screen. */
  const refusalOf = async (said, ctx) => {
    if (said.refusal !== undefined || said.question === undefined) return said.refusal;
    const { question, modelReason } = said;
    if (ctx.hasUI) return (await ctx.ui.confirm("amplihack", question)) ? undefined : (modelReason ?? question);
    if (modelReason !== undefined) return [question, modelReason].join("\\n");
    const how = said.allowOnce === undefined ? [] : ["To permit the call once, your user runs:", said.allowOnce];
    return [said.question, ...how].join("\\n");
  };

  pi.on("session_start", (event, ctx) => {
    pending = [];
    start = run("session-start", event, ctx, false);
  });

  pi.on("input", async (event, ctx) => {
    const said = await Promise.all([
      run("workflow-classification-reminder", event, ctx, true),
      run("user-prompt-submit", event, ctx, true),
    ]);
    for (const each of said) {
      const reason = await refusalOf(each, ctx);
      if (reason === undefined) continue;
      tell(ctx, reason);
      return { action: "handled" };
    }
    pending = said.map(each => each.context);
    return { action: "continue" };
  });

  pi.on("before_agent_start", async () => {
    const { context } = await start;
    start = Promise.resolve({});
    const content = joinTexts([context, ...pending]);
    pending = [];
    return content === "" ? undefined : { message: { customType: "amplihack", content, display: false } };
  });

  pi.on("tool_call", async (event, ctx) => {
    const said = await run("pre-tool-use", event, ctx, true);
    const reason = await refusalOf(said, ctx);
    if (reason !== undefined) return { block: true, reason };
    if (said.input !== undefined) replaceMembers(event.input, said.input);
    return undefined;
  });

  pi.on("tool_result", async (event, ctx) => {
    const said = await run("post-tool-use", event, ctx, false);
    const text = value => ({ type: "text", text: asText(value) });
    const more = said.context === undefined ? [] : [text(said.context)];
    if (said.refusal !== undefined) return { content: [text(said.refusal), ...more], isError: true };
    if (said.output !== undefined) return { content: [text(said.output), ...more] };
    return more.length === 0 ? undefined : { content: [...event.content, ...more] };
  });

  pi.on("session_before_compact", async (event, ctx) => {
    // The whole conversation and an abort signal come with it; the transcript file says the same.
    const { type, customInstructions } = event;
    const said = await run("pre-compact", { type, customInstructions }, ctx, true);
    const reason = await refusalOf(said, ctx);
    if (reason === undefined) return undefined;
    tell(ctx, reason);
    return { cancel: true };
  });

  pi.on("session_shutdown", async (event, ctx) => {
    await run("session-stop", event, ctx, false);
  });
}
`;
}

/** A file that belongs to us as a whole. */
interface GeneratedFile {
  /** below the folder that the host's registration names, or "" for the very file it names */
  readonly name: string;
  readonly text: string;
  readonly isExecutable: boolean;
}

/** The texts of modules, by host. They are here because the hook program does not need them. */
const MODULES: Readonly<Partial<Record<HostId, (options: ModuleOptions) => string>>> = {
  opencode: opencodePlugin,
  pi: piExtension,
};

/** Files of hosts that take no entries in a shared file: modules, and programs by event. */
export function generateFiles(host: HostId, options: ModuleOptions): readonly GeneratedFile[] {
  const wholeFile = (text: string) => [{ name: "", text, isExecutable: false }];
  switch (HOSTS[host].registration?.layout.kind) {
    case "module":
      return wholeFile(MODULES[host]?.(options) ?? "");
    case "executables":
      return executables(host, options);
    default:
      return [];
  }
}

function writtenBy({ version }: ModuleOptions): string {
  return `# Written by amplihack ${version}. Changes are lost at the next install.\n`;
}

/** The host finds a hook by the name of an executable file. */
function executables(host: HostId, options: ModuleOptions): readonly GeneratedFile[] {
  return planFor(host, options).map(registration => {
    const program = quoteProgram(options.program);
    const words = hookArguments(host, registration).map(quoteWord).join(" ");
    const text = `#!/bin/sh\n${writtenBy(options)}${unlessMissing(options.program)}exec ${program} ${words}\n`;
    return { name: registration.nativeEvent, text, isExecutable: true };
  });
}

/** A clone on a machine without the program is not held up. */
function unlessMissing(program: string): string {
  if (!namesHome(program)) return "";
  return `[ -x ${quoteProgram(program)} ] || { echo 'amplihack is not installed here' >&2; exit 0; }\n`;
}
