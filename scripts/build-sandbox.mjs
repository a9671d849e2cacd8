// `node scripts/build-sandbox.mjs [--target MACHINE]` builds dist/native/amplihack-sandbox, the program that runs a command
// under a policy. `npm run build:native` does it too; this alone takes a minute less. Linux only.
import { copyFileSync, mkdirSync, rmSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { built, run } from "./native-cargo.mjs";
import { chooseTarget, thisMachine } from "./native-target.mjs";

const NAME = "amplihack-sandbox";
/** Other flags than the hook program's: with one folder for both, each build would compile all crates anew. */
const TARGET_FOLDER = built("sandbox");

/** @param {import("./native-target.mjs").Target} target */
export function buildSandbox(target) {
  const output = target.output.replace("amplihack-hooks", NAME);
  rmSync(output, { force: true });
  const place = ["--manifest-path", "native/Cargo.toml", "--package", NAME, "--target-dir", TARGET_FOLDER];
  run(target.cargo, ["build", "--release", "--quiet", "--locked", "--target", target.name, ...place], {
    env: { ...process.env, ...target.env, RUSTFLAGS: "-C target-feature=+crt-static" },
  });
  mkdirSync("dist/native", { recursive: true });
  copyFileSync(resolve(`${TARGET_FOLDER}/${target.name}/release/${NAME}`), output);
  console.log(`${output}: ${(statSync(output).size / 1024 / 1024).toFixed(2)} MB`);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const { values } = parseArgs({ options: { target: { type: "string" } } });
  process.chdir(fileURLToPath(new URL("..", import.meta.url)));
  const target = chooseTarget(values.target ?? thisMachine().name);
  if (!target.isLinux) {
    console.error("build:sandbox makes a program for Linux alone; this is another system");
    process.exit(1);
  }
  buildSandbox(target);
}
