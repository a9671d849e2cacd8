import { parseOptions } from "../shell/options.ts";
import { baseName, joinPath } from "../shell/paths.ts";
import { describe, knownText, type Value } from "../shell/value.ts";
import { isInside } from "../system/paths.ts";
import type { CommandEffect, Doer } from "./effects.ts";
import type { Target } from "./paths/target.ts";
import type { Scene } from "./scene.ts";
import { words } from "./words.ts";

/** The target was not there before and an earlier part of the same command makes it: nothing of worth is lost. */
export function isMadeHere(scene: Scene, target: Target, by: Doer): boolean {
  const { path } = target;
  const before = by.invocation?.id;
  if (path === undefined || before === undefined || scene.around.disk.kind(path) !== undefined) return false;
  return scene.effects.some(effect => {
    const made =
      effect.by.invocation !== undefined && effect.by.invocation.id < before ? madeBy(effect) : undefined;
    return made !== undefined && isInside(made, path) && scene.around.disk.kind(made) === undefined;
  });
}

function madeBy(effect: CommandEffect): string | undefined {
  if (effect.kind !== "git" || effect.run.subcommand !== "clone") return undefined;
  const options = parseOptions(effect.run.argv, {
    values: words(
      "b branch depth o origin c config j jobs reference filter template shallow-since separate-git-dir u upload-pack",
    ),
    flags: words("bare mirror q quiet v recursive single-branch no-checkout n s shared l local"),
  });
  const [address, directory] = options.operands.map(operand => operand.value);
  const name: Value | undefined = directory ?? nameOf(address);
  return name === undefined ? undefined : knownText(joinPath(effect.run.directory, name));
}

/** `https://host/acme/app.git` becomes `app`. */
function nameOf(address: Value | undefined): Value | undefined {
  if (address === undefined) return undefined;
  const name = baseName(describe(address))
    .replace(/\.git$/, "")
    .replace(/^.*:/, "");
  return name === "" ? undefined : { pieces: [{ kind: "text", text: name }], origins: [] };
}
