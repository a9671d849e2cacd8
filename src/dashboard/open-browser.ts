import { spawn } from "node:child_process";

const OPENERS: Partial<Readonly<Record<NodeJS.Platform, readonly [string, ...string[]]>>> = {
  darwin: ["open"],
  linux: ["xdg-open"],
  win32: ["rundll32", "url.dll,FileProtocolHandler"],
};

/** False when the system has no program for it. A browser that starts with it goes on without us. */
export async function openBrowser(url: string): Promise<boolean> {
  const [program, ...words] = OPENERS[process.platform] ?? [];
  if (program === undefined) return false;
  const child = spawn(program, [...words, url], { detached: true, stdio: "ignore" });
  child.unref();
  return new Promise(resolve => {
    child.once("spawn", () => resolve(true));
    child.once("error", () => resolve(false));
  });
}
