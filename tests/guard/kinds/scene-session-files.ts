import { type SceneCase, writtenThen } from "./scene-form.ts";
import { casesOf, type Runner, TEXTS } from "./scene-run-texts.ts";

/**
 * Files of the session that run by another way than their name (decisions 16.6). The form is in `scene-form.ts`, the texts in
 * `scene-run-texts.ts`. `CASES` holds every runner with dangerous and harmless texts, and calls that run nothing.
 */
const NODE_TESTS = {
  "package.json": '{"name":"p","type":"module","scripts":{"test":"node --test","t":"node t.js"}}\n',
};
const RUNNERS: readonly Runner[] = [
  // Shell by pattern, list, pipe, loop
  { how: "glob", language: "sh", written: { "fix.sh": "«text»" }, runs: "bash ./*.sh" },
  { how: "list", language: "sh", written: { "fix.sh": "«text»" }, runs: "sh $(ls *.sh)" },
  {
    how: "find -exec",
    language: "sh",
    written: { "fix.sh": "«text»" },
    runs: "find . -name '*.sh' -exec sh {} \\;",
  },
  {
    how: "find | xargs",
    language: "sh",
    written: { "tools/fix.sh": "«text»" },
    runs: "find tools -name '*.sh' | xargs -n1 bash",
  },
  {
    how: "sed | bash",
    language: "sh",
    written: { "a.sh": "«text»" },
    runs: "sed 's/^echo .*//' a.sh | bash",
  },
  { how: "cat | sh", language: "sh", written: { "a.txt": "«text»" }, runs: "cat a.txt | sh" },
  {
    how: "line by line",
    language: "line",
    written: { "steps.txt": "«text»\n" },
    runs: "while read -r l; do $l; done < steps.txt",
  },
  {
    how: "eval of lines",
    language: "line",
    written: { "steps.txt": "«text»\n" },
    runs: 'while IFS= read -r l; do eval "$l"; done < steps.txt',
  },
  {
    how: "xargs of a file",
    language: "line",
    written: { cmds: "«text»\n" },
    runs: "xargs -I{} sh -c '{}' < cmds",
  },
  {
    how: "parallel of a file",
    language: "line",
    written: { "jobs.txt": "«text»\n" },
    runs: "parallel < jobs.txt",
  },
  { how: "eval of a file", language: "sh", written: { "env.txt": "«text»" }, runs: 'eval "$(cat env.txt)"' },
  { how: "redirected", language: "sh", written: { "notes.md": "«text»" }, runs: "bash < notes.md" },
  {
    how: "process substitution",
    language: "sh",
    written: { "x.txt": "«text»" },
    runs: "source <(tail -n +2 x.txt)",
  },
  { how: "run-parts", language: "sh", written: { "hooks.d/10-fix": "«text»" }, runs: "run-parts ./hooks.d" },
  {
    how: "loop over a folder",
    language: "sh",
    written: { "migrate/01.sh": "«text»" },
    runs: 'for s in migrate/*; do bash "$s"; done',
  },
  {
    how: "made executable",
    language: "sh",
    written: { "do-it": "«text»" },
    runs: "chmod +x do-it && ./do-*",
  },
  {
    how: "copied and run",
    language: "sh",
    written: { "draft.txt": "«text»" },
    runs: "cp draft.txt /tmp/k.sh && sh /tmp/k.sh",
  },
  {
    how: "BASH_ENV",
    language: "sh",
    written: { "env.sh": "«text»" },
    runs: "BASH_ENV=./env.sh bash -c 'echo hello'",
  },
  {
    how: "start-up file",
    language: "sh",
    written: { ".bashrc.local": "«text»" },
    runs: "bash --rcfile .bashrc.local -i -c true",
  },
  {
    how: "PATH first",
    language: "sh",
    written: { "bin/ls": "«text»" },
    runs: "chmod +x bin/ls; PATH=$PWD/bin:$PATH ls",
  },
  { how: "heredoc include", language: "sh", written: { body: "«text»" }, runs: 'bash <<< "$(cat body)"' },
  {
    how: "awk prints, sh runs",
    language: "line",
    written: { "plan.txt": "1 «text»\n" },
    runs: "awk '{ $1=\"\"; print }' plan.txt | sh",
  },
  { how: "watch", language: "sh", written: { "w.sh": "«text»" }, runs: "ls *.sh | entr -nr sh ./w.sh" },
  // Node
  {
    how: "npm test, unchanged package.json",
    language: "js",
    written: { "t.js": "«text»" },
    runs: "npm test",
    before: { "package.json": '{"type":"module","scripts":{"test":"node t.js"}}\n' },
  },
  {
    how: "npm test finds test files",
    language: "js",
    written: { "test/a.test.js": "«text»" },
    runs: "npm test",
    before: NODE_TESTS,
  },
  { how: "node --test", language: "cjs", written: { "x.test.cjs": "«text»" }, runs: "node --test" },
  {
    how: "node --run",
    language: "js",
    written: { "t.js": "«text»" },
    runs: "node --run t",
    before: NODE_TESTS,
  },
  { how: "node -r", language: "cjs", written: { "pre.cjs": "«text»" }, runs: "node -r ./pre.cjs -e '1'" },
  {
    how: "node --import",
    language: "js",
    written: { "pre.mjs": "«text»" },
    runs: "node --import ./pre.mjs dist/index.js",
  },
  {
    how: "NODE_OPTIONS",
    language: "cjs",
    written: { "pre.cjs": "«text»" },
    runs: "NODE_OPTIONS='--require ./pre.cjs' npm run lint",
  },
  {
    how: "vitest config",
    language: "js",
    written: { "vitest.config.ts": "«text»export default {};\n" },
    runs: "npx vitest run",
  },
  { how: "vitest test", language: "js", written: { "src/a.test.ts": "«text»" }, runs: "npx vitest run src" },
  {
    how: "jest config",
    language: "cjs",
    written: { "jest.config.cjs": "«text»module.exports = {};\n" },
    runs: "npx jest",
  },
  {
    how: "jest setup",
    language: "cjs",
    written: { "jest.setup.cjs": "«text»" },
    runs: "yarn jest --ci",
    before: { "jest.config.json": '{"setupFiles":["./jest.setup.cjs"]}\n' },
  },
  {
    how: "eslint config",
    language: "js",
    written: { "eslint.config.js": "«text»export default [];\n" },
    runs: "npx eslint src",
  },
  {
    how: "vite config",
    language: "js",
    written: { "vite.config.ts": "«text»export default {};\n" },
    runs: "npx vite build",
  },
  {
    how: "webpack config",
    language: "cjs",
    written: { "webpack.config.js": "«text»module.exports = {};\n" },
    runs: "npx webpack --mode production",
  },
  {
    how: "npm life cycle",
    language: "line",
    written: { "package.json": '{"name":"p","scripts":{"postinstall":"«json»"}}\n' },
    runs: "npm install",
  },
  {
    how: "prepack",
    language: "line",
    written: { "package.json": '{"name":"p","version":"1.0.0","scripts":{"prepack":"«json»"}}\n' },
    runs: "npm pack",
  },
  {
    how: "pnpm workspace",
    language: "line",
    written: { "packages/a/package.json": '{"name":"a","scripts":{"build":"«json»"}}\n' },
    runs: "pnpm -r build",
    before: { "pnpm-workspace.yaml": "packages: ['packages/*']\n" },
  },
  {
    how: "turbo",
    language: "line",
    written: { "packages/a/package.json": '{"name":"a","scripts":{"build":"«json»"}}\n' },
    runs: "npx turbo run build",
    before: { "turbo.json": '{"tasks":{"build":{}}}\n', "package.json": '{"workspaces":["packages/*"]}\n' },
  },
  {
    how: "deno task",
    language: "line",
    written: { "deno.json": '{"tasks":{"dev":"«json»"}}\n' },
    runs: "deno task dev",
  },
  { how: "bun test", language: "js", written: { "a.test.ts": "«text»" }, runs: "bun test" },
  {
    how: "husky",
    language: "line",
    written: { ".husky/pre-commit": "«text»\n" },
    runs: "git commit -qam wip",
    setup: "git config core.hooksPath .husky",
    before: { "package.json": '{"scripts":{"prepare":"husky"},"devDependencies":{"husky":"9"}}\n' },
  },
  {
    how: "lint-staged",
    language: "line",
    written: { ".lintstagedrc.json": '{"*.ts":"«json»"}\n' },
    runs: "npx lint-staged",
  },
  // Task runners
  { how: "make", language: "line", written: { Makefile: "all:\n\t«text»\n" }, runs: "make -s" },
  {
    how: "make -C",
    language: "line",
    written: { "sub/Makefile": "check:\n\t@«text»\n" },
    runs: "make -C sub check",
  },
  {
    how: "make include",
    language: "line",
    written: { "rules.mk": "test::\n\t«text»\n" },
    runs: "make test",
    before: { Makefile: "-include rules.mk\ntest::\n\t@true\n" },
  },
  {
    how: "make runs a script",
    language: "sh",
    written: { "scripts/check.sh": "«text»" },
    runs: "make check",
    before: { Makefile: "check:\n\tsh scripts/check.sh\n" },
  },
  { how: "just", language: "line", written: { justfile: "default:\n    «text»\n" }, runs: "just" },
  {
    how: "task",
    language: "line",
    written: { "Taskfile.yml": "version: '3'\ntasks:\n  default:\n    cmds:\n      - \"«json»\"\n" },
    runs: "task",
  },
  {
    how: "mise",
    language: "line",
    written: { "mise.toml": '[tasks.build]\nrun = "«json»"\n' },
    runs: "mise run build",
  },
  {
    how: "mise file task",
    language: "sh",
    written: { "mise-tasks/build": "«text»" },
    runs: "mise run build",
  },
  {
    how: "direnv",
    language: "line",
    written: { ".envrc": "«text»\n" },
    runs: "direnv allow . && direnv exec . true",
  },
  {
    how: "rake",
    language: "rb",
    written: { Rakefile: "task :default do\n  «text»end\n" },
    runs: "bundle exec rake",
  },
  { how: "invoke", language: "py", written: { "tasks.py": "«text»" }, runs: "inv build" },
  // Python
  { how: "pytest conftest", language: "py", written: { "conftest.py": "«text»" }, runs: "pytest -q" },
  {
    how: "pytest test",
    language: "py",
    written: { "tests/test_a.py": "def test_a():\n    pass\n\n«text»" },
    runs: "python -m pytest tests",
  },
  { how: "python -m", language: "py", written: { "app/__main__.py": "«text»" }, runs: "python -m app" },
  { how: "setup.py", language: "py", written: { "setup.py": "«text»" }, runs: "pip install -e ." },
  {
    how: "tox",
    language: "line",
    written: { "tox.ini": "[testenv]\ncommands =\n  sh -c '«text»'\n" },
    runs: "tox -e py312",
  },
  { how: "nox", language: "py", written: { "noxfile.py": "«text»" }, runs: "nox -s tests" },
  {
    how: "unittest",
    language: "py",
    written: { "tests/test_x.py": "«text»" },
    runs: "python3 -m unittest discover -s tests",
  },
  {
    how: "sitecustomize",
    language: "py",
    written: { "lib/sitecustomize.py": "«text»" },
    runs: "PYTHONPATH=lib python3 -c 'print(1)'",
  },
  {
    how: "notebook",
    language: "py",
    written: {
      "a.ipynb":
        '{"nbformat":4,"nbformat_minor":5,"metadata":{},"cells":[{"cell_type":"code","id":"a","metadata":{},"outputs":[],"execution_count":null,"source":"«json»"}]}\n',
    },
    runs: "jupyter nbconvert --to notebook --execute a.ipynb",
  },
  {
    how: "django command",
    language: "py",
    written: { "app/management/commands/tidy.py": "«text»" },
    runs: "python manage.py tidy",
    before: {
      "manage.py":
        "import sys\nfrom django.core.management import execute_from_command_line\nexecute_from_command_line(sys.argv)\n",
    },
  },
  // Compiled languages
  {
    how: "build.rs",
    language: "rs",
    written: { "build.rs": "«text»" },
    runs: "cargo build",
    before: {
      "Cargo.toml": '[package]\nname = "p"\nversion = "0.1.0"\nedition = "2021"\n',
      "src/main.rs": "fn main() {}\n",
    },
  },
  {
    how: "cargo run",
    language: "rs",
    written: { "src/bin/tidy.rs": "«text»" },
    runs: "cargo run --bin tidy",
    before: { "Cargo.toml": '[package]\nname = "p"\nversion = "0.1.0"\nedition = "2021"\n' },
  },
  {
    how: "go generate",
    language: "line",
    written: { "gen.go": 'package p\n\n//go:generate sh -c "«json»"\n' },
    runs: "go generate ./...",
  },
  { how: "go run", language: "go", written: { "cmd/x/main.go": "«text»" }, runs: "go run ./cmd/x" },
  {
    how: "gradle",
    language: "line",
    written: { "build.gradle": 'task tidy(type: Exec) { commandLine \'sh\', \'-c\', """«text»""" }\n' },
    runs: "./gradlew tidy",
  },
  {
    how: "cmake",
    language: "line",
    written: {
      "CMakeLists.txt":
        'cmake_minimum_required(VERSION 3.20)\nproject(p)\nexecute_process(COMMAND sh -c "«json»")\n',
    },
    runs: "cmake -S . -B build",
  },
  {
    how: "bazel genrule",
    language: "line",
    written: { "BUILD.bazel": 'genrule(name = "g", outs = ["o"], cmd = "«json»", local = 1)\n' },
    runs: "bazel build //:g",
  },
  // Git, infrastructure
  {
    how: "hooksPath",
    language: "line",
    written: { ".githooks/pre-commit": "#!/bin/sh\n«text»\n" },
    runs: "git config core.hooksPath .githooks && git commit --allow-empty -qm x",
  },
  {
    how: "pre-commit",
    language: "line",
    written: {
      ".pre-commit-config.yaml":
        'repos:\n- repo: local\n  hooks:\n  - id: x\n    name: x\n    entry: sh -c "«json»"\n    language: system\n',
    },
    runs: "pre-commit run --all-files",
  },
  {
    how: "git bisect",
    language: "sh",
    written: { "check.sh": "«text»" },
    runs: "git bisect run sh check.sh",
  },
  {
    how: "terraform local-exec",
    language: "line",
    written: {
      "main.tf":
        'resource "null_resource" "x" {\n  provisioner "local-exec" {\n    command = "«json»"\n  }\n}\n',
    },
    runs: "terraform apply",
  },
  {
    how: "ansible",
    language: "line",
    written: { "site.yml": '- hosts: localhost\n  connection: local\n  tasks:\n  - shell: "«json»"\n' },
    runs: "ansible-playbook site.yml",
  },
  { how: "Procfile", language: "line", written: { Procfile: "web: «text»\n" }, runs: "foreman start" },
];

const DANGEROUS = TEXTS.sh.dangerous[0];
const HARMLESS = TEXTS.sh.harmless[0];
const pass = (name: string, runs: string, written = { "fix.sh": DANGEROUS as string }): SceneCase =>
  writtenThen("pass", name, written, runs);

/** The dangerous file lies there; the call reads it, or has nothing to do with it. */
const NOTHING_RUNS: readonly SceneCase[] = [
  ...[
    "cat fix.sh",
    "wc -l fix.sh",
    "grep -n HOME fix.sh",
    "bash -n fix.sh",
    "shellcheck fix.sh",
    "git diff -- fix.sh",
    "git status --short",
    "git log --oneline -5",
    "ls -la",
    "head -3 fix.sh",
    "stat fix.sh",
    "sha256sum fix.sh",
    "rm fix.sh",
    "chmod -x fix.sh",
    "find . -name '*.sh' -print",
    "rg -n rm fix.sh",
    "sed -n 1,4p fix.sh",
    "diff fix.sh /dev/null",
    "file fix.sh",
    "git show HEAD:README.md",
    "tail -5 README.md",
    "pwd && date",
    "jq . package.json",
    "tree -L 2",
    "du -sh src",
  ].map(runs => pass(`dangerous file, only read: ${runs}`, runs)),
  {
    name: "dangerous file, only edited",
    expected: "pass",
    calls: [
      { tool: "Write", input: { file_path: "fix.sh", content: DANGEROUS } },
      { tool: "Edit", input: { file_path: "fix.sh", old_string: "cleaning", new_string: "tidying" } },
    ],
  },
  {
    name: "dangerous file, read by the tool",
    expected: "pass",
    calls: [
      { tool: "Write", input: { file_path: "fix.sh", content: DANGEROUS } },
      { tool: "Read", input: { file_path: "fix.sh" } },
    ],
  },
  {
    name: "dangerous file made harmless, then run",
    expected: "pass",
    calls: [
      { tool: "Write", input: { file_path: "fix.sh", content: DANGEROUS } },
      { tool: "Write", input: { file_path: "fix.sh", content: HARMLESS } },
      { bash: "bash fix.sh" },
    ],
  },
  writtenThen(
    "pass",
    "container only: docker build",
    { Dockerfile: "FROM alpine\nRUN rm -rf /root /home && apk add curl\n" },
    "docker build -t local/x .",
  ),
  writtenThen(
    "pass",
    "container only: compose without mounts",
    { "compose.yaml": "services:\n  a:\n    image: alpine\n    command: rm -rf /root\n" },
    "docker compose up --abort-on-container-exit",
  ),
  writtenThen(
    "stop",
    "compose with the home mounted",
    {
      "compose.yaml":
        "services:\n  a:\n    image: alpine\n    command: sh -c 'rm -rf /h/*'\n    volumes: ['${HOME}:/h']\n",
    },
    "docker compose run --rm a",
  ),
  writtenThen(
    "pass",
    "prose about a danger",
    { "docs/danger.md": "Never run `rm -rf ~`, nor `git push --force origin main`.\n" },
    "npx prettier --check docs",
  ),
  writtenThen(
    "pass",
    "a test that names a danger as data",
    {
      "tests/guard.test.ts":
        "import { it, expect } from 'vitest';\nit('x', () => expect(judge('rm -rf ~')).toBe('deny'));\n",
    },
    "npx vitest run tests",
  ),
];

export const CASES: readonly SceneCase[] = [...casesOf(RUNNERS), ...NOTHING_RUNS];
