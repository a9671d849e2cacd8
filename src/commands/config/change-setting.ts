import { CommandError, type Invocation, tellProblems } from "../../cli/index.ts";
import { MAX_CONFIG_BYTES, userConfigFile } from "../../config/index.ts";
import { applyEdit, type FileChange, settingsEdit } from "../../install/index.ts";
import { type Json, memberAt } from "../../protocol/index.ts";
import { requireDirectories } from "../../state/index.ts";
import type { System } from "../../system/index.ts";
import { effectiveConfig, type LayerName } from "./effective.ts";
import { findSetting, type Setting } from "./setting.ts";

interface ChangedSetting {
  readonly value: Json | undefined;
  /** what counts here afterwards, and the layer that made it so */
  readonly effective: Json;
  readonly layer: LayerName | undefined;
  /** the file that holds the user's configuration */
  readonly path: string;
  /** false where it was so before */
  readonly isChanged: boolean;
}

/**
 * Writes one setting into the user's configuration; `read` answers the value, or undefined to take it out. Tells what
 * else a person has to know: what does not count, and what else is to be done.
 */
export async function changeSetting(
  { system, terminal }: Pick<Invocation, "system" | "terminal">,
  key: string,
  read: (setting: Setting, customIds: readonly string[]) => Json | undefined,
): Promise<ChangedSetting> {
  const places = requireDirectories(system);
  const customIds = effectiveConfig(system).loaded.config.guard.custom.map(({ id }) => id);
  const setting = findSetting(key, customIds);
  const value = read(setting, customIds);
  const edit = settingsEdit(places, [{ path: setting.path, value }]);
  const path = userConfigFile(places.stateHome);
  const { isChanged } = await tellProblems("config", async () =>
    applyEdit(system, edit, { isBackedUp: false, onBefore: change => checkSize(system, change) }),
  );
  const { loaded, file, settings } = effectiveConfig(system);
  for (const notice of loaded.notices) terminal.warn(`Warning: ${notice.message}\n`);
  // The installed programs hold the policy too, for the case that the package itself is gone.
  if (isChanged && setting.path[0] === "failure")
    terminal.note("Note: amplihack install writes it into the installed hook programs as well\n");
  return {
    value,
    effective: memberAt(file, ...setting.path) ?? null,
    layer: settings.find(one => one.key === key)?.layer,
    path,
    isChanged,
  };
}

/** With a value that makes the file too large, none of its settings would count any more. */
function checkSize({ text }: System, { path, before = "", after = "" }: FileChange): void {
  const size = text.encode(after).length;
  if (size <= MAX_CONFIG_BYTES || after.length <= before.length) return;
  throw new CommandError(
    `${path} would have ${size} bytes; one of more than ${MAX_CONFIG_BYTES} does not count`,
    { kind: "too-large", fix: "set a shorter value" },
  );
}
