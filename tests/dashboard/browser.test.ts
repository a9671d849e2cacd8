import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { renderReport } from "../../src/dashboard/report.ts";
import { openStore } from "../../src/memory/sqlite-store.ts";
import { createNodeSystem } from "../../src/system/node.ts";
import { hasPostgres } from "../postgres-server.ts";
import { temporaryDirectory } from "../temporary-directory.ts";
import { changedMachine } from "./changed-machine.ts";
import { HOSTILE, type Machine, newMachine, type Served, serve, writeRecipeRun } from "./machine.ts";
import { NOON_MS, newTeam } from "./team.ts";
import { grantRuns, submitRuns } from "./team-runs.ts";

const CHROMIUM = "/usr/bin/chromium";
const AXE = createRequire(import.meta.url).resolve("axe-core/axe.min.js");
/** Pages that the others are made of come first. */
const PAGES = [
  "/?days=7",
  "/session?id=session-0",
  "/calls",
  "/recipe?id=run-1",
  "/memory",
  "/sessions",
  "/search?q=work",
  "/recipes",
  "/usage",
  "/hooks?days=7",
];
const MADE_OF = PAGES.slice(0, 5);
const HOSTS = ["claude-code", "codex", "gemini-cli"];
const HOOKS = ["pre_tool_use", "post_tool_use", "stop"];
const EVENTS = ["PreToolUse", "PostToolUse", "Stop"];

/** For what never comes: a busy machine takes long for a page. */
const PATIENT_MS = 200_000;

let browser: Browser;

interface Opened {
  readonly page: Page;
  /** errors, and what the page's own policy refused */
  readonly complaints: readonly string[];
  readonly requests: readonly string[];
}

async function open(
  url: string,
  options: { width?: number; scheme?: "light" | "dark" } = {},
): Promise<Opened> {
  const { width = 1280, scheme = "light" } = options;
  const page = await browser.newPage({ colorScheme: scheme, viewport: { width, height: 900 } });
  onTestFinished(() => page.close());
  page.setDefaultTimeout(PATIENT_MS);
  const complaints: string[] = [];
  const requests: string[] = [];
  page.on("console", message => message.type() === "error" && complaints.push(message.text()));
  page.on("pageerror", error => complaints.push(error.message));
  page.on("request", request => requests.push(request.url()));
  await page.goto(url);
  return { page, complaints, requests };
}

const addressOf = ({ url }: Served, path: string) =>
  `${url.origin}${path}${path.includes("?") ? "&" : "?"}${url.searchParams}`;

/** Fifty thousand runs that end now, questions and refusals, and hostile texts wherever there can be some. */
async function busyMachine(runs = 50_000): Promise<Machine> {
  const machine = newMachine();
  const endMs = Date.now();
  machine.run(
    ...Array.from({ length: runs }, (_, index) => {
      const kind = index % 7 === 0 ? 2 : index % 2;
      return {
        ts: new Date(endMs - (runs - index) * 50).toISOString(),
        host: HOSTS[index % 3],
        hook: HOOKS[kind],
        event: EVENTS[kind],
        tool: "Bash",
        call: `t${index}`,
        duration_us: 3_000 + ((index * 7919) % 9_000) * (kind === 2 ? 20 : 1),
        session: `session-${Math.floor(index / 800)}`,
        ...(index % 1000 === 999 ? { decision: "deny", rules: ["fs.home"], event: "PreToolUse" } : {}),
      };
    }),
  );
  const ts = new Date(endMs).toISOString();
  const last = new Date(endMs + 1_000).toISOString();
  machine.judge(
    ...Array.from({ length: 50 }, (_, index) => ({
      ts,
      host: HOSTS[index % 3],
      command: `rm -rf ~/work-${index}`,
    })),
    {
      ts: last,
      command: HOSTILE,
      host: HOSTILE,
      rules: [HOSTILE],
      verdict: "ask",
      session: HOSTILE,
      project: HOSTILE,
    },
  );
  machine.run({ ts, host: HOSTILE, session: HOSTILE, result: "error", error: HOSTILE, tool: HOSTILE });
  writeRecipeRun(machine, "run-1", "release");
  writeRecipeRun(machine, "run-2", HOSTILE);
  const store = await openStore(createNodeSystem(), machine.places.database);
  const common = { project: "", agent: "ada", session: "", type: "text", category: "learning" } as const;
  await store.put({ ...common, key: "tests", value: "Payments need the sandbox at work." });
  await store.put({ ...common, key: HOSTILE, value: HOSTILE });
  store.close();
  return machine;
}

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
}

/** What axe has against the page, in words. */
async function violationsOf(page: Page): Promise<readonly string[]> {
  await page.evaluate(readFileSync(AXE, "utf8"));
  const found = (await page.evaluate("axe.run(document, { resultTypes: ['violations'] })")) as {
    violations: readonly Violation[];
  };
  return found.violations.flatMap(({ id, nodes }) =>
    nodes.map(node => `${id}: ${node.html.slice(0, 200)} ${node.failureSummary ?? ""}`),
  );
}

describe.skipIf(!existsSync(CHROMIUM))(
  existsSync(CHROMIUM) ? "in a real browser" : `in a real browser (skipped: there is no ${CHROMIUM})`,
  () => {
    beforeAll(async () => {
      browser = await chromium.launch({
        executablePath: CHROMIUM,
        timeout: PATIENT_MS,
        args: [
          "--headless",
          "--no-sandbox",
          "--disable-gpu",
          "--no-first-run",
          "--disable-background-networking",
          "--disable-component-update",
          "--disable-sync",
        ],
      });
    });
    afterAll(() => browser.close());

    it("shows fifty thousand events, follows the logs, and obeys its own policy", async () => {
      const machine = await busyMachine();
      const served = await serve(machine, { intervalMs: 50 });
      const { page, complaints, requests } = await open(addressOf(served, "/calls"));
      await page
        .locator(".call", { hasText: HOSTILE.slice(0, 30) })
        .first()
        .waitFor();
      await page.locator(".pager", { hasText: /^.*1 to 50 of \d\d,\d{3}/s }).waitFor();
      await page.getByRole("link", { name: "Older" }).click();
      await page.locator(".pager", { hasText: "51 to 100 of" }).waitFor();
      await page.getByRole("link", { name: "Newest" }).click();
      await page.getByRole("combobox", { name: "Outcome" }).selectOption("refused");
      await page.locator(".pager", { hasText: "1 to 50 of 100" }).waitFor();
      expect(new URL(page.url()).searchParams.get("outcome")).toBe("refused");

      machine.judge({ command: "rm -rf /srv/fresh", ts: new Date().toISOString() });
      await page.locator(".items > .where:first-child + .call", { hasText: "/srv/fresh" }).waitFor();
      await page.locator("#announcer", { hasText: /^refused in claude-code/ }).waitFor({ state: "attached" });
      // Nothing that came from a log became part of the page.
      expect(await page.locator("img").count()).toBe(0);
      expect(await page.title()).toBe("Calls · amplihack");
      expect(complaints).toEqual([]);
      expect(requests.filter(request => !request.startsWith(served.url.origin))).toEqual([]);
    });

    it("has nothing that axe objects to and nothing that is wider than the screen, on any page", async () => {
      const served = await serve(await busyMachine(300));
      for (const { width, scheme } of [
        { width: 1280, scheme: "light" },
        { width: 390, scheme: "dark" },
      ] as const) {
        const { page, complaints } = await open(addressOf(served, "/"), { width, scheme });
        for (const path of PAGES) {
          await page.goto(addressOf(served, path));
          await page.locator("#state.on").waitFor();
          if (scheme === "light" || MADE_OF.includes(path))
            expect(await violationsOf(page), `${path} at ${width}`).toEqual([]);
          expect(await page.evaluate("document.documentElement.scrollWidth"), path).toBeLessThanOrEqual(
            width,
          );
        }
        expect(complaints).toEqual([]);
      }
    });

    it.skipIf(!hasPostgres)("shows a team, narrowed by a choice, follows it, and does nothing", async () => {
      const team = await newTeam();
      const [ann, bob] = [await team.join("ann"), await team.join("bob")];
      const ts = () => new Date(NOON_MS).toISOString();
      for (const [index, { machine, ship }] of [ann, bob].entries()) {
        machine.run(
          { ts: ts(), tool: "Bash", call: "c1", host: HOSTS[index] },
          { ts: ts(), host: HOSTILE, session: HOSTILE, result: "error", tool: HOSTILE, project: HOSTILE },
        );
        machine.judge({ ts: ts(), call: "c1", host: HOSTS[index], command: `rm -rf ${HOSTILE}` });
        await ship({ hasContent: true });
      }
      const [run = ""] = (await submitRuns(team, [0, 3])).ids;
      await grantRuns(team, "ann");
      await team.keeper.run(
        `UPDATE amplihack_recipes.workflow_status SET executor_id = $1,
           attributes = attributes || jsonb_build_object('by', $1 || repeat('x', 500) || '@desk')`,
        [HOSTILE],
      );
      const served = await ann.serve();
      for (const { width, scheme } of [
        { width: 1280, scheme: "light" },
        { width: 390, scheme: "dark" },
      ] as const) {
        const { page, complaints } = await open(addressOf(served, "/"), { width, scheme });
        for (const path of ["/", "/sessions", "/calls", "/recipes", `/recipe?id=${run}`, "/memory"]) {
          await page.goto(addressOf(served, path));
          await page.locator("#state.on").waitFor();
          expect(await violationsOf(page), `${path} at ${width}`).toEqual([]);
          expect(await page.evaluate("document.documentElement.scrollWidth"), path).toBeLessThanOrEqual(
            width,
          );
          expect(await page.locator("img, button.undo").count()).toBe(0);
        }
        expect(complaints).toEqual([]);
      }
      const { page } = await open(addressOf(served, "/"));
      await page.getByRole("combobox", { name: "Person" }).selectOption("bob");
      await page.waitForURL(/person=bob/);
      await page.getByText("for one person.").waitFor();
      await page.keyboard.press("3");
      await page.locator(".pager", { hasText: "2 entries" }).waitFor();
      expect(new URL(page.url()).searchParams.get("person")).toBe("bob");
      bob.machine.judge({ ts: ts(), verdict: "ask", command: "fresh" });
      await bob.ship();
      await page.locator(".pager", { hasText: "3 entries" }).waitFor();
      await page.keyboard.press("4");
      await page.getByText("Nothing fits.").waitFor();
      await page.getByRole("link", { name: "Drop this filter: person" }).click();
      await page.locator(".row").nth(1).waitFor();
      // What is submitted meanwhile appears by itself.
      await submitRuns(team, [0]);
      await page.locator(".row").nth(2).waitFor();
    });

    it("undoes what a person looked at, after a question, by the keyboard alone", async () => {
      const { machine, path } = await changedMachine("one\n", "two\n");
      const { page, complaints } = await open(addressOf(await serve(machine), "/session?id=session-1"));
      await page.locator("#state.on").waitFor();
      await page.keyboard.press("j");
      await page.keyboard.press("Enter");
      await page.locator("details.diff .lines .plus", { hasText: "+two" }).waitFor();
      await page.keyboard.press("u");
      await page.locator("#action", { hasText: "1 file gets its earlier content back" }).waitFor();
      expect(readFileSync(path, "utf8")).toBe("two\n");
      expect(await violationsOf(page)).toEqual([]);
      await page.getByRole("button", { name: "Take this back" }).press("Enter");
      await page.locator("#action .outcome", { hasText: "Done: 1 path restored." }).waitFor();
      expect(readFileSync(path, "utf8")).toBe("one\n");
      await page.keyboard.press("Escape");
      await page.locator(".call.undone button", { hasText: "Redo" }).waitFor({ state: "attached" });
      expect(complaints).toEqual([]);
    });

    it("asks again before it overwrites what somebody changed since", async () => {
      const { machine, path } = await changedMachine("one\n", "two\n");
      writeFileSync(path, "mine\n");
      const { page } = await open(addressOf(await serve(machine), "/calls?changes=standing"));
      await page.getByRole("button", { name: "Undo …" }).click();
      await page.locator("#action", { hasText: "1 conflict" }).waitFor();
      expect(await page.getByRole("button", { name: "Take this back" }).count()).toBe(0);
      await page.getByRole("button", { name: "Cancel" }).click();
      expect(readFileSync(path, "utf8")).toBe("mine\n");
      await page.getByRole("button", { name: "Undo …" }).click();
      await page.getByRole("button", { name: "Overwrite what is there now" }).click();
      await page.locator("#action .outcome.good").waitFor();
      expect(readFileSync(path, "utf8")).toBe("one\n");
    });

    it("is used by keys: search, move, pages, help", async () => {
      const served = await serve(await busyMachine(2_000));
      const { page } = await open(addressOf(served, "/sessions"), { scheme: "dark" });
      await page.locator(".row").first().waitFor();
      for (const key of ["j", "j", "k", "j"]) await page.keyboard.press(key);
      const focused = await page.evaluate("document.activeElement.dataset.key");
      expect(await page.locator(".row").nth(1).getAttribute("data-key")).toBe(focused);
      await page.keyboard.press("?");
      await page.getByRole("dialog", { name: "Keyboard" }).waitFor();
      await page.keyboard.press("Escape");
      await page.keyboard.press("Enter");
      await page.waitForURL(/\/session\?id=/);
      await page.keyboard.press("5");
      await page.waitForURL(/\/memory\?/);
      await page.keyboard.press("/");
      await page.keyboard.type("work-17");
      await page.keyboard.press("Enter");
      await page.locator(".call", { hasText: "rm -rf ~/work-17" }).waitFor();
      expect(await page.evaluate("getComputedStyle(document.body).backgroundColor")).toBe("rgb(17, 20, 24)");
    });

    it("forgets a memory after a question", async () => {
      const served = await serve(await busyMachine(10));
      const { page } = await open(addressOf(served, "/memory?q=payments"));
      await page.getByRole("button", { name: "Forget …" }).click();
      await page.getByRole("button", { name: "Forget it" }).click();
      await page.locator("#action .outcome", { hasText: "Forgotten." }).waitFor();
      await page.getByRole("button", { name: "Close" }).click();
      await page.getByText("Nothing was found.").waitFor();
    });

    it("shows the same from a file, without a server and without anything that could be done", async () => {
      const path = join(temporaryDirectory(), "report.html");
      const machine = await busyMachine(900);
      writeFileSync(path, await renderReport(createNodeSystem(), machine.places, { hasMemories: true }));
      const file = pathToFileURL(path).href;
      const { page, complaints, requests } = await open(file);
      await page.getByRole("heading", { name: "The last 30 days" }).waitFor();
      expect(await violationsOf(page)).toEqual([]);
      await page.getByRole("link", { name: "Sessions", exact: true }).click();
      await page.locator(".row a[data-main]:visible").nth(2).click();
      await page.locator(".turn:visible .call").first().waitFor();
      await page.locator("#q").fill("work-17");
      await page.locator("#q").press("Enter");
      await page.locator(".call:visible", { hasText: "rm -rf ~/work-17" }).waitFor();
      expect(await page.locator(".call:visible").count()).toBe(1);
      await page.getByRole("link", { name: "Memory" }).click();
      await page.getByText("Payments need the sandbox").waitFor();
      expect(await page.locator("button.undo, #action").count()).toBe(0);
      expect(await page.locator("img").count()).toBe(0);
      expect(complaints).toEqual([]);
      expect(requests).toEqual([file]);
    });
  },
);
