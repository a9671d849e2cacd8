// Draws what the real hosts show when the guard asks and when it refuses: docs/hosts/images/HOST-ask.svg and
// HOST-refusal.svg. Every host runs in a terminal (tmux) for a user of its own, without a network and against the
// scripted model, with the hooks that `amplihack install` registers. Needs dist/, tmux, and the hosts that
// `npm run test:hosts` has installed: `npm run pictures:hosts [-- HOST…] [--out FOLDER]`.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { loadSource } from "../../scripts/load-source.mjs";
import { drawScreen } from "../../scripts/terminal-screen.mjs";
import { SCREENS } from "./screens.mjs";

const ROOT = fileURLToPath(new URL("../..", import.meta.url)).replace(/\/$/, "");
const CACHE = process.env.AMPLIHACK_TEST_HOSTS ?? join(homedir(), ".cache", "amplihack-hosts");
/** A file system in memory is mounted here, so that pictures name a home and no temporary directory. */
const MOUNT = "/mnt";
const SIZE = { columns: 100, rows: 44 };
const LONGEST_MS = 90_000;
const LOOK_MS = 250;
const PRESS_MS = 1_000;
/** After this many looks at what was waited for, the rest has been drawn, too; a screen may blink for ever. */
const SEEN_LOOKS = 12;

const SCENES = {
  ask: { command: "npm publish", last: "I will wait for your decision." },
  refusal: {
    command: "git push --force origin main",
    last: "The forced push was refused. Shall I push a branch of its own instead?",
  },
};
const PROMPT = "Publish what we have.";

const { values: options, positionals: asked } = parseArgs({
  allowPositionals: true,
  options: { out: { type: "string", default: join(ROOT, "docs/hosts/images") } },
});

if (process.env.AMPLIHACK_PICTURES !== "1") isolate();
else await main();

/** Starts this script again where nothing but this machine can be reached. */
function isolate() {
  const set = `mount -t tmpfs tmpfs ${MOUNT} && ip link set lo up && exec "$@"`;
  const words = ["--map-root-user", "--net", "--mount", "sh", "-c", set, "sh"];
  const { status } = spawnSync("unshare", [...words, process.execPath, ...process.argv.slice(1)], {
    stdio: "inherit",
    env: { ...process.env, AMPLIHACK_PICTURES: "1" },
  });
  process.exitCode = status ?? 1;
}

async function main() {
  const source = await loadSource({
    "verify/live/live.ts": ["createTemporaryUser", "DRIVERS", "registerHooks"],
    "verify/live/scripted-model.ts": ["startModel"],
    "system/node.ts": ["createNodeSystem"],
    "version.ts": ["version"],
  });
  mkdirSync(options.out, { recursive: true });
  for (const host of asked.length > 0 ? asked : Object.keys(SCREENS)) {
    for (const scene of Object.keys(SCENES)) {
      const path = join(options.out, `${host}-${scene}.svg`);
      const picture = await pictureOf(source, host, scene);
      writeFileSync(path, picture);
      console.log(`${path}: ${picture.length} bytes`);
    }
  }
}

async function pictureOf(source, host, scene) {
  const { version, program: name } = JSON.parse(
    readFileSync(new URL("./versions.json", import.meta.url), "utf8"),
  )[host];
  const program = join(CACHE, `${host}-${version}`, "node_modules/.bin", name);
  if (!existsSync(program)) throw new Error(`${host} is not installed; run: npm run test:hosts -- ${host}`);
  const driver = source.DRIVERS.find(each => each.host === host);
  const place = makePlace();
  const path = `${join(program, "..")}:${process.env.PATH}`;
  const user = source.createTemporaryUser(source.createNodeSystem(), { PATH: path }, place);
  const { command, last } = SCENES[scene];
  const screen = SCREENS[host];
  const call = screen.call?.(command);
  const model = await source.startModel([
    call === undefined ? { kind: "command", command } : { kind: "call", call },
    { kind: "text", text: last },
  ]);
  try {
    const trial = { ...place, url: model.url, model: "scripted", key: "not-a-key" };
    const files = { ...driver.files?.(trial), ...screen.files?.(trial) };
    for (const [file, content] of Object.entries(files)) user.write(file, content);
    const packaged = { root: ROOT, version: source.version, node: process.execPath };
    await source.registerHooks(user, packaged, host);
    // The checks of the workflow would add a text of their own.
    user.write(".amplihack/config.jsonc", { parts: ["guard", "history"] });
    const argv = [program, ...screen.args(PROMPT, trial, driver)];
    const env = { ...terminalEnvironment(user.env), ...driver.env(trial), ...screen.env?.(trial) };
    const isDone = text => screen.isShown?.[scene]?.test(text) ?? text.includes(last.slice(0, 20));
    const shown = await runInTerminal(argv, env, place.project, isDone, screen.keys ?? []);
    return drawScreen(shown, {
      ...SIZE,
      label: `${host} ${version} ${scene === "ask" ? "at a question" : "after a refusal"} of the guard: ${command}`,
    });
  } finally {
    await model.close();
  }
}

/** A home with one small project in it, on a branch. */
function makePlace() {
  const place = { home: `${MOUNT}/ines`, project: `${MOUNT}/ines/shop`, temporary: `${MOUNT}/tmp` };
  for (const folder of [place.home, place.temporary]) rmSync(folder, { recursive: true, force: true });
  for (const folder of Object.values(place)) mkdirSync(folder, { recursive: true });
  writeFileSync(join(place.project, "package.json"), '{ "name": "shop", "version": "1.0.0" }\n');
  spawnSync("git", ["-c", "init.defaultBranch=prices", "init", "-q"], { cwd: place.project });
  return place;
}

/** Somebody sits in front of it, so nothing says that it runs unattended. */
function terminalEnvironment({ CI, AMPLIHACK_NONINTERACTIVE, ...env }) {
  return { ...env, TERM: "xterm-256color", COLORTERM: "truecolor" };
}

/** What the terminal shows, with its colours, a little after `isDone` says so. */
async function runInTerminal(argv, env, cwd, isDone, keys) {
  const tmux = (...words) =>
    spawnSync("tmux", ["-L", `pictures-${process.pid}`, ...words], { env, encoding: "utf8" });
  const size = ["-x", String(SIZE.columns), "-y", String(SIZE.rows)];
  const quoted = argv.map(word => `'${word.replaceAll("'", "'\\''")}'`).join(" ");
  tmux(
    "-f",
    "/dev/null",
    "new-session",
    "-d",
    ...size,
    "-c",
    cwd,
    `${quoted}; echo "[ended: $?]"; sleep 600`,
  );
  tmux("set", "-g", "status", "off", ";", "set", "-g", "extended-keys", "on");
  try {
    const look = () => tmux("capture-pane", "-p").stdout;
    let text = "";
    for (let seen = 0, at = 0; at < LONGEST_MS; at += LOOK_MS) {
      await wait(LOOK_MS);
      text = look();
      // A key can come before the host listens, so it is pressed again while the question stands there.
      for (const { seen: question, press } of keys)
        if (question.test(text) && at % PRESS_MS === 0) tmux("send-keys", press);
      seen = isDone(text) ? seen + 1 : 0;
      if (seen === SEEN_LOOKS) return tmux("capture-pane", "-e", "-N", "-p").stdout;
    }
    throw new Error(`the screen never showed what was waited for:\n${text}`);
  } finally {
    tmux("kill-server");
  }
}
