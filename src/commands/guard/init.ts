import { CommandError, defineCommand, FORMAT_OPTION, option } from "../../cli/index.ts";
import { projectConfigFile, starterConfig, trustProject, userConfigFile } from "../../config/index.ts";
import { writeAtomically } from "../../system/index.ts";
import { openForCommand } from "./judged.ts";

export const initCommand = defineCommand({
  name: "init",
  summary: "write a configuration file to start from, or trust a project's own",
  options: {
    project: option.boolean("write this project's file instead of yours; it may only tighten"),
    trust: option.boolean("let this project's file loosen too, as long as it stays as it is now"),
    force: option.boolean("replace a file that is already there"),
    format: FORMAT_OPTION,
  },
  forAgents: { use: "asks", loosensWith: ["force", "trust"] },
  examples: {
    "amplihack guard init": "writes your configuration, with every setting explained",
    "amplihack guard init --project": "writes .amplihack/config.jsonc for all who work on this project",
    "amplihack guard init --trust": "trusts this project's file by its path and content",
  },
  async run({ options, system, terminal }) {
    const { stateHome, project } = openForCommand(system, terminal, undefined);
    const report = (what: string, path: string): number => {
      terminal.printResult(options.format, { success: true, action: what, path }, `${what} ${path}\n`);
      return 0;
    };
    if (options.trust) {
      const { confirmByPhrase, requirePerson } = await import("./allow-once.ts");
      await requirePerson(system, stateHome);
      const file = projectConfigFile(project);
      if (system.files.follow(file)?.kind !== "file") {
        throw new CommandError(`there is no ${file} to trust`, {
          kind: "not-found",
          fix: "amplihack guard init --project",
        });
      }
      const content = system.files.read(file, 256 * 1024);
      await confirmByPhrase(system, terminal, stateHome, {
        shown: [system.text.decode(content).text, "", `in ${file}`],
        question: "to let this loosen the guard for the project",
      });
      trustProject(system, userConfigFile(stateHome), project, content);
      return report("trusted", file);
    }
    const path = options.project ? projectConfigFile(project) : userConfigFile(stateHome);
    if (!options.force && system.files.inspect(path) !== undefined) {
      throw new CommandError(`${path} is already there`, {
        kind: "exists",
        fix: options.project
          ? "edit it, or add --force to replace it"
          : "amplihack config edit; or --force, which replaces all that it says now",
      });
    }
    writeAtomically(system, path, system.text.encode(starterConfig(options.project ? "project" : "user")), {
      mode: 0o600,
    });
    return report("wrote", path);
  },
});
