import { readJsonc } from "../../config/index.ts";
import { HOSTS } from "../../hosts/index.ts";
import { isJsonObject, type Json, type JsonObject, ownValue } from "../../protocol/index.ts";
import { readText } from "../../state/index.ts";
import { dirname, isInside, join } from "../../system/paths.ts";
import type { System } from "../../system/system.ts";
import { fingerprints, trustStatus } from "../codex-trust.ts";
import { readFile } from "../file-edit.ts";
import type { Places } from "../places.ts";
import { codexConfigPath, codexHooksName } from "../register.ts";
import { findTarget, type Target } from "../targets.ts";
import { type Check, fail, pass, warn } from "./check.ts";

// Reasons why a host would not run hooks that are registered: switched off, overruled, not trusted, or a file that
// the host throws away as a whole.

const FILE_BYTES = 16 * 1024 * 1024;
const CLAUDE_MANAGED = [
  "/etc/claude-code/managed-settings.json",
  "/Library/Application Support/ClaudeCode/managed-settings.json",
];

type Look = (system: System, places: Places, target: Target) => readonly Check[];

export function checkSwitches(system: System, places: Places, target: Target): readonly Check[] {
  return LOOKS[target.owner]?.(system, places, target) ?? [];
}

const LOOKS: Partial<Record<Target["owner"], Look>> = {
  "claude-code": checkClaude,
  "copilot-cli": checkOwnSwitch,
  "qwen-code": checkOwnSwitch,
  codex: checkCodex,
  "gemini-cli": checkGemini,
  cursor: checkCursor,
};

function checkOwnSwitch(system: System, _: Places, target: Target): readonly Check[] {
  return switchedOff(system, target, target.path, "disableAllHooks");
}

function idOf({ host, scope }: Target): string {
  return `armed.${host}.${scope}`;
}

function switchedOff(system: System, target: Target, path: string, member: string): readonly Check[] {
  const file = readObject(system, path);
  if (file === undefined || ownValue(file, member) !== true) return [];
  return [
    fail(
      idOf(target),
      `${target.host}: no hook fires, ${path} has "${member}": true`,
      `remove it from ${path}`,
    ),
  ];
}

function checkClaude(system: System, places: Places, target: Target): readonly Check[] {
  const folders = [dirname(target.path), join(places.projectRoot, ".claude")];
  const files = new Set([
    ...folders.flatMap(folder => [join(folder, "settings.json"), join(folder, "settings.local.json")]),
    ...CLAUDE_MANAGED,
  ]);
  const managed = CLAUDE_MANAGED.filter(
    path => ownValue(readObject(system, path) ?? {}, "allowManagedHooksOnly") === true,
  );
  return [
    ...[...files].flatMap(path => switchedOff(system, target, path, "disableAllHooks")),
    ...managed.map(path =>
      fail(
        idOf(target),
        `${target.host}: only managed hooks run, says ${path}`,
        "ask who manages this machine",
      ),
    ),
  ];
}

/** Copilot's own files, whether or not hooks are registered: it reads none of its settings from a broken one. */
export function checkCopilotConfig(system: System, places: Places): readonly Check[] {
  const { path } = findTarget(system, places, "copilot-cli", "user");
  const folder = dirname(dirname(path));
  const files = ["config.json", "settings.json"]
    .map(name => ({ path: join(folder, name), text: readText(system, join(folder, name), FILE_BYTES) }))
    .filter(({ text }) => text !== undefined && text.trim() !== "");
  const broken = files.filter(({ text }) => !readJsonc(text ?? "").ok);
  if (files.length === 0) return [];
  return broken.length === 0
    ? [pass("copilot-config", `the files of Copilot CLI in ${folder} are valid`)]
    : broken.map(file => fail("copilot-config", `${file.path} is not valid JSON`, `repair ${file.path}`));
}

function checkCodex(system: System, places: Places, target: Target): readonly Check[] {
  const id = idOf(target);
  const hooks = readFile(system, target.path) ?? "";
  const checks: Check[] = [];
  const file = readJsonc(hooks);
  const unknown =
    file.ok && isJsonObject(file.value)
      ? Object.keys(file.value).filter(name => name !== "hooks" && name !== "description")
      : [];
  if (unknown.length > 0)
    checks.push(
      fail(id, `codex: ${target.path} is thrown away because of "${unknown[0]}"`, "remove that member"),
    );
  if (hooks.startsWith("\uFEFF"))
    checks.push(
      warn(id, `codex: ${target.path} begins with a byte order mark, which Codex may reject`, "remove it"),
    );
  const config = readFile(system, codexConfigPath(system, places));
  if (config !== undefined && /^\s*hooks\s*=\s*false/m.test(featuresIn(config)))
    checks.push(
      fail(id, "codex: hooks are switched off under [features] in config.toml", "remove that line"),
    );
  const states = fingerprints(codexHooksName(system, target), hooks)
    .filter(each => each.isOurs)
    .map(each => trustStatus(config, each));
  const fix = "type /hooks in Codex and trust them, or run: amplihack install --host codex --yes";
  const count = (wanted: string) => states.filter(state => state === wanted).length;
  const silent = count("untrusted") + count("modified");
  if (silent > 0)
    checks.push(fail(id, `codex: ${silent} of ${states.length} hooks are not trusted and never fire`, fix));
  if (count("disabled") > 0)
    checks.push(
      warn(id, `codex: ${count("disabled")} hooks are switched off in Codex`, "switch them on in /hooks"),
    );
  return checks;
}

function featuresIn(config: string): string {
  return /^\[features\][^\n]*\n((?:(?!\[)[^\n]*\n?)*)/m.exec(config)?.[1] ?? "";
}

function checkGemini(system: System, places: Places, target: Target): readonly Check[] {
  const settings = readObject(system, target.path) ?? {};
  const id = idOf(target);
  const checks: Check[] = [];
  const isOff =
    member(settings, "hooksConfig", "enabled") === false ||
    member(settings, "tools", "enableHooks") === false;
  if (isOff)
    checks.push(
      fail(id, `gemini-cli: hooks are switched off in ${target.path}`, "set hooksConfig.enabled to true"),
    );
  const disabled = member(settings, "hooksConfig", "disabled");
  if (
    Array.isArray(disabled) &&
    disabled.some(name => typeof name === "string" && name.includes("amplihack-hooks"))
  )
    checks.push(
      fail(id, "gemini-cli: hooks of amplihack are listed under hooksConfig.disabled", "take them out"),
    );
  if (target.scope === "project" && !isTrustedByGemini(system, places))
    checks.push(
      warn(
        id,
        "gemini-cli: project hooks fire only once this folder is trusted",
        "start gemini here and trust the folder",
      ),
    );
  return checks;
}

function isTrustedByGemini(system: System, { home, projectRoot }: Places): boolean {
  const user = readObject(system, join(home, ".gemini", "settings.json")) ?? {};
  const security = ownValue(user, "security");
  if (isJsonObject(security) && member(security, "folderTrust", "enabled") === false) return true;
  const trusted = readObject(system, join(home, ".gemini", "trustedFolders.json")) ?? {};
  return Object.entries(trusted).some(
    ([folder, how]) =>
      (how === "TRUST_FOLDER" && isInside(folder, projectRoot)) ||
      (how === "TRUST_PARENT" && isInside(dirname(folder), projectRoot)),
  );
}

/** One name that Cursor does not know, or no version, and it throws the whole file away. */
function checkCursor(system: System, _: Places, target: Target): readonly Check[] {
  const file = readObject(system, target.path) ?? {};
  const id = idOf(target);
  const events = ownValue(file, "hooks");
  const unknown = isJsonObject(events)
    ? Object.keys(events).filter(name => !Object.hasOwn(HOSTS.cursor.events, name))
    : [];
  return [
    ...(ownValue(file, "version") === 1
      ? []
      : [
          fail(
            id,
            `cursor: ${target.path} is thrown away, because it has no "version": 1`,
            "amplihack install --host cursor",
          ),
        ]),
    ...unknown.map(name =>
      fail(
        id,
        `cursor: ${target.path} is thrown away because of the unknown event "${name}"`,
        `rename or remove "${name}"`,
      ),
    ),
  ];
}

function readObject(system: System, path: string): JsonObject | undefined {
  const text = readText(system, path, FILE_BYTES);
  const read = text === undefined ? undefined : readJsonc(text);
  return read?.ok === true && isJsonObject(read.value) ? read.value : undefined;
}

function member(object: JsonObject, ...names: readonly string[]): Json | undefined {
  let value: Json | undefined = object;
  for (const name of names) value = isJsonObject(value) ? ownValue(value, name) : undefined;
  return value;
}
