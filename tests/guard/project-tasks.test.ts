import { describe, expect, it } from "vitest";
import { judge, machine, PROJECT } from "./scene.ts";

const GONE = "rm -rf ~/Documents";

/** A task of each file that empties a folder of the home, and one beside it that does not. Nothing was written by the session. */
const FILES = {
  Makefile: `OUT := $(shell pwd)/out\nall: lint\nlint:\n\teslint .\nobjects: $(PARTS)\nPARTS = tidy\nclean:\n\trm -rf $(OUT)\n%.o: %.c\n\tcc $<\ntidy:\n\t@${GONE}\n`,
  "sub/Makefile": `tidy:\n\t${GONE}\n`,
  justfile: `lint:\n    eslint .\ntidy: lint\n    ${GONE}\n`,
  "Taskfile.yml": `version: "3"\ntasks:\n  lint:\n    cmds: [eslint .]\n  tidy:\n    cmds:\n      - ${GONE}\n  all:\n    deps: [lint, tidy]\n`,
  Rakefile: `task :lint do\n  sh "rubocop"\nend\n\ntask :tidy do\n  sh "${GONE}"\nend\ntask all: [:lint, :tidy]\n`,
  "tasks.py": `from invoke import task\n@task\ndef lint(c):\n    c.run("ruff")\n@task\ndef tidy(c):\n    c.run("${GONE}")\n@task(pre=[tidy])\ndef all(c):\n    pass\n`,
  "noxfile.py": `import nox\n@nox.session\ndef lint(s):\n    s.run("ruff")\n@nox.session\ndef tidy(s):\n    s.run("sh", "-c", "${GONE}", external=True)\n`,
  "composer.json": JSON.stringify({ scripts: { lint: "phpcs", tidy: ["echo x", GONE], all: ["@tidy"] } }),
  "deno.json": JSON.stringify({ tasks: { lint: "deno lint", tidy: { command: GONE } } }),
  "mise.toml": `[tasks.lint]\nrun = "eslint ."\n[tasks.tidy]\nrun = "${GONE}"\n[tasks.all]\ndepends = ["tidy"]\n`,
  "pyproject.toml": `[tool.poe.tasks]\nlint = "ruff check"\ntidy = "${GONE}"\n[tool.other]\nx = 1\n`,
  "tox.ini": `[testenv:lint]\ncommands = ruff check\n[testenv:tidy]\ncommands = ${GONE}\n`,
  "Makefile.toml": `[tasks.lint]\nscript = "cargo fmt"\n[tasks.tidy]\nscript = "${GONE}"\n`,
  "build.gradle": `tasks.register("lint", Exec) {\n  commandLine "sh", "-c", "eslint ."\n}\ntasks.register("tidy", Exec) {\n  commandLine "sh", "-c", "${GONE}"\n}\n`,
  "Gruntfile.js": `module.exports = g => {\n  g.registerTask('lint', () => 1);\n  g.registerTask('tidy', () => {\n    require('child_process').execSync('${GONE}');\n  });\n};\n`,
  "gulpfile.js": `exports.lint = cb => cb();\nexports.tidy = cb => require('child_process').exec('${GONE}', cb);\n`,
  "build.xml": `<project>\n  <target name="lint"/>\n  <target name="tidy">\n    <exec executable="sh"><arg value="-c"/><arg value="${GONE}"/></exec>\n  </target>\n</project>\n`,
};
const system = machine(
  Object.fromEntries(Object.entries(FILES).map(([name, content]) => [`${PROJECT}/${name}`, content])),
);
const verdict = (command: string) => judge(command, { system }).verdict;

describe("a task of the project is judged by what its file says", () => {
  it.each([
    "make tidy",
    "make lint tidy",
    "make objects",
    "make -C sub tidy",
    "just tidy",
    "task tidy",
    "task all",
    "rake tidy",
    "rake all",
    "bundle exec rake tidy",
    "invoke tidy",
    "inv all",
    "nox -s tidy",
    "composer run tidy",
    "composer all",
    "deno task tidy",
    "mise run tidy",
    "mise run all",
    "poe tidy",
    "pdm run tidy",
    "hatch run tidy",
    "tox -e tidy",
    "cargo make tidy",
    "gradle tidy",
    "./gradlew tidy",
    "grunt tidy",
    "gulp tidy",
    "ant tidy",
  ])("%s is refused as the command itself is", command => {
    expect(verdict(command)).toBe("deny");
  });

  it.each([
    "make",
    "make lint",
    "make clean",
    "make x.o",
    "make -n tidy",
    "just lint",
    "task lint",
    "rake lint",
    "invoke lint",
    "nox -s lint",
    "composer run lint",
    "deno task lint",
    "mise run lint",
    "poe lint",
    "pdm run lint",
    "hatch run lint",
    "tox -e lint",
    "cargo make lint",
    "gradle lint",
    "grunt lint",
    "gulp lint",
    "ant lint",
  ])("%s, a task beside it, passes", command => {
    expect(verdict(command)).toBe("allow");
  });

  it("follows the goal in a makefile of the same command, not the first rule", () => {
    const write = "printf 'a:\\n\\techo a\\nb:\\n\\trm -rf ~/Documents\\n' > Makefile";
    expect(verdict(`${write} && make b`)).toBe("deny");
    expect(verdict(`${write} && make a`)).toBe("allow");
  });
});

describe("a file of the project that a variable makes programs load", () => {
  const loaded = machine({
    [`${PROJECT}/hook.sh`]: `${GONE}\n`,
    [`${PROJECT}/hook.js`]: `require("child_process").execSync("${GONE}");\n`,
    [`${PROJECT}/start.py`]: `import os\nos.system("${GONE}")\n`,
    [`${PROJECT}/register.js`]: "require('source-map-support').install();\n",
  });
  const answer = (command: string) => judge(command, { system: loaded }).verdict;

  it.each([
    "BASH_ENV=./hook.sh bash -c true",
    "NODE_OPTIONS='--require ./hook.js' npm test",
    "NODE_OPTIONS=--require=./hook.js node x.js",
    "PYTHONSTARTUP=./start.py python3",
    "GIT_EXTERNAL_DIFF=./hook.sh git diff",
    "export EDITOR=./hook.sh; git commit",
  ])("%s is judged by the file", command => {
    expect(answer(command)).toBe("deny");
  });

  it.each([
    "NODE_OPTIONS='--require ./register.js' npm test",
    "NODE_OPTIONS=--max-old-space-size=4096 npm run build",
    "EDITOR=vim git commit",
    "BASH_ENV=./missing.sh bash -c true",
  ])("%s passes", command => {
    expect(answer(command)).toBe("allow");
  });
});
