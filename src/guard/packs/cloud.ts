import type { Rule } from "../rule.ts";
import type { Pack } from "../rule-context.ts";
import { reportOperation } from "./operations.ts";

const rule = (id: string, title: string, when: string, safer: string): Rule => ({
  id,
  title,
  verdict: "ask",
  when: `${when} A name that means production makes it a denial; dry runs and plans are free.`,
  lost: "It would {what}, and no undo is known: {target}.",
  safer,
});

const RULES: readonly Rule[] = [
  rule(
    "cloud.resource",
    "deletes cloud resources",
    "Verbs such as delete, terminate, remove, purge or disable of a cloud's command line.",
    "{tool} help",
  ),
  rule(
    "cloud.storage",
    "deletes stored objects",
    "Deleting objects or buckets, or making a bucket equal to something else.",
    "{tool} ls",
  ),
  rule(
    "cloud.infra",
    "destroys infrastructure",
    "destroy, apply without a look at the plan, state rm, force-unlock, stack rm.",
    "{tool} plan",
  ),
  rule(
    "cloud.cluster",
    "deletes in a cluster",
    "kubectl delete or drain, helm uninstall, vault, consul and nomad deletes.",
    "{tool} get all",
  ),
  rule(
    "cloud.container",
    "deletes volumes or many containers",
    "system prune, volume rm, compose down -v, rm -f of lists.",
    "{tool} ps -a",
  ),
  rule(
    "cloud.platform",
    "deletes an application",
    "destroy, remove or delete of a hosting platform.",
    "{tool} --help",
  ),
  rule(
    "cloud.repository",
    "deletes on the forge",
    "Deleting repositories, releases, secrets, variables, runs or workflows.",
    "{tool} repo view",
  ),
  rule(
    "cloud.backup",
    "deletes backups",
    "forget, prune, purge or delete of a backup program.",
    "{tool} --help",
  ),
  rule("cloud.queue", "deletes queues or topics", "Deleting topics, queues or their state.", "{tool} --help"),
  rule("cloud.api", "deletes on another machine", "An HTTP DELETE to another machine.", "curl -I {target}"),
];

export const cloud: Pack = {
  name: "cloud-containers",
  rules: RULES,
  inspect(effect, context) {
    if (effect.kind === "operation" && effect.rule.startsWith("cloud."))
      reportOperation(effect, context, true);
  },
};
