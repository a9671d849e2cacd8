import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { type Browser, chromium, type Page } from "playwright-core";
import { describe, expect, it, onTestFinished } from "vitest";
import { renderReport } from "../../src/dashboard/report.ts";
import { openStore } from "../../src/memory/open-store.ts";
import { createNodeSystem } from "../../src/system/node.ts";
import { temporaryDirectory } from "../temporary-directory.ts";
import { HOSTILE, type Machine, newMachine, serve, writeRecipeRun } from "./machine.ts";

const CHROMIUM = "/usr/bin/chromium";
/** Where pictures for people go; none are made when it is unset. */
const PICTURES = process.env["AMPLIHACK_TEST_PICTURES"];

async function openBrowser(): Promise<Browser> {
  const browser = await chromium.launch({
    executablePath: CHROMIUM,
    args: [
      "--headless",
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
    ],
  });
  onTestFinished(() => browser.close());
  return browser;
}

/** A page whose complaints, refused resources and requests are kept. */
async function openPage(browser: Browser, colorScheme: "light" | "dark", url: string) {
  const page = await browser.newPage({ colorScheme, viewport: { width: 1280, height: 900 } });
  const complaints: string[] = [];
  const requests: string[] = [];
  page.on("console", message => message.type() === "error" && complaints.push(message.text()));
  page.on("pageerror", error => complaints.push(error.message));
  page.on("request", request => requests.push(request.url()));
  await page.goto(url);
  return { page, complaints, requests };
}

const HOSTS = ["claude-code", "codex", "gemini-cli"];
const HOOKS = ["pre_tool_use", "post_tool_use", "stop"];

async function busyMachine(): Promise<Machine> {
  const machine = newMachine();
  const runs = Array.from({ length: 50_000 }, (_, index) => ({
    ts: new Date(Date.UTC(2026, 2, 1, 8) + index * 500).toISOString(),
    host: HOSTS[index % 3],
    hook: HOOKS[index % 7 === 0 ? 2 : index % 2],
    event: ["PreToolUse", "PostToolUse", "Stop"][index % 7 === 0 ? 2 : index % 2],
    duration_us: 3_000 + ((index * 7919) % 9_000) * (index % 7 === 0 ? 20 : 1),
    session: `session-${Math.floor(index / 800)}`,
    ...(index % 1000 === 999 ? { decision: "deny", rules: ["fs.home"] } : {}),
  }));
  machine.run(...runs);
  machine.judge(
    ...Array.from({ length: 50 }, (_, index) => ({
      host: HOSTS[index % 3],
      command: `rm -rf ~/work-${index}`,
    })),
    { command: HOSTILE, host: HOSTILE, rules: [HOSTILE], verdict: "ask" },
  );
  machine.run({ host: HOSTILE, session: HOSTILE, result: "error", error: HOSTILE });
  writeRecipeRun(machine, "run-1", "release");
  writeRecipeRun(machine, "run-2", HOSTILE);
  const store = await openStore(createNodeSystem(), machine.places.database);
  const common = { project: "", agent: "ada", session: "", type: "text", category: "learning" } as const;
  await store.put({ ...common, key: "tests", value: "Payments need the sandbox." });
  await store.put({ ...common, key: HOSTILE, value: HOSTILE });
  store.close();
  return machine;
}

async function expectEverything(page: Page): Promise<void> {
  await page.locator("#runs tbody tr").nth(24).waitFor();
  expect(await page.locator("#totals").textContent()).toContain("50,001");
  expect(await page.locator("#judgements tbody tr").first().textContent()).toContain(HOSTILE.slice(0, 30));
  expect(await page.locator("#plot svg polyline").count()).toBe(3);
  expect(await page.locator("#session-table tbody tr").count()).toBe(12);
  expect(await page.locator("#recipe-runs details").count()).toBe(2);
  await page.locator("#memory-search input").fill("payments");
  await page.locator("#memory-search input").press("Enter");
  await page.locator("#memory-state", { hasText: "1 found." }).waitFor();
  expect(await page.locator("#memories li").textContent()).toContain("Payments need the sandbox.");
  // Nothing that came from a log became part of the page.
  expect(await page.locator("img").count()).toBe(0);
  expect(await page.title()).toBe("amplihack: what the hooks did");
}

describe.skipIf(!existsSync(CHROMIUM))(
  existsSync(CHROMIUM) ? "in a real browser" : `in a real browser (skipped: there is no ${CHROMIUM})`,
  () => {
    it("shows fifty thousand events, follows the logs, and obeys its own policy", async () => {
      const machine = await busyMachine();
      const { url } = await serve(machine, { intervalMs: 50 });
      const browser = await openBrowser();
      const { page, complaints, requests } = await openPage(browser, "light", url.href);
      await page.locator("#totals", { hasText: "50,001" }).waitFor();
      await expectEverything(page);

      await page.getByRole("group", { name: "Pages" }).first().getByRole("button", { name: "Older" }).click();
      await page.locator("#runs-pager", { hasText: "26 to 50 of 50000" }).waitFor();
      await page.getByRole("button", { name: "Newest" }).first().click();
      await page.getByRole("combobox", { name: "Decision" }).selectOption("deny");
      await page.locator("#runs-pager", { hasText: "1 to 25 of 50" }).waitFor();

      machine.judge({ command: "rm -rf /srv/fresh" });
      await page.locator("#judgements tbody tr:first-child", { hasText: "/srv/fresh" }).waitFor();
      await page.locator("#announcer", { hasText: /^refused in claude-code/ }).waitFor({ state: "attached" });
      expect(complaints).toEqual([]);
      expect(requests.filter(request => !request.startsWith(url.origin))).toEqual([]);
      await takePicture(page, "light");
    });

    it("is read by keyboard and by name, in the dark too", async () => {
      const { url } = await serve(await busyMachine());
      const browser = await openBrowser();
      const { page } = await openPage(browser, "dark", url.href);
      await page.locator("#totals", { hasText: "50,001" }).waitFor();
      await page.keyboard.press("Tab");
      await page.keyboard.press("Enter");
      expect(await page.locator("#decisions:focus").count()).toBe(1);
      for (const name of ["Decisions", "What was stopped, and why", "Latency per hook", "Sessions"]) {
        expect(await page.getByRole("region", { name, exact: true }).count()).toBe(1);
      }
      expect(await page.getByRole("img", { name: /^Latency over time of .*pre_tool_use/ }).count()).toBe(1);
      expect(await page.getByRole("navigation", { name: "Sections" }).getByRole("link").count()).toBe(6);
      const dark = await page.evaluate("getComputedStyle(document.body).backgroundColor");
      expect(dark).toBe("rgb(21, 23, 26)");
      await takePicture(page, "dark");
    });

    it("shows the same from a file, without a server", async () => {
      const machine = await busyMachine();
      const path = join(temporaryDirectory(), "report.html");
      writeFileSync(path, await renderReport(createNodeSystem(), machine.places, { hasMemories: true }));
      const browser = await openBrowser();
      const file = pathToFileURL(path).href;
      const { page, complaints, requests } = await openPage(browser, "light", file);
      await expectEverything(page);
      expect(await page.locator("#state").textContent()).toMatch(/^Report of \d{4}-/);
      expect(complaints).toEqual([]);
      expect(requests).toEqual([file]);
      await takePicture(page, "report");
    });
  },
);

async function takePicture(page: Page, name: string): Promise<void> {
  if (PICTURES === undefined) return;
  await page.screenshot({ path: join(PICTURES, `${name}.png`), fullPage: true });
}
