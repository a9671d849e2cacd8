import { LIMITS } from "../shell/limits.ts";
import type { OptionGrammar } from "../shell/options.ts";
import { readContents } from "../shell/state/file-contents.ts";
import { appendOutput, NO_OUTPUT } from "../shell/state/output.ts";
import type { Output, ProgramCall } from "../shell/state/types.ts";
import { knownText, text, unknown, type Value } from "../shell/value.ts";
import { runInNewShell } from "../shell/walk/code-runs.ts";
import { quoteWord } from "../shell/words/escapes.ts";
import { joinValues } from "../shell/words/fragments.ts";
import type { ParsedCall } from "./program.ts";
import { itemsOf, replaceMark } from "./templates.ts";

export const PARALLEL_OPTIONS: OptionGrammar = {
  flags:
    "-kmXtvqu 0|null keep-order group ungroup dry-run dryrun bar progress eta will-cite pipe quote verbose no-run-if-empty halt-on-error lb line-buffer silent shuf plus",
  values:
    "-jIJnNLSCr a|arg-file d|delimiter jobs max-args colsep sshlogin tmpdir joblog results timeout retries halt delay load memfree workdir wd env tagstring block recstart recend",

  stopsAtOperand: true,
};

/** `parallel CMD ::: a b`: the command is a shell string with `{}` for the item. */
export function runParallel(call: ParsedCall): Output {
  const { options, operands: words } = call;
  call.scope.session.argumentLists.set(call.id, call.stdin);
  const split = words.findIndex(word => /^:::/.test(knownText(word) ?? ""));
  const template = split < 0 ? words : words.slice(0, split);
  const lists = split < 0 ? [streamItems(call, options.valueOf("a"))] : listsAfter(words.slice(split), call);
  const mark = knownText(options.valueOf("I") ?? text("{}")) ?? "{}";
  const items = lists[0];
  const code = (item: Value) => joinValues(fillTemplate(template, mark, quoted(item), lists), " ");
  const few =
    items !== undefined && items.length <= LIMITS.loopItems
      ? items
      : [unknown("any", "{}", call.stdin?.origins ?? [], true)];
  return few
    .map(item =>
      runInNewShell(template.length === 0 ? item : code(item), call, {
        from: template.length === 0 ? "stdin" : "argument",
        via: "shell",
      }),
    )
    .reduce(appendOutput, NO_OUTPUT);
}

/** Items are put into the string as words, however they look. */
function quoted(item: Value): Value {
  const known = knownText(item);
  return known === undefined ? item : text(quoteWord(known), item.origins);
}

function streamItems(call: ProgramCall, file: Value | undefined): readonly Value[] | undefined {
  const [input] = file === undefined ? [call.stdin] : readContents(file, call.cwd, call.stdin, call.scope);
  return input === undefined ? undefined : itemsOf(input, "\n");
}

/** `::: a b ::: c d` gives lists of items, `:::: file` lists of lines. */
function listsAfter(words: readonly Value[], call: ProgramCall): readonly (readonly Value[] | undefined)[] {
  const lists: { readonly isFile: boolean; readonly items: Value[] }[] = [];
  for (const word of words) {
    const sign = /^(:::?:?)\+?$/.exec(knownText(word) ?? "")?.[1];
    if (sign !== undefined && sign.length >= 3) lists.push({ isFile: sign === "::::", items: [] });
    else lists.at(-1)?.items.push(word);
  }
  return lists.map(({ isFile, items }) => (isFile ? streamItems(call, items[0]) : items));
}

function fillTemplate(
  template: readonly Value[],
  mark: string,
  item: Value,
  lists: readonly (readonly Value[] | undefined)[],
): readonly Value[] {
  const marks = [mark, "{.}", "{/}", "{//}", "{/.}", "{1}"];
  const isMarked = template.some(word =>
    word.pieces.some(
      piece =>
        piece.kind === "text" && (marks.some(one => piece.text.includes(one)) || /\{\d/.test(piece.text)),
    ),
  );
  if (!isMarked) return [...template, item];
  return template.map(word => {
    const first = marks.reduce((filled, one) => replaceMark(filled, one, item), word);
    return lists
      .slice(1)
      .reduce(
        (filled, list, index) =>
          replaceMark(filled, `{${index + 2}}`, list?.[0] ?? unknown("any", `{${index + 2}}`)),
        first,
      );
  });
}
