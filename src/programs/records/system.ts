import { describe, type ProgramEffect } from "../../shell/index.ts";
import type { Field, OperationTables, ParsedCall } from "../model/program.ts";
import { programs } from "../model/program-table.ts";
import { effectsOfKill, effectsOfKillByName, effectsOfTaskKill } from "./processes.ts";

const OPERATIONS: OperationTables = {
  "disk.raw": `
    mkfs|mkfs.ext2|mkfs.ext3|mkfs.ext4|mkfs.xfs|mkfs.btrfs|mkfs.vfat|mkfs.fat|mkfs.ntfs|mkfs.f2fs|mkfs.exfat|mke2fs|
        mkntfs|mkdosfs|newfs|mkswap|newfs_apfs|newfs_hfs | format a disk | unless n V | free on *.img|*.image|*.raw|
        /tmp/*
    wipefs | erase a disk's signatures | needs a all o offset | unless n no-act
    blkdiscard|hdparm|nvme|sg_format | erase a disk | needs f force security-erase security-erase-enhanced
        trim-sector-ranges format
    blkdiscard * | erase a disk
    nvme format|sanitize | erase a disk
    sgdisk | rewrite the partition table | needs z Z zap zap-all o clear n d G g | unless P
    sfdisk|gdisk|cgdisk | rewrite the partition table | needs z Z zap zap-all o clear new delete delete-all wipe |
        unless n
    gdisk|cgdisk|cfdisk /dev/* | rewrite a disk | unless l list
    debugfs | change a file system behind its back | needs w
    asr restore|erase | erase a disk | needs erase
    sfdisk * | rewrite the partition table | unless n l list d dump J json s F V v
    parted * mklabel|mkpart|rm|mktable|resizepart | rewrite the partition table
    parted * --script|-s mklabel|mkpart|rm|mktable | rewrite the partition table
    fdisk * | rewrite the partition table | unless l list x
    mdadm | erase an array | needs zero-superblock stop S create C
    zpool destroy|labelclear|remove|offline | destroy a pool
    zfs destroy|rollback | destroy a file system | unless n
    lvremove|vgremove|pvremove|lvreduce | remove a volume | unless t test
    lvm lvremove|vgremove|pvremove | remove a volume
    cryptsetup luksFormat|luksErase|erase|luksKillSlot|reencrypt | erase an encrypted disk
    diskutil erase*|partitionDisk|zeroDisk|randomDisk|secureErase|reformat|deleteVolume|deleteContainer | erase a disk
    diskutil apfs|cs|coreStorage delete*|erase* | erase a disk
    badblocks * | overwrite a disk | needs w
    dcfldd|dc3dd …of=/dev/*|wipe=/dev/*|hof=/dev/* | overwrite a disk | free on of=/dev/null
    ddrescue|dd_rescue * /dev/* | overwrite a disk | free on /dev/null
    nwipe|dban /dev/* | overwrite a disk
    nwipe | overwrite a disk | needs autonuke
    gpart destroy|delete|create|restore | rewrite the partition table
    zpool create | make a pool over what is on the disks | needs f force | unless n
    pvcreate | make a volume over what is on the disk | unless t test
    btrfs device|dev delete|remove | take a disk out of its file system
    dmsetup remove_all|wipe_table | take mapped disks away
    flashrom|flashcp | overwrite the firmware | needs w write E erase
    efibootmgr | delete a boot entry | needs B delete-bootnum
    format|format.com *: | format a drive
    diskpart | rewrite a disk
    format-volume|clear-disk|initialize-disk|remove-partition|reset-physicaldisk|remove-volume|set-disk | erase a disk
        | unless WhatIf whatif
  `,
  "sys.power": `
    stop-computer|restart-computer | switch the machine off | unless WhatIf whatif
    shutdown | switch the machine off | unless c k show
    reboot|halt|poweroff | switch the machine off | unless w wtmp-only
    init|telinit 0|6|1|s|S | switch the machine off
    systemctl poweroff|reboot|halt|kexec|suspend|hibernate|rescue|emergency|soft-reboot | switch the machine off
    systemctl stop|disable|mask|kill ssh|sshd|ssh.service|sshd.service|network|networking|NetworkManager|
        NetworkManager.service|systemd-networkd|systemd-resolved|firewalld | cut the machine off
    systemctl stop|disable|mask|kill * * * | stop many services of the machine | unless user
    systemctl isolate|start poweroff.target|reboot.target|halt.target|rescue.target|emergency.target|shutdown.target|
        runlevel0.target|runlevel6.target | switch the machine off
    service|rc-service|invoke-rc.d ssh|sshd|network|networking|NetworkManager stop | cut the machine off
    umount|swapoff | take every file system or swap space away | needs a all
    loginctl poweroff|reboot|halt|terminate-user|kill-user | switch the machine off or end a login
    launchctl reboot|bootout | switch the machine or a login off
  `,
  "sys.account": `
    remove-localuser|remove-localgroup|new-localuser|add-localgroupmember | change an account
    userdel|deluser|groupdel|delgroup | delete an account
    useradd|adduser|groupadd|addgroup | make an account
    usermod|groupmod|chage|gpasswd|chsh|vipw|vigr|visudo | change an account | unless c check l list
    passwd | change a password | unless S status
    chpasswd|newusers | change passwords
    dscl | change an account | needs delete passwd create change append merge
    dscl …delete|passwd|create|change|append|merge | change an account
    sysadminctl|dseditgroup | change an account
    net user|localgroup …/add|/delete|/del|/active:no | change an account
  `,
  "sys.kill": `
    killall5 | end every process | deny
    pkill|killall .|.*| | end every process
    pkill|killall|skill | end every process of a user | needs u U user euid uid | unless 0 | free on ?*
    kill 1 | end the first process, and with it the system
    stop-process|spps | end every process of a name | needs name processname | unless id whatif
    slay | end every process of a user
  `,
  "sys.setuid": `
    setcap *cap_set?id*|*cap_sys_admin*|*cap_dac_*|*cap_sys_ptrace*|*cap_sys_module*|*cap_chown*|*cap_fowner*|all* |
        give a program the rights of root | unless r v n
  `,
  "sys.firewall": `
    iptables|ip6tables|iptables-legacy|iptables-nft | open the firewall | needs F flush X delete-chain
    iptables|ip6tables DROP|REJECT | cut the machine off | needs P=* policy=*
    iptables|ip6tables | change what the firewall does by default | needs P policy
    iptables-restore|ip6tables-restore | replace every rule of the firewall | unless t test n noflush
    ufw disable|reset | open the firewall
    systemctl stop|disable|mask ufw|ufw.service|nftables|nftables.service|iptables|iptables.service|fail2ban|
        fail2ban.service|apparmor|apparmor.service | open the firewall
    service|rc-service ufw|nftables|iptables|firewalld|fail2ban stop | open the firewall
    ebtables|arptables | open the firewall | needs F flush X P policy
    ipset flush|destroy | open the firewall
    set-netfirewallprofile | open the firewall | needs enabled=false Enabled=False Enabled=*alse enabled=*alse
    ufw default | change what the firewall does by default
    nft flush|delete | open the firewall
    pfctl | open the firewall | needs F d
    firewall-cmd | open the firewall | needs panic-on complete-reload
    ip link|addr|route flush|del|delete | cut the machine off
    ip link set * down | cut the machine off
    nmcli networking|radio off | cut the machine off
    nmcli networking|radio all|wifi off | cut the machine off
    rfkill block | cut the machine off
    ifconfig * down | cut the machine off
    netsh …reset|off | open the firewall
    setenforce 0 | switch protection off
  `,
  "git.verify": `
    pre-commit|lefthook|husky|overcommit|captain-hook|simple-git-hooks uninstall | switch the hooks off | safer
        pre-commit run --all-files
  `,
  "git.history": `
    bfg|bfg.jar | rewrite history | safer git tag backup-before-rewrite
  `,
  "sys.cron": `
    crontab | replace or delete the schedule | needs r | safer crontab -l
    crontab * | replace the schedule | unless l e | safer crontab -l
  `,
};

const FIREWALL_OPTIONS = {
  values: "-tAIDjpsdiom table append insert delete jump protocol dport sport P|policy",
  flags: "-XLnS F|flush list delete-chain=X",
  abbreviates: false,
} as const;

/** Disks, power, accounts, services, processes and schedules of the machine itself. */
export const system: Field = {
  toldExcept: "crontab sudoedit visudo mkfs dscl",
  programs: () =>
    programs(
      `
    shutdown | is dangerous | exact
    reboot halt poweroff mkfs blkdiscard fdisk userdel passwd | is dangerous
    crontab | is dangerous | flags -lrei | values -u | exact | variables EDITOR VISUAL
    iptables | is dangerous
    ip6tables
    kill | is dangerous readsNothing
    taskkill tskill | is dangerous
    pkill | is dangerous | flags -fxnoiv signal | values -uUgPtsFG euid uid | exact
    dscl | exact | single dash
    skill | values -uctp | exact
    killall | is dangerous | flags -eIiqrvw | values -usoyn user signal | exact
    systemctl | is dangerous | flags -fq user now force | values -tpHM type property host machine | exact | variables
        PAGER EDITOR VISUAL
    journalctl | variables PAGER
    sudoedit visudo | variables EDITOR VISUAL
    wipefs | is dangerous | flags -fbqpi a|all n|no-act force backup quiet help|h | values -ot offset types
    sgdisk | flags -oZzPpLvgGeEms pretend=P zap-all zap clear print help | values -ncdtuARabDfikrlBhjNST
    sfdisk | flags -dJlsFVfqAr n|no-act delete list dump json force quiet help|h wipe | values -NoOXYwW
    lvremove vgremove pvremove lvreduce | flags -fyqvdn t|test force yes help|h | values -AS
    zfs | flags -rRfndvp | values -oStD
    parted | is dangerous | flags -slm script list | values -a align | exact
    mdadm | flags -SC zero-superblock stop detail examine scan assemble create
  `,
      {
        crontab: { effects: effectsOfCrontab },
        iptables: { options: FIREWALL_OPTIONS },
        ip6tables: { options: FIREWALL_OPTIONS },
        kill: { effects: effectsOfKill },
        pkill: { effects: effectsOfKillByName },
        killall: { effects: effectsOfKillByName },
        taskkill: { effects: effectsOfTaskKill },
      },
    ),
  operations: OPERATIONS,
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
