import type { OptionSpec } from "../../shell/options.ts";
import type { OperationRule } from "../effects.ts";
import { words } from "../words.ts";
import type { Verb, VerbTable } from "./verb.ts";

const CLOUD_VALUES: OptionSpec = {
  unknownTakesValue: true,
  abbreviates: false,
  flags: words(`
    recursive delete dryrun dry-run quiet q force f yes y debug no-cli-pager no-paginate no-verify-ssl auto-approve help
    version only-show-errors no-wait delete-unmatched-destination-objects async r R m all purge skip-final-snapshot
  `),
};
const KUBE: OptionSpec = {
  values: words(`
    n namespace context cluster user s server f filename l selector o output kubeconfig token as grace-period timeout
    field-selector replicas k kustomize cascade c container template p patch kube-context
  `),
  flags: words(
    "all A all-namespaces force now ignore-not-found wait prune R recursive help delete-emptydir-data ignore-daemonsets",
  ),
  optional: ["dry-run"],
  shortEquals: true,
  abbreviates: false,
};
const DOCKER: OptionSpec = {
  values: words(
    "H host context c config l log-level f file p project-name profile env-file project-directory t timeout filter rmi",
  ),
  flags: words("v volumes a all q quiet remove-orphans s stop help"),
  shortEquals: true,
  abbreviates: false,
};
const DOCKER_ENGINE: OptionSpec = {
  ...DOCKER,
  values: words(
    "H host context config l log-level filter project-name p file env-file profile t timeout rmi",
  ),
  flags: words("v volumes a all f force q quiet remove-orphans s stop help"),
};
const TERRAFORM: OptionSpec = {
  isSingleDash: true,
  flags: words("auto-approve destroy force help json no-color"),
  abbreviates: false,
};
const GH: OptionSpec = {
  values: words(
    "R repo X method H header f raw-field F field q jq t template input hostname org env visibility",
  ),
  flags: words("y yes help paginate cleanup-tag confirm"),
  as: { X: "method" },
  shortEquals: true,
  abbreviates: false,
};
const PLATFORM: OptionSpec = {
  values: words("a app e env environment t token s scope project P org r remote config c"),
  flags: words("y yes force f help confirm"),
  abbreviates: false,
};
const VAULT: OptionSpec = { isSingleDash: true, flags: words("force f purge help"), abbreviates: false };

const INFRA = "cloud.infra";
const RESOURCE = "cloud.resource";
const STORAGE = "cloud.storage";
const CLUSTER = "cloud.cluster";
const CONTAINER = "cloud.container";
const PLATFORMS = "cloud.platform";
const FORGE = "cloud.repository";
const BACKUP = "cloud.backup";
const QUEUE = "cloud.queue";

const verb = (
  rule: OperationRule,
  command: string,
  what: string,
  more: Omit<Verb, "rule" | "command" | "what"> = {},
): Verb => ({ rule, command, what, ...more });

const VERBS: readonly Verb[] = [
  verb(STORAGE, "aws s3 rm|rb", "delete objects or a bucket", { safer: "aws s3 rm --dryrun {rest}" }),
  verb(STORAGE, "aws s3 mv", "move objects away", { needs: "recursive" }),
  verb(STORAGE, "aws s3 sync", "delete what is only at the target", {
    needs: "delete",
    safer: "aws s3 sync --dryrun {rest}",
  }),
  verb(
    RESOURCE,
    "aws * delete-*|terminate-*|remove-*|deregister-*|purge-*|schedule-key-deletion|disable-*|batch-delete-*|admin-delete-*|destroy-*",
    "delete or disable a cloud resource",
  ),
  verb(STORAGE, "gsutil rm|rb", "delete objects or a bucket"),
  verb(STORAGE, "gsutil rsync", "delete what is only at the target", { needs: "d" }),
  verb(STORAGE, "gcloud …storage rm", "delete objects"),
  verb(STORAGE, "gcloud …storage rsync", "delete what is only at the target", {
    needs: "delete-unmatched-destination-objects",
  }),
  verb(RESOURCE, "gcloud …delete|remove-*|purge|reset", "delete a cloud resource"),
  verb(RESOURCE, "az …delete|purge|remove|delete-batch|reset", "delete a cloud resource"),
  verb(
    RESOURCE,
    "doctl|oci|ibmcloud|linode-cli|hcloud|scw|vultr-cli|civo|exo|openstack …delete|remove|purge|reset|destroy|rm|terminate|*-delete|rebuild",
    "delete a cloud resource",
  ),
  verb(STORAGE, "s3cmd|mc|s5cmd del|rm|rb|rmdir|expunge", "delete objects or a bucket"),

  verb(INFRA, "terraform|tofu|terragrunt destroy", "destroy the infrastructure", {
    safer: "terraform plan -destroy",
  }),
  verb(INFRA, "terraform|tofu|terragrunt apply", "change the infrastructure without a look at the plan", {
    isAnswered: true,
    safer: "terraform plan",
  }),
  verb(INFRA, "terragrunt run-all|run destroy", "destroy the infrastructure", {
    safer: "terragrunt run-all plan -destroy",
  }),
  verb(INFRA, "terraform|tofu|terragrunt apply", "change the infrastructure without a look at the plan", {
    needs: "auto-approve destroy",
    safer: "terraform plan",
  }),
  verb(INFRA, "helmfile|skaffold destroy|delete", "remove every release"),
  verb(INFRA, "eb terminate", "terminate an environment", { safer: "eb status" }),
  verb(INFRA, "terragrunt run-all apply", "change the infrastructure without a look at the plan", {
    safer: "terragrunt run-all plan",
  }),
  verb(INFRA, "terraform|tofu|terragrunt state rm", "make the state forget a resource", {
    safer: "terraform state list",
  }),
  verb(INFRA, "terraform|tofu|terragrunt state push", "replace the state", {
    safer: "terraform state pull",
  }),
  verb(INFRA, "terraform|tofu|terragrunt force-unlock", "break the lock of another run", {
    safer: "terraform plan",
  }),
  verb(INFRA, "terraform|tofu|terragrunt workspace delete", "delete a workspace with its state", {
    safer: "terraform workspace list",
  }),
  verb(INFRA, "pulumi destroy|down", "destroy the infrastructure", {
    unless: "preview-only",
    safer: "pulumi preview --diff",
  }),
  verb(INFRA, "pulumi stack rm", "delete a stack", { safer: "pulumi stack ls" }),
  verb(INFRA, "pulumi up|update", "change the infrastructure without a look at the plan", {
    needs: "yes y skip-preview f",
    safer: "pulumi preview --diff",
  }),
  verb(INFRA, "cdk|cdktf|sst destroy|remove", "destroy the infrastructure", { safer: "cdk diff" }),
  verb(INFRA, "serverless|sls|sam|amplify|copilot remove|delete|destroy", "remove the deployed service"),
  verb(INFRA, "copilot|eksctl|kops …delete", "delete the deployed service or cluster"),
  verb(INFRA, "vagrant destroy", "destroy the virtual machine", { safer: "vagrant status" }),

  verb(CLUSTER, "kubectl|oc|k|kubecolor|microk8s.kubectl delete", "delete objects of the cluster", {
    safer: "kubectl delete --dry-run=client {rest}",
  }),
  verb(CLUSTER, "kubectl|oc|k drain", "evict every pod of a node", {
    safer: "kubectl drain --dry-run=client {rest}",
  }),
  verb(CLUSTER, "kubectl|oc|k replace", "delete and recreate objects", { needs: "force" }),
  verb(CLUSTER, "kubectl|oc|k apply", "delete objects that are not in the files", { needs: "prune" }),
  verb(CLUSTER, "kubectl|oc|k scale", "stop every replica", { needs: "replicas=0 + all" }),
  verb(CLUSTER, "helm|helm3 uninstall|delete|del|un", "remove a release", {
    safer: "helm uninstall --dry-run {rest}",
  }),
  verb(CLUSTER, "argocd app|proj|cluster|repo delete|rm", "delete an application", {
    safer: "argocd app list",
  }),
  verb(CLUSTER, "flux delete|uninstall", "remove what flux manages"),
  verb(CLUSTER, "istioctl|linkerd|cilium uninstall|x", "remove the mesh", { unless: "help" }),
  verb(CLUSTER, "nomad …delete|purge", "delete a job or namespace"),
  verb(CLUSTER, "nomad job stop", "stop and purge a job", { needs: "purge" }),
  verb(CLUSTER, "nomad stop", "stop and purge a job", { needs: "purge" }),
  verb(CLUSTER, "consul …delete|destroy", "delete keys or policies"),
  verb(
    CLUSTER,
    "vault delete|kv|secrets|lease|token|policy …delete|destroy|disable|revoke",
    "delete or disable secrets",
  ),
  verb(CLUSTER, "vault delete", "delete a secret"),
  verb(CLUSTER, "etcdctl del", "delete keys"),
  verb(CLUSTER, "kind delete cluster|clusters", "delete a cluster with all it holds", {
    safer: "kind get clusters",
  }),
  verb(CLUSTER, "minikube delete", "delete a cluster with all it holds", { safer: "minikube status" }),
  verb(CLUSTER, "k3d cluster delete|rm", "delete a cluster with all it holds", { safer: "k3d cluster list" }),

  verb(
    CONTAINER,
    "docker|podman|nerdctl system prune|reset",
    "remove images, containers and caches that are not in use",
    { safer: "docker system df" },
  ),
  verb(CONTAINER, "docker|podman|nerdctl volume rm|prune|remove", "delete volumes with their data", {
    safer: "docker volume ls",
  }),
  verb(CONTAINER, "docker|podman|nerdctl rm", "remove every listed container", {
    needs: "f force",
    ofUnknown: true,
    safer: "docker ps -a",
  }),
  verb(CONTAINER, "docker|podman|nerdctl container rm", "remove every listed container", {
    needs: "f force",
    ofUnknown: true,
    safer: "docker ps -a",
  }),
  verb(CONTAINER, "docker|podman|nerdctl rmi", "remove every listed image", {
    needs: "f force",
    ofUnknown: true,
    safer: "docker images",
  }),
  verb(CONTAINER, "docker|podman|nerdctl image rm", "remove every listed image", {
    needs: "f force",
    ofUnknown: true,
    safer: "docker images",
  }),
  verb(CONTAINER, "docker|podman|nerdctl compose …down", "delete the volumes or images of the project", {
    needs: "v volumes rmi",
    safer: "docker compose down",
  }),
  verb(CONTAINER, "docker|podman|nerdctl compose …rm", "delete the volumes of the project", {
    needs: "v volumes",
    safer: "docker compose rm",
  }),
  verb(CONTAINER, "docker-compose|podman-compose down", "delete the volumes or images of the project", {
    needs: "v volumes rmi",
    safer: "docker-compose down",
  }),
  verb(CONTAINER, "docker-compose|podman-compose rm", "delete the volumes of the project", {
    needs: "v volumes f=v f=sv f=vs",
    safer: "docker-compose rm",
  }),
  verb(CONTAINER, "podman rm|rmi", "remove everything", { needs: "a all + f force", safer: "podman ps -a" }),
  verb(CONTAINER, "podman pod rm", "remove every pod", { needs: "a all + f force", safer: "podman pod ps" }),
  verb(CONTAINER, "docker stack|service|secret|config rm", "remove a deployed stack", {
    safer: "docker stack ls",
  }),
  verb(
    CONTAINER,
    "lxc|incus|multipass|colima|limactl delete|rm|purge",
    "delete a virtual machine or container with its disk",
    { safer: "{tool} list" },
  ),
  verb(
    CONTAINER,
    "virsh undefine|destroy|vol-delete|pool-delete|snapshot-delete",
    "delete a virtual machine",
    {
      safer: "virsh list --all",
    },
  ),
  verb(CONTAINER, "qm|pct destroy", "delete a virtual machine", { safer: "{tool} list" }),
  verb(CONTAINER, "VBoxManage|vboxmanage unregistervm", "delete a virtual machine", {
    needs: "delete delete-all",
    safer: "VBoxManage list vms",
  }),
  verb(CONTAINER, "docker swarm leave", "leave the swarm and lose its state", { needs: "f force" }),

  verb(
    PLATFORMS,
    "heroku *:destroy|*:reset|*:remove|*:delete|*:killall",
    "destroy an application or its data",
  ),
  verb(PLATFORMS, "fly|flyctl destroy", "destroy an application"),
  verb(PLATFORMS, "fly|flyctl …destroy|delete|remove", "destroy an application or its data"),
  verb(PLATFORMS, "vercel|vc remove|rm", "remove deployments"),
  verb(PLATFORMS, "vercel|vc * rm|remove", "remove a project, domain or variable"),
  verb(PLATFORMS, "netlify|ntl *:delete|*:unset", "delete a site"),
  verb(PLATFORMS, "netlify|ntl api delete*", "delete a site"),
  verb(PLATFORMS, "turso db|group destroy", "delete a database"),
  verb(PLATFORMS, "railway down|delete", "remove a deployment"),
  verb(PLATFORMS, "railway …delete|remove", "remove a service or volume"),
  verb(PLATFORMS, "render|northflank|koyeb|dokku …delete|destroy|apps:destroy|*:destroy", "delete a service"),
  verb(PLATFORMS, "wrangler …delete|*:delete", "delete a worker or its storage"),
  verb(PLATFORMS, "firebase *:delete|*:remove|*:disable", "delete data or functions"),
  verb(PLATFORMS, "supabase …delete|pause", "delete a project or function"),
  verb(PLATFORMS, "cf|oc delete|delete-*|purge-*", "delete an application"),
  verb(PLATFORMS, "eas|expo …delete", "delete builds or channels"),

  verb(
    FORGE,
    "gh|glab repo|release|secret|variable|run|workflow|issue|gist|label|environment|ssh-key|gpg-key|codespace|project|ruleset delete|remove|delete-*",
    "delete it on the forge",
  ),
  verb(FORGE, "gh workflow disable", "switch a workflow off"),
  verb(FORGE, "gh|glab api graphql", "delete through the interface of the forge", {
    needs: "f=*mutation*delete* raw-field=*mutation*delete* F=*mutation*delete* field=*mutation*delete*",
  }),
  verb(FORGE, "gh repo archive", "archive the repository"),
  verb(FORGE, "gh repo edit", "change who can see the repository", { needs: "visibility" }),
  verb(FORGE, "gh|glab api", "delete through the interface of the forge", {
    needs: "method=DELETE method=delete",
  }),

  verb(BACKUP, "restic forget|prune", "delete backups", { safer: "restic snapshots" }),
  verb(BACKUP, "borg delete|prune|compact", "delete backups", { unless: "n list", safer: "borg list" }),
  verb(BACKUP, "rclone delete|purge|deletefile|cleanup|rmdirs", "delete files at the remote", {
    safer: "rclone ls {rest}",
  }),
  verb(BACKUP, "velero …delete", "delete backups", { safer: "velero backup get" }),
  verb(BACKUP, "duplicity remove-*|cleanup", "delete backups"),
  verb(BACKUP, "tmutil delete|deletelocalsnapshots", "delete backups", { safer: "tmutil listbackups" }),
  verb(BACKUP, "btrfs subvolume delete", "delete a subvolume", { safer: "btrfs subvolume list /" }),
  verb(BACKUP, "tarsnap", "delete backups", { needs: "nuke d" }),
  verb(BACKUP, "kopia snapshot|repository|policy delete|expire", "delete backups", {
    safer: "kopia snapshot list",
  }),
  verb(BACKUP, "snapper|timeshift delete", "delete snapshots"),

  verb(
    QUEUE,
    "kafka-topics|kafka-topics.sh|kafka-consumer-groups|kafka-consumer-groups.sh",
    "delete topics or offsets",
    { needs: "delete" },
  ),
  verb(
    QUEUE,
    "rabbitmqctl|rabbitmqadmin reset|force_reset|delete_*|purge_queue|delete|purge",
    "delete queues or state",
  ),
  verb(QUEUE, "nats stream|consumer|kv rm|purge|del|delete", "delete a stream"),
  verb(QUEUE, "rpk topic delete", "delete topics"),
];

const ALL_VALUES = words(
  "aws gcloud az doctl oci ibmcloud linode-cli gsutil hcloud scw vultr-cli civo exo openstack s3cmd mc s5cmd eksctl kops copilot",
);
const PLATFORM_PROGRAMS = words(
  "heroku fly flyctl vercel vc netlify ntl railway render northflank koyeb dokku wrangler firebase supabase cf eas expo",
);

export const cloudVerbs: VerbTable = {
  verbs: VERBS,
  options: {
    ...Object.fromEntries(ALL_VALUES.map(program => [program, CLOUD_VALUES])),
    ...Object.fromEntries(PLATFORM_PROGRAMS.map(program => [program, PLATFORM])),
    ...Object.fromEntries(
      words("kubectl oc k kubecolor microk8s.kubectl helm helm3 argocd flux velero").map(program => [
        program,
        KUBE,
      ]),
    ),
    ...Object.fromEntries(words("docker podman nerdctl").map(program => [program, DOCKER_ENGINE])),
    ...Object.fromEntries(words("docker-compose podman-compose").map(program => [program, DOCKER])),
    ...Object.fromEntries(
      words("terraform tofu terragrunt kafka-topics kafka-topics.sh").map(program => [program, TERRAFORM]),
    ),
    ...Object.fromEntries(words("gh glab").map(program => [program, GH])),
    ...Object.fromEntries(words("vault nomad consul").map(program => [program, VAULT])),
    pulumi: {
      values: words("s stack C cwd"),
      flags: words("y yes f skip-preview force preview-only"),
      abbreviates: false,
    },
    restic: {
      values: words("r repo p password-file tag host keep-last keep-daily keep-weekly"),
      flags: words("n dry-run prune"),
      as: { n: "dry-run" },
      abbreviates: false,
    },
    borg: {
      values: words("keep-daily keep-weekly keep-monthly P prefix"),
      flags: words("n dry-run list s stats"),
      as: { n: "dry-run" },
      abbreviates: false,
    },
  },
};
