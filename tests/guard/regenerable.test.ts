import { describe, expect, it } from "vitest";
import type { GuardContext } from "../../src/guard/judgement.ts";
import type { SessionWrites } from "../../src/workspace/workspace.ts";
import { judge, machine, PROJECT } from "./scene.ts";

const MOVERS = `
mv src %
mv src/* %/
mv src/index.ts src/guard %/
mv -t % src
mkdir -p % && mv src %/
mkdir -p % && mv -t % src/*
git mv src %
git mv src docs %/
mv src a1 && mv a1 %
mv src a1; mv a1 b1; mv b1 %
python3 -c "import shutil; shutil.move('src','%')"
python3 -c "import os; os.rename('src','%')"
python3 -c "from pathlib import Path; Path('src').rename('%')"
node -e "require('fs').renameSync('src','%')"
perl -e "rename 'src','%'"
ruby -e "require 'fileutils'; FileUtils.mv('src','%')"
php -r "rename('src','%');"
lua -e "os.rename('src','%')"
rsync -a --remove-source-files src/ %/
sudo mv src %
bash -c 'mv src %'
cd src && mv . ../x9 ; cd .. && mv x9 %
find src -mindepth 1 -maxdepth 1 -exec mv {} % ;
find src -name '*.ts' -exec mv -t % {} +
ls src | xargs -I{} mv src/{} %
for f in src/*; do mv "$f" %; done
for d in src docs; do mv $d %/; done
`
  .split("\n")
  .filter(line => line !== "");

const PLACES = [
  "dist",
  "build/old",
  "node_modules/old",
  "/tmp/old",
  "/var/tmp/old",
  ".cache/old",
  "generated-reports",
];

const DELETERS = `
rm -rf %
rm -rf ./%/
rm -r %/*
find % -delete
find % -type f -exec rm {} +
python3 -c "import shutil; shutil.rmtree('%')"
node -e "require('fs').rmSync('%',{recursive:true})"
rimraf %
npx rimraf %
bash -c 'rm -rf %'
mkdir -p none && rsync -a --delete none/ %/
rm -rf "$PWD/%"
cd % && rm -rf ./*
`
  .split("\n")
  .filter(line => line !== "");

const COMMANDS = MOVERS.flatMap(mover =>
  PLACES.flatMap(place =>
    DELETERS.flatMap(deleter => {
      if (place.startsWith("/") && /["./]%|\.\/%/.test(deleter)) return [];
      const [move, remove] = [mover, deleter].map(part => part.replaceAll("%", place));
      return [`${move} && ${remove}`];
    }),
  ),
);

describe("what is moved to where nothing is missed", () => {
  it("is lost with it, whoever moves and deletes it", () => {
    const system = machine();
    const commands = COMMANDS.filter((_, index) => index % 5 === 0);
    const missed = commands.filter(command => judge(command, { system }).verdict === "allow");
    expect(commands.length).toBeGreaterThan(400);
    expect(missed.length / commands.length, missed.join("\n")).toBeLessThan(0.05);
  });

  it.each([
    "mv dist build/old && rm -rf build",
    "mv src/*.log /tmp/logs && rm -rf /tmp/logs",
    "mv node_modules /tmp/old && rm -rf /tmp/old",
    "mkdir -p dist && mv out/*.js dist/ && rm -rf dist/*",
    "rm -rf dist && mv src dist",
  ])("and nothing else is: %s", command => expect(judge(command).verdict).toBe("allow"));
});

/** A session that wrote these files; with the text that was there before. */
function session(before: Readonly<Record<string, string | undefined>>, moved: readonly string[] = []) {
  const written: SessionWrites = {
    hasWritten: path => Object.hasOwn(before, path),
    mayStillWrite: () => false,
    files: () => [],
    named: () => [],
    textBefore: path => before[path],
    movedInto: directory => (directory === `${PROJECT}/dist` ? moved : []),
    changedBy: () => [],
  };
  return { written: () => written };
}

describe("a rule or a mark", () => {
  const system = machine({
    [`${PROJECT}/.gitignore`]: "local-data/\nwork/\n",
    [`${PROJECT}/.git/info/exclude`]: "private/\n",
    [`${PROJECT}/local-data/a`]: "x",
    [`${PROJECT}/work/a`]: "x",
    [`${PROJECT}/private/a`]: "x",
    [`${PROJECT}/env/pyvenv.cfg`]: "home = /usr\n",
    [`${PROJECT}/env/lib/a`]: "x",
    [`${PROJECT}/app/app.csproj`]: "<Project/>",
    [`${PROJECT}/app/bin/a`]: "x",
  });
  const verdictOf = (path: string, given: Partial<GuardContext> = {}) =>
    judge(`rm -rf ${path}`, { system, ...given }).verdict;
  const DIRECTORIES = ["local-data", "work", "private", "env", "app/bin"];

  it("counts as it always did when nobody knows who wrote it, or others did", () => {
    for (const path of DIRECTORIES) {
      expect([path, verdictOf(path)]).toEqual([path, "allow"]);
      expect([path, verdictOf(path, session({}))]).toEqual([path, "allow"]);
    }
  });

  it("does not count when this session wrote it", () => {
    const ours = session({
      [`${PROJECT}/.gitignore`]: "local-data/\n",
      [`${PROJECT}/.git/info/exclude`]: undefined,
      [`${PROJECT}/env/pyvenv.cfg`]: "",
      [`${PROJECT}/app/app.csproj`]: "",
    });
    expect(DIRECTORIES.map(path => verdictOf(path, ours))).toEqual(["allow", "ask", "ask", "ask", "ask"]);
  });

  it("does not count where git's index cannot be read", () => {
    const broken = machine({ [`${PROJECT}/.git/index`]: "no index", [`${PROJECT}/local-data/a`]: "x" });
    expect(judge("rm -rf local-data", { system: broken }).verdict).toBe("ask");
    expect(judge("rm -rf dist", { system: broken }).verdict).toBe("allow");
  });

  it.each([
    "echo mine >> .gitignore && rm -rf mine",
    "echo mine/ > .git/info/exclude; rm -rf mine",
    "touch mine/pyvenv.cfg && rm -rf mine",
    "printf '%s' mine | tee -a .gitignore; rm -r mine/*",
  ])("does not count in the command that writes it: %s", command => {
    expect(judge(command, { system: machine() }).verdict).toBe("ask");
  });
});

it("build output that the session put work into is no longer build output, and is not kept either", () => {
  const { findings, verdict } = judge("rm -rf dist", session({}, [`${PROJECT}/src/index.ts`]));
  expect([verdict, findings[0]?.rule, findings[0]?.target]).toEqual(["ask", "fs.source", `${PROJECT}/src`]);
  expect(findings[0]?.atRisk).toBeUndefined();
  expect(judge("rm -rf dist", session({}, [`${PROJECT}/README.md`])).verdict).toBe("allow");
});
