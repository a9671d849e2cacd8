import { defineCommand, FORMAT_OPTION, loadProgress, option } from "../../cli/index.ts";
import { count, sizeText } from "../../text/index.ts";

export const clearCommand = defineCommand({
  name: "clear",
  summary: "forget everything, of all projects",
  details: "Your files are not touched, but nothing that happened so far can be undone any more.",
  options: { yes: option.boolean("do not ask", { short: "y" }), format: FORMAT_OPTION },
  forAgents: "history",
  examples: { "amplihack history clear": "says how much is kept, asks, and forgets it" },
  async run(invocation) {
    const { options, system, terminal } = invocation;
    const { openForCommand } = await import("./open.ts");
    const { hasConsent } = await import("./consent.ts");
    const { history } = openForCommand(invocation);
    const { changes, bytes } = history.storeSize();
    const preview = `This forgets ${count(changes, "change")} of all projects, ${sizeText(bytes)}. Your files stay as they are.\nNone of it can be undone afterwards.\n`;
    const isJson = options.format === "json";
    const isGiven = options.yes;
    if (!hasConsent(terminal, { isGiven, isJson, preview: () => preview, question: "Forget everything?" })) {
      if (isJson) terminal.printJson({ status: "preview", changes, bytes });
      return 1;
    }
    const { ProgressLine } = await loadProgress();
    const progress = new ProgressLine(system, terminal);
    const cleared = await progress.during("forgetting …", () => history.clear());
    terminal.printResult(
      options.format,
      { status: "done", changes: cleared, bytes },
      `Forgot ${count(cleared, "change")}, ${sizeText(bytes)} freed.\n`,
    );
    return 0;
  },
});
