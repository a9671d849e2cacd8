import { defineCommand } from "../../cli/command.ts";
import { FORMAT_OPTION } from "../../cli/option.ts";
import type { ListedHook } from "../../install/list-hooks.ts";

export const listCommand = defineCommand({
  name: "list",
  summary: "show every hook, and which hosts call it",
  options: { format: FORMAT_OPTION },
  examples: {
    "amplihack hooks list": "shows a table of hooks and hosts",
    "amplihack hooks list --format json": "the same for programs",
  },
  async run({ options, system, terminal }) {
    const { requireDirectories, listHooks } = await import("../../install/operations.ts");
    const hooks = listHooks(system, requireDirectories(system));
    terminal.printResult(options.format, hooks, renderHooks(hooks));
    return 0;
  },
});

const HEADINGS = ["event", "subcommand", "timeout", "matcher", "registered", "path ok"];

function renderHooks(hooks: readonly ListedHook[]): string {
  const rows = hooks.map(({ event, subcommand, timeout, matcher, hosts }) => {
    const registered = hosts.filter(host => host.registered);
    const where = registered.map(({ host, scope }) => (scope === "user" ? host : `${host} (${scope})`));
    const isOk = registered.every(host => host.path_ok);
    const path = registered.length === 0 ? "–" : isOk ? "yes" : "no";
    return [event, subcommand, `${timeout} s`, matcher ?? "–", where.join(", ") || "–", path];
  });
  const lines = [HEADINGS, ...rows];
  const widths = HEADINGS.map((_, column) => Math.max(...lines.map(line => line[column]?.length ?? 0)));
  const cells = (line: readonly string[]) => line.map((cell, column) => cell.padEnd(widths[column] ?? 0));
  return lines.map(line => `${cells(line).join("  ").trimEnd()}\n`).join("");
}
