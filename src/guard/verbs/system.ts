import type { OptionSpec } from "../../shell/options.ts";
import type { OperationRule } from "../effects.ts";
import { words } from "../words.ts";
import type { Verb, VerbTable } from "./verb.ts";

const verb = (
  rule: OperationRule,
  command: string,
  what: string,
  more: Omit<Verb, "rule" | "command" | "what"> = {},
): Verb => ({ rule, command, what, ...more });

const DISK = "disk.raw";
const POWER = "sys.power";
const ACCOUNT = "sys.account";

const VERBS: readonly Verb[] = [
  verb(
    DISK,
    "mkfs|mkfs.ext2|mkfs.ext3|mkfs.ext4|mkfs.xfs|mkfs.btrfs|mkfs.vfat|mkfs.fat|mkfs.ntfs|mkfs.f2fs|mkfs.exfat|mke2fs|mkntfs|mkdosfs|newfs|mkswap|newfs_apfs|newfs_hfs",
    "format a disk",
    { unless: "n V", freeOn: "*.img|*.image|*.raw|/tmp/*" },
  ),
  verb(DISK, "wipefs", "erase a disk's signatures", { needs: "a all o offset", unless: "n no-act" }),
  verb(DISK, "blkdiscard|hdparm|nvme|sg_format", "erase a disk", {
    needs: "f force security-erase security-erase-enhanced trim-sector-ranges format",
  }),
  verb(DISK, "blkdiscard *", "erase a disk"),
  verb(DISK, "nvme format|sanitize", "erase a disk"),
  verb(DISK, "sgdisk|sfdisk|gdisk|cgdisk", "rewrite the partition table", {
    needs: "z Z zap zap-all o clear n new d delete delete-all wipe",
  }),
  verb(DISK, "gdisk|cgdisk|cfdisk|scrub /dev/*", "rewrite a disk", { unless: "l list" }),
  verb(DISK, "debugfs", "change a file system behind its back", { needs: "w" }),
  verb(DISK, "asr restore|erase", "erase a disk", { needs: "erase" }),
  verb(DISK, "sfdisk *", "rewrite the partition table", { unless: "l list d dump J json s F V v" }),
  verb(DISK, "parted * mklabel|mkpart|rm|mktable|resizepart", "rewrite the partition table"),
  verb(DISK, "parted * --script|-s mklabel|mkpart|rm|mktable", "rewrite the partition table"),
  verb(DISK, "fdisk *", "rewrite the partition table", { unless: "l list x" }),
  verb(DISK, "mdadm", "erase an array", { needs: "zero-superblock stop S create C" }),
  verb(DISK, "zpool destroy|labelclear|remove|offline", "destroy a pool"),
  verb(DISK, "zfs destroy|rollback", "destroy a file system", { unless: "n" }),
  verb(DISK, "lvremove|vgremove|pvremove|lvreduce", "remove a volume", { unless: "t test" }),
  verb(DISK, "lvm lvremove|vgremove|pvremove", "remove a volume"),
  verb(DISK, "cryptsetup luksFormat|luksErase|erase|luksKillSlot|reencrypt", "erase an encrypted disk"),
  verb(
    DISK,
    "diskutil erase*|partitionDisk|zeroDisk|randomDisk|secureErase|reformat|deleteVolume|deleteContainer",
    "erase a disk",
  ),
  verb(DISK, "diskutil apfs|cs|coreStorage delete*|erase*", "erase a disk"),
  verb(DISK, "badblocks *", "overwrite a disk", { needs: "w" }),
  verb(DISK, "dcfldd|dc3dd …of=/dev/*|wipe=/dev/*|hof=/dev/*", "overwrite a disk", {
    freeOn: "of=/dev/null",
  }),
  verb(DISK, "ddrescue|dd_rescue * /dev/*", "overwrite a disk", { freeOn: "/dev/null" }),
  verb(DISK, "nwipe|dban /dev/*", "overwrite a disk"),
  verb(DISK, "nwipe", "overwrite a disk", { needs: "autonuke" }),
  verb(DISK, "gpart destroy|delete|create|restore", "rewrite the partition table"),
  verb(DISK, "zpool create", "make a pool over what is on the disks", { needs: "f force", unless: "n" }),
  verb(DISK, "pvcreate", "make a volume over what is on the disk", { unless: "t test" }),
  verb(DISK, "btrfs device|dev delete|remove", "take a disk out of its file system"),
  verb(DISK, "dmsetup remove_all|wipe_table", "take mapped disks away"),
  verb(DISK, "flashrom|flashcp", "overwrite the firmware", { needs: "w write E erase" }),
  verb(DISK, "efibootmgr", "delete a boot entry", { needs: "B delete-bootnum" }),
  verb(DISK, "format|format.com *:", "format a drive"),
  verb(DISK, "diskpart", "rewrite a disk"),

  verb(
    DISK,
    "format-volume|clear-disk|initialize-disk|remove-partition|reset-physicaldisk|remove-volume|set-disk",
    "erase a disk",
    { unless: "WhatIf whatif" },
  ),

  verb(POWER, "stop-computer|restart-computer", "switch the machine off", { unless: "WhatIf whatif" }),
  verb(ACCOUNT, "remove-localuser|remove-localgroup|new-localuser|add-localgroupmember", "change an account"),
  verb(POWER, "shutdown", "switch the machine off", { unless: "c k show" }),
  verb(POWER, "reboot|halt|poweroff", "switch the machine off", { unless: "w wtmp-only" }),
  verb(POWER, "init|telinit 0|6|1|s|S", "switch the machine off"),
  verb(
    POWER,
    "systemctl poweroff|reboot|halt|kexec|suspend|hibernate|rescue|emergency|soft-reboot",
    "switch the machine off",
  ),
  verb(
    POWER,
    "systemctl stop|disable|mask|kill ssh|sshd|ssh.service|sshd.service|network|networking|NetworkManager|NetworkManager.service|systemd-networkd|systemd-resolved|firewalld",
    "cut the machine off",
  ),
  verb(
    POWER,
    "systemctl isolate|start poweroff.target|reboot.target|halt.target|rescue.target|emergency.target|shutdown.target|runlevel0.target|runlevel6.target",
    "switch the machine off",
  ),
  verb(
    POWER,
    "service|rc-service|invoke-rc.d ssh|sshd|network|networking|NetworkManager stop",
    "cut the machine off",
  ),
  verb(POWER, "umount|swapoff", "take every file system or swap space away", { needs: "a all" }),
  verb(
    POWER,
    "loginctl poweroff|reboot|halt|terminate-user|kill-user",
    "switch the machine off or end a login",
  ),
  verb(POWER, "launchctl reboot|bootout", "switch the machine or a login off"),

  verb("sys.kill", "killall5", "end every process", { verdict: "deny" }),
  verb("sys.kill", "pkill|killall .|.*|", "end every process"),
  // A name beside the user narrows it to that program.
  verb("sys.kill", "pkill|killall|skill", "end every process of a user", {
    needs: "u U user euid uid",
    unless: "0",
    freeOn: "?*",
  }),
  verb("sys.kill", "kill 1", "end the first process, and with it the system"),
  verb("sys.kill", "slay", "end every process of a user"),

  verb("sys.firewall", "iptables|ip6tables|iptables-legacy|iptables-nft", "open the firewall", {
    needs: "F flush X delete-chain",
  }),
  verb("sys.firewall", "iptables|ip6tables DROP|REJECT", "cut the machine off", { needs: "P=* policy=*" }),
  verb("sys.firewall", "iptables|ip6tables", "change what the firewall does by default", {
    needs: "P policy",
  }),
  verb("sys.firewall", "iptables-restore|ip6tables-restore", "replace every rule of the firewall", {
    unless: "t test n noflush",
  }),
  verb("sys.firewall", "ufw disable|reset", "open the firewall"),
  verb(
    "sys.firewall",
    "systemctl stop|disable|mask ufw|ufw.service|nftables|nftables.service|iptables|iptables.service|fail2ban|fail2ban.service|apparmor|apparmor.service",
    "open the firewall",
  ),
  verb(
    "sys.firewall",
    "service|rc-service ufw|nftables|iptables|firewalld|fail2ban stop",
    "open the firewall",
  ),
  verb("sys.firewall", "ebtables|arptables", "open the firewall", { needs: "F flush X P policy" }),
  verb("sys.firewall", "ipset flush|destroy", "open the firewall"),
  verb("sys.firewall", "set-netfirewallprofile", "open the firewall", {
    needs: "enabled=false Enabled=False Enabled=*alse enabled=*alse",
  }),
  verb("sys.firewall", "ufw default", "change what the firewall does by default"),
  verb("sys.firewall", "nft flush|delete", "open the firewall"),
  verb("sys.firewall", "pfctl", "open the firewall", { needs: "F d" }),
  verb("sys.firewall", "firewall-cmd", "open the firewall", { needs: "panic-on complete-reload" }),
  verb("sys.firewall", "ip link|addr|route flush|del|delete", "cut the machine off"),
  verb("sys.firewall", "ip link set * down", "cut the machine off"),
  verb("sys.firewall", "nmcli networking|radio off", "cut the machine off"),
  verb("sys.firewall", "nmcli networking|radio all|wifi off", "cut the machine off"),
  verb("sys.firewall", "rfkill block", "cut the machine off"),
  verb("sys.firewall", "ifconfig * down", "cut the machine off"),
  verb("sys.firewall", "netsh …reset|off", "open the firewall"),
  verb("sys.firewall", "setenforce 0", "switch protection off"),

  verb(ACCOUNT, "userdel|deluser|groupdel|delgroup", "delete an account"),
  verb(ACCOUNT, "useradd|adduser|groupadd|addgroup", "make an account"),
  verb(ACCOUNT, "usermod|groupmod|chage|gpasswd|chsh|vipw|vigr|visudo", "change an account", {
    unless: "c check l list",
  }),
  verb(ACCOUNT, "passwd", "change a password", { unless: "S status" }),
  verb(ACCOUNT, "chpasswd|newusers", "change passwords"),
  verb(ACCOUNT, "dscl", "change an account", { needs: "delete passwd create change append merge" }),
  verb(ACCOUNT, "dscl …delete|passwd|create|change|append|merge", "change an account"),
  verb(ACCOUNT, "sysadminctl|dseditgroup", "change an account", {}),
  verb(ACCOUNT, "net user|localgroup …/add|/delete|/del|/active:no", "change an account"),

  verb(
    "git.verify",
    "pre-commit|lefthook|husky|overcommit|captain-hook|simple-git-hooks uninstall",
    "switch the hooks off",
    {
      safer: "pre-commit run --all-files",
    },
  ),
  verb("git.history", "bfg|bfg.jar", "rewrite history", { safer: "git tag backup-before-rewrite" }),

  verb("sys.cron", "crontab", "replace or delete the schedule", { needs: "r", safer: "crontab -l" }),
  verb("sys.cron", "crontab *", "replace the schedule", { unless: "l e", safer: "crontab -l" }),
];

const LETTERS: OptionSpec = { abbreviates: false };

export const systemVerbs: VerbTable = {
  verbs: VERBS,
  options: {
    shutdown: LETTERS,
    crontab: { values: ["u"], flags: ["l", "r", "e", "i"], abbreviates: false },
    iptables: {
      values: words("t table A append I insert D delete j jump p protocol s d i o m dport sport P policy"),
      flags: words("F flush X L list n S"),
      as: { flush: "F", "delete-chain": "X", policy: "P" },
      abbreviates: false,
    },
    ip6tables: {
      values: words("t table A append I insert D delete j jump p protocol s d i o m dport sport P policy"),
      flags: words("F flush X L list n S"),
      as: { flush: "F", "delete-chain": "X", policy: "P" },
      abbreviates: false,
    },
    pkill: {
      values: words("u euid U uid g P t s F G"),
      flags: words("f x n o i v signal"),
      abbreviates: false,
    },
    dscl: { isSingleDash: true, abbreviates: false },
    skill: { values: words("u c t p"), abbreviates: false },
    killall: { values: words("u user s signal o y n"), flags: words("e I i q r v w"), abbreviates: false },
    systemctl: {
      values: words("t type p property H host M machine"),
      flags: words("user now force f q"),
      abbreviates: false,
    },
    wipefs: {
      values: words("o offset t types"),
      flags: words("a all n no-act f force b backup"),
      abbreviates: false,
    },
    parted: { flags: words("s script l list m"), values: ["a", "align"], abbreviates: false },
    mdadm: {
      abbreviates: true,
      flags: words("zero-superblock stop S detail examine scan assemble create C"),
    },
  },
};
