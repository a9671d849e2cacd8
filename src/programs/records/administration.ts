import { words } from "../../shell/index.ts";

/**
 * Programs that administer the machine, its disks, devices and boot, with words that only show something where they have
 * such of their own. Whatever else they are told changes the machine for everybody, and most of it is not undone from here.
 */
const ADMINISTER = `
  timedatectl hostnamectl localectl bootctl: timesync-status
  grub-install grub-mkconfig grub2-install grub2-mkconfig update-grub grub-set-default update-initramfs dracut mkinitcpio
    kernel-install efibootmgr bless bcdedit bcdboot kexec reagentc: v enum
  fsfreeze tune2fs resize2fs e2fsck fsck fsck.ext4 xfs_repair xfs_growfs xfs_admin xfs_fsr lvextend lvcreate lvconvert
    lvchange lvrename vgchange vgreduce vgextend vgrename pvresize pvmove quotaon quotaoff setquota edquota swapon: s N l
  zpool zfs: iostat events import-list
  mdadm cryptsetup dmsetup: detail D E scan examine isLuks luksDump luksUUID table ls deps
  mount: l t
  ipmitool racadm ilorest storcli megacli ssacli hpssacli perccli arcconf: sdr sel fru sensor
  avrdude dfu-util openocd st-flash esptool esptool.py picotool teensy_loader_cli bossac stm32flash JLinkExe nrfjprog
    tinyprog ecpprog iceprog openFPGALoader: probe chip_id flash_id read_mac e
  pmset systemsetup scutil networksetup spctl csrutil fdesetup bputil kextload kextunload kmutil mdutil: g assess getremotelogin
    nc proxy
  xkill atrm
  aa-disable aa-complain aa-teardown apparmor_parser setsebool semanage semodule chcon: l
  update-ca-certificates update-ca-trust trust certmgr certlm: extract-compat
  dpkg-reconfigure dpkg-divert authselect pam-auth-update pwconv pwunconv grpconv grpunconv: truename listpackage
  chronyc ntpdate hwclock rtcwake: tracking sources sourcestats q r
  conntrack brctl ovs-vsctl ifdown netplan connmanctl wpa_cli: L services technologies
  ipcrm rdmsr wrmsr setpci hdparm sdparm sg_format nvme: I i t T l id-ctrl id-ns smart-log
  vssadmin wevtutil dism powercfg fsutil takeown: gl qe enum-logs el batteryreport
  riak-admin crictl ctr asinfo nodetool hdfs yarn-admin zkCli.sh: s r ps pods images netstats ring tpstats cfstats members-status
`;

let looks: ReadonlyMap<string, readonly string[]> | undefined;

/** The words with which a program that administers the machine shows something, beside the usual ones; undefined for others. */
export function looksOfAdministration(program: string): readonly string[] | undefined {
  looks ??= readRows();
  return looks.get(program);
}

function readRows(): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, readonly string[]>();
  for (const row of ADMINISTER.trim().split(/\n {2}(?! )/)) {
    const [names = "", own = ""] = row.split(":");
    for (const name of words(names)) found.set(name, words(own));
  }
  return found;
}
