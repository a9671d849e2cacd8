import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { HostId } from "../../src/exports/hosts.ts";

/** A payload as a real host sent it, and what stood around it. */
export interface Fixture {
  readonly name: string;
  readonly host: HostId;
  readonly text: string;
  /** the event it was recorded for */
  readonly event: string;
  readonly env: Readonly<Record<string, string>>;
}

const ROOT = fileURLToPath(new URL("../fixtures/hosts", import.meta.url));
const HOST_OF_FOLDER: Readonly<Record<string, HostId>> = {
  claude: "claude-code",
  codex: "codex",
  copilot: "copilot-cli",
  "copilot-claude-names": "copilot-cli",
  gemini: "gemini-cli",
  opencode: "opencode",
  pi: "pi",
};

interface Index {
  readonly environment: Readonly<Record<string, string>>;
  readonly fixtures: readonly {
    readonly file: string;
    readonly event: string;
    readonly env?: Readonly<Record<string, string>>;
  }[];
}

export const FIXTURES: readonly Fixture[] = Object.entries(HOST_OF_FOLDER).flatMap(([folder, host]) => {
  const index = JSON.parse(readFileSync(join(ROOT, folder, "index.json"), "utf8")) as Index;
  const listed = new Map(index.fixtures.map(entry => [entry.file, entry]));
  return readdirSync(join(ROOT, folder))
    .filter(file => file !== "index.json")
    .map(file => {
      const entry = listed.get(file);
      if (entry === undefined) throw new Error(`${folder}/${file} is not in its index`);
      return {
        name: `${folder}/${file.replace(/\.json$/, "")}`,
        host,
        text: readFileSync(join(ROOT, folder, file), "utf8"),
        event: entry.event.replace(/^event:/, ""),
        env: { ...index.environment, ...entry.env },
      };
    });
});
