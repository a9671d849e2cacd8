// Records what `amplihack demo` prints on a terminal as a picture: docs/demo.svg, or the file that is named. The
// tour is the real one, with the built programs; only its output is caught. Needs dist/.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { loadSource } from "./load-source.mjs";

const COLUMNS = 112;
const CELL = { width: 7.8, height: 18 };
const EDGE = 20;
/** What the codes between ESC [ and m change. */
const CHANGES = {
  0: { isBold: false, isDim: false, color: undefined },
  1: { isBold: true },
  2: { isDim: true },
  22: { isBold: false, isDim: false },
  31: { color: "#ff8a80" },
  32: { color: "#7fd6a0" },
  33: { color: "#ffc46b" },
  36: { color: "#6fd3dc" },
  39: { color: undefined },
};

const root = fileURLToPath(new URL("..", import.meta.url));
const output = await recordTour();
writeFileSync(process.argv[2] ?? join(root, "docs/demo.svg"), drawTerminal(`$ npm start\n${output}`));

async function recordTour() {
  const { giveTour, openTerminal, createNodeSystem } = await loadSource({
    "demo/tour.ts": ["giveTour"],
    "cli/terminal.ts": ["openTerminal"],
    "system/node.ts": ["createNodeSystem"],
  });
  let caught = "";
  const system = createNodeSystem();
  const watched = {
    ...system,
    env: { ...system.env, get: name => (name === "NO_COLOR" ? undefined : system.env.get(name)) },
    stdio: {
      ...system.stdio,
      isTerminal: () => true,
      writeOutput(text) {
        caught += text;
        return "written";
      },
    },
  };
  const terminal = openTerminal(watched, { isQuiet: false, noColor: false });
  const program = name => [process.execPath, join(root, `dist/bin/${name}.cjs`)];
  const programs = { amplihack: program("amplihack"), hooks: program("amplihack-hooks") };
  const viewer = { columns: undefined, commandInstead: "node dist/bin/amplihack.cjs" };
  if (!(await giveTour(system, terminal, programs, viewer)))
    throw new Error("the tour did not keep its word; see npm start");
  return caught;
}

function drawTerminal(text) {
  const lines = text.trimEnd().split("\n");
  const width = Math.round(COLUMNS * CELL.width + 2 * EDGE);
  const height = lines.length * CELL.height + 2 * EDGE;
  let style = {};
  const drawn = lines.map((line, index) => {
    const spans = [];
    let column = 0;
    // Text and colour changes in turn: every second part is the codes of one change.
    line.split(/\u001b\[([\d;]*)m/).forEach((part, at) => {
      if (at % 2 === 1) style = changeStyle(style, part);
      else if (part !== "" && column < COLUMNS) {
        // Readers of SVG fold blanks, so that every run of words gets its own place.
        for (const words of part.slice(0, COLUMNS - column).matchAll(/\S+(?: \S+)*/g)) {
          spans.push(drawSpan(words[0], column + words.index, style));
        }
        column += part.length;
      }
    });
    return `<text y="${EDGE + (index + 0.75) * CELL.height}">${spans.join("")}</text>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="What npm start prints: the guard passing and refusing commands, the same refusal in the words of three hosts, a recipe, a memory">
<rect width="100%" height="100%" rx="10" fill="#15171a"/>
<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, monospace" font-size="13" fill="#e8eaed">
${drawn.join("\n")}
</g>
</svg>
`;
}

function changeStyle(style, codes) {
  return Object.assign({}, style, ...codes.split(";").map(code => CHANGES[code] ?? {}));
}

function drawSpan(text, column, { isBold, isDim, color }) {
  const marks = [
    `x="${(EDGE + column * CELL.width).toFixed(1)}"`,
    `textLength="${(text.length * CELL.width).toFixed(1)}"`,
    ...(isBold ? ['font-weight="bold"'] : []),
    ...(isDim ? ['fill="#a3aab3"'] : []),
    ...(color === undefined ? [] : [`fill="${color}"`]),
  ];
  return `<tspan ${marks.join(" ")}>${escapeXml(text)}</tspan>`;
}

function escapeXml(text) {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}
