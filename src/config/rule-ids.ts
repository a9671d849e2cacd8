// Written by scripts/write-schemas.mjs from src/guard/rules/.

/** Rules that the record of a program may name for its operations. */
export const OPERATION_RULES = [
  "cloud.api",
  "cloud.backup",
  "cloud.cluster",
  "cloud.container",
  "cloud.infra",
  "cloud.other",
  "cloud.platform",
  "cloud.public",
  "cloud.queue",
  "cloud.repository",
  "cloud.resource",
  "cloud.storage",
  "container.host",
  "db.alter",
  "db.delete",
  "db.drop",
  "db.flush",
  "db.index",
  "db.reset",
  "deploy.merge",
  "deploy.production",
  "disk.raw",
  "fs.system-write",
  "git.checkout",
  "git.history",
  "git.verify",
  "grant.access",
  "grant.protection",
  "net.expose",
  "pkg.address",
  "pkg.index",
  "pkg.lookalike",
  "pkg.script",
  "publish",
  "sec.keychain",
  "spend.resource",
  "sys.account",
  "sys.cron",
  "sys.firewall",
  "sys.forkbomb",
  "sys.kill",
  "sys.power",
  "sys.setuid",
] as const;
export type OperationRule = (typeof OPERATION_RULES)[number];

/** The id of a built-in rule. */
export type RuleId =
  | OperationRule
  | "agent.bypass"
  | "agent.history"
  | "agent.policy"
  | "exec.computed"
  | "exec.decoded"
  | "exec.netshell"
  | "exec.remote"
  | "exec.session"
  | "fs.bulk"
  | "fs.cwd"
  | "fs.home"
  | "fs.mirror"
  | "fs.others"
  | "fs.outside"
  | "fs.path"
  | "fs.project"
  | "fs.rcfile"
  | "fs.root"
  | "fs.shred"
  | "fs.source"
  | "fs.unkept"
  | "fs.unresolved"
  | "git.branch"
  | "git.clean"
  | "git.config"
  | "git.main"
  | "git.plumbing"
  | "git.push"
  | "git.reset"
  | "git.restore"
  | "git.secret-add"
  | "git.stash"
  | "git.switch"
  | "guard.unexamined"
  | "injection.directive"
  | "injection.encoded"
  | "injection.exfiltration"
  | "injection.hidden"
  | "injection.imitation"
  | "injection.override"
  | "net.homograph"
  | "net.metadata"
  | "net.sequence"
  | "net.upload"
  | "sec.exfil"
  | "sec.read"
  | "sec.write"
  | "text.deceptive";
