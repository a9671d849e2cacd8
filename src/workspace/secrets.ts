import { CREDENTIAL_FILES } from "../hosts/index.ts";
import { type Piece, type WordSet, wordSet } from "../shell/index.ts";
import { globMatches } from "../system/index.ts";
import { componentCouldBe } from "./target.ts";

/** `key` is private key material, `entry` a file that lets others in, `secret` everything else worth hiding. */
export type SecretKind = "secret" | "key" | "entry";

const TEMPLATE_WORDS = wordSet(`
  example sample template tmpl dist defaults default schema tpl
`);

/** By file name, anywhere. */
const NAMES: Readonly<Record<SecretKind, WordSet>> = {
  secret: wordSet(`
    .env .env.* .envrc.private *.pem .netrc _netrc .git-credentials .pgpass .my.cnf .pypirc .htpasswd
    .vault-token .vault_pass* *.tfstate *.tfstate.backup *service-account*.json *service_account*.json
    *serviceaccount*.json gcp-credentials*.json application_default_credentials.json secrets.*
    secret.y*ml secret.json credentials.json .credentials.json *-credentials.json *.tfvars *.tfvars.json .dev.vars
    .dev.vars.* client_secret*.json client-secret*.json *firebase-adminsdk*.json kubeconfig kubeconfig.* *.kubeconfig
    *.ovpn vault_pass* .vault-pass* .vault_password* vault-password* .mylogin.cnf wallet.dat .databrickscfg
    local.settings.json krb5cc_*
  `),
  key: wordSet(`
    *.key *.p8 *.p12 *.pfx *.ppk *.kdbx *.keystore *.jks *.agekey id_rsa id_dsa id_ecdsa id_ed25519 id_ecdsa_sk
    id_ed25519_sk
  `),
  entry: wordSet(`
    authorized_keys authorized_keys2
  `),
};

/** Certificates and public keys are made to be shown. */
const PUBLIC_PART =
  /(?:^|[-_.])(ca|cacert|certs?|certificates?|fullchain|chain|bundle|root|intermediate|public|pub|dhparams?)(?=[-_.]|$)/;
const PRIVATE_PART = /(?:^|[-_.])(key|priv|private|privkey)(?=[-_.]|$)/;

/** Code and notes that only have the word in their name. */
const CODE_EXTENSIONS = wordSet(`
  ts tsx js jsx mjs cjs py rb go rs java kt cs c h cpp php swift md mdx rst adoc html css scss vue
  svelte sh bash snap pub baseline
`);

/** Below the home directory, the file or the whole tree. `?` stands for a blank. */
const HOME_TREES: Readonly<Record<"secret" | "key", WordSet>> = {
  secret: wordSet(`
    .aws .azure .config/gcloud .password-store .config/op .config/1Password .config/Bitwarden
    .config/Bitwarden?CLI .config/keepassxc .config/google-chrome .config/chromium .config/BraveSoftware
    .config/microsoft-edge .mozilla Library/Application?Support/Google/Chrome
    Library/Application?Support/Firefox Library/Cookies .terraform.d/credentials.tfrc.json .kube/config
    .docker/config.json .config/gh/hosts.yml .config/glab-cli/config.yml .config/git/credentials
    .config/rclone/rclone.conf .config/hub .config/heroku .config/doctl/config.yaml .fly/config.yml
    .npmrc .pypirc .netrc .cargo/credentials .cargo/credentials.toml .gem/credentials .m2/settings.xml
    .gradle/gradle.properties .s3cfg .boto .bash_history .zsh_history .kube .kaggle .oci .databrickscfg .terraformrc
    .huggingface .cache/huggingface/stored_tokens .mylogin.cnf .snowflake .snowsql/config .dbt/profiles.yml .chef
    .microsoft/usersecrets .wrangler/config .config/.wrangler/config .supabase .railway .netlify/config.json
    .config/netlify/config.json .config/configstore .config/ngrok .ngrok2 .config/github-copilot .config/stripe
    .twilio-cli .sentryclirc .config/hcloud .config/linode-cli .bluemix .aliyun .tccli .mc .yarnrc.yml
    .nuget/NuGet/NuGet.Config .config/helm/registry .config/containers .config/composer .composer/auth.json .bitcoin
    .electrum/wallets .ethereum/keystore .config/solana .monero .foundry/keystores .near-credentials .psql_history
    .mysql_history .sqlite_history .python_history .node_repl_history .irb_history .rediscli_history .dbshell .mongodb
    .zsh_sessions .local/share/fish/fish_history .local/share/atuin .authinfo .msmtprc .fetchmailrc .mbsyncrc .gitcookies
    .smbcredentials .davfs2/secrets .arcrc .cvspass .lftp/bookmarks .vnc .config/TigerVNC .config/remmina .config/filezilla
    .thunderbird .purple/accounts.xml .config/Slack .config/discord .config/Signal .config/Code/User/globalStorage
    .config/Cursor/User/globalStorage .lpass .bitwarden .doppler .infisical .config/turso .config/tea .jira.d .android/adbkey
    .config/io.datasette.llm/keys.json .cache/huggingface/token .local/share/jupyter/runtime .config/wireguard
    ${CREDENTIAL_FILES.join(" ")}
  `),
  key: wordSet(`
    .gnupg .local/share/keyrings .local/share/kwalletd Library/Keychains .config/sops/age .config/age .age .signify
    .minisign .step/secrets .local/share/mkcert
  `),
};

/** What tools of a user call the file in which they keep how they log in; in a hidden directory of the home. */
const LOGIN_FILE =
  /^(auth|tokens?|access[-_]?tokens?|api[-_]?keys?|credentials?|oauth[\w-]*|secrets?|cookies?)(\.(json|ya?ml|toml|txt|db|cfg|ini|xml|conf))?$/i;
/** Below a secret tree, and none themselves. */
const HARMLESS_IN_HOME = wordSet(".aws/config .kube/cache .kube/http-cache .kube/kubectx");

const SSH_HARMLESS = wordSet(`
  config known_hosts known_hosts.old environment config.d
`);
const SYSTEM_SECRETS = wordSet(`
  /etc/shadow /etc/shadow- /etc/gshadow /etc/gshadow- /etc/ssh/ssh_host_rsa_key /etc/ssh/ssh_host_ecdsa_key
  /etc/ssh/ssh_host_ed25519_key /etc/sudoers /etc/master.passwd /etc/kubernetes/admin.conf /etc/rancher/k3s/k3s.yaml
`);
const SYSTEM_TREES = wordSet(`
  /etc/ssl/private /etc/sudoers.d /etc/letsencrypt/live /etc/letsencrypt/archive /run/secrets
  /var/run/secrets /etc/wireguard /etc/NetworkManager/system-connections
`);

export interface SecretNames {
  /** patterns the configuration added, by name or by path below the project */
  readonly added: readonly string[];
  readonly removed: readonly string[];
}

/** What kind of secret a file of this name is; undefined for ordinary names and for templates. */
export function secretByName(written: string, names: SecretNames): SecretKind | undefined {
  const name = written.toLowerCase();
  for (const pattern of names.added) {
    if (!pattern.includes("/") && globMatches(pattern.toLowerCase(), name)) return "secret";
  }
  for (const kind of ["entry", "key", "secret"] as const) {
    const pattern = candidates(kind, name.charAt(0)).find(candidate => globMatches(candidate, name));
    if (pattern === undefined) continue;
    const isTakenOut = names.removed.some(removed => globMatches(removed.toLowerCase(), name));
    return isTakenOut || isHarmlessVariant(name, pattern) ? undefined : kind;
  }
  return undefined;
}

const byFirst = new Map<string, readonly string[]>();

/** The patterns that a name with this first letter can match: a few of many. */
function candidates(kind: keyof typeof NAMES, first: string): readonly string[] {
  const key = kind + first;
  const known = byFirst.get(key);
  if (known !== undefined) return known;
  const found = NAMES[kind].list.filter(pattern => "*?[".includes(pattern[0] ?? "") || pattern[0] === first);
  // Letters come from commands: those that begin no name are not remembered.
  if (/^[\w.]$/.test(first)) byFirst.set(key, found);
  return found;
}

function isHarmlessVariant(name: string, pattern: string): boolean {
  const parts = name.split(".");
  if (parts.some(word => TEMPLATE_WORDS.has(word) || /^(example|sample)[-_]/.test(word))) return true;
  if (pattern.endsWith("*")) return CODE_EXTENSIONS.has(parts.at(-1) ?? "");
  return pattern === "*.pem" || pattern === "*.key" ? isPublicPart(name) : false;
}

/** `fullchain.pem` and `jwt.public.key`, but not `ca.key` or `chain.private.pem`. */
function isPublicPart(name: string): boolean {
  const stem = name.replace(/\.[^.]*$/, "");
  return PUBLIC_PART.test(stem) && !PRIVATE_PART.test(stem) && (name.endsWith(".pem") || /pub/.test(stem));
}

/** A file below the home directory, by its parts from there. */
export function secretInHome(parts: readonly string[]): SecretKind | undefined {
  const [first, second] = parts;
  if (first === ".ssh") {
    if (second === undefined) return "key";
    if (second === "authorized_keys" || second === "authorized_keys2" || second === "rc") return "entry";
    return SSH_HARMLESS.has(second) || second.endsWith(".pub") ? undefined : "key";
  }
  const path = parts.join("/").replaceAll(" ", "?");
  if (HARMLESS_IN_HOME.list.some(harmless => path.startsWith(harmless) && isAtOrBelow(path, harmless)))
    return undefined;
  if (first?.startsWith(".") === true && second !== undefined && LOGIN_FILE.test(parts.at(-1) ?? ""))
    return "secret";
  const trees = treesBelow(path.slice(0, `${path}/`.indexOf("/")));
  return trees.find(({ tree }) => isAtOrBelow(path, tree))?.kind;
}

interface HomeTree {
  readonly tree: string;
  readonly kind: "secret" | "key";
}

let treesByTop: ReadonlyMap<string, readonly HomeTree[]> | undefined;
const NO_TREES: readonly HomeTree[] = [];

/** The trees of a home whose first name this is: few names have any. */
function treesBelow(top: string): readonly HomeTree[] {
  treesByTop ??= groupByTop(
    (["key", "secret"] as const).flatMap(kind => HOME_TREES[kind].list.map(tree => ({ tree, kind }))),
  );
  return treesByTop.get(top) ?? NO_TREES;
}

function groupByTop(trees: readonly HomeTree[]): ReadonlyMap<string, readonly HomeTree[]> {
  const groups = new Map<string, HomeTree[]>();
  for (const each of trees) {
    const top = each.tree.slice(0, `${each.tree}/`.indexOf("/"));
    groups.set(top, [...(groups.get(top) ?? []), each]);
  }
  return groups;
}

/** The places of secrets that have a fixed path, whether something is there or not: files, or whole trees. */
export function secretPlaces(home: string): readonly string[] {
  const inHome = [...HOME_TREES.secret.list, ...HOME_TREES.key.list].map(tree => tree.replaceAll("?", " "));
  return [...inHome.map(tree => `${home}/${tree}`), ...SYSTEM_SECRETS.list, ...SYSTEM_TREES.list];
}

function isAtOrBelow(path: string, tree: string): boolean {
  return path === tree || path.startsWith(`${tree}/`);
}

/** `.env` and its like, which hold settings beside secrets. */
export function isSettingsFile(path: string): boolean {
  const name = path.slice(path.lastIndexOf("/") + 1);
  return name === ".env" || name.startsWith(".env.");
}

/** Settings in which some people keep how they log in, and most do not. */
export function mayHoldLogin(path: string): boolean {
  return /\/(?:\.npmrc|\.envrc|\.yarnrc(?:\.yml)?|\.gitconfig|\.gitmodules|\.condarc|pip\.conf|nuget\.config|gradle\.properties|settings\.xml|\.git\/(?:.+\/)?config(?:\.worktree)?)$/i.test(
    path,
  );
}

/** The known places of secrets below a home. */
export function secretNamesInHome(): readonly string[] {
  return [...HOME_TREES.secret.list, ...HOME_TREES.key.list].map(name => name.replaceAll("?", " "));
}

/** A directory of the home in which a known place of secrets lies. */
export function hasSecretsBelow(parts: readonly string[]): boolean {
  const prefix = `${parts.join("/")}/`;
  return (
    parts.length > 0 &&
    [...HOME_TREES.secret.list, ...HOME_TREES.key.list].some(tree => tree.startsWith(prefix))
  );
}

export function secretInSystem(path: string): SecretKind | undefined {
  if (path.startsWith("/etc/ssh/") && path.endsWith("_key")) return "key";
  if (SYSTEM_SECRETS.has(path)) return "secret";
  if (/^\/proc\/(self|\d+|\*|thread-self)\/environ$/.test(path)) return "secret";
  return SYSTEM_TREES.list.some(tree => path.startsWith(tree) && isAtOrBelow(path, tree)) ? "key" : undefined;
}

const EXEMPLARS = wordSet(`
  .env .env.local .env.production id_rsa id_ed25519 id_ecdsa server.key server.pem key.p12 .netrc .npmrc
  .git-credentials terraform.tfstate secrets.yaml secrets.json authorized_keys credentials
`);
const ORDINARY = wordSet(`
  index.ts readme.md package.json main.py config.yaml .gitignore .eslintrc.json notes.txt data.csv
  environment.ts
`);

/**
 * Is a pattern aimed at secrets? It could name one of them, and it could not name just anything: `.e*` and
 * `id_*` are, `*` and `*.json` are not.
 */
export function patternNamesSecret(component: readonly Piece[]): boolean {
  if (!component.some(piece => piece.kind === "glob")) return false;
  if (component.some(piece => piece.kind === "unknown")) return false;
  if (!EXEMPLARS.list.some(name => componentCouldBe(component, name))) return false;
  return !ORDINARY.list.some(name => componentCouldBe(component, name)) || opensWithPlainDot(component);
}

/** `.*` and `.[a-z]*` reach every hidden file, so also `.env`. */
function opensWithPlainDot(component: readonly Piece[]): boolean {
  const [first] = component;
  return first?.kind === "text" && first.text.startsWith(".") && componentCouldBe(component, ".env");
}
