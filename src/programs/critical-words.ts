const CRITICAL = new Set(
  (
    "rm rmdir unlink shred srm wipe dd mkfs wipefs blkdiscard fdisk parted mv truncate chmod chown chattr find fd " +
    "git curl wget nc ncat socat ssh scp rsync eval exec source sudo doas su xargs parallel tee " +
    "sh bash zsh dash ksh ash fish python python2 python3 perl ruby node bun deno php lua awk osascript pwsh powershell " +
    "base64 openssl docker podman kubectl helm terraform tofu pulumi aws gcloud az gh psql mysql mongosh redis-cli sqlite3 " +
    "dropdb crontab kill killall pkill shutdown reboot halt poweroff systemctl iptables userdel passwd npm cargo rimraf " +
    "remove-item del rd iex invoke-expression format-volume"
  ).split(" "),
);

export function isCriticalWord(name: string): boolean {
  return CRITICAL.has(name);
}

/**
 * Dangerous program names in text that could not be analysed: a plain scan for words, quotes and backslashes
 * ignored. Answers each word once, in order.
 */
export function findCriticalWords(region: string): readonly string[] {
  const found = new Set<string>();
  const bare = region.replace(/[\\'"]/g, "");
  for (const match of bare.matchAll(/[A-Za-z][\w-]*/g)) {
    const word = match[0].toLowerCase();
    if (CRITICAL.has(word)) found.add(word);
    else if (word.startsWith("mkfs")) found.add("mkfs");
  }
  return [...found];
}
