import type { Candidates, CompletedCommand } from "./tree.ts";

/** A script that zsh sources after compinit, or finds in fpath as `_amplihack`. */
export function zshScript(tree: readonly CompletedCommand[]): string {
  const paths = tree.slice(1).map(({ path }) => path);
  const values = tree.flatMap(({ path, options }) =>
    options.flatMap(({ names, value }) =>
      value === undefined
        ? []
        : [`    ${names.map(name => `(${path}:${name})`).join("|")}) ${offer(value)}; return ;;`],
    ),
  );
  const places = tree.map(({ path, subcommands, options, operand }) => {
    const flags = described(options.flatMap(({ names, summary }) => names.map(name => ({ name, summary }))));
    const rest =
      operand === undefined
        ? `choices=(${described(subcommands)}); _describe command choices`
        : offer(operand);
    return `    (${path})
      if [[ $words[CURRENT] == -* ]]; then choices=(${flags}); _describe option choices; else ${rest}; fi ;;`;
  });
  return `#compdef amplihack
# Completion of amplihack for zsh: source <(amplihack completions zsh)
_amplihack() {
  local place=amplihack previous=$words[CURRENT-1] index
  local -a choices
  for ((index = 2; index < CURRENT; index++)); do
    [[ $words[index] == -- ]] && { _files; return; }
    case "$place/$words[index]" in
    (${paths.join("|")}) place="$place/$words[index]" ;;
    esac
  done
  [[ $words[CURRENT] == -* ]] || case "$place:$previous" in
${values.join("\n")}
  esac
  case $place in
${places.join("\n")}
  esac
}

if [[ $funcstack[1] == _amplihack ]]; then
  _amplihack "$@"
elif (( $+functions[compdef] )); then
  compdef _amplihack amplihack
fi
`;
}

/** \`'name:summary'\` for each, with colons in the name kept apart from the one between. */
function described(words: readonly { readonly name: string; readonly summary: string }[]): string {
  return words
    .map(({ name, summary }) => `'${`${name.replaceAll(":", "\\:")}:${summary}`.replaceAll("'", `'\\''`)}'`)
    .join(" ");
}

function offer(candidates: Candidates): string {
  switch (candidates.kind) {
    case "words":
      return candidates.words.length === 0 ? ":" : `compadd -- ${candidates.words.join(" ")}`;
    case "asked":
      return `compadd -- \${(f)"$($words[1] complete ${candidates.what} 2>/dev/null)"}`;
    case "directory":
      return "_files -/";
    case "file":
      return "_files";
  }
}
