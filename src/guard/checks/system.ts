import { describe } from "../../shell/index.ts";
import type { EffectOf } from "../effects.ts";
import { type Check, type RuleContext, targetsOf } from "../rule-context.ts";

const BLOCK_DEVICE =
  /^\/dev\/(sd[a-z]|hd[a-z]|vd[a-z]|xvd[a-z]|nvme\d|mmcblk\d|r?disk\d|loop\d|md\d|dm-\d|mapper\/|sr\d|nbd\d|zvol\/|disk\/|mem$|kmem$|port$|core$)/;
const DEVICE_PATTERN = /^\/dev\/[a-z]*[*?[]/;

export const system: Check = {
  inspect(effect, context) {
    if (effect.kind === "write") inspectDevice(effect, context);
    else if (effect.kind === "delete" && effect.isShredded === true) inspectDevice(effect, context);
  },
  inspectWhole(context) {
    for (const { name, isForkBomb } of context.facts.functions) {
      if (isForkBomb) context.report("sys.forkbomb", undefined, name.includes(" ") ? name : `${name}()`);
    }
  },
};

function inspectDevice(effect: EffectOf<"write"> | EffectOf<"delete">, context: RuleContext): void {
  for (const target of targetsOf(context, effect.path, effect.by, true)) {
    const path = target.path ?? target.shown;
    const written = describe(effect.path);
    const isDevice =
      BLOCK_DEVICE.test(path) ||
      BLOCK_DEVICE.test(written) ||
      (target.path === undefined && DEVICE_PATTERN.test(path));
    if (isDevice) context.report("disk.raw", effect.by, path, { what: "overwrite a disk" });
  }
}
