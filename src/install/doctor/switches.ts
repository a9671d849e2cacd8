import { readJsonc } from "../../config/index.ts";
import { HOSTS, type HostId } from "../../hosts/index.ts";
import { isJsonObject, type JsonObject, memberAt, objectAt, stringsAt } from "../../protocol/index.ts";
import { readText, type UserDirectories } from "../../state/index.ts";
import { dirname, isInside, join, type System } from "../../system/index.ts";
import { readFile } from "../file-edit.ts";
import { findTarget, type RegistrationTarget } from "../targets.ts";
import { trustFile, trustOf } from "../trust.ts";
import { type DoctorCheck, fail, pass, warn } from "./check.ts";

// Reasons why a host would not run hooks that are registered: switched off, overruled, not trusted, or a file that
// the host throws away as a whole. Code by host, because the hook program does not need it.

const FILE_BYTES = 16 * 1024 * 1024;
const CLAUDE_MANAGED = "managed-settings.json";

type SwitchCheck = (
  system: System,
  places: UserDirectories,
  target: RegistrationTarget,
) => readonly DoctorCheck[];

const SWITCH_CHECKS: Partial<Record<HostId, SwitchCheck>> = {
  "claude-code": checkClaude,
  "copilot-cli": checkOwnSwitch,
  "qwen-code": checkOwnSwitch,
  codex: checkCodex,
  "gemini-cli": checkGemini,
  cursor: checkCursor,
};

/** Those of them that switch all hooks off, whatever is registered and trusted. */
const OFF_CHECKS: Partial<Record<HostId, SwitchCheck>> = {
  "claude-code": checkClaude,
  "copilot-cli": checkOwnSwitch,
  "qwen-code": checkOwnSwitch,
  codex: checkCodexSwitch,
  "gemini-cli": checkGeminiSwitch,
};

/** Why no hook of this file runs although it is registered: somebody switched them off. */
export function findSwitchedOff(
  system: System,
  places: UserDirectories,
  target: RegistrationTarget,
): DoctorCheck | undefined {
  return OFF_CHECKS[target.owner]?.(system, places, target)[0];
}

export function checkSwitches(
  system: System,
  places: UserDirectories,
  target: RegistrationTarget,
): readonly DoctorCheck[] {
  return SWITCH_CHECKS[target.owner]?.(system, places, target) ?? [];
}

/** Files of a host that matter whether or not hooks are registered. */
export function checkOwnFiles(system: System, places: UserDirectories, host: HostId): readonly DoctorCheck[] {
  return host === "copilot-cli" ? checkCopilotFiles(system, places, host) : [];
}

function checkOwnSwitch(
  system: System,
  _: UserDirectories,
  target: RegistrationTarget,
): readonly DoctorCheck[] {
  return switchedOff(system, target, target.path);
}

function idOf({ host, scope }: RegistrationTarget): string {
  return `armed.${host}.${scope}`;
}

function switchedOff(system: System, target: RegistrationTarget, path: string): readonly DoctorCheck[] {
  if (memberAt(readSettings(system, path), "disableAllHooks") !== true) return [];
  const message = `${target.host}: no hook fires, ${path} has "disableAllHooks": true`;
  return [fail(idOf(target), message, `remove it from ${path}`)];
}

function checkClaude(
  system: System,
  places: UserDirectories,
  target: RegistrationTarget,
): readonly DoctorCheck[] {
  const folders = [dirname(target.path), join(places.projectRoot, ".claude")];
  const managed = (HOSTS[target.owner].protects?.managed ?? []).map(folder => join(folder, CLAUDE_MANAGED));
  const files = new Set([
    ...folders.flatMap(folder => [join(folder, "settings.json"), join(folder, "settings.local.json")]),
    ...managed,
  ]);
  return [
    ...[...files].flatMap(path => switchedOff(system, target, path)),
    ...managed
      .filter(path => memberAt(readSettings(system, path), "allowManagedHooksOnly") === true)
      .map(path => {
        const message = `${target.host}: only managed hooks run, says ${path}`;
        return fail(idOf(target), message, "ask who manages this machine");
      }),
  ];
}

/** Copilot reads none of its settings from a broken file. */
function checkCopilotFiles(system: System, places: UserDirectories, host: HostId): readonly DoctorCheck[] {
  const folder = dirname(dirname(findTarget(system, places, host, "user").path));
  const files = ["config.json", "settings.json"]
    .map(name => ({ path: join(folder, name), text: readText(system, join(folder, name), FILE_BYTES) ?? "" }))
    .filter(({ text }) => text.trim() !== "");
  const broken = files.filter(({ text }) => !readJsonc(text).ok);
  if (files.length === 0) return [];
  return broken.length === 0
    ? [pass("copilot-config", `the files of Copilot CLI in ${folder} are valid`)]
    : broken.map(file => fail("copilot-config", `${file.path} is not valid JSON`, `repair ${file.path}`));
}

function checkCodex(
  system: System,
  places: UserDirectories,
  target: RegistrationTarget,
): readonly DoctorCheck[] {
  const id = idOf(target);
  const { host, path } = target;
  const hooks = readFile(system, path) ?? "";
  const checks: DoctorCheck[] = [];
  const [unknown] = Object.keys(readSettings(system, path)).filter(
    name => name !== "hooks" && name !== "description",
  );
  if (unknown !== undefined)
    checks.push(fail(id, `${host}: ${path} is thrown away because of "${unknown}"`, "remove that member"));
  if (hooks.startsWith("\uFEFF"))
    checks.push(
      warn(id, `${host}: ${path} begins with a byte order mark, which Codex may reject`, "remove it"),
    );
  checks.push(...checkCodexSwitch(system, places, target));
  const states = trustOf(system, places, target, hooks);
  const silent = states.filter(state => state === "untrusted" || state === "modified").length;
  const disabled = states.filter(state => state === "disabled").length;
  if (silent > 0)
    checks.push(
      fail(
        id,
        `${host}: ${silent} of ${states.length} hooks are not trusted and never fire`,
        `type /hooks in Codex and trust them, or run: amplihack install --host ${host} --yes`,
      ),
    );
  if (disabled > 0)
    checks.push(warn(id, `${host}: ${disabled} hooks are switched off in Codex`, "switch them on in /hooks"));
  return checks;
}

function checkCodexSwitch(
  system: System,
  places: UserDirectories,
  target: RegistrationTarget,
): readonly DoctorCheck[] {
  const config = readFile(system, trustFile(system, places, target)) ?? "";
  const features = /^\[features\][^\n]*\n((?:(?!\[)[^\n]*\n?)*)/m.exec(config)?.[1] ?? "";
  if (!/^\s*hooks\s*=\s*false/m.test(features)) return [];
  const message = `${target.host}: hooks are switched off under [features] in config.toml`;
  return [fail(idOf(target), message, "remove that line")];
}

function checkGeminiSwitch(
  system: System,
  _: UserDirectories,
  target: RegistrationTarget,
): readonly DoctorCheck[] {
  const settings = readSettings(system, target.path);
  const isOff =
    memberAt(settings, "hooksConfig", "enabled") === false ||
    memberAt(settings, "tools", "enableHooks") === false;
  if (!isOff) return [];
  const message = `${target.host}: hooks are switched off in ${target.path}`;
  return [fail(idOf(target), message, "set hooksConfig.enabled to true")];
}

function checkGemini(
  system: System,
  places: UserDirectories,
  target: RegistrationTarget,
): readonly DoctorCheck[] {
  const { host, path, scope } = target;
  const settings = readSettings(system, path);
  const id = idOf(target);
  const checks = [...checkGeminiSwitch(system, places, target)];
  const disabled = stringsAt(objectAt(settings, "hooksConfig"), "disabled");
  if (disabled.some(name => name.includes("amplihack-hooks")))
    checks.push(
      fail(id, `${host}: hooks of amplihack are listed under hooksConfig.disabled`, "take them out"),
    );
  if (scope === "project" && !isTrustedByGemini(system, places))
    checks.push(
      warn(
        id,
        `${host}: project hooks fire only once this folder is trusted`,
        "start gemini here and trust the folder",
      ),
    );
  return checks;
}

function isTrustedByGemini(system: System, { home, projectRoot }: UserDirectories): boolean {
  const user = readSettings(system, join(home, ".gemini", "settings.json"));
  if (memberAt(user, "security", "folderTrust", "enabled") === false) return true;
  const trusted = readSettings(system, join(home, ".gemini", "trustedFolders.json"));
  return Object.entries(trusted).some(
    ([folder, how]) =>
      (how === "TRUST_FOLDER" && isInside(folder, projectRoot)) ||
      (how === "TRUST_PARENT" && isInside(dirname(folder), projectRoot)),
  );
}

/** One name that Cursor does not know, or no version, and it throws the whole file away. */
function checkCursor(system: System, _: UserDirectories, target: RegistrationTarget): readonly DoctorCheck[] {
  const { host, owner, path } = target;
  const file = readSettings(system, path);
  const id = idOf(target);
  const unknown = Object.keys(objectAt(file, "hooks")).filter(
    name => !Object.hasOwn(HOSTS[owner].events, name),
  );
  const noVersion = fail(
    id,
    `${host}: ${path} is thrown away, because it has no "version": 1`,
    `amplihack install --host ${host}`,
  );
  return [
    ...(memberAt(file, "version") === 1 ? [] : [noVersion]),
    ...unknown.map(name =>
      fail(
        id,
        `${host}: ${path} is thrown away because of the unknown event "${name}"`,
        `rename or remove "${name}"`,
      ),
    ),
  ];
}

function readSettings(system: System, path: string): JsonObject {
  const read = readJsonc(readText(system, path, FILE_BYTES) ?? "");
  return read.ok && isJsonObject(read.value) ? read.value : {};
}
