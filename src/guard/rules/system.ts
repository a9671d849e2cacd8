import { filledBy } from "../../programs/index.ts";
import { describe } from "../../shell/index.ts";
import type { RuleTable } from "../rule.ts";
import {
  type Check,
  type EffectOf,
  type RuleContext,
  type RuleFamily,
  targetsForWord,
  toActor,
} from "../rule-context.ts";

const RULES = {
  "disk.raw": {
    title: "writes to a disk directly",
    verdict: "deny",
    isOperation: true,
    isAllowable: false,
    when: "Writes to a block device, formats, wipes or repartitions a disk, destroys a pool or volume.",
    examples: {
      denies: { "dd if=x.img of=/dev/sda": "/dev/sda" },
      passes: ["dd if=/dev/sda of=x.img", "mkfs.ext4 --help", "wipefs -n -a /dev/sda"],
    },
    lost: "It would {what}, with everything on it: {target}.",
    person: "It cannot be undone.",
    model: "Do not write to disks; work with files.",
    safer: "lsblk",
  },
  "disk.full": {
    title: "fills the disk",
    verdict: "ask",
    when: "What never ends, or is larger than a disk, is written to a file.",
    examples: {
      asks: {
        "yes > x.txt": "x.txt",
        "dd if=/dev/zero of=x.img": "x.img",
        "fallocate -l 900G x.img": "x.img",
      },
      passes: ["yes | head -5 > x.txt", "dd if=/dev/zero of=x.img bs=1M count=16"],
    },
    lost: "It would write {target} until the disk is full.",
    person: "Programs fail where there is no room, and may lose what they have not written yet.",
    model: "Say how much is to be written: with a count, a size or a time limit.",
    safer: "df -h .",
  },
  "sys.power": {
    title: "switches the machine off",
    verdict: "ask",
    isOperation: true,
    when: "shutdown, reboot, halt, poweroff, init 0 or 6, stopping ssh or the network.",
    examples: { asks: { reboot: "reboot" }, passes: ["systemctl restart nginx", "shutdown --help"] },
    lost: "It would {what}, and this session with it: {target}.",
    person: "Running programs or connections to this machine would end.",
    model: "Go on without a restart, or say that one is needed.",
    safer: "uptime",
  },
  "sys.kill": {
    title: "ends every process",
    verdict: "ask",
    isOperation: true,
    when: "kill -1 denies; ending all processes of a user, of a list, or of a name that many have (node, python, bash) asks. A PID, a port or a command line passes.",
    examples: { denies: { "kill -9 -1": "-1" }, passes: ["kill -9 123", "kill -1 123", "pkill -f node"] },
    lost: "It would {what}, this session included: {target}.",
    person: "Unsaved work of other programs is lost.",
    model: "Find the one process and end it by its PID.",
    safer: "ps aux",
  },
  "sys.setuid": {
    title: "gives a program the rights of its owner",
    verdict: "ask",
    isOperation: true,
    when: "chmod u+s, a mode such as 4755, or capabilities that amount to root, on a program.",
    examples: {
      asks: { "chmod u+s ./helper": "./helper" },
      passes: [
        "chmod u+x ./helper",
        "chmod g+s docs",
        "chmod 2775 docs",
        "chmod u-s ./helper",
        "getcap ./helper",
      ],
    },
    lost: "It would {what}, so that whoever starts it has those rights: {target}.",
    person: "The right stays until it is taken away.",
    model: "Run the one command that needs it with the rights it needs.",
    safer: "ls -l {target}",
  },
  "sys.forkbomb": {
    title: "starts processes endlessly",
    verdict: "deny",
    isOperation: true,
    when: "A function that starts itself twice in a pipeline or in the background, or an endless loop that starts processes and waits for none.",
    lost: "It would start processes endlessly until the machine freezes: {target}.",
    person: "Only a restart of the machine would end it.",
    model: "Start a fixed number of processes and wait for them.",
    safer: "ulimit -u",
  },
  "sys.firewall": {
    title: "opens or closes the network",
    verdict: "ask",
    isOperation: true,
    when: "Flushing or changing the default of a firewall, taking network devices down.",
    examples: { asks: { "iptables -F": "iptables" }, passes: ["iptables -L", "ufw status"] },
    lost: "It would {what}: {target}.",
    person: "You may lose the connection to this machine, or open it to others.",
    model: "Show the rules as they are and say what has to change.",
    safer: "iptables -L -n",
  },
  "sys.cron": {
    title: "changes what runs by itself",
    verdict: "ask",
    isOperation: true,
    atLevel: { relaxed: "allow" },
    when: "A schedule is replaced or deleted (crontab -r, crontab FILE), or a service, timer, agent or task is set to start by itself; looking at them passes.",
    examples: {
      asks: { "crontab -r": "crontab", "systemctl --user enable x.service": "enable x.service" },
      passes: ["crontab -l", "systemctl --user status x.service"],
    },
    lost: "It would {what}, without a copy of how it was: {target}.",
    person: "It stays so after the session, and cannot be undone from here.",
    model: "Show what is set now and say what has to change.",
    safer: "crontab -l",
  },
  "sys.account": {
    title: "changes accounts",
    verdict: "ask",
    isOperation: true,
    when: "userdel, usermod, passwd of others, visudo and the like.",
    examples: { asks: { "userdel bob": "bob" }, passes: ["id bob"] },
    lost: "It would {what}: {target}.",
    person: "It changes who can log in to this machine.",
    model: "Accounts are for a person to change.",
    safer: "id",
  },
} satisfies RuleTable;

const BLOCK_DEVICE =
  /^\/dev\/(sd[a-z]|hd[a-z]|vd[a-z]|xvd[a-z]|nvme\d|mmcblk\d|r?disk\d|loop\d|md\d|dm-\d|mapper\/|sr\d|nbd\d|zvol\/|disk\/|mem$|kmem$|port$|core$)/;
const DEVICE_PATTERN = /^\/dev\/[a-z]*[*?[]/;

const system: Check = {
  inspect(effect, context) {
    if (effect.kind === "write") inspectDevice(effect, context);
    else if (effect.kind === "delete" && effect.isShredded === true) inspectDevice(effect, context);
  },
  inspectWhole(context) {
    for (const { name, isForkBomb } of context.facts.functions) {
      if (isForkBomb) context.report("sys.forkbomb", undefined, name.includes(" ") ? name : `${name}()`);
    }
    const { invocations, redirections } = context.facts;
    for (const invocation of invocations) {
      const filled = filledBy(invocation, invocations, redirections);
      if (filled !== undefined) context.report("disk.full", toActor(invocation), filled);
    }
  },
};

function inspectDevice(effect: EffectOf<"write"> | EffectOf<"delete">, context: RuleContext): void {
  for (const target of targetsForWord(context, effect.path, effect.by, true)) {
    const path = target.path ?? target.shown;
    const written = describe(effect.path);
    const isDevice =
      BLOCK_DEVICE.test(path) ||
      BLOCK_DEVICE.test(written) ||
      (target.path === undefined && DEVICE_PATTERN.test(path));
    if (isDevice) context.report("disk.raw", effect.by, path, { what: "overwrite a disk" });
  }
}

export const SYSTEM = { name: "system", rules: RULES, checks: [system] } satisfies RuleFamily;
