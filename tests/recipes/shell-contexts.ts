/**
 * Ways to write a placeholder in a bash script. `{{v}}` holds the value under test; each script hands what it got to
 * `see`, which prints it between NULs. `expected` says what the value looks like from there.
 */
export interface ShellContext {
  readonly name: string;
  readonly script: string;
  readonly expected?: (value: string) => string;
}

const trimmed = (value: string): string => value.replace(/\n+$/, "");

export const SHELL_CONTEXTS: readonly ShellContext[] = [
  { name: "a bare word", script: "see {{v}}" },
  { name: "a bare word inside other text", script: "see pre{{v}}post", expected: v => `pre${v}post` },
  { name: "two bare placeholders in one word", script: "see {{v}}{{v}}", expected: v => v + v },
  { name: "double quotes", script: 'see "{{v}}"' },
  { name: "double quotes with text around", script: 'see "a {{v}}_b"', expected: v => `a ${v}_b` },
  { name: "single quotes", script: "see '{{v}}'" },
  {
    name: "single quotes with text around",
    script: "see 'a $x `b` {{v}}_c'",
    expected: v => `a $x \`b\` ${v}_c`,
  },
  { name: "ANSI quotes", script: "see $'a\\t{{v}}\\'b'", expected: v => `a\t${v}'b` },
  { name: "locale quotes", script: 'see $"a{{v}}"', expected: v => `a${v}` },
  { name: "an assignment", script: 'x={{v}}; see "$x"' },
  { name: "an assignment with text", script: 'x=a{{v}}b; see "$x"', expected: v => `a${v}b` },
  { name: "an array", script: 'x=({{v}} two); see "${x[0]}"' },
  { name: "an exported assignment", script: 'export X={{v}}; see "$X"' },
  { name: "a local in a function", script: 'f() { local x={{v}}; see "$x"; }; f' },
  { name: "an argument after a leading dash", script: "see -- {{v}}", expected: v => v },
  { name: "a here-string", script: "x=$(cat <<<{{v}}; echo e); see \"${x%$'\\n'e}\"", expected: v => v },
  { name: "a here-document", script: "take <<E\n{{v}}\nE" },
  {
    name: "a here-document with text around",
    script: "take <<E\na'b\"{{v}}_s\nE",
    expected: v => `a'b"${v}_s`,
  },
  { name: "a here-document with tabs", script: "take <<-E\n\t{{v}}\n\tE" },
  { name: "a quoted here-document", script: "take <<'E'\n{{v}}\nE" },
  {
    name: "a quoted here-document full of shell",
    script: "take <<'E O F'\n$HOME `id` \\ \"q\" 'a' $(x) {{v}}_s \\\\\nE O F",
    expected: v => `$HOME \`id\` \\ "q" 'a' $(x) ${v}_s \\\\`,
  },
  { name: "a here-document quoted by double quotes", script: 'take <<"E"\n{{v}}\nE' },
  {
    name: "a here-document quoted by a backslash",
    script: "take <<\\E\n$x{{v}}\nE",
    expected: v => `$x${v}`,
  },
  { name: "a quoted here-document with tabs", script: "take <<-'E'\n\t\t{{v}}\n\tE" },
  {
    name: "two here-documents on one line",
    script: "both 3<<'A' 4<<B\nx'{{v}}\nA\n{{v}}\"y\nB",
    expected: v => `x'${v}\n+${v}"y\n`,
  },
  { name: "a here-document after a comment with an apostrophe", script: "# don't\ntake <<E\n{{v}}\nE" },
  {
    name: "a word after a here-document with an apostrophe",
    script: "cat >/dev/null <<E\nit's\nE\nsee {{v}}",
  },
  { name: "a word after a comment with quotes", script: "# it's \"so {{v}}\nsee {{v}}" },
  { name: "a word after a trailing comment", script: "x=1 # don't {{v}}\nsee {{v}}" },
  { name: "a word after $#", script: 'y="$#"; see {{v}}' },
  { name: "a word after ${#x}", script: "x=ab; y=${#x}; see {{v}}" },
  { name: "command substitution", script: 'x=$(printf %s {{v}}; echo e); see "${x%e}"' },
  {
    name: "command substitution in double quotes",
    script: 'see "$(printf %s {{v}}; echo e)"',
    expected: v => `${v}e`,
  },
  {
    name: "quotes in command substitution in double quotes",
    script: 'see "$(printf %s "{{v}}"; printf %s \'{{v}}\'; echo e)"',
    expected: v => `${v}${v}e`,
  },
  { name: "backticks", script: 'x=`printf %s {{v}}; echo e`; see "${x%e}"' },
  {
    name: "backticks in double quotes",
    script: 'see "`printf %s \\"{{v}}\\"; echo e`"',
    expected: v => `${v}e`,
  },
  {
    name: "plain quotes in backticks in double quotes",
    script: 'see "`printf %s "{{v}}"; echo e`"',
    expected: v => `${v}e`,
  },
  { name: "single quotes in backticks", script: "x=`printf %s '{{v}}'; echo e`; see \"${x%e}\"" },
  {
    name: "nested backticks",
    script:
      'x=`echo \\`printf %s {{v}} | tr -d "\\n" | wc -c\\` >/dev/null; printf %s {{v}}; echo e`; see "${x%e}"',
  },
  {
    name: "a quoted here-document in backticks",
    script: "see \"`cat <<'E'\n\\$x {{v}}e\nE\n`\"",
    expected: v => `$x ${v}e`,
  },
  {
    name: "a quoted here-document in a substitution",
    script: "see \"$(cat <<'E'\n$x {{v}}e\nE\n)\"",
    expected: v => `$x ${v}e`,
  },
  { name: "a default value", script: 'see "${unset_one:-{{v}}}"' },
  { name: "a bare default value", script: "see ${unset_one:-{{v}}}" },
  {
    name: "a default value between literal apostrophes",
    script: "see \"${unset_one:-'{{v}}'}\"",
    expected: v => `'${v}'`,
  },
  {
    name: "a default value between literal apostrophes in a here-document",
    script: "take <<E\n${unset_one:-'{{v}}'}\nE",
    expected: v => `'${v}'`,
  },
  {
    name: "a substitution with the word case as an argument",
    script: 'see "$(echo case >/dev/null; printf %s {{v}}; echo e)"',
    expected: v => `${v}e`,
  },
  { name: "a quoted default value", script: 'see "${unset_one:-"{{v}}"}"' },
  { name: "a prefix pattern", script: 'y=${w}rest; see "${y#{{v}}}"', expected: () => "rest" },
  {
    name: "a prefix pattern in apostrophes",
    script: "y=${w}rest; see \"${y#'{{v}}'}\"",
    expected: () => "rest",
  },
  { name: "a bare suffix pattern", script: 'y=rest$w; y=${y%{{v}}}; see "$y"', expected: () => "rest" },
  { name: "a replacement", script: 'y=a@b; see "${y/@/{{v}}}"', expected: v => `a${v}b` },
  { name: "a case subject", script: 'case {{v}} in "$w") see {{v}};; *) see no;; esac' },
  { name: "a case pattern", script: 'case "$w" in {{v}}) see {{v}};; *) see no;; esac' },
  {
    name: "a case inside a substitution",
    script: 'see "$(case a in b) : ;; (a) printf %s {{v}};; esac; echo e)"',
    expected: v => `${v}e`,
  },
  { name: "a test", script: 'if [ {{v}} = "$w" ]; then see {{v}}; else see no; fi' },
  { name: "a double-bracket test", script: "if [[ $w == {{v}} ]]; then see {{v}}; else see no; fi" },
  {
    name: "a double-bracket test with quotes",
    script: 'if [[ "{{v}}" == "$w" ]]; then see {{v}}; else see no; fi',
  },
  { name: "a loop", script: 'for x in {{v}}; do see "$x"; done' },
  { name: "process substitution", script: 'x=$(cat <(printf %s {{v}}); echo e); see "${x%e}"' },
  { name: "a subshell", script: "(see {{v}})" },
  { name: "a nested subshell", script: "((see {{v}}) | cat)" },
  { name: "a subshell in a substitution", script: 'x=$( (printf %s {{v}}); echo e ); see "${x%e}"' },
  { name: "a function body", script: "f() { see {{v}}; }\nf" },
  { name: "a pipeline", script: "printf %s {{v}} | take_raw" },
  {
    name: "an expansion with an escaped dollar before it",
    script: 'see "costs ${{v}}"',
    expected: v => `costs $${v}`,
  },
  { name: "a bare dollar before it", script: "see ${{v}}", expected: v => `$${v}` },
  { name: "an escaped backslash before it", script: 'see "\\\\{{v}}"', expected: v => `\\${v}` },
  { name: "a line continuation before it", script: "see \\\n  {{v}}" },
  { name: "errexit and nounset", script: "set -eu; see {{v}}" },
  { name: "an escaped placeholder", script: "see '\\{{v}}' ", expected: () => "{{v}}" },
  { name: "an escaped bare placeholder", script: "see \\{{v}}", expected: () => "{{v}}" },
  {
    name: "a brace that is no placeholder",
    script: "see '{{ v }} {{.v}} {{#v}}'",
    expected: () => "{{ v }} {{.v}} {{#v}}",
  },
  { name: "an associative subscript", script: 'declare -A m; k={{v}}; m[x]={{v}}; see "${m[x]}"' },
  { name: "a printf -v", script: 'printf -v x %s {{v}}; see "$x"' },
  {
    name: "trailing newlines through a substitution",
    script: 'x=$(printf %s {{v}}); see "$x"',
    expected: trimmed,
  },
];

/** `see` shows an argument, `take` a here-document without its last line break, `both` two of them. */
export const SHELL_PRELUDE = [
  'see() { [ "$1" = -- ] && [ $# -gt 1 ] && shift; printf "%s\\0" "$1"; }',
  "take() { local x; IFS= read -r -d '' x; printf '%s\\0' \"${x%$'\\n'}\"; }",
  "take_raw() { local x; IFS= read -r -d '' x; printf '%s\\0' \"$x\"; }",
  "both() { local x y; IFS= read -r -d '' x <&3; IFS= read -r -d '' y <&4; printf '%s\\0' \"$x+$y\"; }",
].join("\n");
