import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import * as pi from "../../src/engine/adapters/pi.ts";
import * as otel from "../../src/engine/otel.ts";
import * as engine from "../../src/exports/engine.ts";

const guide = readFileSync(new URL("../../docs/engine.md", import.meta.url), "utf8");
const MODULES: Readonly<Record<string, object>> = {
  "amplihack/engine": engine,
  "amplihack/engine/otel": otel,
  "amplihack/engine/pi": pi,
};

describe("the guide", () => {
  const imports = [...guide.matchAll(/import \{ ([^}]+) \} from "(amplihack\/[^"]+)"/g)].flatMap(
    ([, names = "", module = ""]) => names.split(", ").map(name => [module, name] as const),
  );

  it.each(imports)("names what %s exports: %s", (module, name) => {
    expect(MODULES[module]).toHaveProperty(name);
  });

  it.each([
    "HookLoadError",
    "DIAGNOSTIC_CODES",
    "convert",
    "toBatutaDecision",
    "toAtomcodeToolResult",
    "toAtomcodePromptResult",
    "EVENTS",
  ])("speaks of %s, which exists", name => {
    expect(guide).toContain(name);
    expect(engine).toHaveProperty(name);
  });

  it.each(["timeout", "signal", "command-not-found", "output-invalid-json", "handler-unsupported"])(
    "calls the code %s by its name",
    code => {
      expect(engine.DIAGNOSTIC_CODES).toContain(code);
    },
  );

  it("runs no hook of a project before its user agreed, as its first step says", async () => {
    const data = { hooks: { PreToolUse: [{ hooks: [{ type: "command", command: "exit 2" }] }] } };
    const agreed = new Set<string>();
    const sources = [{ kind: "project", dialect: "claude", data }] as const;
    const trust: engine.TrustStore = { state: identity => (agreed.has(identity) ? "trusted" : "untrusted") };
    const hooked = engine.createHookEngine({ projectDir: "/", sources, trust });
    const [listed] = hooked.list();
    expect([listed?.trust, listed?.enabled, listed?.summary]).toEqual(["untrusted", false, "exit 2"]);
    expect(hooked.has("PreToolUse")).toBe(false);
    expect(hooked.report).toMatchObject({ handlers: 0, warnings: [{ code: "trust-refused" }] });
    agreed.add(listed?.identity ?? "");
    expect(hooked.reload(sources).handlers).toBe(1);
    await hooked.close();
  });

  it("does what its first two steps say", async () => {
    const hooked = engine.createHookEngine({
      projectDir: "/",
      sources: [{ kind: "project", dialect: "claude", data: undefined }],
    });
    hooked.beforeToolCall("*", ({ args }) => {
      if (String(args["command"]).includes("rm -rf"))
        return { block: true, reason: "Destructive command blocked" };
      return undefined;
    });
    const call = { tool_name: "bash", tool_input: { command: "rm -rf /" } };
    expect((await hooked.dispatch("PreToolUse", call)).decision).toMatchObject({
      kind: "deny",
      reason: "Destructive command blocked",
    });
    await hooked.close();
  });
});
