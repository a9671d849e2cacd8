import { spawnSync } from "node:child_process";
import { applyEdits, modify } from "jsonc-parser";
import { CommandError } from "../../cli/index.ts";
import { MAX_CONFIG_BYTES, openJson, SYSTEM_CONFIG_FILE } from "../../config/index.ts";
import { readText, removeIfThere } from "../../state/index.ts";
import { dirname, type System, writeAtomically } from "../../system/index.ts";
import { BROKER, POLKIT_ACTION, SERVICE_FILES, SERVICE_UNIT, SOCKET_UNIT } from "./broker.ts";

const CONTENTS: Readonly<
  Record<keyof typeof SERVICE_FILES, { readonly text: string; readonly mode: number }>
> = {
  program: { text: BROKER, mode: 0o755 },
  socketUnit: { text: SOCKET_UNIT, mode: 0o644 },
  serviceUnit: { text: SERVICE_UNIT, mode: 0o644 },
  action: { text: POLKIT_ACTION, mode: 0o644 },
};
const UNIT = "amplihack-consent.socket";

/** Writes the files of the service below `prefix`, and starts it where that is the machine itself. */
export function installService(
  system: System,
  prefix: string,
): { readonly written: readonly string[]; readonly started: string } {
  requireRoot();
  const files = Object.entries(SERVICE_FILES).map(([name, path]) => {
    const { text, mode } = CONTENTS[name as keyof typeof SERVICE_FILES];
    return { path: prefix + path, text, mode };
  });
  for (const { path, text, mode } of files) writeFile(system, path, text, mode);
  const config = prefix + SYSTEM_CONFIG_FILE;
  setConsent(system, config, "service");
  const written = [...files.map(({ path }) => path), config];
  if (prefix !== "") return { written, started: "Nothing was started." };
  const isStarted = ctl("daemon-reload") && ctl("enable", "--now", UNIT);
  return {
    written,
    started: isStarted
      ? "The service listens."
      : `It could not be started; run: systemctl daemon-reload && systemctl enable --now ${UNIT}`,
  };
}

/** Takes the files away; the setting first, so that a yes is heard somewhere at any time. */
export function uninstallService(system: System, prefix: string): readonly string[] {
  requireRoot();
  const config = prefix + SYSTEM_CONFIG_FILE;
  if (system.files.follow(config)?.kind === "file") setConsent(system, config, undefined);
  if (prefix === "") ctl("disable", "--now", UNIT);
  const paths = Object.values(SERVICE_FILES)
    .map(path => prefix + path)
    .filter(path => system.files.inspect(path) !== undefined);
  for (const path of paths) removeIfThere(system.files, path);
  if (prefix === "") ctl("daemon-reload");
  return paths;
}

function requireRoot(): void {
  if (process.getuid?.() !== 0)
    throw new CommandError("only root can install the service, because root must own its files", {
      kind: "not-permitted",
      fix: "sudo amplihack consent-service install",
    });
}

function writeFile(system: System, path: string, text: string, mode: number): void {
  system.files.makeDirectory(dirname(path), 0o755);
  writeAtomically(system, path, system.text.encode(text), { mode });
}

/** The rest of the file is kept byte for byte. */
function setConsent(system: System, path: string, value: "service" | undefined): void {
  const text = readText(system, path, MAX_CONFIG_BYTES) ?? "{}\n";
  const opened = openJson(text);
  if (!opened.ok)
    throw new CommandError(`${path}:${opened.line}:${opened.column}: ${opened.problem}`, { kind: "invalid" });
  const formattingOptions = { insertSpaces: true, tabSize: 2 };
  writeFile(system, path, applyEdits(text, modify(text, ["consent"], value, { formattingOptions })), 0o644);
}

function ctl(...words: readonly string[]): boolean {
  return spawnSync("/usr/bin/systemctl", [...words], { stdio: "ignore" }).status === 0;
}
