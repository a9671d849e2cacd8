import {
  isHostId,
  resolveHost,
  resolveSubcommand,
  STOCK_SUBCOMMANDS,
  type Subcommand,
} from "../../hosts/index.ts";
import type { HookCall } from "./run.ts";

/** What `amplihack-hooks SUBCOMMAND [--host ID] [--event NATIVE]` says; `notice` is for stderr unless it is help. */
export type HookCommandLine =
  | { readonly ok: true; readonly subcommand: Subcommand; readonly call: HookCall; readonly notice: string }
  | { readonly ok: false; readonly notice: string; readonly isHelp: boolean };

export function readCommandLine([name, ...words]: readonly string[]): HookCommandLine {
  if (name === undefined) return usage("a subcommand is needed", false);
  if (name === "--help" || name === "-h")
    return usage("runs one hook; the payload comes on standard input", true);
  const subcommand = resolveSubcommand(name);
  if (subcommand === undefined) return usage(`unknown subcommand '${name}'`, false);
  const hostName = findValue(words, "--host");
  // A payload is what it is: whose short name an id is as well does not count here. Read as another host's, its events
  // would be unknown and pass.
  const host = hostName === undefined || isHostId(hostName) ? hostName : resolveHost(hostName);
  const isUnknownHost = hostName !== undefined && host === undefined;
  return {
    ok: true,
    subcommand,
    call: { host, nativeEvent: findValue(words, "--event") },
    // A gate is not left open because of a mistyped host: the payload tells who is calling.
    notice: isUnknownHost ? `amplihack-hooks: unknown host '${hostName}'; going by the payload\n` : "",
  };
}

/** The entry that serves a subcommand in any spelling; also unknown ones, which it refuses with the usage. */
export function findEntry(name: string): string {
  const subcommand = resolveSubcommand(name);
  return subcommand?.isStock === true ? subcommand.name : OTHER_ENTRY;
}

const OTHER_ENTRY = "no-opinion";

function usage(opening: string, isHelp: boolean): HookCommandLine {
  const names = STOCK_SUBCOMMANDS.map(one => one.name).join(" | ");
  const lines = [
    `amplihack-hooks: ${opening}`,
    "usage: amplihack-hooks SUBCOMMAND [--host ID] [--event NATIVE] < payload",
    "       amplihack-hooks guard-argv -- PROGRAM [ARGUMENT…]",
    "       amplihack-hooks --version",
    `  SUBCOMMAND: ${names},`,
    "  or any other hook event, which is answered with no opinion",
  ];
  return { ok: false, notice: `${lines.join("\n")}\n`, isHelp };
}

/** The value of `--name VALUE` or `--name=VALUE`. */
function findValue(words: readonly string[], option: string): string | undefined {
  const index = words.findIndex(word => word === option || word.startsWith(`${option}=`));
  const word = words[index];
  if (word === undefined) return undefined;
  return word === option ? words[index + 1] : word.slice(option.length + 1);
}
