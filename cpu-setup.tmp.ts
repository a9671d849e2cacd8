import { appendFileSync, readFileSync } from "node:fs";
import { afterAll, beforeAll, expect } from "vitest";
const ticks = () => { const f = readFileSync("/proc/self/stat", "utf8"); const p = f.slice(f.lastIndexOf(")") + 2).split(" ").map(Number); return { own: ((p[11] ?? 0) + (p[12] ?? 0)) / 100, kids: ((p[13] ?? 0) + (p[14] ?? 0)) / 100 }; };
const start = ticks();
afterAll(() => { const end = ticks(); appendFileSync(process.env["CPU_LOG"] ?? "/tmp/t15/cpu.log", `${(end.own - start.own).toFixed(2)} ${(end.kids - start.kids).toFixed(2)} ${expect.getState().testPath?.replace(/.*\/tests\//, "")}\n`); });
