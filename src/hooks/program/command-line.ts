import {
  isHostId,
  resolveHost,
  resolveSubcommand,
  STOCK_SUBCOMMANDS,
  type Subcommand,
} from "../../hosts/index.ts";
import type { HookCall } from "./run.ts";

/** What `amplihack-hooks SUBCOMMAND [--host ID] [--event NATIVE] [--limit=SECONDS]` says; `notice` is for stderr unless it is help. */
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
  const limit = findValue(words, "--limit");
  const isUnknownHost = hostName !== undefined && host === undefined;
  return {
    ok: true,
    subcommand,
    call: {
      host,
      nativeEvent: findValue(words, "--event"),
      limitSeconds: limit !== undefined && isLimit(limit) ? Number(limit) : undefined,
    },
    // A gate is not left open because of a mistyped option: the payload tells who is calling, and the usual limit counts.
    notice: [
      ...(isUnknownHost ? [`amplihack-hooks: unknown host '${hostName}'; going by the payload\n`] : []),
      ...(limit === undefined || isLimit(limit)
        ? []
        : [`amplihack-hooks: --limit is 2 to ${MAX_LIMIT_SECONDS} seconds, not '${limit}'\n`]),
    ].join(""),
  };
}

const MAX_LIMIT_SECONDS = 900;

/** How long the host was told to wait; written by the installation beside the host's own setting. */
function isLimit(text: string): boolean {
  return /^\d{1,3}$/.test(text) && Number(text) >= 2 && Number(text) <= MAX_LIMIT_SECONDS;
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
    "usage: amplihack-hooks SUBCOMMAND [--host ID] [--event NATIVE] [--limit=SECONDS] < payload",
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
