import { unknown } from "../../shell/index.ts";
import type { Operation } from "../syntax/tree.ts";
import type { Datum } from "./datum.ts";
import { joined, knownTextOf, listDatum, literal, originsOf, reference, textDatum } from "./datum.ts";

/** What an operator makes of its operands. */
export function operate(operation: Operation, operands: readonly Datum[]): Datum {
  const [first, second] = operands;
  if (first === undefined || second === undefined) return reference("…");
  switch (operation) {
    case "join":
      if (operands.every(operand => operand.kind === "list")) {
        const lists = operands.flatMap(operand => (operand.kind === "list" ? [operand] : []));
        return listDatum(
          lists.flatMap(list => list.items),
          lists.some(list => list.isOpenEnded),
        );
      }
      return joined(operands, pathType(operands));
    case "divide":
      if (pathType(operands) !== "text") {
        const parts = operands.flatMap((operand, index) =>
          index === 0 ? [operand] : [literal("/"), operand],
        );
        return joinedPath(parts);
      }
      return textDatum(unknown("token", "…"));
    case "format":
      if (second.kind === "record") return formatted(first, [], second.fields);
      return formatted(first, second.kind === "list" ? second.items : [second]);
    case "repeat": {
      const known = knownTextOf(first);
      const count = Number(knownTextOf(second));
      if (known === undefined || !(count >= 0 && count * known.length <= 1000)) {
        return first.kind === "list" ? first : textDatum(unknown("any", "…", originsOf(first)));
      }
      return literal(known.repeat(count));
    }
  }
}

function pathType(operands: readonly Datum[]): string {
  return operands.some(operand => operand.kind === "text" && operand.type === "path") ? "path" : "text";
}

/** `Path(a) / b`: an absolute second part replaces the first. */
function joinedPath(parts: readonly Datum[]): Datum {
  const last = parts.at(-1);
  const known = knownTextOf(last);
  if (last?.kind === "text" && known?.startsWith("/") === true) return { ...last, type: "path" };
  return joined(parts, "path");
}

/** `"rm %s" % x`, `"{}".format(x)`, `sprintf`: placeholders filled in order. */
export function formatted(
  template: Datum,
  fillings: readonly Datum[],
  named?: ReadonlyMap<string, Datum>,
): Datum {
  const known = knownTextOf(template);
  const origins = listDatum([template, ...fillings]).origins;
  if (known === undefined || known.length > 4000) return textDatum(unknown("any", "…", origins));
  const parts: Datum[] = [];
  let next = 0;
  let start = 0;
  for (const match of known.matchAll(
    /%(?:%|\(([A-Za-z_0-9]{1,60})\)[-+ #0-9.]*[a-zA-Z]|[-+ #0-9.*]*[a-zA-Z])|\{([A-Za-z_0-9]*)(?:[!:][^{}]*)?\}/g,
  )) {
    parts.push(literal(known.slice(start, match.index)));
    start = match.index + match[0].length;
    if (match[0] === "%%") {
      parts.push(literal("%"));
      continue;
    }
    const key = match[1] ?? match[2];
    const byName =
      key === undefined ? undefined : (named?.get(key) ?? fillings[/^\d+$/.test(key) ? Number(key) : -1]);
    const filling = byName ?? fillings[next];
    next += 1;
    parts.push(filling ?? literal(match[0]));
  }
  parts.push(literal(known.slice(start)));
  return joined(parts);
}
