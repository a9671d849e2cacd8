// Installs the hosts of versions.json into a cache and runs the tests against them in a network of their own, in
// which nothing but this machine can be reached. `npm run test:hosts [-- HOST… FILE…]`: all hosts, all test files, or
// those that are named.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));
const cache = process.env.AMPLIHACK_TEST_HOSTS ?? join(homedir(), ".cache", "amplihack-hosts");
const versions = JSON.parse(readFileSync(new URL("./versions.json", import.meta.url), "utf8"));
const words = process.argv.slice(2);
const asked = words.filter(word => word in versions);
const files = words.filter(word => !(word in versions));

const programs = {};
for (const [host, { package: name, version, program }] of Object.entries(versions)) {
  if (asked.length > 0 && !asked.includes(host)) continue;
  const folder = join(cache, `${host}-${version}`);
  const path = join(folder, "node_modules", ".bin", program);
  if (!existsSync(path)) {
    console.log(`installing ${name}@${version} …`);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "package.json"), "{}\n");
    const install = ["install", "--no-audit", "--no-fund", "--loglevel=error", `${name}@${version}`];
    spawnSync("npm", install, { cwd: folder, stdio: "inherit" });
  }
  if (existsSync(path)) programs[host] = path;
  else console.log(`SKIPPED ${host}: ${name}@${version} could not be installed`);
}

/**
 * A network with nothing in it but the loopback; where the system does not allow that, nothing is run. Root needs no users
 * of its own there, and can then start what does not run as root, such as PostgreSQL.
 */
const users = process.getuid() === 0 ? [] : ["--map-root-user"];
const isolate = ["unshare", ...users, "--net", "sh", "-c", 'ip link set lo up && exec "$@"', "sh"];
if (spawnSync(isolate[0], [...isolate.slice(1), "true"]).status !== 0) {
  console.log("SKIPPED all hosts: unshare and ip are needed to run them without a network");
  process.exit(process.platform === "linux" ? 1 : 0);
}
const vitest = [
  join(root, "node_modules", ".bin", "vitest"),
  "run",
  "--config",
  "tests/hosts/vitest.config.ts",
  ...files,
];
const [first, ...rest] = [...isolate, ...vitest];
const ran = spawnSync(first, rest, {
  cwd: root,
  stdio: "inherit",
  env: {
    ...process.env,
    AMPLIHACK_TEST_PROGRAMS: JSON.stringify(programs),
    // Only a whole run knows all that the page says.
    AMPLIHACK_TEST_PAGE: words.length === 0 ? "1" : "",
  },
});
process.exit(ran.status ?? 1);
