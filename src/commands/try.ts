import {
  askChoice,
  type CommandInvocation,
  defineCommand,
  defineFamily,
  FORMAT_OPTION,
  option,
  ProgressLine,
  usageError,
} from "../cli/index.ts";
import { loadSandbox } from "../sandbox/index.ts";
import { resolve } from "../system/index.ts";
import { count } from "../text/index.ts";
import { proxyWords } from "./sandbox/places.ts";
import { NETWORK_OPTION, resolveSettings } from "./sandbox/settings.ts";
import type { OpenedTries } from "./try/open.ts";
import type { HeldChanges } from "./try/show.ts";

const HELD_POSITIONAL = [{ name: "ID", summary: "of the try; its beginning is enough" }] as const;

const runCommand = defineCommand({
  name: "run",
  summary: "run a command, look at what it changes, and only then let it be real",
  details: `
The command runs in the sandbox, and its changes of the project are caught. Afterwards you see them and say apply, discard
or keep; without a terminal they are held. Nothing of the project is touched before apply, and amplihack undo takes an apply
back. The exit code is the command's. Temporary folders and caches of package managers are changed at once. Processes that
it leaves running are ended. Servers and programs with a screen of their own are better run without it.`,
  options: {
    apply: option.boolean("make the changes real without asking"),
    discard: option.boolean("forget the changes without asking"),
    network: NETWORK_OPTION,
    format: FORMAT_OPTION,
  },
  wordsBehind: "-- COMMAND [ARGUMENT...]",
  forAgents: { use: "asks", runs: "words" },
  ownsTerminal: true,
  examples: {
    "amplihack try -- ./migrate.sh": "shows what the script would change, and asks",
    "amplihack try --discard -- npm update": "only shows it",
  },
  async run(invocation) {
    const { options, rest, system, terminal } = invocation;
    if (rest.length === 0) throw usageError("the command is missing; write it after --");
    if (options.apply && options.discard) throw usageError("--apply and --discard exclude each other");
    const { openTries } = await import("./try/open.ts");
    const { runTry } = await loadSandbox();
    const opened = await openTries(invocation);
    const { code, held } = await runTry(system, opened.places, {
      words: rest,
      directory: opened.directory,
      settings: resolveSettings(system, opened.config, { network: options.network }),
      guard: opened.config.guard,
      proxyCommand: proxyWords(),
      host: "terminal",
      session: undefined,
    });
    if (held === undefined) {
      if (options.format === "json") terminal.printJson({ exit: code, outcome: "unchanged", try: null });
      else terminal.warn("The command changed nothing in the project.\n");
      return code;
    }
    const { renderHeld, heldDocument } = await import("./try/show.ts");
    const { home } = opened.places;
    const isJson = options.format === "json";
    if (!isJson) terminal.warn(`\n${renderHeld(held, { terminal, home, nowMs: system.clock.nowMs() })}`);
    const answer = chooseAnswer(invocation, isJson);
    const done = await decide(invocation, opened, held, answer);
    if (isJson)
      terminal.printJson({
        exit: code,
        outcome: done.outcome,
        change: done.change ?? null,
        try: heldDocument(held),
      });
    return code;
  },
});

type Answer = "apply" | "discard" | "keep";

function chooseAnswer(
  {
    options,
    terminal,
  }: { readonly options: { readonly apply: boolean; readonly discard: boolean } } & Pick<
    CommandInvocation,
    "terminal"
  >,
  isJson: boolean,
): Answer {
  if (options.apply) return "apply";
  if (options.discard) return "discard";
  if (isJson || !terminal.isInteractive) return "keep";
  return askChoice(terminal, "What becomes of it?", ["keep", "apply", "discard"]);
}

async function decide(
  { system, terminal, isQuiet }: Pick<CommandInvocation, "system" | "terminal" | "isQuiet">,
  opened: OpenedTries,
  { record, changes }: HeldChanges,
  answer: Answer,
): Promise<{ readonly outcome: "applied" | "discarded" | "held"; readonly change?: string | undefined }> {
  const { applyTry, removeTry } = await loadSandbox();
  const say = (text: string) => (isQuiet ? undefined : terminal.warn(`${text}\n`));
  if (answer === "keep") {
    say(
      `Held. To make it real: amplihack try apply ${record.id}. To forget it: amplihack try discard ${record.id}`,
    );
    return { outcome: "held" };
  }
  if (answer === "discard") {
    removeTry(opened.places.stateHome, record);
    say("Discarded: the project is as it was.");
    return { outcome: "discarded" };
  }
  const progress = new ProgressLine(system, terminal);
  const { change, notKept } = await applyTry(system, opened.openTryContext(record.project), record, {
    verdict: "allow",
    onProgress: (done, total) => progress.show(() => `${done} of ${total} files`),
  }).finally(() => progress.clear());
  for (const { path, why } of notKept) say(`Warning: no undo brings ${path} back: ${why}`);
  const back = change === undefined ? "" : ` To take it back: amplihack undo ${change}`;
  say(`Applied: ${count(changes.adopted.length, "path")}.${back}`);
  return { outcome: "applied", change };
}

const listCommand = defineCommand({
  name: "list",
  summary: "list changes that are held",
  options: { format: FORMAT_OPTION },
  forAgents: { use: "passes", looks: [] },
  examples: { "amplihack try list": "what was tried and waits for your word" },
  async run(invocation) {
    const { options, system, terminal } = invocation;
    const { openTries } = await import("./try/open.ts");
    const { renderHeld, heldDocument } = await import("./try/show.ts");
    const { collectChanges } = await loadSandbox();
    const opened = await openTries(invocation);
    const held = opened
      .list()
      .filter(({ status }) => status === "held")
      .map(record => ({
        record,
        changes: collectChanges(system, opened.openTryContext(record.project).program, record),
      }));
    const view = { terminal, home: opened.places.home, nowMs: system.clock.nowMs() };
    const text = held.length === 0 ? "Nothing is held.\n" : held.map(one => renderHeld(one, view)).join("\n");
    terminal.printResult(options.format, { held: held.map(heldDocument) }, text);
    return 0;
  },
});

const showCommand = defineCommand({
  name: "show",
  summary: "show held changes as a diff",
  options: { stat: option.boolean("only names and sizes, no diff"), format: FORMAT_OPTION },
  positionals: HELD_POSITIONAL,
  wordsBehind: "[-- PATH…]",
  forAgents: "passes",
  examples: { "amplihack try show 3f2a91c0 -- src": "what would change in src" },
  async run(invocation) {
    const { options, positionals, rest, system, terminal } = invocation;
    const { openTries } = await import("./try/open.ts");
    const { heldDocument, pageHeld } = await import("./try/show.ts");
    const { collectChanges } = await loadSandbox();
    const opened = await openTries(invocation);
    const record = opened.find(positionals[0] ?? "");
    const held = {
      record,
      changes: collectChanges(system, opened.openTryContext(record.project).program, record),
    };
    if (options.format === "json") {
      terminal.printJson(heldDocument(held));
      return 0;
    }
    await pageHeld(invocation, held, {
      home: opened.places.home,
      guard: opened.config.guard,
      paths: rest.map(path => resolve(opened.directory, path)),
      isStat: options.stat,
    });
    return 0;
  },
});

const decideCommand = (answer: "apply" | "discard", summary: string, example: string) =>
  defineCommand({
    name: answer,
    summary,
    options: { format: FORMAT_OPTION },
    positionals: HELD_POSITIONAL,
    forAgents: "asks",
    examples: { [`amplihack try ${answer} 3f2a91c0`]: example },
    async run(invocation) {
      const { options, positionals, system, terminal } = invocation;
      const { openTries } = await import("./try/open.ts");
      const { heldDocument } = await import("./try/show.ts");
      const { collectChanges } = await loadSandbox();
      const opened = await openTries(invocation);
      const record = opened.find(positionals[0] ?? "");
      const { program } = opened.openTryContext(record.project);
      const held = { record, changes: collectChanges(system, program, record) };
      const isJson = options.format === "json";
      const done = await decide(
        { ...invocation, isQuiet: isJson || invocation.isQuiet },
        opened,
        held,
        answer,
      );
      if (isJson)
        terminal.printJson({ outcome: done.outcome, change: done.change ?? null, try: heldDocument(held) });
      return 0;
    },
  });

export const command = defineFamily({
  name: "try",
  summary: "run a command, look at what it changes, and only then let it be real",
  group: "Protect",
  subcommands: [
    runCommand,
    listCommand,
    showCommand,
    decideCommand("apply", "make held changes real", "as one change, which undo takes back"),
    decideCommand("discard", "forget held changes", "the project stays as it is"),
  ],
  initial: runCommand,
  examples: {
    "amplihack try -- ./migrate.sh": "shows what the script would change, and asks",
    "amplihack try list": "what was tried and waits for your word",
  },
});
