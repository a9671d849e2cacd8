import { describe, expect, it } from "vitest";
import { judge, readCorpus } from "./scene.ts";

const VERDICTS: Readonly<Record<string, string>> = { D: "deny", A: "ask", "-": "allow" };

describe("every form of every row of the tables", () => {
  const rows = readCorpus("verdicts.txt").map(line => ({
    command: line.slice(2),
    verdict: VERDICTS[line.charAt(0)],
  }));

  it("has one of the three verdicts", () => {
    expect(rows.filter(row => row.verdict === undefined)).toEqual([]);
    expect(rows.length).toBeGreaterThan(2400);
  });

  it("gets exactly the verdict of its row", () => {
    const judged = rows.map(({ command }) => ({ command, verdict: judge(command).verdict }));
    expect(judged.filter((row, index) => row.verdict !== rows[index]?.verdict)).toEqual([]);
  });
});
