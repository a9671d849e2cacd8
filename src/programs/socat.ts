import { dropKnown, knownPrefix, knownText, text } from "../shell/value.ts";
import { runInner } from "../shell/walk/inner.ts";
import { splitString } from "./environment.ts";
import type { ParsedCall } from "./program.ts";
import { runOptionText } from "./run.ts";

/** `socat TCP:… EXEC:'cmd',pty`, `SYSTEM:'cmd'`. */
export function runSocatAddresses(call: ParsedCall): void {
  for (const word of call.argv.slice(1)) {
    const match = /^(EXEC|SYSTEM|SHELL):/i.exec(knownPrefix(word));
    if (match === null) continue;
    const command = dropKnown(word, match[0].length);
    const known = knownText(command);
    const options = /,(?:pty|stderr|setsid|sigint|sane|ctty|nofork|pipes|fdin=\d+|fdout=\d+)\b/g;
    const trimmed = known === undefined ? command : text(known.replace(options, ""));
    if (match[1]?.toUpperCase() === "EXEC") runInner(splitString(trimmed), call, {}, "option");
    else runOptionText(trimmed, call);
  }
}
