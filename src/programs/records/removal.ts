import {
  type DeleteEffect,
  directoryName,
  hasUnknown,
  isKnown,
  knownText,
  type Output,
  type ProgramEffect,
  type Selection,
  text,
  unknown,
  type Value,
} from "../../shell/index.ts";
import { isSearchResult, listedArguments, listingBehind } from "../model/listings.ts";
import type { Field, ParsedCall } from "../model/program.ts";
import { programs } from "../model/program-table.ts";
import { effectsOfRows } from "../model/rows.ts";
import { isCmdStyle, runBareCmd } from "./windows.ts";

/** Programs that delete what they are given. */
export const removal: Field = {
  toldExcept: "gio",
  programs: () =>
    programs(
      `
    rm unlink | is removes dangerous | gnu | flags -fiIvPWx r|R|recursive force verbose d|dir one-file-system
        no-preserve-root help version | optional interactive preserve-root
    rmdir | is removes dangerous | gnu | flags -pv parents verbose ignore-fail-on-non-empty help version
    shred srm wipe scrub | is removes dangerous | gnu | flags -ufvxz r|R help version | values -nsp iterations size
        random-source pattern | optional remove
    rimraf del-cli del | is removes dangerous | values preserve-root impl max-retries retry-delay backoff | exact
    trash trash-put rmtrash | flags -rRfidvF recursive force verbose directory interactive help version | values trash-dir
    gio | flags -fv force help
  `,
      {
        rm: { effects: removalEffects },
        trash: { effects: ({ operands }) => thrownAway(operands) },
        gio: { effects: effectsOfGio },
        rmdir: { effects: unlessCmd(removedDirectories), run: runForCmd },
        shred: { effects: [{ delete: "operands", recursive: "r", isShredded: true }] },
        rimraf: {
          effects: unlessCmd(call => effectsOfRows([{ delete: "operands", recursive: "always" }], call)),
          run: runForCmd,
        },
      },
    ),
};

/** In the trash it is not lost, but no longer where it was. */
function thrownAway(paths: readonly Value[]): readonly ProgramEffect[] {
  return paths.map(from => ({ kind: "move", from, to: undefined, isToTrash: true }));
}

/** `gio trash FILE…`, `gio remove FILE…`; what else it does is not told. */
function effectsOfGio({ operands }: ParsedCall): readonly ProgramEffect[] {
  const [action, ...paths] = operands;
  const word = action === undefined ? undefined : knownText(action);
  if (word === "trash") return thrownAway(paths);
  return word === "remove" ? paths.map(path => ({ kind: "delete", path, isRecursive: false })) : [];
}

/** `rmdir /s /q dir` and `del /s /q *` are commands of cmd.exe, and judged as such. */
function unlessCmd(
  effects: (call: ParsedCall) => readonly ProgramEffect[],
): (call: ParsedCall) => readonly ProgramEffect[] {
  return call => (isOfCmd(call) ? [] : effects(call));
}

function runForCmd(call: ParsedCall): Output | undefined {
  return isOfCmd(call) ? runBareCmd(call) : undefined;
}

function isOfCmd(call: ParsedCall): boolean {
  return /^(?:del|rmdir)$/i.test(call.program) && isCmdStyle(call);
}

/** With `-p` the directories above go as well, as long as they are empty then. */
function removedDirectories(call: ParsedCall): readonly ProgramEffect[] {
  const { operands, options } = call;
  const named = operands.flatMap((path): readonly ProgramEffect[] => {
    const above: Value[] = [];
    let name = options.has("p") ? directoryName(knownText(path) ?? ".") : ".";
    for (; name !== "." && name !== "/"; name = directoryName(name)) above.push(text(name));
    return [
      { kind: "delete", path, isRecursive: false, isEmptyOnly: true },
      ...above.map(each => ({ kind: "alter" as const, path: each })),
    ];
  });
  const listing = call.isOpenEnded ? listedArguments(call) : undefined;
  const starts = listing === "unknown" ? [text(".")] : (listing?.starts ?? []);
  return [...named, ...starts.map(emptyBelow)];
}

function emptyBelow(path: Value): ProgramEffect {
  return {
    kind: "delete",
    path,
    isRecursive: false,
    isContentsOnly: true,
    selection: "regenerable",
    isEmptyBelow: true,
  };
}

function removalEffects(call: ParsedCall): readonly ProgramEffect[] {
  const { options, operands } = call;
  const isRecursive = options.has("r");
  // `rm $FLAGS dir`: the flags may well be -rf. Whoever wrote flags already, as in `rm -f $OBJECTS app`, means names.
  const hasOwnFlags = options.options.length > 0 || options.endOfOptions !== undefined;
  const mayRecurse =
    !hasOwnFlags &&
    operands.some(value => value.pieces.some(piece => piece.kind === "unknown" && piece.mayBeMany));
  const effects = operands.flatMap(value =>
    deletionOf(value, isRecursive || (mayRecurse && isKnown(value)), call),
  );
  const isNamed = isRecursive && operands.some(hasUnknown);
  return isNamed && listedArguments(call) === "unknown"
    ? effects
    : [...effects, ...deletionOfListed(isRecursive, call)];
}

function deletionOf(path: Value, isRecursive: boolean, call: ParsedCall): readonly ProgramEffect[] {
  if (isSearchResult(path, call)) return [];
  const listing = hasUnknown(path) ? listingBehind(path, call) : undefined;
  if (listing !== undefined)
    return listing.starts.map(start => deletionBelow(start, isRecursive, listing.selection));
  const effects: DeleteEffect[] = [{ kind: "delete", path, isRecursive }];
  if (call.options.has("d") && !isRecursive)
    effects.push({ kind: "delete", path, isRecursive: false, isEmptyOnly: true });
  return effects;
}

function deletionBelow(path: Value, isRecursive: boolean, selection: Selection): DeleteEffect {
  return { kind: "delete", path, isRecursive, isContentsOnly: true, selection };
}

/** More arguments follow from a list: judged by what made the list. */
function deletionOfListed(isRecursive: boolean, call: ParsedCall): readonly ProgramEffect[] {
  if (!call.isOpenEnded) return [];
  const listing = listedArguments(call);
  if (listing !== undefined && listing !== "unknown")
    return listing.starts.map(start => deletionBelow(start, isRecursive, listing.selection));
  if (isSearchResult(unknown("any", "{}"), call) || (!isRecursive && listing === undefined)) return [];
  const path = unknown("any", listing === undefined ? "more arguments" : "names from a list");
  return [{ kind: "delete", path, isRecursive, isBulk: true }];
}
