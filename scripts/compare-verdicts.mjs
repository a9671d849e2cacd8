// node scripts/compare-verdicts.mjs FOLDER [--all]: judges the same commands with the guard of this tree and of another
// checkout (its packages installed) and lists every command whose verdict differs; with --all also those that differ in
// rules or targets. The commands: the corpora, every string in the tests of guard and shell, and some of them wrapped.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";

const here = fileURLToPath(new URL("..", import.meta.url));
const [other, ...flags] = process.argv.slice(2);
if (other === undefined || other.startsWith("-")) {
  console.error("usage: node scripts/compare-verdicts.mjs FOLDER [--all]   (FOLDER: another checkout)");
  process.exit(2);
}
const folder = mkdtempSync(join(tmpdir(), "amplihack-verdicts-"));
try {
  const commands = collectCommands();
  const [mine, theirs] = [
    await judgeAll(here, "mine", commands),
    await judgeAll(resolve(other), "theirs", commands),
  ];
  const verdictOf = answer => answer.split(" ")[0];
  const differing = commands.filter(command => mine.get(command) !== theirs.get(command));
  const verdicts = differing.filter(
    command => verdictOf(mine.get(command)) !== verdictOf(theirs.get(command)),
  );
  for (const command of flags.includes("--all") ? differing : verdicts)
    console.log(`${theirs.get(command)}  =>  ${mine.get(command)}\n    ${command.replaceAll("\n", "⏎")}`);
  console.log(
    `${commands.length} commands, ${verdicts.length} verdicts differ, ${differing.length - verdicts.length} in rules only`,
  );
  process.exitCode = verdicts.length === 0 ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true });
}

function collectCommands() {
  const corpus = join(here, "tests/guard/corpus");
  const lines = readdirSync(corpus).flatMap(file =>
    readFileSync(join(corpus, file), "utf8")
      .split("\n")
      .filter(line => line !== "" && !line.startsWith("#"))
      .map(line => (file === "verdicts.txt" ? line.slice(2) : line).replaceAll("⏎", "\n")),
  );
  const tests = ["tests/guard", "tests/shell"].flatMap(path =>
    readdirSync(join(here, path), { recursive: true })
      .filter(file => file.endsWith(".ts"))
      .flatMap(file => stringsIn(readFileSync(join(here, path, file), "utf8"))),
  );
  const plain = [...new Set([...lines, ...tests])];
  const wrapped = plain
    .filter((command, index) => index % 5 === 0 && !command.includes("\n"))
    .flatMap(command => [`sudo ${command}`, `bash -c ${JSON.stringify(command)}`, `xargs -I{} ${command}`]);
  return [...new Set([...plain, ...wrapped])];
}

/** Strings with a blank in them: most are commands, and what is none is judged all the same. */
function stringsIn(source) {
  return [...source.matchAll(/"((?:\\.|[^"\\\n])*)"|'((?:\\.|[^'\\\n])*)'|`((?:\\.|[^`\\$])*)`/g)]
    .map(([, double, single, template]) => (double ?? single ?? template).replace(/\\(["'`\\])/g, "$1"))
    .filter(text => text.includes(" ") && text.length < 4000);
}

async function judgeAll(tree, name, commands) {
  const outfile = join(folder, `${name}.mjs`);
  const entryPoints = [join(tree, "tests/guard/scene.ts")];
  await build({ entryPoints, bundle: true, platform: "node", format: "esm", outfile, logLevel: "error" });
  const { judge } = await import(pathToFileURL(outfile).href);
  return new Map(
    commands.map(command => {
      const { verdict, findings } = judge(command);
      return [
        command,
        [verdict, ...findings.map(one => `${one.rule}:${one.verdict}:${one.target}`)].join(" "),
      ];
    }),
  );
}
