import { knownText, type ProgramEffect, text, type Value, words } from "../../shell/index.ts";
import type { EffectRow, ParsedCall, Where } from "./program.ts";

/** What the rows of a record say about these words. */
export function effectsOfRows(rows: readonly EffectRow[], call: ParsedCall): readonly ProgramEffect[] {
  return rows.flatMap(row => {
    if (row.when !== undefined && !call.options.has(...words(row.when))) return [];
    if (row.unless !== undefined && call.options.isOn(...words(row.unless))) return [];
    return targetsOf(row, call).map(path => effectOf(row, path, call));
  });
}

function targetsOf(row: EffectRow, call: ParsedCall): readonly Value[] {
  const named = valuesAt(row.delete ?? row.write ?? row.read ?? "", call);
  return named.length === 0 && row.otherwise !== undefined ? [text(row.otherwise)] : named;
}

/** The words a row is about; `-` means a stream and no file. */
function valuesAt(where: Where, { operands, options }: ParsedCall): readonly Value[] {
  switch (where) {
    case "operands":
      return operands;
    case "first":
      return operands.slice(0, 1);
    case "rest":
      return operands.slice(1);
    case "last":
      return operands.slice(-1);
    default:
      return options.valuesOf(...words(where)).filter(value => knownText(value) !== "-");
  }
}

function effectOf(row: EffectRow, path: Value, { options }: ParsedCall): ProgramEffect {
  if (row.delete !== undefined) {
    const { recursive, isShredded, isEmptyOnly, followsLinksUnless } = row;
    const followsLinks = followsLinksUnless !== undefined && !options.has(...words(followsLinksUnless));
    const isRecursive =
      recursive === "always" || (recursive !== undefined && options.has(...words(recursive)));
    return {
      kind: "delete",
      path,
      isRecursive,
      ...(isShredded === true ? { isShredded } : {}),
      ...(isEmptyOnly === true ? { isEmptyOnly } : {}),
      ...(followsLinks ? { followsLinks } : {}),
    };
  }
  if (row.read !== undefined) return { kind: "read", path, isCopy: row.isCopy === true };
  const how = row.how ?? "replace";
  return row.isInto === true ? { kind: "write", path, how, isInto: true } : { kind: "write", path, how };
}
