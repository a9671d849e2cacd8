import { defineCommand, FORMAT_OPTION, option, renderTable, type Width } from "../../cli/index.ts";
import {
  type ListedHook,
  type ListedUserHook,
  loadListUserHooks,
  loadOperations,
} from "../../install/index.ts";

export const listCommand = defineCommand({
  name: "list",
  summary: "show every hook, and which hosts call it",
  options: { own: option.boolean("only hooks of your own"), format: FORMAT_OPTION },
  forAgents: { use: "passes", looks: [] },
  examples: {
    "amplihack hooks list": "shows a table of hooks and hosts",
    "amplihack hooks list --own": "your hooks: where they run, and what is wrong with them",
    "amplihack hooks list --format json": "the stock hooks, for programs; with --own yours",
  },
  async run({ options, system, terminal }) {
    const { requireDirectories, listHooks } = await loadOperations();
    const { listUserHooks } = await loadListUserHooks();
    const places = requireDirectories(system);
    const own = listUserHooks(system, places);
    if (options.own) {
      terminal.printResult(options.format, own, renderOwn(own, terminal));
      return 0;
    }
    const hooks = listHooks(system, places);
    const more = own.length === 0 ? "" : `\n${renderOwn(own, terminal)}`;
    terminal.printResult(options.format, hooks, `${renderHooks(hooks, terminal)}${more}`);
    return 0;
  },
});

const HEADINGS = ["event", "subcommand", "limit", "tools", "registered with"];

function renderHooks(hooks: readonly ListedHook[], terminal: Width): string {
  const rows = hooks.map(({ event, subcommand, timeout, matcher, hosts }) => {
    const registered = hosts.filter(host => host.registered);
    const where = registered.map(({ host, scope, path_ok }) => {
      const notes = [...(scope === "user" ? [] : [scope]), ...(path_ok ? [] : ["its program is missing"])];
      return notes.length === 0 ? host : `${host} (${notes.join(", ")})`;
    });
    return [event, subcommand, `${timeout} s`, matcher ?? "–", where.join(", ") || "–"];
  });
  return renderTable([HEADINGS, ...rows], terminal);
}

const OWN_HEADINGS = [
  "your hook",
  "events",
  "tools",
  "runs",
  "took",
  "when it fails",
  "not called in",
  "file",
];

function renderOwn(hooks: readonly ListedUserHook[], terminal: Width): string {
  if (hooks.length === 0) return "no hooks of your own; amplihack hooks new NAME writes one\n";
  const rows = hooks.map(hook => [
    hook.name ?? "–",
    hook.events.join(", ") || "–",
    hook.tools.join(", ") || "–",
    hook.runs,
    hook.cost === null ? "–" : `${hook.cost.medianMs.toFixed(1)} ms (${hook.cost.runs} runs)`,
    hook.onFailure ?? "–",
    hook.missingIn.length > SHOWN_HOSTS ? `${hook.missingIn.length} hosts` : hook.missingIn.join(", ") || "–",
    hook.source,
  ]);
  const problems = hooks.flatMap(({ source, problem }) =>
    problem === null ? [] : [`${source}: ${problem}\n`],
  );
  return `${renderTable([OWN_HEADINGS, ...rows], terminal)}${[...new Set(problems)].join("")}`;
}

const SHOWN_HOSTS = 3;
