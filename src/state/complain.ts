import type { System } from "../system/index.ts";
import { escapeControls } from "../text/index.ts";

/** Says that something does not work as it should: on standard error, and to the person where a hook answers. Never throws. */
export function complain({ stdio, onComplaint }: Pick<System, "stdio" | "onComplaint">, text: string): void {
  stdio.writeError(`amplihack: ${escapeControls(text)}\n`);
  onComplaint?.(text);
}
