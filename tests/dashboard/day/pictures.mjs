// Pictures of the dashboard after a day of agents at work: node tests/dashboard/day/pictures.mjs HOME DIRECTORY [WIDTH …].
// HOME is played into first when it is empty. The package must be built, and Chromium be there.
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

const [, , givenHome, givenFolder, ...givenWidths] = process.argv;
if (givenFolder === undefined)
  throw new Error("usage: node tests/dashboard/day/pictures.mjs HOME DIRECTORY [WIDTH …]");
const home = resolve(givenHome);
const folder = resolve(givenFolder);
const widths = givenWidths.length === 0 ? [1440, 1024, 390] : givenWidths.map(Number);
const evening = new Date();
evening.setHours(...END_OF_DAY, 0, 0);
mkdirSync(home, { recursive: true });
mkdirSync(folder, { recursive: true });
if (readdirSync(home).length === 0) playDay(home, evening.getTime());

process.env.HOME = home;
process.chdir(home);
const bundle = join(ROOT, "node_modules", ".cache", "dashboard-day.mjs");
buildSync({
  entryPoints: [fileURLToPath(new URL("./serve.ts", import.meta.url))],
  outfile: bundle,
  bundle: true,
  platform: "node",
  format: "esm",
  external: ["libsql", "esbuild"],
  define: buildConstants(),
  banner: {
    js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);',
  },
  logLevel: "warning",
});
const { serveAt } = await import(bundle);
const dashboard = await serveAt(evening.getTime());
const url = new URL(dashboard.url);
const browser = await chromium.launch({
  executablePath: CHROMIUM,
  args: ["--headless", "--no-sandbox", "--disable-gpu"],
});
try {
  for (const width of widths) for (const scheme of ["light", "dark"]) await takeAll(width, scheme);
} finally {
  await browser.close();
  await dashboard.close();
}

async function takeAll(width, colorScheme) {
  const page = await browser.newPage({ colorScheme, viewport: { width, height: width < 500 ? 844 : 900 } });
  const take = async (name, options = {}) => {
    await page.evaluate("document.activeElement?.blur(); scrollTo(0, 0)");
    await page.screenshot({
      path: join(folder, `${name}-${width}-${colorScheme}.png`),
      fullPage: true,
      ...options,
    });
  };
  const visit = async (path, query = {}) => {
    const target = new URL(path, url);
    for (const [name, value] of Object.entries({ ...query, token: url.searchParams.get("token") }))
      target.searchParams.set(name, value);
    await page.goto(target.href);
    await page.locator("#state.on").waitFor();
    await page.waitForTimeout(900);
  };
  await visit("/");
  await take("overview");
  await visit("/", { days: "7" });
  await take("week");
  await visit("/sessions");
  await take("sessions");
  await page.locator(".row a[data-main]", { hasText: "Add a discount" }).click();
  await page.locator("#state.on").waitFor();
  await page.locator("details.diff summary").first().click();
  await page.locator("details.diff pre.lines").first().waitFor();
  await page.waitForTimeout(900);
  await take("session");
  const undo = page.locator("button[data-undo]").first();
  if ((await undo.count()) > 0) {
    await page.locator("article button[data-undo]").first().click();
    await page
      .locator("#action .confirm:visible, #action .force:visible, #action .outcome.bad")
      .first()
      .waitFor();
    await take("undo", { fullPage: false });
    await page.keyboard.press("Escape");
  }
  await visit("/calls", { outcome: "asked" });
  await take("calls");
  await visit("/search", { q: "checkout" });
  await take("search");
  await visit("/recipes");
  await take("recipes");
  await page.locator(".row a[data-main]").last().click();
  await page.locator("#state.on").waitFor();
  await take("recipe");
  await visit("/memory");
  await take("memory");
  await page.close();
}
