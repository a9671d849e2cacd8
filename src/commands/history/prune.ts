import { defineCommand, FORMAT_OPTION, loadProgress, option } from "../../cli/index.ts";
import { count, sizeText } from "../../text/index.ts";
import { readDuration, readSize } from "./amounts.ts";

const DAY_MS = 86_400_000;
const MB = 1024 * 1024;

export const pruneCommand = defineCommand({
  name: "prune",
  summary: "forget old changes, to make room",
  details: `
This happens by itself when the limits of the configuration are reached
(history.maxAgeDays, history.maxTotalMb). The oldest go first. Your files are
not touched, but what is forgotten cannot be undone any more.`,
  options: {
    "older-than": option.string("TIME", "forget what is older: 7d, 12h; the configured age by default"),
    to: option.string("SIZE", "then the oldest until no more than this is left: 500mb, 2gb"),
    yes: option.boolean("do not ask", { short: "y" }),
    format: FORMAT_OPTION,
  },
  forAgents: "history",
  examples: {
    "amplihack history prune --older-than 7d": "forgets everything older than a week, after a question",
    "amplihack history prune --to 500mb --yes": "makes it fit into 500 MB, without a question",
  },
  async run(invocation) {
    const { options, system, terminal } = invocation;
    const { openForCommand } = await import("./open.ts");
    const { hasConsent } = await import("./consent.ts");
    const age = options["older-than"];
    const olderThanMs = age === undefined ? undefined : readDuration("older-than", age);
    const toBytes = options.to === undefined ? undefined : readSize("to", options.to);
    const { history, settings } = openForCommand(invocation);
    const before = history.storeSize();
    const limit = toBytes ?? settings.maxTotalMb * MB;
    const oldest = system.clock.nowMs() - (olderThanMs ?? settings.maxAgeDays * DAY_MS);
    const old = history.listChanges({}).changes.filter(({ timeMs }) => timeMs < oldest).length;
    const preview = `The history holds ${count(before.changes, "change")}, ${sizeText(before.bytes)}.
This forgets ${count(old, "change")} by age${before.bytes > limit ? `, then the oldest until ${sizeText(limit)} are left` : ""}. What is forgotten cannot be undone.
`;
    const isJson = options.format === "json";
    const isGiven = options.yes;
    if (!hasConsent(terminal, { isGiven, isJson, preview: () => preview, question: "Forget them?" })) {
      if (isJson) terminal.printJson({ status: "preview", ...before, byAge: old });
      return 1;
    }
    const { ProgressLine } = await loadProgress();
    const pruned = await new ProgressLine(system, terminal).during("forgetting …", () =>
      history.prune({
        ...(olderThanMs === undefined ? {} : { olderThanMs }),
        ...(toBytes === undefined ? {} : { toBytes }),
      }),
    );
    const text = `Forgot ${count(pruned.changes, "change")}, ${sizeText(pruned.bytes)} freed.\n`;
    terminal.printResult(options.format, { status: "done", ...pruned }, text);
    return 0;
  },
});
