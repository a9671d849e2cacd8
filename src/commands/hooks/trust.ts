import { defineCommand, FORMAT_OPTION, loadAsk } from "../../cli/index.ts";
import { loadManage, loadOperations } from "../../install/index.ts";
import { resolve } from "../../system/index.ts";
import { escapeHidden } from "../../text/index.ts";
import { tellBuild } from "./user-hooks.ts";

export const trustCommand = defineCommand({
  name: "trust",
  summary: "let the hooks of this project run, as they are now",
  details: `
You are asked about every hook of the project, its hooks.jsonc and every package that changed, and about every script of
the project that your own hooks run. What you agree to is the file with all that it imports, and every file of the
project that its commands name, by path and content. After any change it does not run until you agree again. Commands
and addresses are shown before you are asked.`,
  options: { format: FORMAT_OPTION },
  positionals: [
    { name: "FILE", summary: "only these", isOptional: true, isVariadic: true, completes: "file" },
  ],
  forAgents: "loosens",
  examples: { "amplihack hooks trust": "asks about everything of this project that is not trusted" },
  async run({ options, positionals, system, terminal }) {
    const { findUntrusted, trustHooks } = await loadManage();
    const { requireDirectories } = await loadOperations();
    const { confirmByPhrase, requirePerson } = await import("../guard/allow-once.ts");
    const { askYesOrNo } = await loadAsk();
    const places = requireDirectories(system);
    await requirePerson(system, places.stateHome);
    const here = system.files.workingDirectory() ?? "/";
    const named = positionals.map(path => resolve(here, path));
    const found = await findUntrusted(system, places);
    const wanted = found.filter(({ path }) => named.length === 0 || named.includes(path));
    if (wanted.length === 0) terminal.note("nothing here waits to be trusted\n");
    const agreed = wanted.filter(({ path, state, actions = [] }) => {
      for (const action of actions) terminal.note(`  ${escapeHidden(action)}\n`);
      return askYesOrNo(
        terminal,
        `${escapeHidden(path)}${state === "changed" ? " (changed)" : ""}: run it from now on?`,
      );
    });
    if (agreed.length > 0)
      await confirmByPhrase(system, terminal, places.stateHome, {
        shown: agreed.map(({ path }) => path),
        question: "to run these from now on",
      });
    return tellBuild(terminal, options.format, await trustHooks(system, places, agreed), {
      trusted: agreed.map(({ path }) => path),
    });
  },
});
