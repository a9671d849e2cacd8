import {
  describe,
  type Output,
  type ProgramEffect,
  runInner,
  unknownOutput,
  type Value,
} from "../../shell/index.ts";
import { plainReads } from "../model/effects.ts";
import { commands, type Field, type ParsedCall, type Program, program } from "../model/program.ts";
import { effectsOfKill, effectsOfKillByName, effectsOfTaskKill } from "./processes.ts";

const FIREWALL_OPTIONS = {
  values: "-tAIDjpsdiom table append insert delete jump protocol dport sport P|policy",
  flags: "-XLnS F|flush list delete-chain=X",
  abbreviates: false,
} as const;

const FORMATS: Omit<Program, "names"> = {
  options: { flags: "-qFfvnVKDk force quiet help version", abbreviates: false, unknownTakesValue: true },
  operations: [
    "disk.raw - | format a disk | unless n V | free on *.img|*.image|*.raw|*.qcow2|*.iso|/tmp/* | stops mkfs web | passes mkfs -n",
  ],
};

/** Disks, power, accounts, services, processes and schedules of the machine itself. */
export const system: Field = {
  reaches: true,
  tellsChanges: true,
  // biome-ignore lint/complexity/noExcessiveLinesPerFunction: a table, a record a program
  programs: () => [
    program("shutdown", "dangerous", {
      options: { abbreviates: false },
      operations: [
        "sys.power - | switch the machine off | unless c k show | stops shutdown | passes shutdown -c",
      ],
    }),
    program("qemu-img", "", { effects: writtenByImageTool }),
    program("mkfs", "dangerous changesMore guessed", FORMATS),
    program(
      `mkfs.ext2 mkfs.ext3 mkfs.ext4 mkfs.xfs mkfs.btrfs mkfs.vfat mkfs.fat mkfs.ntfs mkfs.f2fs mkfs.exfat mke2fs mkntfs
       mkdosfs newfs mkswap newfs_apfs newfs_hfs`,
      "",
      FORMATS,
    ),
    program("reboot halt poweroff blkdiscard fdisk userdel passwd", "dangerous changesMore", {
      operations: [
        "blkdiscard: disk.raw - | erase a disk | needs f force security-erase security-erase-enhanced trim-sector-ranges format | stops blkdiscard web -f | passes blkdiscard",
        "blkdiscard: disk.raw * | erase a disk | stops blkdiscard x web | passes blkdiscard --help",
        "fdisk: disk.raw * | rewrite the partition table | unless l list x | stops fdisk x web | passes fdisk x -l",
        "reboot halt poweroff: sys.power - | switch the machine off | unless w wtmp-only | stops reboot | passes reboot -w",
        "userdel: sys.account - | delete an account | stops userdel web | passes userdel --help",
        "passwd: sys.account - | change a password | unless S status | stops passwd web | passes passwd -S",
      ],
    }),
    program("crontab", "dangerous changesMore", {
      options: { flags: "-lrei", values: "-u", abbreviates: false },
      shellVariables: "EDITOR VISUAL",
      effects: effectsOfCrontab,
      operations: [
        "sys.cron - | replace or delete the schedule | needs r | safer crontab -l | stops crontab web -r",
        "sys.cron * | replace the schedule | unless l e | safer crontab -l | stops crontab x web",
      ],
    }),
    program("iptables", "dangerous", {
      options: FIREWALL_OPTIONS,
      operations: [
        "sys.firewall - | open the firewall | needs F flush X delete-chain | stops iptables -F | passes iptables web",
        "sys.firewall DROP|REJECT | cut the machine off the network | needs P=* policy=* | stops iptables DROP -P x | passes iptables DROP web",
        "sys.firewall - | change what the firewall does by default | needs P policy | stops iptables -P | passes iptables web",
      ],
    }),
    program("ip6tables", "", {
      options: FIREWALL_OPTIONS,
      operations: [
        "sys.firewall - | open the firewall | needs F flush X delete-chain | stops ip6tables -F | passes ip6tables web",
        "sys.firewall DROP|REJECT | cut the machine off the network | needs P=* policy=* | stops ip6tables DROP -P x | passes ip6tables DROP web",
        "sys.firewall - | change what the firewall does by default | needs P policy | stops ip6tables -P | passes ip6tables web",
      ],
    }),
    program("kill", "dangerous readsNothing endsDaily", {
      effects: effectsOfKill,
      operations: [
        "sys.kill 1 | end the first process, and with it the system | stops kill 1 web | passes kill list web",
      ],
    }),
    program("taskkill tskill", "dangerous", { effects: effectsOfTaskKill }),
    program("pkill", "dangerous endsDaily", {
      options: {
        flags: "-fxnoiv v|inverse",
        values: "-UGgsF u|euid U|uid P|parent t|terminal signal",
        abbreviates: false,
      },
      effects: effectsOfKillByName,
      operations: [
        "sys.kill …*amplihack* | end the program that judges calls | stops pkill amplihack-hooks | passes pkill web",
        "sys.kill .|.*| | end every process | stops pkill . web | passes pkill list web",
        "sys.kill - | end every process of a user | needs u U user euid uid | unless 0 | free on ?* | stops pkill -u web | passes pkill web",
        "sys.kill - | end every process but some | needs v inverse | stops pkill -v web | passes pkill web",
        "sys.kill - | end every process of a terminal, a session or the system | needs t terminal P=1 g=0 s=0 | free on ?* | stops pkill -t pts/0 | passes pkill -P 4711",
      ],
    }),
    program("fuser", "", {
      options: { flags: "-aikmMuvw46", values: "-nN namespace", abbreviates: false },
      operations: [
        "sys.kill …/|/home*|/usr*|/dev/*|/var*|/etc*|/Users*|/bin*|/lib*|~|. | end every process that uses a whole disk or folder | needs k | stops fuser -k / | passes fuser -k 3000/tcp",
      ],
    }),
    program("dscl", "changesMore", {
      options: { abbreviates: false, isSingleDash: true },
      operations: [
        "sys.account - | change an account | needs delete passwd create change append merge | stops dscl web -delete | passes dscl web",
        "sys.account …delete|passwd|create|change|append|merge | change an account | stops dscl thing delete web | passes dscl thing list web",
      ],
    }),
    program("skill", "", {
      options: { values: "-uctp", abbreviates: false },
      operations: [
        "sys.kill - | end every process of a terminal | needs t | stops skill -t pts/0 | passes skill web",
        "sys.kill - | end every process of a user | needs u U user euid uid | unless 0 | free on ?* | stops skill -u web | passes skill web",
      ],
    }),
    program("killall", "dangerous", {
      options: { flags: "-eIiqrvw", values: "-usoyn user signal", abbreviates: false },
      effects: effectsOfKillByName,
      operations: [
        "sys.kill …*amplihack* | end the program that judges calls | stops killall amplihack-hooks | passes killall web",
        "sys.kill .|.*| | end every process | stops killall . web | passes killall list web",
        "sys.kill - | end every process of a user | needs u U user euid uid | unless 0 | free on ?* | stops killall -u web | passes killall web",
      ],
    }),
    program("systemctl", "dangerous", {
      shows: "status list-units list-unit-files is-active is-enabled show cat",
      options: {
        flags: "-fq user now force",
        values: "-tpHMs type property host machine signal kill-whom kill-who",
        abbreviates: false,
      },
      shellVariables: "PAGER EDITOR VISUAL",
      operations: [
        "grant.protection stop|disable|mask|kill auditd|auditd.service|rsyslog|rsyslog.service|syslog|systemd-journald|falco|osqueryd|clamav*|crowdstrike*|falcon-sensor|wazuh-agent|chronyd|backup*|restic*|borg* | switch a record or a protection off | stops systemctl stop auditd web | passes systemctl stop status web",

        "sys.cron enable|reenable|link|add-wants|add-requires|edit|preset|set-default * | make something start automatically | safer systemctl list-unit-files | stops systemctl enable web | passes systemctl status web",
        "sys.power poweroff|reboot|halt|kexec|suspend|hibernate|rescue|emergency|soft-reboot | switch the machine off | stops systemctl poweroff | passes systemctl status web",
        "sys.power stop|disable|mask|kill ssh|sshd|ssh.service|sshd.service|network|networking|NetworkManager|NetworkManager.service|systemd-networkd|systemd-resolved|firewalld | cut the machine off the network | stops systemctl stop ssh | passes systemctl stop status web",
        "sys.power stop|disable|mask|kill * * * | stop many services of the machine | unless user | stops systemctl stop x x x | passes systemctl stop x x x --user",
        "sys.kill stop|kill|restart *.slice|*[*]*|user@*|session-* | end everything of a user or of the machine | stops systemctl kill user.slice | passes systemctl stop web",
        "sys.power isolate|start poweroff.target|reboot.target|halt.target|rescue.target|emergency.target|shutdown.target|runlevel0.target|runlevel6.target | switch the machine off | stops systemctl isolate poweroff.target | passes systemctl isolate status web",
        "sys.firewall stop|disable|mask ufw|ufw.service|nftables|nftables.service|iptables|iptables.service|fail2ban|fail2ban.service|apparmor|apparmor.service | open the firewall | stops systemctl stop ufw | passes systemctl stop status web",
      ],
    }),
    program("journalctl", "", {
      shellVariables: "PAGER",
      operations: [
        "grant.protection - | delete what the machine has recorded | needs vacuum-time vacuum-size vacuum-files | safer journalctl --disk-usage | stops journalctl --vacuum-time=1s | passes journalctl -u web",
      ],
    }),
    program("sudoedit visudo", "changesMore", {
      shellVariables: "EDITOR VISUAL",
      operations: [
        "visudo: sys.account - | change an account | unless c check l list | stops visudo web | passes visudo -c",
      ],
    }),
    program("wipefs", "dangerous", {
      options: { flags: "-fbqpi a|all n|no-act force backup quiet help|h", values: "-ot offset types" },
      operations: [
        "disk.raw - | erase a disk's signatures | needs a all o offset | unless n no-act | stops wipefs web -a | passes wipefs web",
      ],
    }),
    program("sgdisk", "", {
      options: {
        flags: "-oZzPpLvgGeEms pretend=P zap-all zap clear print help",
        values: "-ncdtuARabDfikrlBhjNST",
      },
      operations: [
        "disk.raw - | rewrite the partition table | needs z Z zap zap-all o clear n d G g | unless P | stops sgdisk web -z | passes sgdisk web",
      ],
    }),
    program("sfdisk", "", {
      options: {
        flags: "-dJlsFVfqAr n|no-act delete list dump json force quiet help|h wipe",
        values: "-NoOXYwW",
      },
      operations: [
        "disk.raw - | rewrite the partition table | needs z Z zap zap-all o clear new delete delete-all wipe | unless n | stops sfdisk web -z | passes sfdisk",
        "disk.raw * | rewrite the partition table | unless n l list d dump J json s F V v | stops sfdisk x web | passes sfdisk x -n",
      ],
    }),
    program("lvremove vgremove pvremove lvreduce", "", {
      options: { flags: "-fyqvdn t|test force yes help|h", values: "-AS" },
      operations: ["disk.raw - | remove a volume | unless t test | stops lvremove web | passes lvremove -t"],
    }),
    program("zfs", "", {
      options: { flags: "-rRfndvp", values: "-oStD" },
      operations: [
        "disk.raw destroy|rollback | destroy a file system | unless n | stops zfs destroy web | passes zfs destroy -n",
      ],
    }),
    program("parted", "dangerous", {
      options: { flags: "-slm script list", values: "-a align", abbreviates: false },
      operations: [
        "disk.raw * mklabel|mkpart|rm|mktable|resizepart | rewrite the partition table | stops parted x mklabel web | passes parted x list web",
        "disk.raw * --script|-s mklabel|mkpart|rm|mktable | rewrite the partition table | stops parted x --script mklabel web | passes parted x --script list web",
      ],
    }),
    program("mdadm", "", {
      options: { flags: "-SC zero-superblock stop detail examine scan assemble create" },
      operations: [
        "disk.raw - | erase an array | needs zero-superblock stop S create C | stops mdadm web --zero-superblock | passes mdadm web",
      ],
    }),
    program("ifconfig", "", {
      shows: "*",
      operations: [
        "sys.firewall * down | cut the machine off the network | stops ifconfig x down | passes ifconfig x list web",
      ],
    }),
    program("xcrun", "readsNothing changesMore simulates", {
      run: runXcrun,
      operations: [
        "cloud.other simctl erase|delete …all | delete simulated devices with their data | stops xcrun simctl erase all | passes xcrun simctl shutdown all",
        "cloud.other simctl erase|delete | delete a simulated device | free on iPhone*|iPad*|Apple*|booted|unavailable|????????-????-????-????-???????????? | stops xcrun simctl erase everything | passes xcrun simctl erase 'iPhone 15'",
        "publish altool|iTMSTransporter | hand an application to a store | needs upload-app upload-package | safer xcrun altool --validate-app | stops xcrun altool --upload-app -f a.ipa | passes xcrun altool --validate-app -f a.ipa",
      ],
    }),
    // What it uploads goes to a board on a cable.
    program("arduino-cli", "readsNothing changesMore"),
    commands([
      "remove-localuser remove-localgroup new-localuser add-localgroupmember: sys.account - | change an account | stops remove-localuser web | passes remove-localuser --help",
      "clear-disk initialize-disk remove-partition reset-physicaldisk remove-volume set-disk: disk.raw - | erase a disk | unless WhatIf whatif | stops clear-disk web | passes clear-disk -WhatIf",
      "stop-computer restart-computer: sys.power - | switch the machine off | unless WhatIf whatif | stops stop-computer | passes stop-computer -WhatIf",
      "set-netfirewallprofile: sys.firewall - | open the firewall | needs enabled=false Enabled=False Enabled=*alse enabled=*alse | stops set-netfirewallprofile --enabled false | passes set-netfirewallprofile web",
      "stop-process spps: sys.kill - | end every process of a name | needs name processname | unless id whatif | stops stop-process web -name | passes stop-process web",
      "pm: cloud.other clear|uninstall | delete an application with its data | free on *.debug|*.dev|*.test|*.staging | stops pm clear com.acme.chat | passes pm clear com.acme.chat.debug",
      "defaults: cloud.other delete|rename | delete settings of an application | free on *.debug|*.dev|*.test|*.staging | stops defaults delete com.acme.chat | passes defaults delete com.acme.chat.debug",
      "sfltool: sys.cron add-item | make something start at login | stops sfltool add-item x | passes sfltool dumpbtm",
      "logrotate: cloud.other - | rotate logs now and drop the oldest | needs f force | unless d debug | stops logrotate -f x.conf | passes logrotate -d x.conf",
      "hdparm nvme sg_format: disk.raw - | erase a disk | needs f force security-erase security-erase-enhanced trim-sector-ranges format | stops hdparm web -f | passes hdparm web",
      "nvme: disk.raw format|sanitize | erase a disk | stops nvme format web | passes nvme list web",
      "gdisk cgdisk: disk.raw - | rewrite the partition table | needs z Z zap zap-all o clear new delete delete-all wipe | unless n | stops gdisk web -z | passes gdisk web",
      "gdisk cgdisk cfdisk: disk.raw /dev/* | rewrite a disk | unless l list | stops gdisk /dev/sdb web | passes gdisk /dev/sdb -l",
      "debugfs: disk.raw - | change a mounted file system directly | needs w | stops debugfs web -w | passes debugfs web",
      "asr: disk.raw restore|erase | erase a disk | needs erase | stops asr restore web --erase | passes asr restore web",
      "zpool: disk.raw destroy|labelclear|remove|offline | destroy a pool | stops zpool destroy web | passes zpool list web",
      "lvm: disk.raw lvremove|vgremove|pvremove | remove a volume | stops lvm lvremove web | passes lvm list web",
      "cryptsetup: disk.raw luksFormat|luksErase|erase|luksKillSlot|reencrypt | erase an encrypted disk | stops cryptsetup luksFormat web | passes cryptsetup list web",
      "diskutil: disk.raw erase*|partitionDisk|zeroDisk|randomDisk|secureErase|reformat|deleteVolume|deleteContainer | erase a disk | stops diskutil eraseDisk web | passes diskutil list web",
      "diskutil: disk.raw apfs|cs|coreStorage delete*|erase* | erase a disk | stops diskutil apfs deleteVolume web | passes diskutil apfs list web",
      "badblocks: disk.raw * | overwrite a disk | needs w | stops badblocks x web -w | passes badblocks x web",
      "dcfldd dc3dd: disk.raw …of=/dev/*|wipe=/dev/*|hof=/dev/* | overwrite a disk | free on of=/dev/null | stops dcfldd of=/dev/sdb web | passes dcfldd of=/dev/sdb of=/dev/null",
      "ddrescue dd_rescue: disk.raw * /dev/* | overwrite a disk | free on /dev/null | stops ddrescue x /dev/sdb web | passes ddrescue x /dev/sdb /dev/null",
      "nwipe dban: disk.raw /dev/* | overwrite a disk | stops nwipe /dev/sdb web | passes nwipe list web",
      "nwipe: disk.raw - | overwrite a disk | needs autonuke | stops nwipe web --autonuke | passes nwipe web",
      "gpart: disk.raw destroy|delete|create|restore | rewrite the partition table | stops gpart destroy web | passes gpart list web",
      "zpool: disk.raw create | make a pool over what is on the disks | needs f force | unless n | stops zpool create web -f | passes zpool create web",
      "pvcreate: disk.raw - | make a volume over what is on the disk | unless t test | stops pvcreate web | passes pvcreate -t",
      "dmsetup: disk.raw remove_all|wipe_table | remove mapped disks | stops dmsetup remove_all web | passes dmsetup list web",
      "flashrom flashcp: disk.raw - | overwrite the firmware | needs w write E erase | stops flashrom web -w | passes flashrom web",
      "efibootmgr: disk.raw - | delete a boot entry | needs B delete-bootnum | stops efibootmgr web -B | passes efibootmgr web",
      "format format.com: disk.raw *: | format a drive | stops format D: web | passes format list web",
      "diskpart: disk.raw - | rewrite a disk | stops diskpart web | passes diskpart --help",
      "init telinit: sys.power 0|6|1|s|S | switch the machine off | stops init 0 | passes init list web",
      "service rc-service invoke-rc.d: sys.power ssh|sshd|network|networking|NetworkManager stop | cut the machine off the network | stops service ssh stop | passes service ssh list web",
      "umount swapoff: sys.power - | unmount every file system or swap space | needs a all | stops umount -a | passes umount web",
      "loginctl: sys.power poweroff|reboot|halt|terminate-*|kill-* | switch the machine off or end a login | stops loginctl poweroff | passes loginctl list web",
      "launchctl: sys.cron load|bootstrap|enable|submit * | make something start automatically | safer launchctl list | stops launchctl load x.plist | passes launchctl list",
      "update-alternatives alternatives: sys.cron - | make another program start under this name | needs install set slave | stops update-alternatives --set x /y | passes update-alternatives --list x",
      "loginctl: sys.cron enable-linger | make something start automatically | stops loginctl enable-linger | passes loginctl list-sessions",
      "update-rc.d rc-update chkconfig sysrc: sys.cron * | make something start automatically | unless list l show status | free on show|status | stops rc-update add web | passes rc-update show",

      "fcrontab incrontab: sys.cron * | replace the schedule | unless l e | stops incrontab x | passes incrontab -l",
      "gcore procdump: sec.keychain - | write down what a process has in its memory | stops gcore 1234 | passes gcore --help",
      "scancel bkill: sys.kill - | end every job of a user | needs u user U A account state partition t p q | unless n name J | stops scancel -u web | passes scancel 4711",
      "fastboot: disk.raw erase|format|flashing|oem|flash:raw | erase a device | stops fastboot erase userdata | passes fastboot devices",
      "fastboot: grant.protection - | switch the check of what starts off | needs disable-verity disable-verification | stops fastboot --disable-verity flash vbmeta x | passes fastboot devices",
      "espefuse espefuse.py: disk.raw …burn_efuse|burn_key|burn_bit|write_protect_efuse|burn-efuse|burn-key | burn a fuse, which cannot be undone | stops espefuse burn_efuse x | passes espefuse summary",
      "fastboot: disk.raw - | erase a device | needs w | stops fastboot -w | passes fastboot devices",
      "fwupdmgr fwupdtool: disk.raw install|update|upgrade|downgrade|reinstall|install-blob | write the firmware of a device | safer fwupdmgr get-devices | stops fwupdmgr install fw.cab | passes fwupdmgr get-updates",
      "xattr: grant.protection com.apple.quarantine | let a downloaded program start unchecked | needs d | stops xattr -d com.apple.quarantine App.app | passes xattr -l App.app",
      "route: sys.firewall del|delete|flush | cut the machine off | stops route del default | passes route -n",
      "route: sys.firewall - | cut the machine off | needs f | stops route -f | passes route -n",
      "tc: sys.firewall qdisc|class|filter add|replace|change|del|delete | change what leaves the machine | stops tc qdisc add dev eth0 root netem loss 100% | passes tc qdisc show",
      "wg-quick: sys.firewall down | cut the machine off a network | stops wg-quick down wg0 | passes wg-quick --help",
      "chisel frpc: net.expose client …R:* | make a port of this machine reachable from another | stops chisel client host R:socks | passes chisel client host 3000",
      "profiles: grant.protection remove | take away rules of this machine | stops profiles remove -all | passes profiles list",
      "softwareupdate: sys.power - | restart the machine | needs R restart | stops softwareupdate --install --all --restart | passes softwareupdate --list",
      "amtool: grant.protection silence add | silence alarms | stops amtool silence add alertname=x | passes amtool silence query",
      "nvram: disk.raw - | erase the settings of the firmware | needs c d | stops nvram -c | passes nvram -p",
      "nix-collect-garbage: cloud.other - | delete every older generation | needs d delete-old | stops nix-collect-garbage -d | passes nix-collect-garbage",
      "launchctl: sys.kill kill * system/* | end a service of the machine | stops launchctl kill 9 system/x | passes launchctl list web",
      "launchctl: sys.power reboot|bootout | switch the machine or a login off | stops launchctl reboot | passes launchctl list web",
      "sysctl: fs.system-write - | change settings of the kernel | ask | needs w write p load system | safer sysctl -a | stops sysctl -w net.ipv4.ip_forward=1 | passes sysctl -a",
      "sysctl: fs.system-write …*=* | change settings of the kernel | ask | safer sysctl -a | stops sysctl kernel.x=0 | passes sysctl kernel.x",
      "insmod rmmod modprobe: fs.system-write * | load or unload a kernel module | ask | unless n dry-run c showconfig show-depends D | safer lsmod | stops modprobe x | passes modprobe -n x",
      "deluser groupdel delgroup: sys.account - | delete an account | stops deluser web | passes deluser --help",
      "useradd adduser groupadd addgroup: sys.account - | make an account | stops useradd web | passes useradd --help",
      "usermod groupmod chage gpasswd chsh vipw vigr: sys.account - | change an account | unless c check l list | stops usermod web | passes usermod -c",
      "chpasswd newusers: sys.account - | change passwords | stops chpasswd web | passes chpasswd --help",
      "sysadminctl dseditgroup: sys.account - | change an account | stops sysadminctl web | passes sysadminctl --help",
      "net: sys.account user|localgroup …/add|/delete|/del|/active:no | change an account | stops net user /add web | passes net user list web",
      "killall5: sys.kill - | end every process | deny | stops killall5 web | passes killall5 --help",
      "slay: sys.kill - | end every process of a user | stops slay web | passes slay --help",
      "setcap: sys.setuid *cap_set?id*|*cap_sys_admin*|*cap_dac_*|*cap_sys_ptrace*|*cap_sys_module*|*cap_chown*|*cap_fowner*|all* | give a program the rights of root | unless r v n | stops setcap cap_setuid+ep web | passes setcap cap_setuid+ep -r",
      "iptables-legacy iptables-nft: sys.firewall - | open the firewall | needs F flush X delete-chain | stops iptables-legacy -F | passes iptables-legacy web",
      "iptables-restore ip6tables-restore: sys.firewall - | replace every rule of the firewall | unless t test n noflush | stops iptables-restore | passes iptables-restore -t",
      "ufw: sys.firewall disable|reset | open the firewall | stops ufw disable | passes ufw list web",
      "service rc-service: sys.firewall ufw|nftables|iptables|firewalld|fail2ban stop | open the firewall | stops service ufw stop | passes service ufw list web",
      "ebtables arptables: sys.firewall - | open the firewall | needs F flush X P policy | stops ebtables -F | passes ebtables web",
      "ipset: sys.firewall flush|destroy | open the firewall | stops ipset flush | passes ipset list web",
      "ufw: sys.firewall default | change what the firewall does by default | stops ufw default | passes ufw list web",
      "nft: sys.firewall flush|delete | open the firewall | stops nft flush | passes nft list web",
      "pfctl: sys.firewall - | open the firewall | needs F d | stops pfctl -F | passes pfctl web",
      "firewall-cmd: sys.firewall - | open the firewall | needs panic-on complete-reload | stops firewall-cmd --panic-on | passes firewall-cmd web",
      "nmcli: sys.firewall networking|radio off | cut the machine off the network | stops nmcli networking off | passes nmcli networking list web",
      "nmcli: sys.firewall networking|radio all|wifi off | cut the machine off the network | stops nmcli networking all off | passes nmcli networking all list web",
      "rfkill: sys.firewall block | cut the machine off the network | stops rfkill block | passes rfkill list web",
      "netsh: sec.keychain wlan show …key=clear | show the password of a network | stops netsh wlan show profile key=clear | passes netsh wlan show profiles",
      "netsh: sys.firewall …reset|off | open the firewall | stops netsh thing reset | passes netsh thing list web",
      "setenforce: sys.firewall 0 | switch protection off | stops setenforce 0 | passes setenforce list web",
      "pre-commit lefthook husky overcommit captain-hook simple-git-hooks: git.verify uninstall | switch the hooks off | safer pre-commit run --all-files | stops pre-commit uninstall",
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

/** Tools of its own have words of their own; any other is started as it is. */
function runXcrun(call: ParsedCall): Output {
  const isOwn = /^(?:simctl|altool|notarytool|devicectl|xctrace|xcresulttool)$/;
  const [first] = call.operands;
  return first === undefined || isOwn.test(describe(first))
    ? [unknownOutput(call)]
    : runInner(call.argv.slice(call.argv.indexOf(first)), call);
}

/** `qemu-img convert -O raw a.qcow2 TARGET` */
function writtenByImageTool({ operands }: ParsedCall): readonly ProgramEffect[] {
  const [action, ...files] = operands;
  const isWritten = /^(?:convert|create|dd)$/.test(action === undefined ? "" : describe(action));
  const target = isWritten ? files.at(-1) : undefined;
  return [...plainReads(target === undefined ? files : files.slice(0, -1)), ...written(target)];
}

function written(path: Value | undefined): readonly ProgramEffect[] {
  return path === undefined ? [] : [{ kind: "write", path, how: "replace" }];
}
