// What a terminal shows, as runs of text with a place and a style: what pictures of a terminal are drawn from.

export const CELL = { width: 7.8, height: 18 };
export const EDGE = 20;
export const FONT = "ui-monospace, SFMono-Regular, Menlo, Consolas, monospace";

/** What the codes between ESC [ and m change. */
const CHANGES = {
  0: { isBold: false, isDim: false, color: undefined },
  1: { isBold: true },
  2: { isDim: true },
  22: { isBold: false, isDim: false },
  31: { color: "red" },
  32: { color: "green" },
  33: { color: "yellow" },
  36: { color: "cyan" },
  39: { color: undefined },
};

/**
 * The runs of every line, cut at the width of the terminal.
 * @param {readonly string[]} lines
 * @param {number} columns
 * @param {(style: object, codes: string) => object} change how codes change a style
 */
export function readStyles(lines, columns, change = changeStyle) {
  let style = {};
  return lines.map(line => {
    const runs = [];
    let column = 0;
    // Text and colour changes in turn: every second part is the codes of one change.
    line.split(/\u001b\[([\d;:]*)m/).forEach((part, at) => {
      if (at % 2 === 1) style = change(style, part);
      else if (part !== "" && column < columns) {
        const shown = part.slice(0, columns - column);
        // A background lies behind blanks, too.
        const isFilled = style.background !== undefined || style.isInverse === true;
        runs.push(
          ...(isFilled ? [{ ...style, text: shown, column }] : wordsOf({ ...style, text: shown, column })),
        );
        column += part.length;
      }
    });
    return runs;
  });
}

/** Readers of SVG fold blanks, so that every run of words gets its own place. */
export function wordsOf(run) {
  return [...run.text.matchAll(/\S+(?: \S+)*/g)].map(words => ({
    ...run,
    text: words[0],
    column: run.column + words.index,
  }));
}

function changeStyle(style, codes) {
  return Object.assign({}, style, ...codes.split(";").map(code => CHANGES[code] ?? {}));
}

export function baseline(line) {
  return EDGE + (line + 0.75) * CELL.height;
}

/** Where a run begins, and how wide it is whatever font the reader has. */
export function placeOf(text, column) {
  return `x="${(EDGE + column * CELL.width).toFixed(1)}" textLength="${(text.length * CELL.width).toFixed(1)}"`;
}

export function escapeXml(text) {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}
