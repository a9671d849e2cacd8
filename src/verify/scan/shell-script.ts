import { placeIn, type Snippet } from "./snippet.ts";

const SHELL_NAME = /\.(sh|bash|zsh|ksh|dash|ash|bats|command)$/;
const SHEBANG = /^#!\s*(?:\S*\/env\s+(?:-S\s+)?(?:\S+=\S*\s+)*)?(?:\S*\/)?(?:ba|z|k|da|a|mk)?sh(?:\s|$)/;

export function isShellScriptName(name: string): boolean {
  return SHELL_NAME.test(name);
}

export function hasShellShebang(start: string): boolean {
  return SHEBANG.test(start);
}

// The caller of a script chooses its arguments, so they may be anything.
const ARGUMENTS = `set -- ${[1, 2, 3, 4, 5, 6, 7, 8, 9].map(number => `"$ARGUMENT_${number}"`).join(" ")}; `;

export function readShellScript(text: string): readonly Snippet[] {
  const placeOf = placeIn(text);
  return [
    {
      text: ARGUMENTS + text,
      name: "",
      placeOf: offset => placeOf(Math.max(0, offset - ARGUMENTS.length)),
    },
  ];
}

export function readPowerShellScript(text: string): readonly Snippet[] {
  return [{ text, name: "", placeOf: placeIn(text), isPowerShell: true }];
}
