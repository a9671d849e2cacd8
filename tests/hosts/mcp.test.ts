import { describe, expect, it } from "vitest";
import { PROFILES } from "../../src/config/levels.ts";
import { storeMemory } from "../../src/mcp/memory-tools.ts";
import { createNodeSystem } from "../../src/system/node.ts";
import type { TemporaryUser } from "../../src/verify/live/live.ts";
import { DRIVERS, registerHooks, withTrial } from "../../src/verify/live/live.ts";
import { PACKAGE, systemIn } from "../install/sandbox.ts";
import { call, type DrivenHost } from "./file-tools.ts";
import { allResults, onPath, PROGRAMS, TIMEOUT_MS } from "./harness.ts";

/** How each host names a tool of a server; Pi has no MCP. */
const TOOL_CALLS: Readonly<Partial<Record<DrivenHost, typeof call>>> = {
  "claude-code": (name, input) => call(`mcp__amplihack__${name}`, input),
  codex: (name, input) => call(name, input, "mcp__amplihack"),
  "copilot-cli": (name, input) => call(`amplihack-${name}`, input),
  "gemini-cli": (name, input) => call(`mcp_amplihack_${name}`, input),
  opencode: (name, input) => call(`amplihack_${name}`, input),
};
const NOTE = "The payment sandbox answers only with the header X-Blue-Test";

const contextOf = ({ env, project }: TemporaryUser) => ({
  system: systemIn(project, env),
  launcher: [process.execPath, "amplihack"] as const,
  mayAsk: () => true,
  warn: () => undefined,
});

describe.each(Object.entries(TOOL_CALLS).filter(([host]) => PROGRAMS[host] !== undefined))(
  "the MCP server in %s",
  (host, tool) => {
    it("is started by the host after an installation, and answers the model", async () => {
      const driver = DRIVERS.find(each => each.host === host);
      const program = PROGRAMS[host];
      if (driver === undefined || program === undefined) throw new Error(`${host} is not installed`);
      const request = {
        driver,
        program,
        steps: [
          tool("memory_search", { query: "payment sandbox" }),
          tool("memory_store", { key: "blue", value: "Learnt by the model: use the blue header" }),
          { kind: "text", text: "Done." } as const,
        ],
        timeoutMs: TIMEOUT_MS,
        env: onPath(program),
        async prepare(user: TemporaryUser) {
          await registerHooks(user, PACKAGE, driver.host, { parts: [...PROFILES.full, "mcp"] });
          const note = { agent: "general", session: "", key: "sandbox", value: NOTE, category: "learning" };
          await storeMemory(contextOf(user), note as never);
        },
      };
      const seen = await withTrial(createNodeSystem(), request, ({ model, end }) => ({
        results: allResults(model.requests),
        tools: model.requests.flatMap(({ tools }) => tools.map(({ name }) => name)),
        end,
      }));
      const told = `${seen.end}\n${[...new Set(seen.tools)].join(" ")}\n${seen.results.join("\n")}`;
      expect(seen.results[0], told).toContain("X-Blue-Test");
      expect(seen.results[1], told).toMatch(/session\W+mcp:/);
    });
  },
);
