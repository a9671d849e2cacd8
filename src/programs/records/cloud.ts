import {
  blankSeparated,
  describe,
  environmentOf,
  type OptionGrammar,
  text,
  type Value,
  wordAt,
} from "../../shell/index.ts";
import { commands, type Field, type ParsedCall, program } from "../model/program.ts";
import { copyIntoContainer } from "./containers.ts";
import { runInCluster, runRemotely } from "./remote.ts";
import { effectsOfRestic, readsAndUploads } from "./remote-copy.ts";

const CLOUD_VALUES: OptionGrammar = {
  unknownTakesValue: true,
  abbreviates: false,
  flags:
    "-qfyrRm recursive delete dryrun dry-run quiet force yes debug no-cli-pager no-paginate no-verify-ssl auto-approve help|h version only-show-errors no-wait delete-unmatched-destination-objects async all purge skip-final-snapshot",
};
/** Command lines that choose the cluster, the workspace and the project of later ones. */
const CHOOSES_CLUSTER = /^(kubectl|oc|k) config (use-context|set-context) |^(kubectx|kubens) /;
const CHOOSES_WORKSPACE = /^(terraform|tofu|terragrunt) workspace (select|new) /;
export const CHOOSES_PROJECT = /^gcloud config (set (core\/)?project|configurations activate) /;
const KUBE: OptionGrammar = {
  values:
    "-nsflokcp namespace context cluster user server filename selector output kubeconfig token as as-group grace-period timeout field-selector replicas kustomize cascade container template patch kube-context kube-apiserver kube-token description request-timeout cache-dir raw-input project",
  flags:
    "-AR all all-namespaces force now ignore-not-found wait prune recursive help|h delete-emptydir-data ignore-daemonsets keep-history no-hooks debug",
  optional: "dry-run",
  shortEquals: true,
  abbreviates: false,
};
const TERRAFORM: OptionGrammar = {
  isSingleDash: true,
  flags: "auto-approve destroy force help|h json no-color refresh-only compact-warnings input lock refresh",
  values: "var var-file target replace state state-out backup lock-timeout parallelism chdir backend-config",
  abbreviates: false,
};
const PLATFORM: OptionGrammar = {
  values: "-aetsPrc app env environment token scope project org remote config",
  flags: "-yf yes force help|h",
  abbreviates: false,
};
const VAULT: OptionGrammar = {
  isSingleDash: true,
  flags: "-f force purge help|h detach yes global",
  values: `address namespace region token http-addr datacenter ca-cert client-cert client-key mount field format header
    wrap-ttl`,
  abbreviates: false,
};
/** What programs made with cobra have in common. */
const COBRA: OptionGrammar = {
  flags: "-y yes help|h dry-run force wait",
  values:
    "-nlpt namespace context selector server output timeout region profile config-file access-token kubeconfig",
  shortEquals: true,
  abbreviates: false,
};

/** Clouds, clusters, platforms and backups: what is deleted there is gone for everybody. */
export const cloud: Field = {
  // biome-ignore lint/complexity/noExcessiveLinesPerFunction: a table, a record a program
  programs: () => [
    program("aws", "dangerous readsNothing", {
      shellVariables: "PAGER",
      options: { ...CLOUD_VALUES, flags: `${CLOUD_VALUES.flags} with-decryption` },
      effects: readsAndUploads,
      run: runRemotely,
      operations: [
        "cloud.storage s3 rm|rb | delete objects or a bucket | safer aws s3 rm --dryrun {rest}",
        "cloud.storage s3 mv | move objects away | needs recursive",
        "cloud.storage s3 sync | delete what is only at the target | needs delete | safer aws s3 sync --dryrun {rest}",
        "cloud.resource * delete-*|terminate-*|remove-*|deregister-*|purge-*|schedule-key-deletion|disable-*|batch-delete-*|admin-delete-*|destroy-* | delete or disable a cloud resource",
        "cloud.public s3api put-bucket-acl|put-object-acl | let everybody read | needs acl=public-* acl=authenticated-read grant-read=*Users* grant-write=*Users* grant-full-control=*Users* | safer aws s3api get-bucket-acl",
        "cloud.public s3 cp|sync|mv | let everybody read | needs acl=public-* acl=authenticated-read grants=*Users* | safer aws s3 ls",
        `cloud.public s3api put-bucket-policy | let everybody in | needs policy=*Principal*"[*]"* | safer aws s3api get-bucket-policy`,
        "cloud.public s3api|s3control put-public-access-block | lift the block of public access | needs public-access-block-configuration=*alse* | safer aws s3api get-public-access-block",
        "cloud.public ec2 modify-image-attribute | let everybody start the image | needs launch-permission=*all*",
        "cloud.public ec2 modify-snapshot-attribute | let everybody copy the snapshot | needs group-names=all",
        "cloud.public rds modify-db-snapshot-attribute|modify-db-cluster-snapshot-attribute | let everybody copy the snapshot | needs values-to-add=all",
        "cloud.public rds modify-db-instance|create-db-instance | open the database to the internet | needs publicly-accessible",
        "cloud.public ec2 authorize-security-group-ingress | open a port to the internet | needs cidr=0.0.0.0/0 cidr-ipv6=::/0 ip-permissions=*0.0.0.0/0*",
        "cloud.public lambda|sns|sqs add-permission | let everybody call it | needs principal=[*]",
        "sec.keychain configure get|export-credentials | show a key of AWS",
        "sec.keychain secretsmanager get-secret-value|batch-get-secret-value | show a secret",
        "sec.keychain ssm get-parameter|get-parameters|get-parameters-by-path | show a secret | needs with-decryption",
        "sec.keychain sts get-session-token|get-federation-token | make a token of AWS",
      ],
    }),
    program("az", "dangerous readsNothing", {
      chosenBy: /^az account set /,
      options: CLOUD_VALUES,
      effects: readsAndUploads,
      run: runRemotely,
      operations: [
        "cloud.resource …delete|purge|remove|delete-batch|reset | delete a cloud resource",
        "cloud.public storage container set-permission|create | let everybody read | needs public-access=blob public-access=container",
        "cloud.public storage account create|update | let containers be public | needs allow-blob-public-access=true",
        "cloud.public network nsg rule create|update | open a port to the internet | needs source-address-prefixes=[*] source-address-prefixes=Internet source-address-prefixes=0.0.0.0/0 source-address-prefix=[*]",
        "sec.keychain account get-access-token | show a token of Azure",
        "sec.keychain keyvault secret show|download | show a secret",
      ],
    }),
    program("gcloud", "dangerous readsNothing", {
      chosenBy: CHOOSES_PROJECT,
      options: CLOUD_VALUES,
      effects: readsAndUploads,
      run: runRemotely,
      operations: [
        "cloud.storage …storage rm | delete objects",
        "cloud.storage …storage rsync | delete what is only at the target | needs delete-unmatched-destination-objects",
        "cloud.resource …delete|remove-*|purge|reset | delete a cloud resource",
        "cloud.public …add-iam-policy-binding | let everybody in | needs member=allUsers member=allAuthenticatedUsers",
        "cloud.public …firewall-rules create|update | open a port to the internet | needs source-ranges=*0.0.0.0/0*",
        "sec.keychain auth print-* | show a token of Google Cloud",
        "sec.keychain auth application-default print-* | show a token of Google Cloud",
        "sec.keychain secrets versions access | show a secret",
      ],
    }),
    program("gsutil s3cmd mc", "readsNothing", {
      chosenBy: CHOOSES_PROJECT,
      options: { ...CLOUD_VALUES, values: "-uag" },
      effects: readsAndUploads,
      operations: [
        "gsutil: cloud.storage rm|rb | delete objects or a bucket",
        "gsutil: cloud.storage rsync | delete what is only at the target | needs d",
        "s3cmd mc: cloud.storage del|rm|rb|rmdir|expunge | delete objects or a bucket",
        "gsutil: cloud.public iam ch allUsers:*|allAuthenticatedUsers:* | let everybody in | unless d | safer gsutil iam get",
        "gsutil: cloud.public acl|defacl ch | let everybody read | needs u=All*Users:* g=All*Users:* | safer gsutil acl get",
        "gsutil: cloud.public acl|defacl set public-*|authenticated-read | let everybody read | safer gsutil acl get",
        "gsutil: cloud.public cp|rsync|mv | let everybody read | needs a=public-* a=authenticated-read",
        "mc: cloud.public anonymous|policy set public|download|upload | let everybody in | safer mc anonymous get",
        "s3cmd: cloud.public setacl|put|sync|cp | let everybody read | needs acl-public P | safer s3cmd info",
      ],
    }),
    program("doctl oci ibmcloud linode-cli hcloud scw vultr-cli civo exo openstack s5cmd kops copilot", "", {
      options: CLOUD_VALUES,
      run: runRemotely,
      operations: [
        "s5cmd: cloud.storage del|rm|rb|rmdir|expunge | delete objects or a bucket",
        "doctl oci ibmcloud linode-cli hcloud scw vultr-cli civo exo openstack: cloud.resource …delete|remove|purge|reset|destroy|rm|terminate|*-delete|rebuild | delete a cloud resource",
        "copilot: cloud.infra remove|delete|destroy | remove the deployed service",
        "copilot kops: cloud.infra …delete | delete the deployed service or cluster",
        "doctl: cloud.public compute firewall create|add-rules | open a port to the internet | needs inbound-rules=*0.0.0.0/0*",
      ],
    }),
    program("heroku vercel vc netlify ntl render northflank koyeb dokku firebase supabase cf eas expo", "", {
      options: PLATFORM,
      run: runRemotely,
      operations: [
        "supabase: db.reset db reset | empty the database | safer supabase db diff",
        "heroku: cloud.platform *:destroy|*:reset|*:remove|*:delete|*:killall | destroy an application or its data",
        "vercel vc: cloud.platform remove|rm | remove deployments",
        "vercel vc: cloud.platform * rm|remove | remove a project, domain or variable",
        "netlify ntl: cloud.platform *:delete|*:unset | delete a site",
        "netlify ntl: cloud.platform api delete* | delete a site",
        "render northflank koyeb dokku: cloud.platform …delete|destroy|apps:destroy|*:destroy | delete a service",
        "firebase: cloud.platform *:delete|*:remove|*:disable | delete data or functions",
        "supabase: cloud.platform …delete|pause | delete a project or function",
        "cf: cloud.platform delete|delete-*|purge-* | delete an application",
        "eas expo: cloud.platform …delete | delete builds or channels",
        "heroku: sec.keychain auth:token|authorizations:create | show a token of Heroku",
        "heroku: sec.keychain config|config:get | show the variables of an application",
        "netlify ntl: sec.keychain env:list|env:get | show the variables of an application",
        "vercel: sec.keychain env pull | fetch the variables of an application",
      ],
    }),
    program("fly flyctl", "", {
      options: { ...PLATFORM, values: `${PLATFORM.values} -C command` },
      run: runRemotely,
      operations: [
        "cloud.platform destroy | destroy an application",
        "cloud.platform …destroy|delete|remove | destroy an application or its data",
        "sec.keychain auth token | show a token",
      ],
    }),
    program("kubectl oc", "dangerous readsNothing guessed", {
      chosenBy: CHOOSES_CLUSTER,
      shows: "get describe logs top explain api-resources api-versions version cluster-info",
      shellVariables: "EDITOR VISUAL KUBE_EDITOR",
      options: { ...KUBE, flags: `${KUBE.flags} raw minify flatten` },
      effects: copyIntoContainer,
      run: runInCluster,
      operations: [
        "cloud.cluster delete | delete objects of the cluster | safer kubectl delete --dry-run=client {rest}",
        "cloud.cluster drain | evict every pod of a node | safer kubectl drain --dry-run=client {rest}",
        "cloud.cluster replace | delete and recreate objects | needs force",
        "cloud.cluster apply | delete objects that are not in the files | needs prune",
        "cloud.cluster scale | stop every replica | needs replicas=0 + all",
        "container.host debug …node/*|nodes/* | open a shell with the whole file system of a node | safer kubectl describe node",
        "sec.keychain get secret|secrets|secret/*|secrets/* | show secrets of the cluster | needs o=*json* o=*yaml* output=*json* output=*yaml* o=*template* output=*template* template",
        "sec.keychain config view | show the keys of the clusters | needs raw",
      ],
    }),
    program("k3s", "", { options: KUBE, run: runInCluster, tool: clusterTool }),
    program("microk8s", "", { tool: clusterTool }),
    program("helm", "dangerous readsNothing", {
      chosenBy: CHOOSES_CLUSTER,
      shows: "list ls status get history search show version",
      options: KUBE,
      operations: [
        "publish push | publish a chart | safer helm package .",
        "cloud.cluster uninstall|delete|del|un | remove a release | safer helm uninstall --dry-run {rest}",
      ],
    }),
    program("k kubecolor microk8s.kubectl helm3", "", {
      chosenBy: CHOOSES_CLUSTER,
      options: KUBE,
      run: runInCluster,
      operations: [
        "k kubecolor microk8s.kubectl: cloud.cluster delete | delete objects of the cluster | safer kubectl delete --dry-run=client {rest}",
        "k: cloud.cluster drain | evict every pod of a node | safer kubectl drain --dry-run=client {rest}",
        "k: cloud.cluster replace | delete and recreate objects | needs force",
        "k: cloud.cluster apply | delete objects that are not in the files | needs prune",
        "k: cloud.cluster scale | stop every replica | needs replicas=0 + all",
        "helm3: cloud.cluster uninstall|delete|del|un | remove a release | safer helm uninstall --dry-run {rest}",
        "k: container.host debug …node/*|nodes/* | open a shell with the whole file system of a node | safer kubectl describe node",
      ],
    }),
    program("argocd flux velero eksctl kind minikube k3d", "", {
      options: COBRA,
      tool: clusterTool,
      run: runRemotely,
      operations: [
        "eksctl: cloud.infra …delete | delete the deployed service or cluster",
        "argocd: cloud.cluster app|proj|cluster|repo delete|rm | delete an application | safer argocd app list",
        "flux: cloud.cluster delete|uninstall | remove what flux manages",
        "kind: cloud.cluster delete clusters | delete clusters with all they hold | safer kind get clusters",
        "minikube: cloud.cluster delete | delete a cluster with all it holds | safer minikube status",
        "k3d: cloud.cluster cluster delete|rm | delete a cluster with all it holds | safer k3d cluster list",
        "velero: cloud.backup …delete | delete backups | safer velero backup get",
      ],
    }),
    program("terraform tofu", "dangerous readsNothing guessed", {
      chosenBy: CHOOSES_WORKSPACE,
      shows: "version show output providers graph",
      options: TERRAFORM,
      tool: withVariables,
      operations: [
        "cloud.infra destroy | destroy the infrastructure | safer terraform plan -destroy",
        "cloud.infra apply | change the infrastructure without a look at the plan | answered | safer terraform plan",
        "cloud.infra apply | change the infrastructure without a look at the plan | needs auto-approve destroy | safer terraform plan",
        "cloud.infra state rm | make the state forget a resource | safer terraform state list",
        "cloud.infra state push | replace the state | safer terraform state pull",
        "cloud.infra force-unlock | break the lock of another run | safer terraform plan",
        "cloud.infra workspace delete | delete a workspace with its state | safer terraform workspace list",
        "sec.keychain output *pass*|*secret*|*token*|*key* | show a secret",
      ],
    }),
    program("terragrunt kafka-topics kafka-topics.sh", "", {
      chosenBy: CHOOSES_WORKSPACE,
      options: TERRAFORM,
      operations: [
        "terragrunt: cloud.infra destroy | destroy the infrastructure | safer terraform plan -destroy",
        "terragrunt: cloud.infra apply | change the infrastructure without a look at the plan | answered | safer terraform plan",
        "terragrunt: cloud.infra run-all|run destroy | destroy the infrastructure | safer terragrunt run-all plan -destroy",
        "terragrunt: cloud.infra apply | change the infrastructure without a look at the plan | needs auto-approve destroy | safer terraform plan",
        "terragrunt: cloud.infra run-all apply | change the infrastructure without a look at the plan | safer terragrunt run-all plan",
        "terragrunt: cloud.infra state rm | make the state forget a resource | safer terraform state list",
        "terragrunt: cloud.infra state push | replace the state | safer terraform state pull",
        "terragrunt: cloud.infra force-unlock | break the lock of another run | safer terraform plan",
        "terragrunt: cloud.infra workspace delete | delete a workspace with its state | safer terraform workspace list",
        "kafka-topics kafka-topics.sh: cloud.queue - | delete topics or offsets | needs delete",
      ],
    }),
    program("vault nomad consul", "", {
      options: VAULT,
      run: runRemotely,
      operations: [
        "nomad: cloud.cluster …delete|purge | delete a job or namespace",
        "nomad: cloud.cluster job stop | stop and purge a job | needs purge",
        "nomad: cloud.cluster stop | stop and purge a job | needs purge",
        "consul: cloud.cluster …delete|destroy | delete keys or policies",
        "vault: cloud.cluster delete|kv|secrets|lease|token|policy …delete|destroy|disable|revoke | delete or disable secrets",
        "vault: cloud.cluster delete | delete a secret",
        "vault: sec.keychain read *secret*|kv/*|database/creds/*|aws/creds/* | show a secret",
        "vault: sec.keychain read | show a secret | needs field format",
        "vault: sec.keychain kv get | show a secret",
      ],
    }),
    program("pulumi", "dangerous", {
      chosenBy: /^pulumi stack (select|init) /,
      options: {
        flags: "-yf yes skip-preview force preview-only help|h",
        values: "-sCmt stack cwd message target config-file parallel",
        abbreviates: false,
      },
      operations: [
        "cloud.infra destroy|down | destroy the infrastructure | unless preview-only | safer pulumi preview --diff",
        "cloud.infra stack rm | delete a stack | safer pulumi stack ls",
        "cloud.infra up|update | change the infrastructure without a look at the plan | needs yes y skip-preview f | safer pulumi preview --diff",
      ],
    }),
    program("restic", "", {
      options: {
        flags: "dry-run|n prune help|h",
        values: "-rpo repo password-file tag host path group-by keep-last keep-daily keep-weekly keep-within",
        abbreviates: false,
      },
      effects: effectsOfRestic,
      operations: ["cloud.backup forget|prune | delete backups | safer restic snapshots"],
    }),
    program("borg", "", {
      options: {
        flags: "-s dry-run|n list stats help|h",
        values: "-P keep-daily keep-weekly keep-monthly prefix",
        abbreviates: false,
      },
      operations: ["cloud.backup delete|prune|compact | delete backups | unless n list | safer borg list"],
    }),
    program("goreleaser", "", {
      options: {
        flags: "snapshot clean help|h",
        values: "-fpk config release-notes skip timeout",
        abbreviates: false,
      },
      operations: [
        "publish release | publish a release | unless snapshot skip-publish skip | safer goreleaser release --snapshot",
      ],
    }),
    program("semantic-release", "", {
      options: {
        flags: "dry-run|d ci no-ci help|h",
        values: "-brte branches tag-format plugins extends",
        abbreviates: false,
      },
      operations: ["publish - | publish a release | safer semantic-release --dry-run"],
    }),
    commands([
      "helmfile skaffold: cloud.infra destroy|delete | remove every release",
      "cdk cdktf sst: cloud.infra destroy|remove | destroy the infrastructure | safer cdk diff",
      "serverless sls sam amplify: cloud.infra remove|delete|destroy | remove the deployed service",
      "istioctl linkerd cilium: cloud.cluster uninstall|x | remove the mesh | unless help",
      "etcdctl: cloud.cluster del | delete keys",
      "virsh: cloud.container undefine|destroy|vol-delete|pool-delete|snapshot-delete | delete a virtual machine | safer virsh list --all",
      "qm pct: cloud.container destroy | delete a virtual machine | safer {tool} list",
      "VBoxManage vboxmanage: cloud.container unregistervm | delete a virtual machine | needs delete delete-all | safer VBoxManage list vms",
      "turso: cloud.platform db|group destroy | delete a database",
      "duplicity: cloud.backup remove-*|cleanup | delete backups",
      "tmutil: cloud.backup delete|deletelocalsnapshots | delete backups | safer tmutil listbackups",
      "btrfs: cloud.backup subvolume delete | delete a subvolume | safer btrfs subvolume list /",
      "tarsnap: cloud.backup - | delete backups | needs nuke d",
      "kopia: cloud.backup snapshot|repository|policy delete|expire | delete backups | safer kopia snapshot list",
      "snapper timeshift: cloud.backup delete | delete snapshots",
      "kafka-consumer-groups kafka-consumer-groups.sh: cloud.queue - | delete topics or offsets | needs delete",
      "rabbitmqctl rabbitmqadmin: cloud.queue reset|force_reset|delete_*|purge_queue|delete|purge | delete queues or state",
      "nats: cloud.queue stream|consumer|kv rm|purge|del|delete | delete a stream",
      "rpk: cloud.queue topic delete | delete topics",
      "btrfs: disk.raw device|dev delete|remove | take a disk out of its file system",
    ]),
  ],
};

/** `minikube kubectl -- delete …` */
function clusterTool({ argv }: ParsedCall): readonly Value[] | undefined {
  if (describe(wordAt(argv, 1)) !== "kubectl") return undefined;
  return [text("kubectl"), ...argv.slice(describe(wordAt(argv, 2)) === "--" ? 3 : 2)];
}

/** `TF_CLI_ARGS` and `TF_CLI_ARGS_apply` add options behind the subcommand. */
function withVariables(call: ParsedCall): readonly Value[] | undefined {
  const added = environmentOf(call).flatMap(({ name, value }) =>
    value !== undefined && name.startsWith("TF_CLI_ARGS") ? blankSeparated(describe(value)) : [],
  );
  return added.length === 0 ? undefined : [...call.argv, ...added.map(word => text(word))];
}
