// Plugins that bring the hooks, the skill and the programs to a host by the host's own means. A release has them in
// `plugins/` and packed; `node scripts/release-plugins.mjs OUT` makes them alone, from dist/.
//   .claude-plugin/marketplace.json     what Claude Code is told to add; its plugin is claude-code/
//   .agents/plugins/marketplace.json    the same for Codex; its plugin is codex/
//   gemini-cli/                         an extension of Gemini CLI
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { loadSource } from "./load-source.mjs";
import { fail, writeJson } from "./release-files.mjs";

const NAME = "amplihack";
/** What the programs need at run time. */
const SHIPPED = ["agents", "dist", "recipes", "schemas", "LICENSE"];
const LEFT_OUT = /^dist\/(?:types|native)(?:\/|$)|\.cjs\.cache$/;
const STAND_IN = "/amplihack-hooks";

/** Where each host says its plugin lies, and the manifest it reads first. */
const PLUGINS = {
  "claude-code": {
    program: '"${CLAUDE_PLUGIN_ROOT}/bin/amplihack-hooks"',
    manifest: ".claude-plugin/plugin.json",
    describe: about => about,
  },
  codex: {
    program: '"${PLUGIN_ROOT}/bin/amplihack-hooks"',
    manifest: ".codex-plugin/plugin.json",
    describe: about => ({
      ...about,
      skills: "./skills/",
      hooks: "./hooks/hooks.json",
      interface: {
        displayName: NAME,
        shortDescription: "Stops an agent from losing your work, and undoes what it did",
        longDescription: about.description,
        developerName: about.author.name,
        category: "Developer Tools",
        websiteURL: about.homepage,
      },
    }),
  },
  "gemini-cli": {
    program: '"${extensionPath}/bin/amplihack-hooks"',
    manifest: "gemini-extension.json",
    describe: ({ name, version, description }) => ({
      name,
      version,
      description,
      contextFileName: "GEMINI.md",
    }),
  },
};

/**
 * @param {string} out the folder of the release; the plugins go to `plugins/` in it
 * @param {Readonly<Record<string, any>>} main the main package
 */
export async function addPlugins(out, main) {
  if (!existsSync("dist/bin/amplihack-hooks.cjs")) fail("dist is not built; npm run build makes it", 1);
  const place = join(out, "plugins");
  rmSync(place, { recursive: true, force: true });
  const about = {
    name: NAME,
    version: main.version,
    description: main.description,
    author: { name: NAME },
    homepage: main.homepage,
    repository: main.homepage.replace(/#.*/, ""),
    license: main.license,
    keywords: main.keywords,
  };
  const hooks = await hooksByHost();
  for (const [host, plugin] of Object.entries(PLUGINS))
    addPlugin(join(place, host), plugin, hooks[host], about);
  addMarketplaces(place, about);
  // The archive keeps hidden folders and executable files, which uploads of single files lose.
  const archive = join(out, `${NAME}-plugins-${main.version}.tgz`);
  const { status } = spawnSync("tar", ["-czf", archive, "-C", out, "plugins"], { stdio: "inherit" });
  if (status !== 0) fail("tar could not pack the plugins", 1);
}

/** The hooks of each host as its registration has them, and what its hook says when it cannot run. */
async function hooksByHost() {
  const { HOSTS, wantedEntries, registerEntries, renderFailure } = await loadSource({
    "hosts/descriptors.ts": ["HOSTS"],
    "install/hook-entries.ts": ["registerEntries", "wantedEntries"],
    "hosts/render.ts": ["renderFailure"],
  });
  const pairs = Object.entries(PLUGINS).map(([host, { program }]) => {
    const { layout, isShared = false } = HOSTS[host].registration;
    const edited = registerEntries("", layout, wantedEntries(host, { program: STAND_IN, isShared }));
    if (!edited.ok) fail(`the hooks of ${host} cannot be written: ${edited.problem}`, 1);
    const { hooks } = JSON.parse(edited.text);
    const written = JSON.stringify({ hooks }).replaceAll(
      `"${STAND_IN} `,
      `"${program.replaceAll('"', '\\"')} `,
    );
    const silence = renderFailure(host, {
      event: "PreToolUse",
      nativeEvent: "PreToolUse",
      policy: "open",
      reason: "",
    }).stdout;
    return [host, { file: JSON.parse(written), silence }];
  });
  return Object.fromEntries(pairs);
}

function addPlugin(place, { manifest, describe }, { file, silence }, about) {
  const at = name => {
    mkdirSync(dirname(join(place, name)), { recursive: true });
    return join(place, name);
  };
  writeJson(at(manifest), describe(about));
  writeJson(at("hooks/hooks.json"), file);
  cpSync("skills", at("skills"), { recursive: true });
  cpSync("LICENSE", at("LICENSE"));
  writeFileSync(at("README.md"), readme(about));
  if (manifest === "gemini-extension.json") writeFileSync(at("GEMINI.md"), CONTEXT);
  for (const name of SHIPPED)
    if (existsSync(name))
      cpSync(name, at(`program/${name}`), { recursive: true, filter: path => !LEFT_OUT.test(path) });
  const { scripts: _, devDependencies: __, ...published } = JSON.parse(readFileSync("package.json", "utf8"));
  writeJson(at("program/package.json"), published);
  for (const program of ["amplihack", "amplihack-hooks"])
    writeFileSync(at(`bin/${program}`), wrapper(program, program === NAME ? "" : silence), { mode: 0o755 });
}

/** An amplihack that its user installed comes first: it is what their configuration and `amplihack update` are about. */
function wrapper(program, silence) {
  const answer = silence === "" ? "" : `printf '%s' '${silence.replaceAll("'", "'\\''")}'\n`;
  const end = program === NAME ? "exit 127\n" : `${answer}exit 0\n`;
  return `#!/bin/sh
installed="\${HOME-}/.amplihack/.claude/bin/${program}"
[ -x "$installed" ] && exec "$installed" "$@"
PATH="$PATH:/usr/local/bin:/opt/homebrew/bin"
command -v node > /dev/null && exec node "\${0%/*}/../program/dist/bin/${program}.cjs" "$@"
echo "amplihack: could not check this: node was not found on PATH; install Node 20.19 or newer" >&2
${end}`;
}

/** For the context of every session, so it is short; the skill says the rest when it is needed. */
const CONTEXT = `amplihack checks every command and file change of this session before it happens. A message that begins with
"Blocked [rule]" or "Needs your user's consent" comes from it: follow the safer way it names or leave the decision to the
user, and do not try to get past it. The skill "amplihack" explains how, and how lost files come back.
`;

function readme({ description, homepage }) {
  return `# ${NAME}\n\n${description}\n\nFor \`amplihack undo\` and the other commands in your own terminal: \`npm i -g amplihack\`.\nMore: ${homepage}\n`;
}

function addMarketplaces(place, { description, author, version }) {
  mkdirSync(join(place, ".claude-plugin"), { recursive: true });
  mkdirSync(join(place, ".agents/plugins"), { recursive: true });
  writeJson(join(place, ".claude-plugin/marketplace.json"), {
    name: NAME,
    owner: author,
    metadata: { description, version },
    plugins: [{ name: NAME, source: "./claude-code", description, version, category: "safety" }],
  });
  writeJson(join(place, ".agents/plugins/marketplace.json"), {
    name: NAME,
    interface: { displayName: NAME },
    plugins: [
      {
        name: NAME,
        source: { source: "local", path: "./codex" },
        policy: { installation: "AVAILABLE", authentication: "ON_INSTALL" },
        category: "Developer Tools",
      },
    ],
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [, , folder] = process.argv;
  if (folder === undefined) fail("where to? usage: node scripts/release-plugins.mjs OUT", 2);
  const out = resolve(folder);
  process.chdir(fileURLToPath(new URL("..", import.meta.url)));
  await addPlugins(out, JSON.parse(readFileSync("package.json", "utf8")));
}
