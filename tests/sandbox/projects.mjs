// `npm run test:sandbox:projects [-- NAME…]`: builds and tests real projects from the registries of their package managers, each
// bare and in the sandbox, with a home of its own and so with nothing in its caches. Both must end with the same code.
// Projects whose package manager is not installed are skipped by name. Needs a network, `npm run build` and
// `npm run build:sandbox`; about 10 minutes.
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const PROGRAM = join(ROOT, "dist/native/amplihack-sandbox");
const CLI = join(ROOT, "dist/bin/amplihack.cjs");
const TIMEOUT_MS = 600_000;

const npm = (name, version) =>
  `npm pack --silent ${name}@${version} && tar xf *.tgz --strip-components=1 && rm *.tgz`;
const crate = (name, version, inner = "") =>
  `curl -sSfL https://static.crates.io/crates/${name}/${name}-${version}.crate | tar xz --strip-components=1 && { [ -z '${inner}' ] || { mv '${inner}' ../inner && rm -rf -- * .[a-z]* && mv ../inner/* . && rmdir ../inner; }; }`;
const module = (name, version) =>
  `GOPATH="$PWD/../go" go mod download ${name}@${version} && cp -r ../go/pkg/mod/${name}@${version}/. . && chmod -R u+w . ../go && rm -rf ../go`;
const sdist = (name, version) =>
  `python3 -m pip download --quiet --no-deps --no-binary :all: ${name}==${version} && tar xf *.tar.gz --strip-components=1 && rm *.tar.gz`;
const VENV = "python3 -m venv .venv && .venv/bin/python -m pip install --quiet";

const NPM = "npm install --no-audit --no-fund && npm test";

/** What must be installed, how the source comes, and how it is built and tested. */
const PROJECTS = {
  "npm through": ["npm", npm("through", "2.3.8"), NPM],
  "npm concat-map": ["npm", npm("concat-map", "0.0.1"), NPM],
  "npm wordwrap": ["npm", npm("wordwrap", "1.0.0"), NPM.replace("npm test", "npx tape test/*.js")],
  "pnpm typedarray": ["pnpm", npm("typedarray", "0.0.6"), "pnpm install && pnpm test"],
  "cargo fnv": ["cargo", crate("fnv", "1.0.7"), "cargo build && cargo test"],
  "cargo either": ["cargo", crate("either", "1.13.0"), "cargo build && cargo test"],
  "go uuid": [
    "go",
    module("github.com/google/uuid", "v1.6.0"),
    "go build ./... && go vet ./... && go test ./...",
  ],
  "go runewidth": [
    "go",
    module("github.com/mattn/go-runewidth", "v0.0.15"),
    "go build ./... && go test -vet=off ./...",
  ],
  "go isatty": ["go", module("github.com/mattn/go-isatty", "v0.0.20"), "go build ./... && go test ./..."],
  "pip idna": ["python3", sdist("idna", "3.7"), `${VENV} . pytest && .venv/bin/python -m pytest -q`],
  "uv idna": [
    "uv",
    sdist("idna", "3.7"),
    "uv venv -q && uv pip install -q . pytest && .venv/bin/python -m pytest -q",
  ],
  "maven quickstart": [
    "mvn",
    "mvn -q -B archetype:generate -DgroupId=a.b -DartifactId=app -DarchetypeArtifactId=maven-archetype-quickstart -DarchetypeVersion=1.4 && mv app/* . && rmdir app",
    "mvn -q -B package",
  ],
  "make bzip2": ["make", crate("bzip2-sys", "0.1.11+1.0.8", "bzip2-1.0.8"), "make && make test"],
};

const wanted = process.argv.slice(2);
const place = join(realpathSync(ROOT), "node_modules/.cache");
mkdirSync(place, { recursive: true });
const work = mkdtempSync(join(place, "sandbox-projects-"));
process.on("exit", () => rmSync(work, { recursive: true, force: true }));
for (const file of [PROGRAM, CLI])
  if (!existsSync(file)) fail(`${file} is missing: npm run build && npm run build:sandbox`);

/** Package managers that this machine may lack come from npm and PyPI, for this run. */
const tools = join(work, "tools");
const hasTool = name => spawnSync("which", [name]).status === 0;
if (!hasTool("pnpm") && wants("pnpm"))
  run("npm", ["install", "--silent", "--prefix", tools, "pnpm@9"], { cwd: work, env: process.env });
if (!hasTool("uv") && wants("uv"))
  run("sh", ["-c", `python3 -m venv '${tools}/python' && '${tools}/python/bin/pip' install --quiet uv`], {
    cwd: work,
    env: process.env,
  });

function wants(name) {
  return wanted.length === 0 || wanted.some(word => word.includes(name));
}

/** Installed below the person's own home, which a command with another home does not see. */
const toolchains = [".cargo", ".rustup", ".pyenv", ".nvm", ".sdkman", ".local/share/uv"]
  .map(name => join(homedir(), name))
  .filter(existsSync);
const path = [
  join(tools, "node_modules/.bin"),
  join(tools, "python/bin"),
  ...(process.env.PATH ?? "").split(delimiter),
];
const shown = [...toolchains, tools, dirname(dirname(process.execPath))].flatMap(folder => [
  "--read",
  folder,
]);

function environmentFor(home) {
  return {
    HOME: home,
    PATH: path.join(delimiter),
    LANG: "C.UTF-8",
    CI: "1",
    RUSTUP_HOME: process.env.RUSTUP_HOME ?? join(homedir(), ".rustup"),
    ...(process.env.NODE_EXTRA_CA_CERTS === undefined
      ? {}
      : { NODE_EXTRA_CA_CERTS: process.env.NODE_EXTRA_CA_CERTS }),
    ...(process.env.SSL_CERT_FILE === undefined ? {} : { SSL_CERT_FILE: process.env.SSL_CERT_FILE }),
    GOFLAGS: "-buildvcs=false",
    GOTOOLCHAIN: "local",
    // Java takes the home from the list of users.
    MAVEN_OPTS: `-Duser.home=${home}`,
  };
}

function run(program, words, options) {
  return spawnSync(program, words, { encoding: "utf8", timeout: TIMEOUT_MS, maxBuffer: 1 << 28, ...options });
}

function fail(message) {
  console.error(message);
  process.exit(1);
}

const seconds = start => `${((Date.now() - start) / 1000).toFixed(1)} s`;
const tail = ({ stdout, stderr }) => `${stdout}\n${stderr}`.trim().split("\n").slice(-12).join("\n");
let failed = 0;
let passed = 0;
for (const [name, [tool, fetch, script]] of Object.entries(PROJECTS)) {
  if (wanted.length > 0 && !wanted.some(word => name.includes(word))) continue;
  if (spawnSync("which", [tool], { env: { PATH: path.join(delimiter) } }).status !== 0) {
    console.log(`skipped  ${name}: ${tool} is not installed`);
    continue;
  }
  const folder = mkdtempSync(join(work, "project-"));
  const [source, bare, inside] = ["source", "bare/project", "inside/project"].map(each => join(folder, each));
  for (const each of [source, dirname(bare), dirname(inside)]) mkdirSync(each, { recursive: true });
  const fetched = run("sh", ["-c", fetch], {
    cwd: source,
    env: { ...process.env, PATH: path.join(delimiter) },
  });
  if (fetched.status !== 0 || readdirSync(source).length === 0) {
    console.log(`failed   ${name}: its source did not come\n${tail(fetched)}`);
    failed++;
    continue;
  }
  for (const each of [bare, inside]) cpSync(source, each, { recursive: true, verbatimSymlinks: true });
  const start = Date.now();
  const outside = run("sh", ["-c", script], { cwd: bare, env: environmentFor(dirname(bare)) });
  const between = Date.now();
  const sandboxed = run(process.execPath, [CLI, "sandbox", "run", ...shown, "--", "sh", "-c", script], {
    cwd: inside,
    env: environmentFor(dirname(inside)),
  });
  const isSame = outside.status === sandboxed.status && outside.status === 0;
  console.log(
    `${isSame ? "passed" : "failed"}   ${name}: ${outside.status} bare (${((between - start) / 1000).toFixed(1)} s), ${sandboxed.status} in the sandbox (${seconds(between)})`,
  );
  if (isSame) passed++;
  else {
    failed++;
    console.log(`bare:\n${tail(outside)}\nin the sandbox:\n${tail(sandboxed)}`);
  }
  spawnSync("chmod", ["-R", "u+w", folder]);
  rmSync(folder, { recursive: true, force: true });
}
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
