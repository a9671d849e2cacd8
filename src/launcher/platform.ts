import { Problem } from "../state/index.ts";

/** Linux and macOS; Windows through its Linux subsystem. */
export function checkPlatform(platform: NodeJS.Platform): void {
  if (platform === "linux" || platform === "darwin") return;
  throw new Problem(`amplihack does not run on ${platform}`, {
    kind: "platform",
    fix: "use Linux or macOS; on Windows use WSL",
  });
}
