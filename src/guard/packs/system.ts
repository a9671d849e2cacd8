import type { RuleTable } from "../rule.ts";

export const SYSTEM = {
  "disk.raw": {
    title: "writes to a disk directly",
    verdict: "deny",
    isAllowable: false,
    when: "Writes to a block device, formats, wipes or repartitions a disk, destroys a pool or volume.",
    lost: "It would {what}, with everything on it: {target}.",
    safer: "lsblk",
  },
  "sys.power": {
    title: "switches the machine off",
    verdict: "ask",
    when: "shutdown, reboot, halt, poweroff, init 0 or 6, stopping ssh or the network.",
    lost: "It would {what}, and this session with it: {target}.",
    safer: "uptime",
  },
  "sys.kill": {
    title: "ends every process",
    verdict: "ask",
    when: "kill -1 denies; ending all processes of a user, of a list, or of a name that many have (node, python, bash) asks. A PID, a port or a command line is free.",
    lost: "It would {what}, this session included: {target}.",
    safer: "ps aux",
  },
  "sys.setuid": {
    title: "gives a program the rights of its owner",
    verdict: "ask",
    when: "chmod u+s, a mode such as 4755, or capabilities that amount to root, on a program.",
    lost: "It would {what}, so that whoever starts it has those rights: {target}.",
    safer: "ls -l {target}",
  },
  "sys.forkbomb": {
    title: "starts processes without end",
    verdict: "deny",
    when: "A function that starts itself twice in a pipeline or in the background, or a loop without end that starts processes and waits for none, in a shell or in code.",
    lost: "It would start processes without end until the machine stands still: {target}.",
    safer: "ulimit -u",
  },
  "sys.firewall": {
    title: "opens or closes the network",
    verdict: "ask",
    when: "Flushing or changing the default of a firewall, taking network devices down.",
    lost: "It would {what}: {target}.",
    safer: "iptables -L -n",
  },
  "sys.cron": {
    title: "replaces the schedule",
    verdict: "ask",
    atLevel: { relaxed: "allow" },
    when: "crontab -r, crontab - or crontab FILE; crontab -l is free.",
    lost: "It would {what}; the old table is gone without a copy: {target}.",
    safer: "crontab -l",
  },
  "sys.account": {
    title: "changes accounts",
    verdict: "ask",
    when: "userdel, usermod, passwd of others, visudo and the like.",
    lost: "It would {what}: {target}.",
    safer: "id",
  },
} satisfies RuleTable;
