// Records what `amplihack demo` prints on a terminal as a picture: docs/demo.svg, or the file that is named. The
// tour is the real one, with the built programs; only its output is caught. Needs dist/.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { loadSource } from "./load-source.mjs";
import { baseline, CELL, EDGE, escapeXml, FONT, placeOf, readStyles } from "./terminal-text.mjs";

const COLUMNS = 112;
const COLORS = { red: "#ff8a80", green: "#7fd6a0", yellow: "#ffc46b", cyan: "#6fd3dc" };

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
  const drawn = readStyles(lines, COLUMNS).map(
    (runs, index) => `<text y="${baseline(index)}">${runs.map(drawRun).join("")}</text>`,
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="What npm start prints: the guard passing and refusing commands, the same refusal in the words of three hosts, a recipe, a memory">
<rect width="100%" height="100%" rx="10" fill="#15171a"/>
<g font-family="${FONT}" font-size="13" fill="#e8eaed">
${drawn.join("\n")}
</g>
</svg>
`;
}

function drawRun({ text, column, isBold, isDim, color }) {
  const marks = [
    placeOf(text, column),
    ...(isBold ? ['font-weight="bold"'] : []),
    ...(isDim ? ['fill="#a3aab3"'] : []),
    ...(color === undefined ? [] : [`fill="${COLORS[color]}"`]),
  ];
  return `<tspan ${marks.join(" ")}>${escapeXml(text)}</tspan>`;
}
