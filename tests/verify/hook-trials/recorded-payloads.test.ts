import { describe, expect, it } from "vitest";
import { normalise } from "../../../src/exports/hosts.ts";
import { checkInput } from "../../../src/protocol/index.ts";
import { RECORDED_PAYLOADS } from "../../../src/verify/recorded-payloads.ts";
import { FIXTURES, type Fixture } from "../../hosts-protocol/fixtures.ts";

const MAX_LENGTH = 1_500;
/** The same calls again, under other names. */
const LEFT_OUT = "copilot-claude-names/";

/** What a payload is an example of: its host, its event, its tool; undefined where no hook would hear of it. */
function kindOf({ host, event, text }: Fixture): string | undefined {
  const read = normalise(text, { host, event, env: { get: () => undefined } });
  const checked = read.ok ? checkInput(read.value) : undefined;
  if (checked?.ok !== true) return undefined;
  const { input } = checked;
  return `${host} ${input.event} ${input.kind === "tool" ? input.tool.canonicalName : ""}`;
}

/** The smallest recording of each kind, on one line. */
function selection(): readonly string[] {
  const smallest = new Map<string, { readonly length: number; readonly line: string }>();
  for (const fixture of FIXTURES) {
    const { host, event, text, name } = fixture;
    const kind = name.startsWith(LEFT_OUT) ? undefined : kindOf(fixture);
    const line = JSON.stringify({ host, event, payload: JSON.parse(text) as unknown });
    const known = kind === undefined ? undefined : smallest.get(kind);
    if (kind === undefined || line.length > MAX_LENGTH || line.length >= (known?.length ?? Infinity))
      continue;
    smallest.set(kind, { length: line.length, line });
  }
  return [...smallest].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, { line }]) => line);
}

function quoted(text: string): string {
  const escaped = text.replaceAll("\\", "\\\\").replaceAll("'", "\\'");
  return `  '${escaped}',\n`;
}

describe("the payloads that hooks are tried with", () => {
  it("are what real hosts sent, the smallest of each event and tool (vitest -u writes the file)", async () => {
    const file = `/** One payload of each event and tool, as real hosts sent them. Written by its test from tests/fixtures/hosts. */
export const RECORDED_PAYLOADS: readonly string[] = [
${selection().map(quoted).join("")}];
`;
    await expect(file).toMatchFileSnapshot("../../../src/verify/recorded-payloads.ts");
    expect(RECORDED_PAYLOADS).toEqual(selection());
    expect(new Set(RECORDED_PAYLOADS.map(line => JSON.parse(line).host)).size).toBe(6);
  });
});
