// Draws the screen of a terminal as a picture, with all the colours that programs use there.
import { baseline, CELL, EDGE, escapeXml, FONT, placeOf, readStyles, wordsOf } from "./terminal-text.mjs";

const PAPER = "#15171a";
const INK = "#e8eaed";

/** The sixteen colours of a terminal: the ordinary ones, then the bright ones. */
const BASIC = [
  ..."#2b2f36 #e06c75 #7fd6a0 #e5c07b #61afef #c678dd #6fd3dc #c8ccd4".split(" "),
  ..."#5c6370 #ff8a80 #a5e6bd #ffd68a #8cc8ff #e0a3f0 #9be8ef #ffffff".split(" "),
];

/**
 * @param {string} text what `tmux capture-pane -e -p` prints
 * @param {{ columns: number, label: string }} screen
 */
export function drawScreen(text, { columns, label }) {
  const plain = text.replace(/\u001b\]8;[^\u001b\u0007]*(?:\u0007|\u001b\\)/g, "");
  const rows = withoutGaps(readStyles(plain.split("\n"), columns, changeStyle));
  const width = Math.round(columns * CELL.width + 2 * EDGE);
  const height = rows.length * CELL.height + 2 * EDGE;
  const marked = rows.flatMap((runs, line) => runs.map(run => drawBackground(run, line)));
  const drawn = rows.map(
    (runs, line) => `<text y="${baseline(line)}">${runs.flatMap(wordsOf).map(drawRun).join("")}</text>`,
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escapeXml(label)}">
<rect width="100%" height="100%" rx="10" fill="${PAPER}"/>
${marked.filter(Boolean).join("\n")}
<g font-family="${FONT}" font-size="13" fill="${INK}">
${drawn.filter(line => !line.endsWith('"></text>')).join("\n")}
</g>
</svg>
`;
}

/** Without the empty rows above, below and, but for one, between. */
function withoutGaps(rows) {
  const isEmpty = runs => runs === undefined || runs.every(run => wordsOf(run).length === 0);
  const kept = rows.filter((runs, at) => !isEmpty(runs) || !isEmpty(rows[at - 1]));
  while (kept.length > 0 && isEmpty(kept.at(-1))) kept.pop();
  return kept;
}

function drawBackground({ text, column, background, color, isInverse }, line) {
  const fill = isInverse ? (color ?? INK) : background;
  if (fill === undefined) return "";
  const x = (EDGE + column * CELL.width).toFixed(1);
  const width = (text.length * CELL.width).toFixed(1);
  return `<rect x="${x}" y="${EDGE + line * CELL.height}" width="${width}" height="${CELL.height}" fill="${fill}"/>`;
}

function drawRun({ text, column, isBold, isDim, isInverse, background, color }) {
  const ink = isInverse ? (background ?? PAPER) : color;
  const marks = [
    placeOf(text, column),
    ...(isBold ? ['font-weight="bold"'] : []),
    ...(isDim ? ['opacity="0.65"'] : []),
    ...(ink === undefined ? [] : [`fill="${ink}"`]),
  ];
  return `<tspan ${marks.join(" ")}>${escapeXml(text)}</tspan>`;
}

/** What the codes between ESC [ and m change, colours of all kinds included. */
function changeStyle(before, codes) {
  const style = { ...before };
  const rest = codes.split(/[;:]/).map(Number);
  while (rest.length > 0) {
    const code = rest.shift();
    if (code === 0) for (const name of Object.keys(style)) delete style[name];
    else if (code === 1) style.isBold = true;
    else if (code === 2) style.isDim = true;
    else if (code === 22) style.isBold = style.isDim = false;
    else if (code === 7 || code === 27) style.isInverse = code === 7;
    else if (code === 38) style.color = readColor(rest);
    else if (code === 48) style.background = readColor(rest);
    else if (code === 39) style.color = undefined;
    else if (code === 49) style.background = undefined;
    else if ((code >= 30 && code <= 37) || (code >= 90 && code <= 97)) style.color = basic(code);
    else if ((code >= 40 && code <= 47) || (code >= 100 && code <= 107)) style.background = basic(code - 10);
  }
  return style;
}

function basic(code) {
  return BASIC[code >= 90 ? code - 82 : code - 30];
}

/** Takes `2 RED GREEN BLUE` or `5 INDEX` from the codes. */
function readColor(codes) {
  if (codes.shift() === 2) return hex(codes.splice(0, 3));
  const index = codes.shift() ?? 7;
  if (index < 16) return BASIC[index];
  if (index >= 232) return hex(Array(3).fill(8 + (index - 232) * 10));
  const step = power => [0, 95, 135, 175, 215, 255][Math.floor((index - 16) / power) % 6];
  return hex([step(36), step(6), step(1)]);
}

function hex(levels) {
  return `#${levels.map(level => level.toString(16).padStart(2, "0")).join("")}`;
}
