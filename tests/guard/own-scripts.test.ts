import { describe, expect, it } from "vitest";
import { basename, join } from "../../src/system/paths.ts";
import type { SessionWrites } from "../../src/workspace/workspace.ts";
import { HOME, judge, machine, PROJECT } from "./scene.ts";

/** A session that wrote these files, and the verdict on a command of it. Paths are below the project. */
function verdictIn(files: Readonly<Record<string, string>>, command: string, isKnown = true): string {
  const seed = Object.fromEntries(Object.entries(files).map(([path, text]) => [placeOf(path), text]));
  const written: SessionWrites = {
    hasWritten: path => Object.hasOwn(seed, path),
    mayStillWrite: () => false,
    files: () => Object.keys(seed),
    named: name => Object.keys(seed).filter(path => basename(path) === name),
    textBefore: () => "",
    movedInto: () => [],
    changedBy: () => [],
  };
  const system = machine(seed);
  return judge(command, { system, ...(isKnown ? { written: () => written } : {}) }).verdict;
}

function placeOf(path: string): string {
  return path.startsWith("~/") ? HOME + path.slice(1) : join(PROJECT, path);
}

/** The same deletion of the home directory in each language, as text that a file may hold. */
const CODE: Readonly<Record<string, string>> = {
  sh: 'D="$HOME"\nrm -rf "$D"\n',
  py: "import os, shutil\n\ndef main():\n    shutil.rmtree(os.path.expanduser('~'))\n\nmain()\n",
  js: "const fs = require('fs');\nconst os = require('os');\nfs.rmSync(os.homedir(), { recursive: true });\n",
  rb: "require 'fileutils'\nFileUtils.rm_rf(Dir.home)\n",
  pl: "use File::Path;\nsystem('rm -rf ~');\n",
  php: "<?php\nsystem('rm -rf ~');\n",
  lua: "os.execute('rm -rf ~')\n",
};
const STARTS: Readonly<Record<string, string>> = {
  sh: "bash",
  py: "python3",
  js: "node",
  rb: "ruby",
  pl: "perl",
  php: "php",
  lua: "lua",
};
const NAMES = Object.keys(CODE);
const code = (name: string) => CODE[name] ?? "";
const start = (name: string, path: string) => `${STARTS[name]} ${path}`;
const padding = (name: string) =>
  `${name === "php" ? "" : ""}${name === "js" ? "//" : name === "lua" ? "--" : "#"} ${"x".repeat(78)}\n`;

interface Form {
  readonly how: string;
  readonly files: Readonly<Record<string, string>>;
  readonly command: string;
}

/** How a file that the session wrote comes to run. */
function forms(): readonly Form[] {
  const direct = NAMES.flatMap((name): Form[] => [
    {
      how: "in the project",
      files: { [`tools/x.${name}`]: code(name) },
      command: start(name, `tools/x.${name}`),
    },
    {
      how: "in the home",
      files: { [`~/bin/x.${name}`]: code(name) },
      command: start(name, `~/bin/x.${name}`),
    },
    {
      how: "by its first line",
      files: { [`~/bin/run-${name}`]: `#!/usr/bin/env ${STARTS[name]}\n${code(name)}` },
      command: `~/bin/run-${name}`,
    },
    {
      how: "by its name alone",
      files: { [`~/bin/run-${name}`]: `#!/usr/bin/env ${STARTS[name]}\n${code(name)}` },
      command: `run-${name} now`,
    },
    {
      how: "large",
      files: {
        [`x.${name}`]: `${name === "php" ? "<?php\n" : ""}${padding(name).repeat(1000)}${code(name).replace("<?php\n", "")}`,
      },
      command: start(name, `x.${name}`),
    },
    {
      how: "too large",
      files: { [`x.${name}`]: padding(name).repeat(5000) },
      command: start(name, `x.${name}`),
    },
    {
      how: "from a shell script",
      files: { [`tools/x.${name}`]: code(name), "a.sh": `#!/bin/sh\n${start(name, `tools/x.${name}`)}\n` },
      command: "./a.sh",
    },
    {
      how: "from scripts in scripts",
      files: {
        [`x.${name}`]: code(name),
        "c.sh": `${start(name, `x.${name}`)}\n`,
        "b.sh": "sh ./c.sh\n",
        "a.sh": ". ./b.sh\n",
      },
      command: "bash a.sh",
    },
    {
      how: "from Python",
      files: {
        [`x.${name}`]: code(name),
        "a.py": `import subprocess\nsubprocess.run(['${STARTS[name]}', 'x.${name}'], check=True)\n`,
      },
      command: "python3 a.py",
    },
    {
      how: "from make",
      files: { [`x.${name}`]: code(name), Makefile: `all: go\n\ngo:\n\t@${start(name, `x.${name}`)}\n` },
      command: "make",
    },
    {
      how: "from npm",
      files: {
        [`x.${name}`]: code(name),
        "package.json": JSON.stringify({ scripts: { go: start(name, `x.${name}`) } }),
      },
      command: "npm run go",
    },
    {
      how: "from just",
      files: { [`x.${name}`]: code(name), justfile: `go target="x":\n    ${start(name, `x.${name}`)}\n` },
      command: "just go",
    },
    {
      how: "from task",
      files: {
        [`x.${name}`]: code(name),
        "Taskfile.yml": `version: '3'\ntasks:\n  go:\n    cmds:\n      - ${start(name, `x.${name}`)}\n`,
      },
      command: "task go",
    },
    {
      how: "through a wrapper",
      files: { [`x.${name}`]: code(name) },
      command: `timeout 60 ${start(name, `./x.${name}`)}`,
    },
    {
      how: "from another directory",
      files: { [`tools/x.${name}`]: code(name) },
      command: `cd tools && ${start(name, `x.${name}`)}`,
    },
  ]);
  return [
    ...direct,
    {
      how: "imported",
      files: { "a.py": "import helper\nhelper.go()\n", "helper.py": code("py") },
      command: "python3 a.py",
    },
    {
      how: "imported",
      files: { "a.py": "from lib.helper import go\n", "lib/helper.py": code("py") },
      command: "python3 a.py",
    },
    {
      how: "imported",
      files: { "a.js": "require('./lib/helper');\n", "lib/helper.js": code("js") },
      command: "node a.js",
    },
    {
      how: "imported",
      files: { "a.mjs": "import './helper.mjs';\n", "helper.mjs": code("js") },
      command: "node a.mjs",
    },
    {
      how: "imported",
      files: { "a.rb": "require_relative 'helper'\n", "helper.rb": code("rb") },
      command: "ruby a.rb",
    },
    { how: "as a module", files: { "tools/x.py": code("py") }, command: "python3 -m tools.x" },
    { how: "by rake", files: { Rakefile: "task :default do\n  sh 'rm -rf ~'\nend\n" }, command: "rake" },
    {
      how: "by rake",
      files: { Rakefile: "task :x do\n  FileUtils.rm_rf(Dir.home)\nend\n" },
      command: "rake x",
    },
    {
      how: "by invoke",
      files: { "tasks.py": "def clean(c):\n    c.run('x')\n\nimport os\nos.system('rm -rf ~')\n" },
      command: "invoke clean",
    },
    { how: "by pytest", files: { "tests/conftest.py": code("py") }, command: "python3 -m pytest tests/unit" },
    { how: "by pytest", files: { "conftest.py": code("py") }, command: "pytest -k one -x && echo done" },
    { how: "by bun", files: { "x.ts": code("js") }, command: "bun run x.ts" },
    { how: "by deno", files: { "x.ts": code("js") }, command: "deno run -A x.ts" },
    { how: "by tsx", files: { "x.ts": code("js") }, command: "npx tsx x.ts" },
    {
      how: "by npm test",
      files: { "package.json": '{"scripts":{"pretest":"rm -rf ~"}}' },
      command: "npm test -- --run",
    },
    { how: "by yarn", files: { "package.json": '{"scripts":{"go":"rm -rf ~"}}' }, command: "yarn go" },
    {
      how: "from an included makefile",
      files: { Makefile: "include rules.mk\n", "rules.mk": "go:\n\trm -rf ~\n" },
      command: "make go",
    },
    {
      how: "by compose",
      files: {
        "compose.yaml":
          "services:\n  a:\n    image: alpine\n    command: rm -rf /host/Documents\n    volumes:\n      - ~:/host\n",
      },
      command: "docker compose up -d",
    },
    {
      how: "by compose",
      files: {
        "docker-compose.yml":
          'services:\n  a:\n    image: alpine\n    entrypoint: ["sh", "-c", "rm -rf /host/*"]\n    volumes:\n      - "/etc:/host"\n',
      },
      command: "docker-compose run a",
    },
  ];
}

describe("what a session wrote and then runs", () => {
  it("is read, in every language and however it is started", () => {
    const all = forms();
    const missed = all.filter(({ files, command }) => verdictIn(files, command) === "allow");
    expect(all.length).toBeGreaterThan(120);
    expect(missed.map(({ how, command }) => `${how}: ${command}`)).toEqual([]);
  });

  // A task, and a script that is started by its name, is judged by the text of its file, whoever wrote it:
  // tests/guard/project-tasks.test.ts, tests/guard/first-sight.test.ts.
  it("is the project's own when others wrote it and it is only imported", () => {
    const inProject = forms().filter(({ how }) => how === "imported");
    expect(inProject.length).toBeGreaterThan(0);
    for (const { files, command } of inProject)
      expect([command, verdictIn(files, command, false)]).toEqual([command, "allow"]);
  });
});
