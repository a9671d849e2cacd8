import type { RuleTable, RuleText } from "../rule.ts";

const rule = (title: string, when: string, safer: string): RuleText => ({
  title,
  verdict: "ask",
  when: `${when} A name that means production makes it a denial; dry runs and plans are free.`,
  lost: "It would {what}, and no undo is known: {target}.",
  safer,
});

export const CLOUD = {
  "cloud.resource": rule(
    "deletes cloud resources",
    "Verbs such as delete, terminate, remove, purge or disable of a cloud's command line.",
    "{tool} help",
  ),
  "cloud.storage": rule(
    "deletes stored objects",
    "Deleting objects or buckets, or making a bucket equal to something else.",
    "{tool} ls",
  ),
  "cloud.infra": rule(
    "destroys infrastructure",
    "destroy, apply without a look at the plan, state rm, force-unlock, stack rm.",
    "{tool} plan",
  ),
  "cloud.cluster": rule(
    "deletes in a cluster",
    "kubectl delete or drain, helm uninstall, vault, consul and nomad deletes.",
    "{tool} get all",
  ),
  "cloud.container": rule(
    "deletes volumes or many containers",
    "system prune, volume rm, compose down -v, rm -f of lists.",
    "{tool} ps -a",
  ),
  "cloud.platform": rule(
    "deletes an application",
    "destroy, remove or delete of a hosting platform.",
    "{tool} --help",
  ),
  "cloud.repository": rule(
    "deletes on the forge",
    "Deleting repositories, releases, secrets, variables, runs or workflows.",
    "{tool} repo view",
  ),
  "cloud.backup": rule(
    "deletes backups",
    "forget, prune, purge or delete of a backup program.",
    "{tool} --help",
  ),
  "cloud.queue": rule("deletes queues or topics", "Deleting topics, queues or their state.", "{tool} --help"),
  "cloud.api": rule("deletes on another machine", "An HTTP DELETE to another machine.", "curl -I {target}"),
  "container.host": {
    title: "gives a container this machine",
    verdict: "ask",
    when: "A container gets every right, a disk, the file system, a home, the processes or the engine's socket of this machine; or the engine is told to through its socket. Mounts of the project and of single files are free.",
    lost: "It would {what}, so that nothing holds it back from what is here: {target}.",
    safer: "docker ps -a",
  },
} satisfies RuleTable;
