import type { ShellFacts } from "../../shell/facts.ts";
import { describe } from "../../shell/value.ts";

/** Commands that choose where later ones of the same family work: `program words… NAME`. */
const CHOICES: readonly (readonly [family: RegExp, chooser: RegExp])[] = [
  [/^(kubectl|oc|k|helm|kubecolor)$/, /^(kubectl|oc|k) config (use-context|set-context) |^(kubectx|kubens) /],
  [/^(terraform|tofu|terragrunt)$/, /^(terraform|tofu|terragrunt) workspace (select|new) /],
  [/^pulumi$/, /^pulumi stack (select|init) /],
  [/^gcloud$|^gsutil$|^bq$/, /^gcloud config (set (core\/)?project|configurations activate) /],
  [/^az$/, /^az account set /],
  [/^docker$/, /^docker context use /],
];

/** Names of contexts, workspaces and projects that the same text went to before. */
export function chosenBefore(facts: ShellFacts, program: string, before: number): readonly string[] {
  const choosers = CHOICES.flatMap(([family, chooser]) => (family.test(program) ? [chooser] : []));
  if (choosers.length === 0) return [];
  return facts.invocations.slice(0, before).flatMap(({ program: name, argv }) => {
    const line = [name ?? "", ...argv.slice(1).map(describe)].join(" ");
    return choosers.some(chooser => chooser.test(line)) ? [line.slice(line.lastIndexOf(" ") + 1)] : [];
  });
}
