import { type OptionGrammar, words } from "../shell/options.ts";
import { describe, text, type Value, wordAt } from "../shell/value.ts";
import { environmentOf } from "../shell/walk/call.ts";
import { copyIntoContainer } from "./containers.ts";
import { type Field, type Operation, operation, type ParsedCall } from "./program.ts";
import { runInCluster, runRemoteOption } from "./remote.ts";
import { readsAndUploads } from "./remote-copy.ts";

const CLOUD_VALUES: OptionGrammar = {
  unknownTakesValue: true,
  abbreviates: false,
  flags:
    "-qfyrRm recursive delete dryrun dry-run quiet force yes debug no-cli-pager no-paginate no-verify-ssl auto-approve help version only-show-errors no-wait delete-unmatched-destination-objects async all purge skip-final-snapshot",
};
const KUBE: OptionGrammar = {
  values:
    "-nsflokcp namespace context cluster user server filename selector output kubeconfig token as grace-period timeout field-selector replicas kustomize cascade container template patch kube-context",
  flags:
    "-AR all all-namespaces force now ignore-not-found wait prune recursive help delete-emptydir-data ignore-daemonsets",
  optional: "dry-run",
  shortEquals: true,
  abbreviates: false,
};
const TERRAFORM: OptionGrammar = {
  isSingleDash: true,
  flags: "auto-approve destroy force help json no-color",
  abbreviates: false,
};
const PLATFORM: OptionGrammar = {
  values: "-aetsPrc app env environment token scope project org remote config",
  flags: "-yf yes force help confirm",
  abbreviates: false,
};
const VAULT: OptionGrammar = { isSingleDash: true, flags: "-f force purge help", abbreviates: false };

const INFRA = "cloud.infra";
const RESOURCE = "cloud.resource";
const STORAGE = "cloud.storage";
const CLUSTER = "cloud.cluster";
const CONTAINER = "cloud.container";
const PLATFORMS = "cloud.platform";
const FORGE = "cloud.repository";
const BACKUP = "cloud.backup";
const QUEUE = "cloud.queue";

const OPERATIONS: readonly Operation[] = [
  operation(STORAGE, "aws s3 rm|rb", "delete objects or a bucket", { safer: "aws s3 rm --dryrun {rest}" }),
  operation(STORAGE, "aws s3 mv", "move objects away", { needs: "recursive" }),
  operation(STORAGE, "aws s3 sync", "delete what is only at the target", {
    needs: "delete",
    safer: "aws s3 sync --dryrun {rest}",
  }),
  operation(
    RESOURCE,
    "aws * delete-*|terminate-*|remove-*|deregister-*|purge-*|schedule-key-deletion|disable-*|batch-delete-*|admin-delete-*|destroy-*",
    "delete or disable a cloud resource",
  ),
  operation(STORAGE, "gsutil rm|rb", "delete objects or a bucket"),
  operation(STORAGE, "gsutil rsync", "delete what is only at the target", { needs: "d" }),
  operation(STORAGE, "gcloud …storage rm", "delete objects"),
  operation(STORAGE, "gcloud …storage rsync", "delete what is only at the target", {
    needs: "delete-unmatched-destination-objects",
  }),
  operation(RESOURCE, "gcloud …delete|remove-*|purge|reset", "delete a cloud resource"),
  operation(RESOURCE, "az …delete|purge|remove|delete-batch|reset", "delete a cloud resource"),
  operation(
    RESOURCE,
    "doctl|oci|ibmcloud|linode-cli|hcloud|scw|vultr-cli|civo|exo|openstack …delete|remove|purge|reset|destroy|rm|terminate|*-delete|rebuild",
    "delete a cloud resource",
  ),
  operation(STORAGE, "s3cmd|mc|s5cmd del|rm|rb|rmdir|expunge", "delete objects or a bucket"),

  operation(INFRA, "terraform|tofu|terragrunt destroy", "destroy the infrastructure", {
    safer: "terraform plan -destroy",
  }),
  operation(
    INFRA,
    "terraform|tofu|terragrunt apply",
    "change the infrastructure without a look at the plan",
    {
      isAnswered: true,
      safer: "terraform plan",
    },
  ),
  operation(INFRA, "terragrunt run-all|run destroy", "destroy the infrastructure", {
    safer: "terragrunt run-all plan -destroy",
  }),
  operation(
    INFRA,
    "terraform|tofu|terragrunt apply",
    "change the infrastructure without a look at the plan",
    {
      needs: "auto-approve destroy",
      safer: "terraform plan",
    },
  ),
  operation(INFRA, "helmfile|skaffold destroy|delete", "remove every release"),
  operation(INFRA, "eb terminate", "terminate an environment", { safer: "eb status" }),
  operation(INFRA, "terragrunt run-all apply", "change the infrastructure without a look at the plan", {
    safer: "terragrunt run-all plan",
  }),
  operation(INFRA, "terraform|tofu|terragrunt state rm", "make the state forget a resource", {
    safer: "terraform state list",
  }),
  operation(INFRA, "terraform|tofu|terragrunt state push", "replace the state", {
    safer: "terraform state pull",
  }),
  operation(INFRA, "terraform|tofu|terragrunt force-unlock", "break the lock of another run", {
    safer: "terraform plan",
  }),
  operation(INFRA, "terraform|tofu|terragrunt workspace delete", "delete a workspace with its state", {
    safer: "terraform workspace list",
  }),
  operation(INFRA, "pulumi destroy|down", "destroy the infrastructure", {
    unless: "preview-only",
    safer: "pulumi preview --diff",
  }),
  operation(INFRA, "pulumi stack rm", "delete a stack", { safer: "pulumi stack ls" }),
  operation(INFRA, "pulumi up|update", "change the infrastructure without a look at the plan", {
    needs: "yes y skip-preview f",
    safer: "pulumi preview --diff",
  }),
  operation(INFRA, "cdk|cdktf|sst destroy|remove", "destroy the infrastructure", { safer: "cdk diff" }),
  operation(INFRA, "serverless|sls|sam|amplify|copilot remove|delete|destroy", "remove the deployed service"),
  operation(INFRA, "copilot|eksctl|kops …delete", "delete the deployed service or cluster"),
  operation(INFRA, "vagrant destroy", "destroy the virtual machine", { safer: "vagrant status" }),

  operation(CLUSTER, "kubectl|oc|k|kubecolor|microk8s.kubectl delete", "delete objects of the cluster", {
    safer: "kubectl delete --dry-run=client {rest}",
  }),
  operation(CLUSTER, "kubectl|oc|k drain", "evict every pod of a node", {
    safer: "kubectl drain --dry-run=client {rest}",
  }),
  operation(CLUSTER, "kubectl|oc|k replace", "delete and recreate objects", { needs: "force" }),
  operation(CLUSTER, "kubectl|oc|k apply", "delete objects that are not in the files", { needs: "prune" }),
  operation(CLUSTER, "kubectl|oc|k scale", "stop every replica", { needs: "replicas=0 + all" }),
  operation(CLUSTER, "helm|helm3 uninstall|delete|del|un", "remove a release", {
    safer: "helm uninstall --dry-run {rest}",
  }),
  operation(CLUSTER, "argocd app|proj|cluster|repo delete|rm", "delete an application", {
    safer: "argocd app list",
  }),
  operation(CLUSTER, "flux delete|uninstall", "remove what flux manages"),
  operation(CLUSTER, "istioctl|linkerd|cilium uninstall|x", "remove the mesh", { unless: "help" }),
  operation(CLUSTER, "nomad …delete|purge", "delete a job or namespace"),
  operation(CLUSTER, "nomad job stop", "stop and purge a job", { needs: "purge" }),
  operation(CLUSTER, "nomad stop", "stop and purge a job", { needs: "purge" }),
  operation(CLUSTER, "consul …delete|destroy", "delete keys or policies"),
  operation(
    CLUSTER,
    "vault delete|kv|secrets|lease|token|policy …delete|destroy|disable|revoke",
    "delete or disable secrets",
  ),
  operation(CLUSTER, "vault delete", "delete a secret"),
  operation(CLUSTER, "etcdctl del", "delete keys"),
  operation(CLUSTER, "kind delete cluster|clusters", "delete a cluster with all it holds", {
    safer: "kind get clusters",
  }),
  operation(CLUSTER, "minikube delete", "delete a cluster with all it holds", { safer: "minikube status" }),
  operation(CLUSTER, "k3d cluster delete|rm", "delete a cluster with all it holds", {
    safer: "k3d cluster list",
  }),

  operation(
    CONTAINER,
    "docker|podman|nerdctl system prune|reset",
    "remove images, containers and caches that are not in use",
    { safer: "docker system df" },
  ),
  operation(CONTAINER, "docker|podman|nerdctl volume rm|prune|remove", "delete volumes with their data", {
    safer: "docker volume ls",
  }),
  operation(CONTAINER, "docker|podman|nerdctl rm", "remove every listed container", {
    needs: "f force",
    ofUnknown: true,
    safer: "docker ps -a",
  }),
  operation(CONTAINER, "docker|podman|nerdctl container rm", "remove every listed container", {
    needs: "f force",
    ofUnknown: true,
    safer: "docker ps -a",
  }),
  operation(CONTAINER, "docker|podman|nerdctl rmi", "remove every listed image", {
    needs: "f force",
    ofUnknown: true,
    safer: "docker images",
  }),
  operation(CONTAINER, "docker|podman|nerdctl image rm", "remove every listed image", {
    needs: "f force",
    ofUnknown: true,
    safer: "docker images",
  }),
  operation(CONTAINER, "docker|podman|nerdctl compose …down", "delete the volumes or images of the project", {
    needs: "v volumes rmi",
    safer: "docker compose down",
  }),
  operation(CONTAINER, "docker|podman|nerdctl compose …rm", "delete the volumes of the project", {
    needs: "v volumes",
    safer: "docker compose rm",
  }),
  operation(CONTAINER, "docker-compose|podman-compose down", "delete the volumes or images of the project", {
    needs: "v volumes rmi",
    safer: "docker-compose down",
  }),
  operation(CONTAINER, "docker-compose|podman-compose rm", "delete the volumes of the project", {
    needs: "v volumes f=v f=sv f=vs",
    safer: "docker-compose rm",
  }),
  operation(CONTAINER, "podman rm|rmi", "remove everything", {
    needs: "a all + f force",
    safer: "podman ps -a",
  }),
  operation(CONTAINER, "podman pod rm", "remove every pod", {
    needs: "a all + f force",
    safer: "podman pod ps",
  }),
  operation(CONTAINER, "docker stack|service|secret|config rm", "remove a deployed stack", {
    safer: "docker stack ls",
  }),
  operation(
    CONTAINER,
    "lxc|incus|multipass|colima|limactl delete|rm|purge",
    "delete a virtual machine or container with its disk",
    { safer: "{tool} list" },
  ),
  operation(
    CONTAINER,
    "virsh undefine|destroy|vol-delete|pool-delete|snapshot-delete",
    "delete a virtual machine",
    {
      safer: "virsh list --all",
    },
  ),
  operation(CONTAINER, "qm|pct destroy", "delete a virtual machine", { safer: "{tool} list" }),
  operation(CONTAINER, "VBoxManage|vboxmanage unregistervm", "delete a virtual machine", {
    needs: "delete delete-all",
    safer: "VBoxManage list vms",
  }),
  operation(CONTAINER, "docker swarm leave", "leave the swarm and lose its state", { needs: "f force" }),

  operation(
    PLATFORMS,
    "heroku *:destroy|*:reset|*:remove|*:delete|*:killall",
    "destroy an application or its data",
  ),
  operation(PLATFORMS, "fly|flyctl destroy", "destroy an application"),
  operation(PLATFORMS, "fly|flyctl …destroy|delete|remove", "destroy an application or its data"),
  operation(PLATFORMS, "vercel|vc remove|rm", "remove deployments"),
  operation(PLATFORMS, "vercel|vc * rm|remove", "remove a project, domain or variable"),
  operation(PLATFORMS, "netlify|ntl *:delete|*:unset", "delete a site"),
  operation(PLATFORMS, "netlify|ntl api delete*", "delete a site"),
  operation(PLATFORMS, "turso db|group destroy", "delete a database"),
  operation(PLATFORMS, "railway down|delete", "remove a deployment"),
  operation(PLATFORMS, "railway …delete|remove", "remove a service or volume"),
  operation(
    PLATFORMS,
    "render|northflank|koyeb|dokku …delete|destroy|apps:destroy|*:destroy",
    "delete a service",
  ),
  operation(PLATFORMS, "wrangler …delete|*:delete", "delete a worker or its storage"),
  operation(PLATFORMS, "firebase *:delete|*:remove|*:disable", "delete data or functions"),
  operation(PLATFORMS, "supabase …delete|pause", "delete a project or function"),
  operation(PLATFORMS, "cf|oc delete|delete-*|purge-*", "delete an application"),
  operation(PLATFORMS, "eas|expo …delete", "delete builds or channels"),

  operation(
    FORGE,
    "gh|glab repo|release|secret|variable|run|workflow|issue|gist|label|environment|ssh-key|gpg-key|codespace|project|ruleset delete|remove|delete-*",
    "delete it on the forge",
  ),
  operation(FORGE, "gh workflow disable", "switch a workflow off"),
  operation(FORGE, "gh|glab api graphql", "delete through the interface of the forge", {
    needs: "f=*mutation*delete* raw-field=*mutation*delete* F=*mutation*delete* field=*mutation*delete*",
  }),
  operation(FORGE, "gh repo archive", "archive the repository"),
  operation(FORGE, "gh repo edit", "change who can see the repository", { needs: "visibility" }),
  operation(FORGE, "gh|glab api", "delete through the interface of the forge", {
    needs: "method=DELETE method=delete",
  }),

  operation(BACKUP, "restic forget|prune", "delete backups", { safer: "restic snapshots" }),
  operation(BACKUP, "borg delete|prune|compact", "delete backups", { unless: "n list", safer: "borg list" }),
  operation(BACKUP, "rclone delete|purge|deletefile|cleanup|rmdirs", "delete files at the remote", {
    safer: "rclone ls {rest}",
  }),
  operation(BACKUP, "velero …delete", "delete backups", { safer: "velero backup get" }),
  operation(BACKUP, "duplicity remove-*|cleanup", "delete backups"),
  operation(BACKUP, "tmutil delete|deletelocalsnapshots", "delete backups", { safer: "tmutil listbackups" }),
  operation(BACKUP, "btrfs subvolume delete", "delete a subvolume", { safer: "btrfs subvolume list /" }),
  operation(BACKUP, "tarsnap", "delete backups", { needs: "nuke d" }),
  operation(BACKUP, "kopia snapshot|repository|policy delete|expire", "delete backups", {
    safer: "kopia snapshot list",
  }),
  operation(BACKUP, "snapper|timeshift delete", "delete snapshots"),

  operation(
    QUEUE,
    "kafka-topics|kafka-topics.sh|kafka-consumer-groups|kafka-consumer-groups.sh",
    "delete topics or offsets",
    { needs: "delete" },
  ),
  operation(
    QUEUE,
    "rabbitmqctl|rabbitmqadmin reset|force_reset|delete_*|purge_queue|delete|purge",
    "delete queues or state",
  ),
  operation(QUEUE, "nats stream|consumer|kv rm|purge|del|delete", "delete a stream"),
  operation(QUEUE, "rpk topic delete", "delete topics"),
];

/** Clouds, clusters, platforms and backups: what is deleted there is gone for everybody. */
export const cloud: Field = {
  programs: [
    {
      names: "aws",
      is: ["dangerous", "readsNothing"],
      options: { ...CLOUD_VALUES, flags: `${CLOUD_VALUES.flags} with-decryption` },
      effects: readsAndUploads,
      shellVariables: "PAGER",
    },
    { names: "az", is: ["dangerous", "readsNothing"], options: CLOUD_VALUES, effects: readsAndUploads },
    {
      names: "gcloud",
      is: ["dangerous", "readsNothing"],
      options: CLOUD_VALUES,
      effects: readsAndUploads,
      run: call => runRemoteOption(call, / ssh\b/, "command"),
    },
    {
      names: "gsutil s3cmd mc",
      is: ["readsNothing"],
      options: CLOUD_VALUES,
      effects: readsAndUploads,
    },
    {
      names:
        "doctl oci ibmcloud linode-cli hcloud scw vultr-cli civo exo openstack s5cmd eksctl kops copilot",
      options: CLOUD_VALUES,
    },
    {
      names:
        "heroku vercel vc netlify ntl railway render northflank koyeb dokku firebase supabase cf eas expo",
      options: PLATFORM,
    },
    {
      names: "fly flyctl",
      options: { ...PLATFORM, values: `${PLATFORM.values} -C command` },
      run: call => runRemoteOption(call, / ssh\b/, "C command"),
    },
    {
      names: "kubectl oc",
      is: ["dangerous", "readsNothing"],
      options: { ...KUBE, flags: `${KUBE.flags} raw minify flatten` },
      effects: copyIntoContainer,
      run: runInCluster,
      shellVariables: "EDITOR VISUAL KUBE_EDITOR",
    },
    { names: "k3s", options: KUBE, run: runInCluster, tool: clusterTool },
    { names: "minikube microk8s", tool: clusterTool },
    { names: "helm", is: ["dangerous", "readsNothing"], options: KUBE },
    { names: "k kubecolor microk8s.kubectl helm3 argocd flux velero", options: KUBE },
    { names: "terraform tofu", is: ["dangerous", "readsNothing"], options: TERRAFORM, tool: withVariables },
    { names: "terragrunt kafka-topics kafka-topics.sh", options: TERRAFORM },
    { names: "vault nomad consul", options: VAULT },
    {
      names: "pulumi",
      is: ["dangerous"],
      options: {
        values: "-sC stack cwd",
        flags: "-yf yes skip-preview force preview-only",
        abbreviates: false,
      },
    },
    {
      names: "restic",
      options: {
        values: "-rp repo password-file tag host keep-last keep-daily keep-weekly",
        flags: "dry-run|n prune",
        abbreviates: false,
      },
    },
    {
      names: "borg",
      options: {
        values: "-P keep-daily keep-weekly keep-monthly prefix",
        flags: "-s dry-run|n list stats",
        abbreviates: false,
      },
    },
  ],
  operations: OPERATIONS,
};

/** `minikube kubectl -- delete …` */
function clusterTool({ argv }: ParsedCall): readonly Value[] | undefined {
  if (describe(wordAt(argv, 1)) !== "kubectl") return undefined;
  return [text("kubectl"), ...argv.slice(describe(wordAt(argv, 2)) === "--" ? 3 : 2)];
}

/** `TF_CLI_ARGS` and `TF_CLI_ARGS_apply` add options behind the subcommand. */
function withVariables(call: ParsedCall): readonly Value[] | undefined {
  const added = environmentOf(call).flatMap(({ name, value }) =>
    value !== undefined && name.startsWith("TF_CLI_ARGS") ? words(describe(value)) : [],
  );
  return added.length === 0 ? undefined : [...call.argv, ...added.map(word => text(word))];
}
