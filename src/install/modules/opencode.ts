import { type ModuleOptions, moduleRuntime } from "./runtime.ts";

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
