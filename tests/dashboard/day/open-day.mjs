// The dashboard of a played day in a browser. The package must be built, and Chromium be there.
import { mkdirSync, readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";
import { chromium } from "playwright-core";
import { buildConstants } from "../../../scripts/build-constants.mjs";
import { playDay } from "./play.mjs";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
const CHROMIUM = process.env.CHROMIUM ?? "/usr/bin/chromium";
const END_OF_DAY = [17, 42];
const SETTLED_MS = 900;

/** Serves the day in that home, in the evening; an empty home is played into first. */
export async function openDay(givenHome) {
  const home = resolve(givenHome);
  const evening = new Date();
  evening.setHours(...END_OF_DAY, 0, 0);
  mkdirSync(home, { recursive: true });
  if (readdirSync(home).length === 0) playDay(home, evening.getTime());
  process.env.HOME = home;
  process.chdir(home);
  const { serveAt } = await import(bundleServer());
  const dashboard = await serveAt(evening.getTime());
  const url = new URL(dashboard.url);
  const browser = await chromium.launch({
    executablePath: CHROMIUM,
    args: ["--headless", "--no-sandbox", "--disable-gpu"],
  });
  return {
    async newPage({ width, height, scheme }) {
      const page = await browser.newPage({ colorScheme: scheme, viewport: { width, height } });
      const visit = async (path, query = {}) => {
        const target = new URL(path, url);
        for (const [name, value] of Object.entries({ ...query, token: url.searchParams.get("token") }))
          target.searchParams.set(name, value);
        await page.goto(target.href);
        await page.locator("#state.on").waitFor();
        await page.waitForTimeout(SETTLED_MS);
      };
      return { page, visit };
    },
    async close() {
      await browser.close();
      await dashboard.close();
    },
  };
}

function bundleServer() {
  const outfile = join(ROOT, "node_modules", ".cache", "dashboard-day.mjs");
  buildSync({
    entryPoints: [fileURLToPath(new URL("./serve.ts", import.meta.url))],
    outfile,
    bundle: true,
    platform: "node",
    packages: "external",
    format: "esm",
    define: buildConstants(),
    banner: {
      js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);',
    },
    logLevel: "warning",
  });
  return outfile;
}
