import { describe } from "../../shell/value.ts";
import type { EffectOf } from "../effects.ts";
import type { Rule } from "../rule.ts";
import { type Pack, type RuleContext, targetsOf } from "../rule-context.ts";
import { reportOperation } from "./operations.ts";

const RULES: readonly Rule[] = [
  {
    id: "disk.raw",
    title: "writes to a disk directly",
    verdict: "deny",
    isAllowable: false,
    when: "Writes to a block device, formats, wipes or repartitions a disk, destroys a pool or volume.",
    lost: "It would {what}, with everything on it: {target}.",
    safer: "lsblk",
  },
  {
    id: "sys.power",
    title: "switches the machine off",
    verdict: "ask",
    when: "shutdown, reboot, halt, poweroff, init 0 or 6, stopping ssh or the network.",
    lost: "It would {what}, and this session with it: {target}.",
    safer: "uptime",
  },
  {
    id: "sys.kill",
    title: "ends every process",
    verdict: "ask",
    when: "kill -1 denies; ending all processes of a user asks. A PID, a port or a name is free.",
    lost: "It would {what}, this session included: {target}.",
    safer: "ps aux",
  },
  {
    id: "sys.forkbomb",
    title: "breeds processes without end",
    verdict: "deny",
    when: "A function that starts itself twice in a pipeline or in the background.",
    lost: "It would start processes without end until the machine stands still: {target}.",
    safer: "ulimit -u",
  },
  {
    id: "sys.firewall",
    title: "opens or closes the network",
    verdict: "ask",
    when: "Flushing or changing the default of a firewall, taking network devices down.",
    lost: "It would {what}: {target}.",
    safer: "iptables -L -n",
  },
  {
    id: "sys.cron",
    title: "replaces the schedule",
    verdict: "ask",
    atLevel: { relaxed: "allow" },
    when: "crontab -r, crontab - or crontab FILE; crontab -l is free.",
    lost: "It would {what}; the old table is gone without a copy: {target}.",
    safer: "crontab -l",
  },
  {
    id: "sys.account",
    title: "changes accounts",
    verdict: "ask",
    when: "userdel, usermod, passwd of others, visudo and the like.",
    lost: "It would {what}: {target}.",
    safer: "id",
  },
];

const BLOCK_DEVICE =
  /^\/dev\/(sd[a-z]|hd[a-z]|vd[a-z]|xvd[a-z]|nvme\d|mmcblk\d|r?disk\d|loop\d|md\d|dm-\d|mapper\/|sr\d|nbd\d|zvol\/|disk\/|mem$|kmem$|port$|core$)/;
const DEVICE_PATTERN = /^\/dev\/[a-z]*[*?[]/;

export const system: Pack = {
  name: "system",
  rules: RULES,
  inspect(effect, context) {
    if (effect.kind === "operation") {
      if (/^(sys|disk)\./.test(effect.rule)) reportOperation(effect, context, false);
    } else if (effect.kind === "write") inspectDevice(effect, context);
    else if (effect.kind === "delete" && effect.isShredded === true) inspectDevice(effect, context);
  },
  inspectWhole(context) {
    for (const { name, breeds } of context.facts.functions) {
      if (breeds) context.report("sys.forkbomb", { target: `${name}()` }, undefined);
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
    if (isDevice) context.report("disk.raw", { target: path, what: "overwrite a disk" }, effect.by);
  }
}
