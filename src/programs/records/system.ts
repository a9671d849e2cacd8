import {
  describe,
  type Invocation,
  isKnown,
  type OperationEffect,
  type Origin,
  type ProgramEffect,
  type Value,
  words,
} from "../../shell/index.ts";
import { commands, type Field, type ParsedCall, program } from "../model/program.ts";

const FIREWALL_OPTIONS = {
  values: "-tAIDjpsdiom table append insert delete jump protocol dport sport P|policy",
  flags: "-XLnS F|flush list delete-chain=X",
  abbreviates: false,
} as const;

/** Disks, power, accounts, services, processes and schedules of the machine itself. */
export const system: Field = {
  tellsChanges: true,
  // biome-ignore lint/complexity/noExcessiveLinesPerFunction: a table, a record a program
  programs: () => [
    program("shutdown", "dangerous", {
      options: { abbreviates: false },
      operations: ["sys.power - | switch the machine off | unless c k show"],
    }),
    program("mkfs", "dangerous changesMore guessed", {
      operations: ["disk.raw - | format a disk | unless n V | free on *.img|*.image|*.raw|/tmp/*"],
    }),
    program("reboot halt poweroff blkdiscard fdisk userdel passwd", "dangerous changesMore", {
      operations: [
        "blkdiscard: disk.raw - | erase a disk | needs f force security-erase security-erase-enhanced trim-sector-ranges format",
        "blkdiscard: disk.raw * | erase a disk",
        "fdisk: disk.raw * | rewrite the partition table | unless l list x",
        "reboot halt poweroff: sys.power - | switch the machine off | unless w wtmp-only",
        "userdel: sys.account - | delete an account",
        "passwd: sys.account - | change a password | unless S status",
      ],
    }),
    program("crontab", "dangerous changesMore", {
      options: { flags: "-lrei", values: "-u", abbreviates: false },
      shellVariables: "EDITOR VISUAL",
      effects: effectsOfCrontab,
      operations: [
        "sys.cron - | replace or delete the schedule | needs r | safer crontab -l",
        "sys.cron * | replace the schedule | unless l e | safer crontab -l",
      ],
    }),
    program("iptables", "dangerous", {
      options: FIREWALL_OPTIONS,
      operations: [
        "sys.firewall - | open the firewall | needs F flush X delete-chain",
        "sys.firewall DROP|REJECT | cut the machine off | needs P=* policy=*",
        "sys.firewall - | change what the firewall does by default | needs P policy",
      ],
    }),
    program("ip6tables", "", {
      options: FIREWALL_OPTIONS,
      operations: [
        "sys.firewall - | open the firewall | needs F flush X delete-chain",
        "sys.firewall DROP|REJECT | cut the machine off | needs P=* policy=*",
        "sys.firewall - | change what the firewall does by default | needs P policy",
      ],
    }),
    program("kill", "dangerous readsNothing", {
      effects: effectsOfKill,
      operations: ["sys.kill 1 | end the first process, and with it the system"],
    }),
    program("taskkill tskill", "dangerous", { effects: effectsOfTaskKill }),
    program("pkill", "dangerous", {
      options: { flags: "-fxnoiv signal", values: "-uUgPtsFG euid uid", abbreviates: false },
      effects: effectsOfKillByName,
      operations: [
        "sys.kill .|.*| | end every process",
        "sys.kill - | end every process of a user | needs u U user euid uid | unless 0 | free on ?*",
      ],
    }),
    program("dscl", "changesMore", {
      options: { abbreviates: false, isSingleDash: true },
      operations: [
        "sys.account - | change an account | needs delete passwd create change append merge",
        "sys.account …delete|passwd|create|change|append|merge | change an account",
      ],
    }),
    program("skill", "", {
      options: { values: "-uctp", abbreviates: false },
      operations: [
        "sys.kill - | end every process of a user | needs u U user euid uid | unless 0 | free on ?*",
      ],
    }),
    program("killall", "dangerous", {
      options: { flags: "-eIiqrvw", values: "-usoyn user signal", abbreviates: false },
      effects: effectsOfKillByName,
      operations: [
        "sys.kill .|.*| | end every process",
        "sys.kill - | end every process of a user | needs u U user euid uid | unless 0 | free on ?*",
      ],
    }),
    program("systemctl", "dangerous", {
      shows: "status list-units list-unit-files is-active is-enabled show cat",
      options: {
        flags: "-fq user now force",
        values: "-tpHM type property host machine",
        abbreviates: false,
      },
      shellVariables: "PAGER EDITOR VISUAL",
      operations: [
        "sys.power poweroff|reboot|halt|kexec|suspend|hibernate|rescue|emergency|soft-reboot | switch the machine off",
        "sys.power stop|disable|mask|kill ssh|sshd|ssh.service|sshd.service|network|networking|NetworkManager|NetworkManager.service|systemd-networkd|systemd-resolved|firewalld | cut the machine off",
        "sys.power stop|disable|mask|kill * * * | stop many services of the machine | unless user",
        "sys.power isolate|start poweroff.target|reboot.target|halt.target|rescue.target|emergency.target|shutdown.target|runlevel0.target|runlevel6.target | switch the machine off",
        "sys.firewall stop|disable|mask ufw|ufw.service|nftables|nftables.service|iptables|iptables.service|fail2ban|fail2ban.service|apparmor|apparmor.service | open the firewall",
      ],
    }),
    program("journalctl", "", { shellVariables: "PAGER" }),
    program("sudoedit visudo", "changesMore", {
      shellVariables: "EDITOR VISUAL",
      operations: ["visudo: sys.account - | change an account | unless c check l list"],
    }),
    program("wipefs", "dangerous", {
      options: { flags: "-fbqpi a|all n|no-act force backup quiet help|h", values: "-ot offset types" },
      operations: ["disk.raw - | erase a disk's signatures | needs a all o offset | unless n no-act"],
    }),
    program("sgdisk", "", {
      options: {
        flags: "-oZzPpLvgGeEms pretend=P zap-all zap clear print help",
        values: "-ncdtuARabDfikrlBhjNST",
      },
      operations: [
        "disk.raw - | rewrite the partition table | needs z Z zap zap-all o clear n d G g | unless P",
      ],
    }),
    program("sfdisk", "", {
      options: {
        flags: "-dJlsFVfqAr n|no-act delete list dump json force quiet help|h wipe",
        values: "-NoOXYwW",
      },
      operations: [
        "disk.raw - | rewrite the partition table | needs z Z zap zap-all o clear new delete delete-all wipe | unless n",
        "disk.raw * | rewrite the partition table | unless n l list d dump J json s F V v",
      ],
    }),
    program("lvremove vgremove pvremove lvreduce", "", {
      options: { flags: "-fyqvdn t|test force yes help|h", values: "-AS" },
      operations: ["disk.raw - | remove a volume | unless t test"],
    }),
    program("zfs", "", {
      options: { flags: "-rRfndvp", values: "-oStD" },
      operations: ["disk.raw destroy|rollback | destroy a file system | unless n"],
    }),
    program("parted", "dangerous", {
      options: { flags: "-slm script list", values: "-a align", abbreviates: false },
      operations: [
        "disk.raw * mklabel|mkpart|rm|mktable|resizepart | rewrite the partition table",
        "disk.raw * --script|-s mklabel|mkpart|rm|mktable | rewrite the partition table",
      ],
    }),
    program("mdadm", "", {
      options: { flags: "-SC zero-superblock stop detail examine scan assemble create" },
      operations: ["disk.raw - | erase an array | needs zero-superblock stop S create C"],
    }),
    program("ifconfig", "", { shows: "*", operations: ["sys.firewall * down | cut the machine off"] }),
    commands([
      "remove-localuser remove-localgroup new-localuser add-localgroupmember: sys.account - | change an account",
      "clear-disk initialize-disk remove-partition reset-physicaldisk remove-volume set-disk: disk.raw - | erase a disk | unless WhatIf whatif",
      "stop-computer restart-computer: sys.power - | switch the machine off | unless WhatIf whatif",
      "set-netfirewallprofile: sys.firewall - | open the firewall | needs enabled=false Enabled=False Enabled=*alse enabled=*alse",
      "stop-process spps: sys.kill - | end every process of a name | needs name processname | unless id whatif",
      "mkfs.ext2 mkfs.ext3 mkfs.ext4 mkfs.xfs mkfs.btrfs mkfs.vfat mkfs.fat mkfs.ntfs mkfs.f2fs mkfs.exfat mke2fs mkntfs mkdosfs newfs mkswap newfs_apfs newfs_hfs: disk.raw - | format a disk | unless n V | free on *.img|*.image|*.raw|/tmp/*",
      "hdparm nvme sg_format: disk.raw - | erase a disk | needs f force security-erase security-erase-enhanced trim-sector-ranges format",
      "nvme: disk.raw format|sanitize | erase a disk",
      "gdisk cgdisk: disk.raw - | rewrite the partition table | needs z Z zap zap-all o clear new delete delete-all wipe | unless n",
      "gdisk cgdisk cfdisk: disk.raw /dev/* | rewrite a disk | unless l list",
      "debugfs: disk.raw - | change a file system behind its back | needs w",
      "asr: disk.raw restore|erase | erase a disk | needs erase",
      "zpool: disk.raw destroy|labelclear|remove|offline | destroy a pool",
      "lvm: disk.raw lvremove|vgremove|pvremove | remove a volume",
      "cryptsetup: disk.raw luksFormat|luksErase|erase|luksKillSlot|reencrypt | erase an encrypted disk",
      "diskutil: disk.raw erase*|partitionDisk|zeroDisk|randomDisk|secureErase|reformat|deleteVolume|deleteContainer | erase a disk",
      "diskutil: disk.raw apfs|cs|coreStorage delete*|erase* | erase a disk",
      "badblocks: disk.raw * | overwrite a disk | needs w",
      "dcfldd dc3dd: disk.raw …of=/dev/*|wipe=/dev/*|hof=/dev/* | overwrite a disk | free on of=/dev/null",
      "ddrescue dd_rescue: disk.raw * /dev/* | overwrite a disk | free on /dev/null",
      "nwipe dban: disk.raw /dev/* | overwrite a disk",
      "nwipe: disk.raw - | overwrite a disk | needs autonuke",
      "gpart: disk.raw destroy|delete|create|restore | rewrite the partition table",
      "zpool: disk.raw create | make a pool over what is on the disks | needs f force | unless n",
      "pvcreate: disk.raw - | make a volume over what is on the disk | unless t test",
      "dmsetup: disk.raw remove_all|wipe_table | take mapped disks away",
      "flashrom flashcp: disk.raw - | overwrite the firmware | needs w write E erase",
      "efibootmgr: disk.raw - | delete a boot entry | needs B delete-bootnum",
      "format format.com: disk.raw *: | format a drive",
      "diskpart: disk.raw - | rewrite a disk",
      "init telinit: sys.power 0|6|1|s|S | switch the machine off",
      "service rc-service invoke-rc.d: sys.power ssh|sshd|network|networking|NetworkManager stop | cut the machine off",
      "umount swapoff: sys.power - | take every file system or swap space away | needs a all",
      "loginctl: sys.power poweroff|reboot|halt|terminate-user|kill-user | switch the machine off or end a login",
      "launchctl: sys.power reboot|bootout | switch the machine or a login off",
      "deluser groupdel delgroup: sys.account - | delete an account",
      "useradd adduser groupadd addgroup: sys.account - | make an account",
      "usermod groupmod chage gpasswd chsh vipw vigr: sys.account - | change an account | unless c check l list",
      "chpasswd newusers: sys.account - | change passwords",
      "sysadminctl dseditgroup: sys.account - | change an account",
      "net: sys.account user|localgroup …/add|/delete|/del|/active:no | change an account",
      "killall5: sys.kill - | end every process | deny",
      "slay: sys.kill - | end every process of a user",
      "setcap: sys.setuid *cap_set?id*|*cap_sys_admin*|*cap_dac_*|*cap_sys_ptrace*|*cap_sys_module*|*cap_chown*|*cap_fowner*|all* | give a program the rights of root | unless r v n",
      "iptables-legacy iptables-nft: sys.firewall - | open the firewall | needs F flush X delete-chain",
      "iptables-restore ip6tables-restore: sys.firewall - | replace every rule of the firewall | unless t test n noflush",
      "ufw: sys.firewall disable|reset | open the firewall",
      "service rc-service: sys.firewall ufw|nftables|iptables|firewalld|fail2ban stop | open the firewall",
      "ebtables arptables: sys.firewall - | open the firewall | needs F flush X P policy",
      "ipset: sys.firewall flush|destroy | open the firewall",
      "ufw: sys.firewall default | change what the firewall does by default",
      "nft: sys.firewall flush|delete | open the firewall",
      "pfctl: sys.firewall - | open the firewall | needs F d",
      "firewall-cmd: sys.firewall - | open the firewall | needs panic-on complete-reload",
      "nmcli: sys.firewall networking|radio off | cut the machine off",
      "nmcli: sys.firewall networking|radio all|wifi off | cut the machine off",
      "rfkill: sys.firewall block | cut the machine off",
      "netsh: sys.firewall …reset|off | open the firewall",
      "setenforce: sys.firewall 0 | switch protection off",
      "pre-commit lefthook husky overcommit captain-hook simple-git-hooks: git.verify uninstall | switch the hooks off | safer pre-commit run --all-files",
      "bfg bfg.jar: git.history - | rewrite history | safer git tag backup-before-rewrite",
    ]),
  ],
};

/** Without a file it reads the new table from its input. */
function effectsOfCrontab({ argv, stdin, redirections }: ParsedCall): readonly ProgramEffect[] {
  const isBare = argv.slice(1).every(word => describe(word).startsWith("-u"));
  const isFed = stdin !== undefined || redirections.some(redirection => redirection.operation === "read");
  if (!isBare || !isFed) return [];
  return [
    { kind: "operation", rule: "sys.cron", what: "replace the schedule", target: "crontab", names: [] },
  ];
}

/** Processes of many programs, or of the machine itself, have these names; so have those of interpreters and shells. */
const SHARED_NAMES = words(`
  java dotnet code cursor electron postgres postgresql mysqld mongod redis-server docker dockerd containerd kubelet sshd
  systemd init launchd cron crond nginx httpd apache2 tmux screen login getty dbus-daemon gnome-shell xorg explorer
  svchost winlogon lsass csrss claude codex copilot gemini
`);
const MAX_SOURCES = 32;

/** A name that says nothing of what the process is for: ending all of that name ends what others run. */
function isShared(written: string, { scope }: ParsedCall): boolean {
  const name = written.replace(/^\^|\$$|[[\]\\]/g, "").replace(/\.exe$/i, "");
  if (/^[.*]*$/.test(name)) return true;
  return scope.session.programs.runsCode(name) || SHARED_NAMES.includes(name.toLowerCase());
}

function ending(what: string, target: string, verdict?: "deny"): OperationEffect {
  return {
    kind: "operation",
    rule: "sys.kill",
    what,
    target,
    names: [],
    ...(verdict === undefined ? {} : { verdict }),
  };
}

/** The process number -1 means all of them; in front of other numbers it is a signal. Lists are looked into. */
export function effectsOfKill(call: ParsedCall): readonly ProgramEffect[] {
  const given = call.argv.slice(1);
  const shown = given.map(describe);
  if (shown.includes("-l") || shown.includes("-L") || shown.includes("-0")) return [];
  const target = `kill ${shown.join(" ")}`;
  if (shown.at(-1) === "-1") return [ending("end every process", target, "deny")];
  const listed = given.filter(word => !isKnown(word)).flatMap(word => sourcesOf(word, call));
  return listed.length > 0 && isBroad(listed, call) ? [ending("end every process of a list", target)] : [];
}

/** The programs whose output a word was made of, through pipes. */
function sourcesOf(word: Value, { scope, id }: ParsedCall): readonly Invocation[] {
  const { invocations } = scope.session;
  const found = new Map<number, Invocation>();
  const visit = (origins: readonly Origin[]): void => {
    for (const origin of origins) {
      const source = "invocation" in origin ? invocations[origin.invocation] : undefined;
      if (source === undefined || source.id >= id || found.size >= MAX_SOURCES || found.has(source.id))
        continue;
      found.set(source.id, source);
      visit(source.stdin?.origins ?? []);
    }
  };
  visit(word.origins);
  const pipelines = new Set([...found.values()].flatMap(({ pipeline }) => pipeline?.id ?? []));
  const members = invocations.filter(({ pipeline }) => pipeline !== undefined && pipelines.has(pipeline.id));
  return [...new Set([...found.values(), ...members])];
}

/** Processes were listed, and nothing said which ones are meant. */
function isBroad(sources: readonly Invocation[], call: ParsedCall): boolean {
  const patterns = sources.flatMap(patternsOf);
  return sources.some(listsProcesses) && patterns.every(pattern => isShared(pattern, call));
}

function listsProcesses({ program, argv }: Invocation): boolean {
  if (!/^(ps|pgrep|pidof|tasklist|procs)$/.test(program ?? "")) return false;
  // Children of a process, or those of one terminal, are meant ones.
  return !argv.some(word => /^(-P|--parent|--ppid|-g|--pgroup|-s|--session|-p|--pid)/.test(describe(word)));
}

/** Texts that processes were chosen by. */
function patternsOf({ program, argv }: Invocation): readonly string[] {
  const given = argv.slice(1).map(describe);
  const operands = given.filter(word => !word.startsWith("-"));
  switch (program) {
    case "pgrep": {
      const users = given.flatMap((word, at) =>
        /^-[A-Za-z]*[uUGtgFs]$/.test(word) ? (given[at + 1] ?? []) : [],
      );
      const named = operands.filter(word => !users.includes(word));
      // A whole command line says more than a name.
      const isWhole = given.some(word => /^-[A-Za-z]*f|^--full$/.test(word));
      return isWhole ? named.map(pattern => (/^[.*]*$/.test(pattern) ? pattern : `${pattern} `)) : named;
    }
    case "pidof":
      return operands;
    case "grep":
    case "egrep":
    case "rg":
      return given.some(word => /^-[A-Za-z]*v|^--invert-match$/.test(word)) ? [] : operands.slice(0, 1);
    case "awk":
    case "gawk":
    case "mawk":
      return [...(operands[0] ?? "").matchAll(/\/([^/]{2,})\//g)].map(match => match[1] ?? "");
    default:
      return [];
  }
}

/** By a bare name; `pkill -f` looks at the whole command line, and other options choose as well. */
export function effectsOfKillByName(call: ParsedCall): readonly ProgramEffect[] {
  const { options, operands, program } = call;
  const isChosen =
    program === "pkill" && options.has("P", "parent", "g", "pgroup", "s", "session", "t", "terminal");
  if (isChosen || options.has("f", "full", "0")) return [];
  return operands
    .map(describe)
    .filter(name => isShared(name, call))
    .map(name => ending(`end every process called ${name}`, `${program} ${name}`));
}

/** `taskkill /IM node.exe /F`; in the shells of git and MSYS the slash is doubled. */
export function effectsOfTaskKill({ argv }: ParsedCall): readonly ProgramEffect[] {
  const given = argv.slice(1).map(describe);
  const at = given.findIndex(word => /^(?:\/{1,2}|-)(?:im|fi)$/i.test(word));
  if (at < 0) return [];
  return [ending(`end every process called ${given[at + 1] ?? "…"}`, `taskkill ${given.join(" ")}`)];
}
