import { describe, expect, it } from "vitest";
import type { MemorySystem } from "../../src/system/memory.ts";
import { openInMemory } from "../golden/run-in-memory.ts";
import { caseOf, faultsOf, pictureOf, type Scene, scenes, telemetryOf, visibleText } from "./scenes.ts";

const STATE = /\.(json|jsonc|txt|key)$|session_count$|\.lock_active$/;
const NOT_STATE = /\/(transcripts|project\/package\.json|\.git\/)/;

/** Ways in which a file goes bad: cut off, one bit turned over, emptied, filled with zeros. */
const DAMAGES: Readonly<Record<string, (text: string) => string | Uint8Array>> = {
  emptied: () => "",
  "cut in half": text => text.slice(0, text.length >> 1),
  "cut before its last character": text => text.trimEnd().slice(0, -1),
  "of zeros": text => new Uint8Array(text.length + 1),
  "with a bit turned over at the start": text => flip(text, 0),
  "with a bit turned over in the middle": text => flip(text, text.length >> 1),
  "of another type": () => "[1]",
};

function flip(text: string, at: number): Uint8Array {
  const bytes = new TextEncoder().encode(text);
  const found = bytes[at];
  if (found !== undefined) bytes[at] = found ^ 0b100;
  return bytes;
}

function stateFiles(system: MemorySystem): readonly string[] {
  return [...pictureOf(system).keys()].filter(path => STATE.test(path) && !NOT_STATE.test(path));
}

const CONFIGURED: readonly Scene[] = ["config-user-raises", "config-project-raises"].map(name => ({
  title: `pre_tool_use ${name}`,
  golden: caseOf("pre_tool_use", name),
  decides: false,
}));

describe.each(Object.entries(DAMAGES))("a state file %s", (_, damage) => {
  it.each([...scenes(), ...CONFIGURED].map(scene => [scene.title, scene] as const))(
    "neither stops nor wedges the next run, and is told: %s",
    async (_title, scene) => {
      const first = await openInMemory(scene.golden);
      await first.run();
      first.system.processes.end();
      const complaints: string[] = [];
      for (const path of stateFiles(first.system)) {
        const before = await openInMemory(scene.golden);
        await before.run();
        before.system.processes.end();
        const text = before.system.peek(path) ?? "";
        before.system.put(path, damage(text));
        const damaged = before.system.peek(path);
        const next = await openInMemory(scene.golden, before.system.machine);
        const ended = await next.run();
        complaints.push(...faultsOf(scene, ended).map(line => `${path}: ${line}`));
        if (telemetryOf(ended)?.["result"] === "panic") complaints.push(`${path}: ${ended.stderr}`);
        const isReplaced =
          path.endsWith(".json") && isJson(text) && !isJson(damaged) && isJson(next.system.peek(path));
        const isKept = [...pictureOf(next.system).keys()].some(name => name.startsWith(`${path}.corrupt-`));
        const name = path.slice(path.lastIndexOf("/") + 1);
        if (isReplaced && !isKept && !visibleText(ended, next.system).includes(name))
          complaints.push(`${path}: replaced without a word`);
      }
      expect(complaints).toEqual([]);
    },
  );
});

function isJson(text: string | undefined): boolean {
  try {
    JSON.parse(text ?? "");
    return true;
  } catch {
    return false;
  }
}

describe("a configuration file that cannot be read as one", () => {
  it.each(["{", "\u0000\u0000", '{"guard": 7}', '{"guard":{"rules":{"fs.cwd":"perhaps"}}}'])(
    "is told on stderr and the built-in rules stand: %j",
    async text => {
      const golden = caseOf("pre_tool_use", "cwd-delete-dot");
      const { system, run } = await openInMemory(golden);
      system.put("/sandbox/.amplihack/config.jsonc", text);
      const ended = await run();
      expect(faultsOf({ title: "", golden, decides: true }, ended)).toEqual([]);
      expect(ended.stderr).toMatch(/^config-[a-z-]+: .+ is ignored/m);
    },
  );
});
