import { describe, type Invocation, knownText, wordAt, wordSet, words } from "../../shell/index.ts";
import { harmlessUse } from "./read-only.ts";
import { findProgram, tellsChanges } from "./registry.ts";

/** Programs without a record of their own that only show something, and words of the shell that change no files. */
const READERS = wordSet(`
  diff diff3 sdiff colordiff delta comm paste join nl fold fmt expand unexpand pr tsort numfmt ptx look cal ncal bc factor
  strings nm objdump readelf ldd size otool lipo ps pgrep pidof pstree top htop free vmstat iostat mpstat lsof fuser ss
  netstat lscpu lsblk lsusb lspci lsmod w who last lastlog finger tty locale getent dmesg pmap tput clear cowsay md5 xmllint
  cloc tokei scc wc hexyl glow mdcat exiftool identify ffprobe mediainfo nslookup traceroute mtr whois ifconfig zipinfo
  jobs bg fg disown times ulimit hash getopts let compgen complete compopt shopt bind caller dirs history logout suspend
  builtin enable mapfile readarray break continue [[ shellcheck yamllint hadolint actionlint check-jsonschema
`);

/** Words with which a program only shows something. */
const READING_SUBCOMMANDS: Readonly<Record<string, string>> = {
  npm: "help config root prefix bin why explain search info show whoami ping doctor",
  pnpm: "list ls why outdated root bin view info",
  yarn: "list why info versions",
  cargo: "tree metadata search version help locate-project read-manifest pkgid",
  go: "env doc help",
  pip: "list show freeze check help",
  pip3: "list show freeze check help",
  brew: "list info search deps uses config doctor leaves outdated",
  docker: "ps images logs inspect stats top port version info history events diff search",
  podman: "ps images logs inspect stats top port version info history events diff search",
  kubectl: "get describe logs top explain api-resources api-versions version cluster-info",
  systemctl: "status list-units list-unit-files is-active is-enabled show cat",
  rustup: "show",
  conda: "list info search",
  terraform: "version show output providers graph",
  helm: "list ls status get history search show version",
  apt: "list show search policy",
  dpkg: "-l -L -s --list --status --listfiles",
};

/** Command lines of forges work elsewhere, save for these words. */
const FORGES = wordSet("gh glab");
const BRINGS_HERE = /^(checkout|clone|download|sync|fork|merge|develop|extension|cp|config|alias|auth|repo)$/;

const HELP = /^(--help|--version|-V|-version)$/;
const SYSTEM_PROGRAM = /^\/(usr\/(local\/)?|opt\/homebrew\/)?s?bin\//;

/**
 * Everything that this program may change is in its effects, or it changes nothing. What it starts is another
 * invocation and counts by itself.
 */
export function tellsAllChanges({ program, argv, isOpenEnded }: Invocation): boolean {
  const name = knownText(wordAt(argv, 0));
  // A file of that name in the project is another program.
  if (program === undefined || (name?.includes("/") === true && !SYSTEM_PROGRAM.test(name))) return false;
  const given = argv.slice(1).map(describe);
  const [first = ""] = given;
  const record = findProgram(program);
  // Words that follow from a list may name what it changes.
  if (record !== undefined && tellsChanges(record) && (!isOpenEnded || record.effects === undefined))
    return true;
  if (given.length === 1 && HELP.test(first)) return true;
  if (READERS.has(program) || subcommandsOf(program).includes(first)) return true;
  if (FORGES.has(program)) return !given.slice(0, 3).some(word => BRINGS_HERE.test(word));
  return harmlessUse(program, given) === "reads";
}

let readingSubcommands: ReadonlyMap<string, string> | undefined;

function subcommandsOf(program: string): readonly string[] {
  readingSubcommands ??= new Map(Object.entries(READING_SUBCOMMANDS));
  return words(readingSubcommands.get(program) ?? "");
}
