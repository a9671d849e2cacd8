import type { FailurePolicy } from "../protocol/index.ts";
import { join, quoteWord, type System, writeAtomically } from "../system/index.ts";
import { version } from "../version.ts";

/**
 * When the guard is asked. `words`: some argument has one of these shell patterns. `unless`: the first argument is
 * none of these. Everything else runs at once, because starting the guard costs more than most commands.
 */
type Rule = { readonly words: string } | { readonly unless: string };

const RULES: Readonly<Record<string, Rule>> = {
  rm: { words: "--[rfn]*|-[!-]*" },
  dd: { words: "of=*" },
  mkfs: { unless: "-V|--version|-h|--help" },
  git: {
    unless:
      "status|log|diff|show|add|fetch|rev-parse|ls-files|blame|describe|grep|cat-file|merge-base|--version|help",
  },
  kubectl: { unless: "get|describe|logs|version|explain|api-resources|top|cluster-info" },
  terraform: { unless: "plan|validate|fmt|version|show|output|providers|graph|init|-version" },
  docker: { unless: "ps|images|logs|inspect|version|info|build|pull|stats|top|port|history|--version" },
};

export interface Shims {
  /** stands first on the agent's PATH */
  readonly directory: string;
  /** the guard's own command line */
  readonly guard: readonly string[];
  /** what happens to a command that the guard could not look at */
  readonly policy: FailurePolicy;
}

export function writeShims(system: System, shims: Shims): void {
  const { directory } = shims;
  system.files.makeDirectory(directory, 0o755);
  for (const [program, rule] of Object.entries(RULES)) {
    const path = join(directory, program);
    const bytes = system.text.encode(shimText(program, rule, shims));
    writeAtomically(system, path, bytes, { mode: 0o755, directoryMode: 0o755 });
    if (system.files.inspect(path)?.mode !== 0o755) system.files.changeMode(path, 0o755);
  }
}

function shimText(program: string, rule: Rule, { directory, guard, policy }: Shims): string {
  const test =
    "words" in rule
      ? `asks=
for word in "$@"; do
  case $word in ${rule.words}) asks=1 ;; esac
done`
      : `asks=1
case \${1-} in ${rule.unless} | '') asks= ;; esac`;
  // No person can be asked at this point, so `ask` refuses.
  const unchecked =
    policy === "open"
      ? `echo "amplihack: could not check this ${program}; it runs unchecked" >&2`
      : `echo "amplihack: could not check this ${program}; it is refused (failure policy ${policy})" >&2; exit 126`;
  return `#!/bin/sh
# Written by amplihack ${version}. Changes are lost at the next launch with --shims.
set -f
real=
saved=$IFS
IFS=:
for folder in $PATH; do
  [ "\${folder%/}" = ${quoteWord(directory)} ] && continue
  if [ -f "$folder/${program}" ] && [ -x "$folder/${program}" ]; then
    real=$folder/${program}
    break
  fi
done
IFS=$saved
if [ -z "$real" ]; then
  echo "${program}: not found" >&2
  exit 127
fi
${test}
[ -z "$asks" ] && exec "$real" "$@"
${guard.map(quoteWord).join(" ")} guard-argv -- ${program} "$@" </dev/null >/dev/null
case $? in
0) ;;
2 | 3) exit 126 ;;
*) ${unchecked} ;;
esac
exec "$real" "$@"
`;
}
