import { spawn } from "node:child_process";
import { findProgram } from "../state/index.ts";
import type { System } from "../system/index.ts";

const OPENERS: Partial<Readonly<Record<NodeJS.Platform, readonly [string, ...string[]]>>> = {
  darwin: ["open"],
  linux: ["xdg-open"],
  win32: ["rundll32", "url.dll,FileProtocolHandler"],
};

/** False when the system has no program for it. A browser that starts with it goes on without us. */
export async function openBrowser(system: System, url: string): Promise<boolean> {
  const [name, ...words] = OPENERS[process.platform] ?? [];
  const program = name === undefined ? undefined : findProgram(system, name);
  if (program === undefined) return false;
  const child = spawn(program, [...words, url], { detached: true, stdio: "ignore" });
  child.unref();
  return new Promise(resolve => {
    child.once("spawn", () => resolve(true));
    child.once("error", () => resolve(false));
  });
}
