import { describe, expect, it } from "vitest";
import { normalise } from "../../src/exports/hosts.ts";
import { checkInput } from "../../src/protocol/index.ts";
import { fakeEnvironment } from "./fake-environment.ts";
import { FIXTURES, type Fixture } from "./fixtures.ts";

function understood({ text, host, event, env }: Fixture, hint: "hinted" | "alone") {
  return normalise(text, {
    env: fakeEnvironment(env),
    event,
    ...(hint === "hinted" ? { host } : {}),
  });
}

/** What was understood, on one line: what a person compares with the payload beside it. */
function row(fixture: Fixture): string {
  const result = understood(fixture, "hinted");
  if (!result.ok) return `${fixture.name}: ${result.code} ${result.nativeEvent ?? ""}`;
  const { value } = result;
  const parts = [
    value.nativeEvent === value.event ? value.event : `${value.nativeEvent} = ${value.event}`,
    ...(value.toolName === null ? [] : [`tool ${value.toolName} = ${value.canonicalToolName}`]),
    ...(value.facts.command === null ? [] : [`command ${JSON.stringify(value.facts.command)}`]),
    ...(value.facts.paths.length === 0 ? [] : [`paths ${value.facts.paths.join(" ")}`]),
    `cwd ${value.cwd}`,
    `session ${value.sessionId?.slice(0, 12) ?? null}`,
    `transcript ${value.transcriptPath?.replace(/^.*\//, "…/") ?? null}`,
    ...(value.warnings.length === 0 ? [] : [`warnings ${value.warnings.map(each => each.code).join(" ")}`]),
  ];
  return `${fixture.name}: ${parts.join(", ")}`;
}

describe("payloads that real hosts sent", () => {
  it("are understood as the table says", async () => {
    const table = FIXTURES.map(row).join("\n");
    await expect(`${table}\n`).toMatchFileSnapshot("../golden/hosts/normalised-fixtures.txt");
  });

  it.each(FIXTURES.map(fixture => [fixture.name, fixture] as const))(
    "tell their host without being told: %s",
    (_, fixture) => {
      expect(understood(fixture, "alone")).toEqual(understood(fixture, "hinted"));
    },
  );

  it.each(FIXTURES.map(fixture => [fixture.name, fixture] as const))(
    "are well formed where they are understood: %s",
    (_, fixture) => {
      const result = understood(fixture, "hinted");
      if (result.ok) expect(checkInput(result.value)).toMatchObject({ ok: true, problems: [] });
      else expect(result.code).toBe("unmapped-event");
    },
  );
});
