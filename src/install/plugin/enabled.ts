import {
  insertFirst,
  insertMember,
  memberOf,
  openJson,
  propertiesOf,
  removeChild,
  replaceNode,
} from "../../config/index.ts";
import { FileLock, readText } from "../../state/index.ts";
import { join, type System, writeAtomically } from "../../system/index.ts";
import { pluginProblem } from "../problem.ts";

const LIMIT = 4 * 1024 * 1024;
const MEMBER = "enabledPlugins";

function settingsPath(home: string): string {
  return join(home, ".claude", "settings.json");
}

/** Whether Claude Code's settings switch the plugin on, under its bare name or that of a marketplace. */
export function isEnabled(system: Pick<System, "files" | "text">, home: string, name: string): boolean {
  return findEntry(readText(system, settingsPath(home), LIMIT) ?? "{}", settingsPath(home), name).isOn;
}

/** Switches the plugin on or off; every other byte of the settings stays. False when nothing had to change. */
export function setEnabled(system: System, home: string, name: string, isOn: boolean): boolean {
  const path = settingsPath(home);
  return new FileLock(`${path}.amplihack.lock`, { system, directoryMode: 0o755 }).run(() => {
    const before = readText(system, path, LIMIT);
    if (before === undefined && !isOn) return false;
    const text = before === undefined || before.trim() === "" ? "{}\n" : before;
    const { isOn: wasOn, edit } = findEntry(text, path, name);
    if (wasOn === isOn) return false;
    writeAtomically(system, path, system.text.encode(edit(isOn)), { directoryMode: 0o755 });
    return true;
  });
}

interface Entry {
  readonly isOn: boolean;
  edit(isOn: boolean): string;
}

function findEntry(text: string, path: string, name: string): Entry {
  const opened = openJson(text.trim() === "" ? "{}" : text);
  if (!opened.ok) {
    throw pluginProblem(
      `cannot use the settings in ${path}: line ${opened.line}, column ${opened.column}: ${opened.problem}`,
      "repair the file; it was not touched",
    );
  }
  const { root } = opened;
  if (root.type !== "object") throw pluginProblem(`${path} does not hold an object`);
  const list = memberOf(root, MEMBER);
  const isNamed = (key: unknown): boolean => key === name || String(key).startsWith(`${name}@`);
  if (list === undefined) {
    return { isOn: false, edit: isOn => (isOn ? insertMember(text, root, MEMBER, { [name]: true }) : text) };
  }
  if (list.type === "array") {
    const index = (list.children ?? []).findIndex(child => isNamed(child.value));
    return {
      isOn: index >= 0,
      edit: isOn => (isOn ? insertFirst(text, list, name) : removeChild(text, list, index)),
    };
  }
  if (list.type !== "object") throw pluginProblem(`"${MEMBER}" in ${path} is neither an object nor a list`);
  const members = propertiesOf(list);
  const index = members.findIndex(([key]) => isNamed(key));
  const value = members[index]?.[1];
  return {
    isOn: value !== undefined && value.value !== false,
    edit: isOn => {
      if (!isOn) return removeChild(text, list, index);
      return value === undefined ? insertMember(text, list, name, true) : replaceNode(text, value, "true");
    },
  };
}
