import { partsOf } from "./parts.ts";
import type { Assignment, Command, Word } from "./syntax.ts";

/** The words of a simple command as bash cuts them. */
interface CommandWords {
  readonly prefix: readonly Assignment[];
  /** Program and arguments; assignments among them belong to `export` and its relatives. */
  readonly words: readonly (Word | Assignment)[];
}

/**
 * The parser ends a word in front of `<(` and `>(` and behind them; bash does not. Pieces that touch are put
 * together again, so that `A=<(x) cmd` sets a variable and `--file=<(x)` is one word.
 */
export function wordsOf(node: Command): CommandWords {
  const prefix: Assignment[] = node.prefix.filter(item => item.type === "Assignment");
  const written = node.name === undefined ? [] : [node.name, ...node.args];
  const last = prefix.at(-1);
  let start = 0;
  if (last !== undefined) {
    const joined = joinTo(last, written, 0);
    prefix[prefix.length - 1] = joined.word;
    start = joined.next;
  }
  const words: (Word | Assignment)[] = [];
  while (start < written.length) {
    const word = written[start];
    if (word === undefined) break;
    const joined = joinTo(word, written, start + 1);
    words.push(joined.word);
    start = joined.next;
  }
  return { prefix, words };
}

/** Appends the words from `next` on that begin where the one before ends. */
function joinTo<Item extends Word | Assignment>(
  first: Item,
  words: readonly (Word | Assignment)[],
  next: number,
): { readonly word: Item; readonly next: number } {
  let word = first;
  let index = next;
  for (
    let following = words[index];
    following?.type === "Word" && following.pos === word.end;
    following = words[index]
  ) {
    word = append(word, following);
    index += 1;
  }
  return { word, next: index };
}

function append<Item extends Word | Assignment>(item: Item, following: Word): Item {
  if (item.type === "Word") return { ...item, ...joinWords(item, following) };
  const { value } = item;
  if (value.type !== "Word") return item;
  const { type, name, append: isAppend, index, pos, text } = item;
  return {
    ...item,
    type,
    name,
    append: isAppend,
    index,
    pos,
    end: following.end,
    text: text + following.text,
    value: joinWords(value, following),
  };
}

function joinWords(one: Word, two: Word): Word {
  return {
    type: "Word",
    pos: one.pos,
    end: two.end,
    text: one.text + two.text,
    value: one.value + two.value,
    parts: [...partsOf(one), ...partsOf(two)],
  };
}
