import type { RuleTable, RuleText } from "../rule.ts";

const rule = (title: string, when: string, safer: string): RuleText => ({
  title,
  verdict: "ask",
  when: `${when} A name that means production makes it a denial; dry runs and plans pass.`,
  lost: "It would {what}: {target}.",
  person: "No undo is known.",
  model: "Look at what is there first, or do a dry run.",
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
  "cloud.other": rule(
    "destroys something by an unknown command",
    "A program without a record is told to delete, destroy, drop, purge, wipe or terminate something that is lost with its data.",
    "{tool} --help",
  ),
  "cloud.public": rule(
    "makes something public",
    "Making a bucket, an image, a repository or a port public.",
    "{tool} --help",
  ),
  "cloud.api": rule("deletes on another machine", "An HTTP DELETE to another machine.", "curl -I {target}"),
  "container.host": {
    title: "gives a container this machine",
    verdict: "ask",
    when: "A container gets every right, a disk, the file system, a home, the processes or the engine's socket of this machine; or the engine is told to through its socket. Mounts of the project and of single files pass.",
    lost: "It would {what}, so that the container can change this machine: {target}.",
    person: "What it does outside the project is not kept and cannot be undone.",
    model: "Mount only the project, and leave extra rights away.",
    safer: "docker ps -a",
  },
} satisfies RuleTable;
