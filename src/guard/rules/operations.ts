import { CHANGE, hasTrait, OWN_CLUSTER } from "../../programs/index.ts";
import { describe } from "../../shell/index.ts";
import { join } from "../../system/index.ts";
import type { Examples, RuleTable, RuleText } from "../rule.ts";
import { isOfFamily } from "../rule.ts";
import type { CommandEffect, RuleContext, RuleFamily } from "../rule-context.ts";
import { isOnlyUsed } from "../secret-flow.ts";

const ofData = (title: string, when: string, safer: string, examples: Examples): RuleText => ({
  title,
  verdict: "ask",
  when: `${when} A name that means production makes it a denial.`,
  lost: "It would {what}, and the data is gone: {target}.",
  person: "Only a backup of the database can bring it back.",
  model: "Look at what is there first, and limit it to the rows or objects that are meant.",
  safer,
  examples,
  isOperation: true,
});

const DATABASES_RULES = {
  "db.drop": ofData(
    "drops database objects",
    "DROP of a database, schema, table or user, dropdb, mysqladmin drop, dropDatabase.",
    "mongosh --eval 'db.stats()'",
    {
      asks: { "psql -c 'DROP TABLE users'": "users" },
      passes: ["psql -c \"SELECT 'DROP TABLE users'\"", "sqlite3 /tmp/x.db 'DROP TABLE t'"],
    },
  ),
  "db.delete": ofData("deletes all rows", "TRUNCATE, or DELETE or UPDATE without WHERE.", "psql -c '\\dt'", {
    asks: { "psql -c 'DELETE FROM users'": "users" },
    passes: ["psql -c 'DELETE FROM users WHERE id=1'", "psql -c 'EXPLAIN DELETE FROM users'"],
  }),
  "db.alter": ofData("drops a column", "ALTER … DROP COLUMN.", "{tool} --help", {
    asks: { "psql -c 'ALTER TABLE users DROP COLUMN x'": "users" },
    passes: ["psql -c 'ALTER TABLE users ADD COLUMN x int'"],
  }),
  "db.flush": ofData(
    "empties a store",
    "FLUSHALL, FLUSHDB or DEBUG of Redis and programs like it.",
    "redis-cli DBSIZE",
    { asks: { "redis-cli FLUSHALL": "FLUSHALL" }, passes: ["redis-cli GET x"] },
  ),
  "db.index": ofData(
    "deletes an index",
    "A DELETE on an index of Elasticsearch or OpenSearch.",
    "curl -s {target}/_count",
    { asks: { "curl -X DELETE http://es:9200/logs": "es:9200/logs" }, passes: ["curl http://es:9200/logs"] },
  ),
  "db.reset": ofData("empties a database", "Resets and rollbacks of migration tools.", "{tool} --help", {
    asks: { "rails db:drop": "db:drop" },
    passes: ["rails db:migrate", "RAILS_ENV=test rails db:drop"],
  }),
} satisfies RuleTable;

const ofCloud = (title: string, when: string, safer: string, examples: Examples): RuleText => ({
  title,
  verdict: "ask",
  when: `${when} A name that means production makes it a denial; dry runs and plans pass.`,
  lost: "It would {what}: {target}.",
  person: "There is no undo.",
  model: "Look at what is there first, or do a dry run.",
  safer,
  examples,
  isOperation: true,
});

const CLOUD_RULES = {
  "cloud.resource": ofCloud(
    "deletes cloud resources",
    "Verbs such as delete, terminate, remove, purge or disable of a cloud's command line.",
    "{tool} help",
    {
      asks: { "aws ec2 terminate-instances --instance-ids i": "terminate-instances" },
      passes: ["aws ec2 describe-instances", "aws ec2 terminate-instances --dry-run --instance-ids i"],
    },
  ),
  "cloud.storage": ofCloud(
    "deletes stored objects",
    "Deleting objects or buckets, or making a bucket equal to something else.",
    "{tool} ls",
    {
      asks: { "aws s3 rm s3://b --recursive": "s3://b" },
      passes: ["aws s3 ls s3://b", "aws s3 rm s3://b --recursive --dryrun"],
    },
  ),
  "cloud.infra": ofCloud(
    "destroys infrastructure",
    "destroy, apply without a look at the plan, state rm, force-unlock, stack rm.",
    "{tool} plan",
    {
      asks: { "terraform destroy": "terraform destroy" },
      passes: ["terraform plan -destroy", "terraform apply"],
    },
  ),
  "cloud.cluster": ofCloud(
    "deletes in a cluster",
    "kubectl delete or drain, helm uninstall, vault, consul and nomad deletes.",
    "{tool} get all",
    {
      asks: { "kubectl delete pod web": "pod web" },
      passes: ["kubectl get pod web", "kubectl delete pod web --dry-run=client"],
    },
  ),
  "cloud.container": ofCloud(
    "deletes volumes or many containers",
    "system prune, volume rm, compose down -v, rm -f of lists.",
    "{tool} ps -a",
    {
      asks: { "docker volume rm data": "data" },
      passes: ["docker compose down", "docker volume ls", "docker rm -f app"],
    },
  ),
  "cloud.platform": ofCloud(
    "deletes an application",
    "destroy, remove or delete of a hosting platform.",
    "{tool} --help",
    { asks: { "heroku apps:destroy app": "apps:destroy" }, passes: ["heroku logs"] },
  ),
  "cloud.repository": ofCloud(
    "deletes on the forge",
    "Deleting repositories, releases, secrets, variables, runs or workflows.",
    "{tool} repo view",
    { asks: { "gh repo delete acme/app": "acme/app" }, passes: ["gh repo view acme/app"] },
  ),
  "cloud.backup": ofCloud(
    "deletes backups",
    "forget, prune, purge or delete of a backup program.",
    "{tool} --help",
    { asks: { "restic prune": "restic prune" }, passes: ["restic snapshots", "restic prune --dry-run"] },
  ),
  "cloud.queue": ofCloud(
    "deletes queues or topics",
    "Deleting topics, queues or their state.",
    "{tool} --help",
    { asks: { "rabbitmqctl reset": "rabbitmqctl reset" }, passes: ["rabbitmqctl status"] },
  ),
  "cloud.other": ofCloud(
    "destroys something by an unknown command",
    "A program without a record is told to delete, destroy, drop, purge, wipe or terminate something that is lost with its data.",
    "{tool} --help",
    {
      asks: { "acmectl cluster destroy eu": "cluster destroy eu" },
      passes: [
        "acmectl cluster list",
        "acmectl cluster destroy eu --dry-run",
        "acmectl help cluster destroy",
        "acmectl create delete-queue",
      ],
    },
  ),
  "cloud.public": ofCloud(
    "makes something public",
    "Making a bucket, an image, a repository or a port public.",
    "{tool} --help",
    {
      asks: { "aws s3api put-bucket-acl --bucket b --acl public-read": "put-bucket-acl" },
      passes: ["aws s3api put-bucket-acl --bucket b --acl private", "gsutil iam get gs://b"],
    },
  ),
  "cloud.api": ofCloud(
    "deletes on another machine",
    "An HTTP DELETE to another machine.",
    "curl -I {target}",
    {
      asks: { "curl -X DELETE https://api.example.com/x": "https://api.example.com/x" },
      passes: ["curl -X DELETE http://localhost:3000/x"],
    },
  ),
  "container.host": {
    title: "gives a container this machine",
    verdict: "ask",
    isOperation: true,
    when: "A container gets every right, a disk, the file system, a home, the processes or the engine's socket of this machine; or the engine is told to through its socket. Mounts of the project and of single files pass.",
    examples: {
      asks: { "docker run -v /:/mnt alpine ls": "docker run -v /:/mnt alpine ls" },
      passes: ["docker run -v .:/app alpine ls", "docker run --network host alpine ls"],
    },
    lost: "It would {what}, so that the container can change this machine: {target}.",
    person: "What it does outside the project is not kept and cannot be undone.",
    model: "Mount only the project, without extra rights.",
    safer: "docker ps -a",
  },
} satisfies RuleTable;

const PUBLISH_RULES = {
  publish: {
    title: "publishes to the public",
    verdict: "ask",
    isOperation: true,
    atLevel: { relaxed: "allow" },
    when: "publish, unpublish, deprecate, yank, upload or push of a package registry; dry runs pass.",
    examples: { asks: { "npm publish": "npm publish" }, passes: ["npm publish --dry-run", "npm pack"] },
    lost: "It would {what}: {target}.",
    person: "Publishing cannot be undone.",
    model: "Do a dry run; publishing is for a person to decide.",
    safer: "{tool} --help",
  },
} satisfies RuleTable;

const ofPackage = (title: string, when: string, safer: string, examples?: Examples): RuleText => ({
  title,
  ...(examples === undefined
    ? { verdict: "allow", atLevel: { strict: "ask" }, isNoted: true }
    : { verdict: "ask", atLevel: { relaxed: "allow" }, examples }),
  when: examples === undefined ? `${when} At standard it passes, with a note in the audit log.` : when,
  lost: "It would {what}, and what a package brings runs at once: {target}.",
  person: "Code of the package runs with all your rights.",
  model: "Check the name and where it comes from before you install it.",
  safer,
  isOperation: true,
});

const PACKAGES_RULES = {
  "pkg.lookalike": ofPackage(
    "installs a look-alike package",
    "The name is one letter away from that of a popular package of npm, PyPI, crates.io, RubyGems or Go.",
    "npm view {rest}",
  ),
  "pkg.index": ofPackage(
    "installs from another index",
    "An option or a variable names an index or registry that is not the usual one, nor on this machine.",
    "npm config get registry",
    {
      asks: {
        "pip install --extra-index-url https://pkgs.x.example/simple x": "https://pkgs.x.example/simple",
      },
      passes: [
        "pip install --index-url https://download.pytorch.org/whl/cpu torch",
        "npm install --registry http://localhost:4873 x",
      ],
    },
  ),
  "pkg.address": ofPackage(
    "installs from an address",
    "A package, plugin or extension is named by a URL, a repository or a file of its own instead of a name and version of a registry.",
    "npm view NAME",
    {
      asks: {
        "npx -y github:someone/tool": "github:someone/tool",
        "code --install-extension ./x.vsix": "./x.vsix",
        "nix run github:someone/tool": "nix run",
      },
      passes: [
        "npx -y cowsay",
        "pip install ./lib",
        "code --install-extension ms-python.python",
        "npm i ../lib",
      ],
    },
  ),
  "pkg.script": ofPackage(
    "runs a new package's install script",
    "A package that the lock file does not have runs a script while it is installed, as far as this machine knows it.",
    "npm install --ignore-scripts {rest}",
  ),
} satisfies RuleTable;

/** What reaches the people who use a system, who may use it, and what it costs: nothing is deleted, so it has rules of its own. */
const DEPLOY_RULES = {
  "deploy.production": {
    title: "deploys to production",
    verdict: "ask",
    atLevel: { relaxed: "allow" },
    isOperation: true,
    when: "A deploy, release, promotion, rollback or apply whose words say production; a command that deploys to production by itself. Previews, plans and dry runs pass.",
    examples: {
      asks: {
        "acmectl deploy --env production": "deploy --env production",
        "kubectl --context prod apply -f web.yaml": "apply",
      },
      passes: [
        "acmectl deploy --env staging",
        "kubectl --context prod get pods",
        "acmectl deploy --env production --dry-run",
      ],
    },
    lost: "It would {what} where people use it: {target}.",
    person: "Everybody who uses it gets it at once.",
    model: "Deploy to a preview or to staging; a person decides about production.",
    safer: "{tool} --help",
  },
  "deploy.merge": {
    title: "merges past the protection of a branch",
    verdict: "ask",
    atLevel: { relaxed: "allow" },
    isOperation: true,
    when: "A pull request is merged with the rights of an administrator, without its checks, or approved by the agent itself.",
    examples: {
      asks: { "gh pr merge 3 --admin": "pr merge 3" },
      passes: ["gh pr merge 3 --squash", "gh pr view 3"],
    },
    lost: "It would {what}, without the checks and reviews that the branch asks for: {target}.",
    person: "What is merged can be deployed at once.",
    model: "Wait for checks and reviews; only a person goes past them.",
    safer: "{tool} --help",
  },
} satisfies RuleTable;

const GRANT_RULES = {
  "grant.access": {
    title: "gives somebody access",
    verdict: "ask",
    atLevel: { relaxed: "allow" },
    isOperation: true,
    when: "Rights, roles, keys, tokens, passwords or members are added or widened, on a cloud, a forge, a database or a cluster.",
    examples: {
      asks: {
        "acmectl member add bob --role admin": "member add bob",
        "psql -c 'GRANT ALL ON DATABASE app TO bob'": "rights in the database",
      },
      passes: ["acmectl member list", "psql -c '\\du'"],
    },
    lost: "It would {what}, and whoever has it keeps it: {target}.",
    person: "Check who gets which rights before you allow it.",
    model: "Say which right is missing and for whom; giving it is for a person to decide.",
    safer: "{tool} --help",
  },
  "grant.protection": {
    title: "switches a protection off",
    verdict: "ask",
    atLevel: { relaxed: "allow" },
    isOperation: true,
    when: "Protection of a branch or against deletion, audit logs, alarms, backups, versioning, encryption or a firewall of a cloud is switched off, suspended or shortened.",
    examples: {
      asks: {
        "acmectl audit disable": "audit disable",
        "aws cloudtrail stop-logging --name main": "stop-logging",
      },
      passes: ["acmectl audit list", "aws cloudtrail describe-trails"],
    },
    lost: "It would {what}: {target}.",
    person: "What happens from then on is not recorded or cannot be brought back.",
    model: "Leave it on and say why it is in the way.",
    safer: "{tool} --help",
  },
} satisfies RuleTable;

const SPEND_RULES = {
  "spend.resource": {
    title: "creates something that costs money",
    verdict: "allow",
    atLevel: { strict: "ask" },
    isOperation: true,
    when: "Machines, clusters, databases, addresses, domains or capacity of a cloud are created, bought or made larger. At standard it passes.",
    examples: {
      asks: { "acmectl cluster create --nodes 3": "cluster create" },
      passes: ["acmectl cluster list", "acmectl cluster create --nodes 3 --dry-run"],
    },
    lost: "It would {what}, which is billed until somebody removes it: {target}.",
    person: "Look at the price before you allow it.",
    model: "Say what it costs; buying is for a person to decide.",
    safer: "{tool} --help",
  },
} satisfies RuleTable;

/** Reports what a table of commands named. A word that says production raises it where data of others is at stake. */
function inspectOperation(effect: CommandEffect, context: RuleContext): void {
  if (effect.kind !== "operation") return;
  const { by, rule, target, what, rest = "", safer } = effect;
  if (rule === "sec.keychain" && isOnlyUsed(context, effect)) return;
  // What is only said by a word, such as `helm dependency update`, may be done here.
  const cluster = what === CHANGE ? undefined : currentCluster(by, context);
  if (cluster !== undefined && OWN_CLUSTER.test(cluster) && /^(?:cloud\.cluster|deploy\.)/.test(rule)) return;
  const isProduction =
    isOfFamily(rule, "cloud", "db", "deploy") &&
    namesProduction([...effect.names, cluster ?? ""], context.workspace.settings.prodNames);
  if (rule === "deploy.production") {
    if (isProduction || effect.verdict !== undefined || (what !== CHANGE && isForProduction(context)))
      context.report(rule, by, target, { what, tool: target.split(" ")[0], rest, safer });
    return;
  }
  const shown = isProduction ? `${target} (production)` : target;
  const verdict = isProduction ? "deny" : effect.verdict;
  context.report(rule, by, shown, { what, tool: target.split(" ")[0], rest, verdict, safer });
}

const MAX_CONFIGURATION = 256 * 1024;

/** The cluster that a command goes to which names none: the one that is set in the configuration of the client. */
function currentCluster(
  { program, invocation, place }: CommandEffect["by"],
  context: RuleContext,
): string | undefined {
  const { workspace, facts } = context;
  if (invocation === undefined || place.kind !== "local" || !hasTrait(program, "appliesManifests"))
    return undefined;
  const isChosen = (word: string) =>
    /^(?:--(?:kube-?)?(?:context|config)|use-context|set-context)(?:=|$)/.test(word);
  if (facts.invocations.some(({ argv }) => argv.map(describe).some(isChosen))) return undefined;
  const own = invocation.environment.find(({ name }) => name === "KUBECONFIG")?.value;
  const given = own === undefined ? workspace.given.variable?.("KUBECONFIG") : describe(own);
  const path =
    given === undefined || given === "" ? join(workspace.home, ".kube/config") : given.split(":")[0];
  const content = path?.startsWith("/") === true ? workspace.disk.text(path, MAX_CONFIGURATION) : undefined;
  return /^current-context:[ \t]*["']?([\w./:@-]+)/m.exec(content ?? "")?.[1];
}

/** A whole word of a name: `prod-db` and `my_live_site` do, `product` and `delivery` do not. */
function namesProduction(names: readonly string[], prodNames: readonly string[]): boolean {
  const wanted = new Set(prodNames.map(name => name.toLowerCase()));
  return names.some(name =>
    name
      // A stack or a class is called `ProdStack`; other names in this spelling only begin alike (`liveReload`).
      .replace(/(?<![A-Za-z])([Pp]rod(?:uction)?)(?=[A-Z])/g, "$1-")
      .toLowerCase()
      .split(/[^a-z0-9]+/)
      .some(part => wanted.has(part) || wanted.has(part.replace(/(?<!\d)\d+$/, ""))),
  );
}

/** Where it goes is often said by an earlier part of the command: `kubectl config use-context prod && …`, `cd envs/prod`. */
function isForProduction({ facts, workspace }: RuleContext): boolean {
  const words = facts.invocations.flatMap(({ argv }) => argv.slice(1).map(describe));
  // A word with blanks is a text, such as a message.
  return namesProduction(
    words.filter(word => !/\s/.test(word)),
    workspace.settings.prodNames,
  );
}

export const DATABASES = {
  name: "databases",
  rules: DATABASES_RULES,
  checks: [{ inspect: inspectOperation }],
} satisfies RuleFamily;
export const CLOUD = { name: "cloud-containers", rules: CLOUD_RULES } satisfies RuleFamily;
export const PUBLISH = { name: "publish", rules: PUBLISH_RULES } satisfies RuleFamily;
export const PACKAGES = { name: "packages", rules: PACKAGES_RULES } satisfies RuleFamily;
export const DEPLOY = { name: "deploy", rules: DEPLOY_RULES } satisfies RuleFamily;
export const GRANT = { name: "grant", rules: GRANT_RULES } satisfies RuleFamily;
export const SPEND = { name: "spend", rules: SPEND_RULES } satisfies RuleFamily;
