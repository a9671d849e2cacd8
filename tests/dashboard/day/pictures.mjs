// Pictures of the dashboard after a day of agents at work: node tests/dashboard/day/pictures.mjs HOME DIRECTORY [WIDTH …].
import { mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { openDay } from "./open-day.mjs";

const [, , home, givenFolder, ...givenWidths] = process.argv;
if (givenFolder === undefined)
  throw new Error("usage: node tests/dashboard/day/pictures.mjs HOME DIRECTORY [WIDTH …]");
const folder = resolve(givenFolder);
const widths = givenWidths.length === 0 ? [1440, 1024, 390] : givenWidths.map(Number);
mkdirSync(folder, { recursive: true });
const day = await openDay(home);
try {
  for (const width of widths) for (const scheme of ["light", "dark"]) await takeAll(width, scheme);
} finally {
  await day.close();
}

async function takeAll(width, scheme) {
  const { page, visit } = await day.newPage({ width, height: width < 500 ? 844 : 900, scheme });
  const take = async (name, options = {}) => {
    await page.evaluate("document.activeElement?.blur(); scrollTo(0, 0)");
    await page.screenshot({
      path: join(folder, `${name}-${width}-${scheme}.png`),
      fullPage: true,
      ...options,
    });
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
    await page.locator(".turn button[data-undo]:visible").first().click();
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
  await visit("/usage");
  await take("usage");
  await visit("/hooks", { days: "7" });
  await take("hooks");
  await page.close();
}
