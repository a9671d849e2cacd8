import { fileURLToPath } from "node:url";
import {
  bashScript,
  defineCommand,
  fishScript,
  powershellScript,
  readCommandTable,
  usageError,
  zshScript,
} from "../cli/index.ts";
import { didYouMean } from "../text/index.ts";

const SCRIPTS = { bash: bashScript, zsh: zshScript, fish: fishScript, powershell: powershellScript };
type Shell = keyof typeof SCRIPTS;
const SHELLS = Object.keys(SCRIPTS) as readonly Shell[];

export const command = defineCommand({
  name: "completions",
  summary: "print a script that completes amplihack in your shell",
  group: "Set up",
  positionals: [{ name: "SHELL", summary: SHELLS.join(", "), completes: "shell" }],
  options: {},
  ignoresHome: true,
  forAgents: "passes",
  examples: {
    "source <(amplihack completions bash)": "completes in this bash; the same for zsh",
    "amplihack completions fish > ~/.config/fish/completions/amplihack.fish":
      "completes in every fish from now on",
  },
  async run({ positionals, terminal }) {
    const [wanted = ""] = positionals;
    const shell = SHELLS.find(each => each === wanted);
    if (shell === undefined)
      throw usageError(
        `SHELL must be one of ${SHELLS.join(", ")}, not '${wanted}'${didYouMean(wanted, SHELLS)}`,
        "amplihack completions --help",
      );
    terminal.print(await scriptFor(shell));
    return 0;
  },
});

async function scriptFor(shell: Shell): Promise<string> {
  // This file lies beside all other commands, bundled or not.
  const { completed } = await readCommandTable(fileURLToPath(new URL(".", import.meta.url)));
  return SCRIPTS[shell](completed);
}
