// The pictures of docs/dashboard.md, without loss made small by optipng: node tests/dashboard/day/docs-pictures.mjs HOME.
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { openDay } from "./open-day.mjs";

const FOLDER = fileURLToPath(new URL("../../../docs/images/", import.meta.url));
const [, , home] = process.argv;
if (home === undefined) throw new Error("usage: node tests/dashboard/day/docs-pictures.mjs HOME");

const day = await openDay(home);
try {
  await take("dashboard-overview", { width: 1280, height: 900, scheme: "light" }, visit => visit("/"));
  await take("dashboard-session", { width: 1280, height: 900, scheme: "dark" }, openSession);
  await take("dashboard-undo", { width: 1024, height: 760, scheme: "light" }, async (visit, page) => {
    await openSession(visit, page);
    await page.locator(".turn button[data-undo]:visible").first().click();
    await page.locator("#action button:visible").nth(1).waitFor();
  });
  await take("dashboard-phone", { width: 390, height: 844, scheme: "dark" }, visit => visit("/"));
} finally {
  await day.close();
}

async function openSession(visit, page) {
  await visit("/sessions");
  await page.locator(".row a[data-main]", { hasText: "Add a discount" }).click();
  await page.locator("#state.on").waitFor();
  await page.locator(".turn", { hasText: "Turn 2" }).locator("details.diff summary").first().click();
  await page.locator("details.diff pre.lines").first().waitFor();
  await page.evaluate(
    "scrollTo(0, document.getElementById('turn-2').getBoundingClientRect().top + scrollY - 80)",
  );
}

async function take(name, { width, height, scheme }, open) {
  const { page, visit } = await day.newPage({ width, height, scheme });
  await open(visit, page);
  await page.evaluate("document.activeElement?.blur()");
  const path = join(FOLDER, `${name}.png`);
  await page.screenshot({ path });
  const { status, error } = spawnSync("optipng", ["-quiet", "-strip", "all", path]);
  if (status !== 0) throw new Error(`optipng did not make ${path} smaller: ${error?.message ?? status}`);
  await page.close();
}
