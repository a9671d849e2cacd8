import type { OptionGrammar } from "../../shell/options.ts";
import { hasUnknown, isKnown, unknown, type Value } from "../../shell/value.ts";
import type { CommandEffect, EffectOf } from "../effects.ts";
import { type Call, isOnlyHelp, type Model, type ModelTable, readOptions } from "./call.ts";
import { isSearchResult, listedArguments, listingBehind } from "./lists.ts";

const RM: OptionGrammar = {
  flags: "-fiIvPWx r|R|recursive force verbose d|dir one-file-system no-preserve-root help version",
  optional: "interactive preserve-root",
};

const rm: Model = call => {
  const options = readOptions(call, RM);
  if (isOnlyHelp(options)) return [];
  const isRecursive = options.has("r");
  // `rm $FLAGS dir`: the flags may well be -rf. Whoever wrote flags already, as in `rm -f $OBJECTS app`, means names.
  const hasOwnFlags = options.options.length > 0 || options.endOfOptions !== undefined;
  const mayRecurse =
    !hasOwnFlags &&
    options.operands.some(({ value }) =>
      value.pieces.some(piece => piece.kind === "unknown" && piece.mayBeMany),
    );
  const effects = options.operands.flatMap(({ value }) =>
    deletion(call, value, isRecursive || (mayRecurse && isKnown(value)), options.has("d")),
  );
  const isNamed = isRecursive && options.operands.some(({ value }) => hasUnknown(value));
  return isNamed && listedArguments(call) === "unknown"
    ? effects
    : [...effects, ...listed(call, isRecursive)];
};

function deletion(
  call: Call,
  path: Value,
  isRecursive: boolean,
  removesEmpty: boolean,
): readonly CommandEffect[] {
  if (isSearchResult(call, path)) return [];
  if (hasUnknown(path)) {
    const listing = listingBehind(call, path);
    if (listing !== undefined) {
      return listing.starts.map(start => selected(call, start, isRecursive, listing.selection));
    }
  }
  const effects: CommandEffect[] = [{ kind: "delete", by: call.by, path, isRecursive }];
  if (removesEmpty && !isRecursive) {
    effects.push({ kind: "delete", by: call.by, path, isRecursive: false, isEmptyOnly: true });
  }
  return effects;
}

function selected(
  call: Call,
  path: Value,
  isRecursive: boolean,
  selection: EffectOf<"delete">["selection"],
): CommandEffect {
  return {
    kind: "delete",
    by: call.by,
    path,
    isRecursive,
    isContentsOnly: true,
    ...(selection === undefined ? {} : { selection }),
  };
}

/** More arguments follow from a list: judged by what made the list. */
function listed(call: Call, isRecursive: boolean): readonly CommandEffect[] {
  if (!call.invocation.isOpenEnded) return [];
  const listing = listedArguments(call);
  if (listing === undefined || listing === "unknown") {
    if (isSearchResult(call, unknown("any", "{}"))) return [];
    const path = unknown("any", listing === undefined ? "more arguments" : "names from a list");
    return isRecursive || listing === "unknown"
      ? [{ kind: "delete", by: call.by, path, isRecursive, isBulk: true }]
      : [];
  }
  return listing.starts.map(start => selected(call, start, isRecursive, listing.selection));
}

const rmdir: Model = call => {
  const options = readOptions(call, {
    flags: "-pv parents verbose ignore-fail-on-non-empty help version",
  });
  if (isOnlyHelp(options)) return [];
  return options.operands.map(({ value }) => ({
    kind: "delete",
    by: call.by,
    path: value,
    isRecursive: false,
    isEmptyOnly: true,
  }));
};

const shred: Model = call => {
  const options = readOptions(call, {
    values: "-nsp iterations size random-source pattern",
    flags: "-ufvxzrR help version",
    optional: "remove",
  });
  if (isOnlyHelp(options)) return [];
  return options.operands.map(({ value }) => ({
    kind: "delete",
    by: call.by,
    path: value,
    isRecursive: options.has("r", "R"),
    isShredded: true,
  }));
};

/** Programs that take directories as they are and remove them. */
const removeTrees: Model = call => {
  const options = readOptions(call, {
    values: "preserve-root impl max-retries retry-delay backoff",
    abbreviates: false,
  });
  if (isOnlyHelp(options)) return [];
  return options.operands.map(({ value }) => ({
    kind: "delete",
    by: call.by,
    path: value,
    isRecursive: true,
  }));
};

export const removal: ModelTable = {
  rm,
  grm: rm,
  unlink: rm,
  rmdir,
  shred,
  srm: shred,
  wipe: shred,
  scrub: shred,
  rimraf: removeTrees,
  "del-cli": removeTrees,
  del: removeTrees,
};
