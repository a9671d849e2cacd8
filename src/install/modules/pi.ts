import { type ModuleOptions, moduleRuntime } from "./runtime.ts";

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
