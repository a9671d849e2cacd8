import type { ProgramEffect } from "../shell/effects.ts";
import { describe } from "../shell/value.ts";
import { type Field, type Operation, operation, type ParsedCall } from "./program.ts";

const DISK = "disk.raw";
const POWER = "sys.power";
const ACCOUNT = "sys.account";

const OPERATIONS: readonly Operation[] = [
  operation(
    DISK,
    "mkfs|mkfs.ext2|mkfs.ext3|mkfs.ext4|mkfs.xfs|mkfs.btrfs|mkfs.vfat|mkfs.fat|mkfs.ntfs|mkfs.f2fs|mkfs.exfat|mke2fs|mkntfs|mkdosfs|newfs|mkswap|newfs_apfs|newfs_hfs",
    "format a disk",
    { unless: "n V", freeOn: "*.img|*.image|*.raw|/tmp/*" },
  ),
  operation(DISK, "wipefs", "erase a disk's signatures", { needs: "a all o offset", unless: "n no-act" }),
  operation(DISK, "blkdiscard|hdparm|nvme|sg_format", "erase a disk", {
    needs: "f force security-erase security-erase-enhanced trim-sector-ranges format",
  }),
  operation(DISK, "blkdiscard *", "erase a disk"),
  operation(DISK, "nvme format|sanitize", "erase a disk"),
  operation(DISK, "sgdisk|sfdisk|gdisk|cgdisk", "rewrite the partition table", {
    needs: "z Z zap zap-all o clear n new d delete delete-all wipe",
  }),
  operation(DISK, "gdisk|cgdisk|cfdisk|scrub /dev/*", "rewrite a disk", { unless: "l list" }),
  operation(DISK, "debugfs", "change a file system behind its back", { needs: "w" }),
  operation(DISK, "asr restore|erase", "erase a disk", { needs: "erase" }),
  operation(DISK, "sfdisk *", "rewrite the partition table", { unless: "l list d dump J json s F V v" }),
  operation(DISK, "parted * mklabel|mkpart|rm|mktable|resizepart", "rewrite the partition table"),
  operation(DISK, "parted * --script|-s mklabel|mkpart|rm|mktable", "rewrite the partition table"),
  operation(DISK, "fdisk *", "rewrite the partition table", { unless: "l list x" }),
  operation(DISK, "mdadm", "erase an array", { needs: "zero-superblock stop S create C" }),
  operation(DISK, "zpool destroy|labelclear|remove|offline", "destroy a pool"),
  operation(DISK, "zfs destroy|rollback", "destroy a file system", { unless: "n" }),
  operation(DISK, "lvremove|vgremove|pvremove|lvreduce", "remove a volume", { unless: "t test" }),
  operation(DISK, "lvm lvremove|vgremove|pvremove", "remove a volume"),
  operation(DISK, "cryptsetup luksFormat|luksErase|erase|luksKillSlot|reencrypt", "erase an encrypted disk"),
  operation(
    DISK,
    "diskutil erase*|partitionDisk|zeroDisk|randomDisk|secureErase|reformat|deleteVolume|deleteContainer",
    "erase a disk",
  ),
  operation(DISK, "diskutil apfs|cs|coreStorage delete*|erase*", "erase a disk"),
  operation(DISK, "badblocks *", "overwrite a disk", { needs: "w" }),
  operation(DISK, "dcfldd|dc3dd …of=/dev/*|wipe=/dev/*|hof=/dev/*", "overwrite a disk", {
    freeOn: "of=/dev/null",
  }),
  operation(DISK, "ddrescue|dd_rescue * /dev/*", "overwrite a disk", { freeOn: "/dev/null" }),
  operation(DISK, "nwipe|dban /dev/*", "overwrite a disk"),
  operation(DISK, "nwipe", "overwrite a disk", { needs: "autonuke" }),
  operation(DISK, "gpart destroy|delete|create|restore", "rewrite the partition table"),
  operation(DISK, "zpool create", "make a pool over what is on the disks", { needs: "f force", unless: "n" }),
  operation(DISK, "pvcreate", "make a volume over what is on the disk", { unless: "t test" }),
  operation(DISK, "btrfs device|dev delete|remove", "take a disk out of its file system"),
  operation(DISK, "dmsetup remove_all|wipe_table", "take mapped disks away"),
  operation(DISK, "flashrom|flashcp", "overwrite the firmware", { needs: "w write E erase" }),
  operation(DISK, "efibootmgr", "delete a boot entry", { needs: "B delete-bootnum" }),
  operation(DISK, "format|format.com *:", "format a drive"),
  operation(DISK, "diskpart", "rewrite a disk"),

  operation(
    DISK,
    "format-volume|clear-disk|initialize-disk|remove-partition|reset-physicaldisk|remove-volume|set-disk",
    "erase a disk",
    { unless: "WhatIf whatif" },
  ),

  operation(POWER, "stop-computer|restart-computer", "switch the machine off", { unless: "WhatIf whatif" }),
  operation(
    ACCOUNT,
    "remove-localuser|remove-localgroup|new-localuser|add-localgroupmember",
    "change an account",
  ),
  operation(POWER, "shutdown", "switch the machine off", { unless: "c k show" }),
  operation(POWER, "reboot|halt|poweroff", "switch the machine off", { unless: "w wtmp-only" }),
  operation(POWER, "init|telinit 0|6|1|s|S", "switch the machine off"),
  operation(
    POWER,
    "systemctl poweroff|reboot|halt|kexec|suspend|hibernate|rescue|emergency|soft-reboot",
    "switch the machine off",
  ),
  operation(
    POWER,
    "systemctl stop|disable|mask|kill ssh|sshd|ssh.service|sshd.service|network|networking|NetworkManager|NetworkManager.service|systemd-networkd|systemd-resolved|firewalld",
    "cut the machine off",
  ),
  operation(
    POWER,
    "systemctl isolate|start poweroff.target|reboot.target|halt.target|rescue.target|emergency.target|shutdown.target|runlevel0.target|runlevel6.target",
    "switch the machine off",
  ),
  operation(
    POWER,
    "service|rc-service|invoke-rc.d ssh|sshd|network|networking|NetworkManager stop",
    "cut the machine off",
  ),
  operation(POWER, "umount|swapoff", "take every file system or swap space away", { needs: "a all" }),
  operation(
    POWER,
    "loginctl poweroff|reboot|halt|terminate-user|kill-user",
    "switch the machine off or end a login",
  ),
  operation(POWER, "launchctl reboot|bootout", "switch the machine or a login off"),

  operation("sys.kill", "killall5", "end every process", { verdict: "deny" }),
  operation("sys.kill", "pkill|killall .|.*|", "end every process"),
  // A name beside the user narrows it to that program.
  operation("sys.kill", "pkill|killall|skill", "end every process of a user", {
    needs: "u U user euid uid",
    unless: "0",
    freeOn: "?*",
  }),
  operation("sys.kill", "kill 1", "end the first process, and with it the system"),
  operation("sys.kill", "slay", "end every process of a user"),

  operation("sys.firewall", "iptables|ip6tables|iptables-legacy|iptables-nft", "open the firewall", {
    needs: "F flush X delete-chain",
  }),
  operation("sys.firewall", "iptables|ip6tables DROP|REJECT", "cut the machine off", {
    needs: "P=* policy=*",
  }),
  operation("sys.firewall", "iptables|ip6tables", "change what the firewall does by default", {
    needs: "P policy",
  }),
  operation("sys.firewall", "iptables-restore|ip6tables-restore", "replace every rule of the firewall", {
    unless: "t test n noflush",
  }),
  operation("sys.firewall", "ufw disable|reset", "open the firewall"),
  operation(
    "sys.firewall",
    "systemctl stop|disable|mask ufw|ufw.service|nftables|nftables.service|iptables|iptables.service|fail2ban|fail2ban.service|apparmor|apparmor.service",
    "open the firewall",
  ),
  operation(
    "sys.firewall",
    "service|rc-service ufw|nftables|iptables|firewalld|fail2ban stop",
    "open the firewall",
  ),
  operation("sys.firewall", "ebtables|arptables", "open the firewall", { needs: "F flush X P policy" }),
  operation("sys.firewall", "ipset flush|destroy", "open the firewall"),
  operation("sys.firewall", "set-netfirewallprofile", "open the firewall", {
    needs: "enabled=false Enabled=False Enabled=*alse enabled=*alse",
  }),
  operation("sys.firewall", "ufw default", "change what the firewall does by default"),
  operation("sys.firewall", "nft flush|delete", "open the firewall"),
  operation("sys.firewall", "pfctl", "open the firewall", { needs: "F d" }),
  operation("sys.firewall", "firewall-cmd", "open the firewall", { needs: "panic-on complete-reload" }),
  operation("sys.firewall", "ip link|addr|route flush|del|delete", "cut the machine off"),
  operation("sys.firewall", "ip link set * down", "cut the machine off"),
  operation("sys.firewall", "nmcli networking|radio off", "cut the machine off"),
  operation("sys.firewall", "nmcli networking|radio all|wifi off", "cut the machine off"),
  operation("sys.firewall", "rfkill block", "cut the machine off"),
  operation("sys.firewall", "ifconfig * down", "cut the machine off"),
  operation("sys.firewall", "netsh …reset|off", "open the firewall"),
  operation("sys.firewall", "setenforce 0", "switch protection off"),

  operation(ACCOUNT, "userdel|deluser|groupdel|delgroup", "delete an account"),
  operation(ACCOUNT, "useradd|adduser|groupadd|addgroup", "make an account"),
  operation(ACCOUNT, "usermod|groupmod|chage|gpasswd|chsh|vipw|vigr|visudo", "change an account", {
    unless: "c check l list",
  }),
  operation(ACCOUNT, "passwd", "change a password", { unless: "S status" }),
  operation(ACCOUNT, "chpasswd|newusers", "change passwords"),
  operation(ACCOUNT, "dscl", "change an account", { needs: "delete passwd create change append merge" }),
  operation(ACCOUNT, "dscl …delete|passwd|create|change|append|merge", "change an account"),
  operation(ACCOUNT, "sysadminctl|dseditgroup", "change an account", {}),
  operation(ACCOUNT, "net user|localgroup …/add|/delete|/del|/active:no", "change an account"),

  operation(
    "git.verify",
    "pre-commit|lefthook|husky|overcommit|captain-hook|simple-git-hooks uninstall",
    "switch the hooks off",
    {
      safer: "pre-commit run --all-files",
    },
  ),
  operation("git.history", "bfg|bfg.jar", "rewrite history", { safer: "git tag backup-before-rewrite" }),

  operation("sys.cron", "crontab", "replace or delete the schedule", { needs: "r", safer: "crontab -l" }),
  operation("sys.cron", "crontab *", "replace the schedule", { unless: "l e", safer: "crontab -l" }),
];

const FIREWALL_OPTIONS = {
  values: "-tAIDjpsdiom table append insert delete jump protocol dport sport P|policy",
  flags: "-XLnS F|flush list delete-chain=X",
  abbreviates: false,
} as const;

/** Disks, power, accounts, services, processes and schedules of the machine itself. */
export const system: Field = {
  programs: [
    { names: "shutdown", is: ["dangerous"], options: { abbreviates: false } },
    { names: "reboot halt poweroff mkfs blkdiscard fdisk userdel passwd", is: ["dangerous"] },
    {
      names: "crontab",
      is: ["dangerous"],
      options: { values: "-u", flags: "-lrei", abbreviates: false },
      effects: effectsOfCrontab,
      shellVariables: "EDITOR VISUAL",
    },
    { names: "iptables", is: ["dangerous"], options: FIREWALL_OPTIONS },
    { names: "ip6tables", options: FIREWALL_OPTIONS },
    { names: "kill", is: ["dangerous", "readsNothing"], effects: effectsOfKill },
    {
      names: "pkill",
      is: ["dangerous"],
      options: { values: "-uUgPtsFG euid uid", flags: "-fxnoiv signal", abbreviates: false },
    },
    { names: "dscl", options: { isSingleDash: true, abbreviates: false } },
    { names: "skill", options: { values: "-uctp", abbreviates: false } },
    {
      names: "killall",
      is: ["dangerous"],
      options: { values: "-usoyn user signal", flags: "-eIiqrvw", abbreviates: false },
    },
    {
      names: "systemctl",
      is: ["dangerous"],
      options: {
        values: "-tpHM type property host machine",
        flags: "-fq user now force",
        abbreviates: false,
      },
      shellVariables: "PAGER EDITOR VISUAL",
    },
    { names: "journalctl", shellVariables: "PAGER" },
    { names: "sudoedit visudo", shellVariables: "EDITOR VISUAL" },
    {
      names: "wipefs",
      is: ["dangerous"],
      options: { values: "-ot offset types", flags: "-anfb all no-act force backup", abbreviates: false },
    },
    {
      names: "parted",
      is: ["dangerous"],
      options: { flags: "-slm script list", values: "-a align", abbreviates: false },
    },
    {
      names: "mdadm",
      options: { flags: "-SC zero-superblock stop detail examine scan assemble create" },
    },
  ],
  operations: OPERATIONS,
};

/** The process number -1 means all of them; in front of other numbers it is a signal. */
function effectsOfKill({ argv }: ParsedCall): readonly ProgramEffect[] {
  const shown = argv.slice(1).map(describe);
  if (shown.includes("-l") || shown.includes("-L") || shown.at(-1) !== "-1") return [];
  const target = `kill ${shown.join(" ")}`;
  return [
    { kind: "operation", rule: "sys.kill", what: "end every process", target, names: [], verdict: "deny" },
  ];
}

/** Without a file it reads the new table from its input. */
function effectsOfCrontab({ argv, stdin, redirections }: ParsedCall): readonly ProgramEffect[] {
  const isBare = argv.slice(1).every(word => describe(word).startsWith("-u"));
  const isFed = stdin !== undefined || redirections.some(redirection => redirection.operation === "read");
  if (!isBare || !isFed) return [];
  return [
    { kind: "operation", rule: "sys.cron", what: "replace the schedule", target: "crontab", names: [] },
  ];
}
