import { AGENTS } from "../../state/index.ts";

const PLAIN_COMMANDS =
  "install uninstall launch doctor update lock unlock lock-status completions version".split(" ");
/** Commands that may be started again by the new version, with their subcommands. */
const COMMANDS: Readonly<Record<string, readonly string[]>> = {
  ...Object.fromEntries([...AGENTS, ...PLAIN_COMMANDS].map(name => [name, []])),
  recipe: ["run", "list", "show", "validate"],
  hooks: ["list", "compare", "replay", "capture"],
  memory: ["tree", "list", "get", "store", "delete", "export", "import", "clean"],
  plugin: ["install", "uninstall", "link", "verify", "list"],
  mode: ["detect", "to-plugin", "to-local"],
};
const FLAGS = new Set("--auto --ui --no-reflection --docker -v --verbose --help --version".split(" "));
const VALUE_FLAGS = new Set(["--max-turns", "--checkout-repo", "-p"]);

/**
 * Whether these words mean the same to another version: every one must be on the list, spelt in full. Otherwise the
 * person is told the command, because leaving a word out would start something else.
 */
export function canRestart(argv: readonly string[]): boolean {
  const [command = "", ...words] = argv;
  if (!Object.hasOwn(COMMANDS, command)) return false;
  const subcommands = COMMANDS[command] ?? [];
  for (let index = 0; index < words.length; index++) {
    const word = words[index] ?? "";
    if (word === "--") return true;
    const isSubcommand = index === 0 && subcommands.includes(word);
    const equals = word.indexOf("=");
    const hasAttached = equals > 0 && VALUE_FLAGS.has(word.slice(0, equals));
    if (VALUE_FLAGS.has(word)) {
      if (words[++index] === undefined) return false;
    } else if (!isSubcommand && !hasAttached && !FLAGS.has(word)) return false;
  }
  return true;
}
