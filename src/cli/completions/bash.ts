import type { Candidates, CompletedCommand } from "./tree.ts";

/** A script that bash sources. Nothing is started before a name of the moment is completed. */
export function bashScript(tree: readonly CompletedCommand[]): string {
  const paths = tree.slice(1).map(({ path }) => path);
  const values = tree.flatMap(({ path, options }) =>
    options.flatMap(({ names, value }) =>
      value === undefined
        ? []
        : [`    ${names.map(name => `${path}:${name}`).join(" | ")}) ${offer(value)}; return ;;`],
    ),
  );
  const places = tree.map(({ path, subcommands, options, operand }) => {
    const flags = options.flatMap(({ names }) => names).join(" ");
    const words = subcommands.map(({ name }) => name).join(" ");
    const rest = operand === undefined ? `_amplihack_words "${words}"` : offer(operand);
    return `    ${path}) if [[ $current == -* ]]; then _amplihack_words "${flags}"; else ${rest}; fi ;;`;
  });
  return `# Completion of amplihack for bash: source <(amplihack completions bash)
_amplihack_words() {
  COMPREPLY=($(compgen -W "$1" -- "$current"))
}

_amplihack() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD - 1]} place=amplihack index
  COMPREPLY=()
  if [[ $current == '=' ]]; then
    current=
  elif [[ $previous == '=' ]]; then
    previous=\${COMP_WORDS[COMP_CWORD - 2]}
  fi
  for ((index = 1; index < COMP_CWORD; index++)); do
    case "\${COMP_WORDS[index]}" in --) return ;; esac
    case "$place/\${COMP_WORDS[index]}" in
    ${paths.join(" | ")}) place="$place/\${COMP_WORDS[index]}" ;;
    esac
  done
  [[ $current == -* ]] || case "$place:$previous" in
${values.join("\n")}
  esac
  case $place in
${places.join("\n")}
  esac
}

complete -o default -F _amplihack amplihack
`;
}

function offer(candidates: Candidates): string {
  switch (candidates.kind) {
    case "words":
      return `_amplihack_words "${candidates.words.join(" ")}"`;
    case "asked":
      return `_amplihack_words "$("\${COMP_WORDS[0]}" complete ${candidates.what} 2>/dev/null)"`;
    case "directory":
      return 'COMPREPLY=($(compgen -d -- "$current"))';
    case "file":
      return 'COMPREPLY=($(compgen -f -- "$current"))';
  }
}
