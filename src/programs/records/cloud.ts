import {
  blankSeparated,
  describe,
  environmentOf,
  type OptionGrammar,
  text,
  type Value,
  wordAt,
} from "../../shell/index.ts";
import type { Field, OperationTables, ParsedCall } from "../model/program.ts";
import { programs } from "../model/program-table.ts";
import { copyIntoContainer } from "./containers.ts";
import { runInCluster } from "./remote.ts";
import { effectsOfRestic, readsAndUploads } from "./remote-copy.ts";
import { runRemotely } from "./remote-runners.ts";

const CLOUD_VALUES: OptionGrammar = {
  unknownTakesValue: true,
  abbreviates: false,
  flags:
    "-qfyrRm recursive delete dryrun dry-run quiet force yes debug no-cli-pager no-paginate no-verify-ssl auto-approve help|h version only-show-errors no-wait delete-unmatched-destination-objects async all purge skip-final-snapshot",
};
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

const OPERATIONS: OperationTables = {
  "cloud.storage": `
    aws s3 rm|rb | delete objects or a bucket | safer aws s3 rm --dryrun {rest}
    aws s3 mv | move objects away | needs recursive
    aws s3 sync | delete what is only at the target | needs delete | safer aws s3 sync --dryrun {rest}
    gsutil rm|rb | delete objects or a bucket
    gsutil rsync | delete what is only at the target | needs d
    gcloud …storage rm | delete objects
    gcloud …storage rsync | delete what is only at the target | needs delete-unmatched-destination-objects
    s3cmd|mc|s5cmd del|rm|rb|rmdir|expunge | delete objects or a bucket
  `,
  "cloud.resource": `
    aws * delete-*|terminate-*|remove-*|deregister-*|purge-*|schedule-key-deletion|disable-*|batch-delete-*|
        admin-delete-*|destroy-* | delete or disable a cloud resource
    gcloud …delete|remove-*|purge|reset | delete a cloud resource
    az …delete|purge|remove|delete-batch|reset | delete a cloud resource
    doctl|oci|ibmcloud|linode-cli|hcloud|scw|vultr-cli|civo|exo|openstack …delete|remove|purge|reset|destroy|rm|
        terminate|*-delete|rebuild | delete a cloud resource
  `,
  "cloud.infra": `
    terraform|tofu|terragrunt destroy | destroy the infrastructure | safer terraform plan -destroy
    terraform|tofu|terragrunt apply | change the infrastructure without a look at the plan | answered | safer
        terraform plan
    terragrunt run-all|run destroy | destroy the infrastructure | safer terragrunt run-all plan -destroy
    terraform|tofu|terragrunt apply | change the infrastructure without a look at the plan | needs auto-approve
        destroy | safer terraform plan
    helmfile|skaffold destroy|delete | remove every release
    eb terminate | terminate an environment | safer eb status
    terragrunt run-all apply | change the infrastructure without a look at the plan | safer terragrunt run-all plan
    terraform|tofu|terragrunt state rm | make the state forget a resource | safer terraform state list
    terraform|tofu|terragrunt state push | replace the state | safer terraform state pull
    terraform|tofu|terragrunt force-unlock | break the lock of another run | safer terraform plan
    terraform|tofu|terragrunt workspace delete | delete a workspace with its state | safer terraform workspace list
    pulumi destroy|down | destroy the infrastructure | unless preview-only | safer pulumi preview --diff
    pulumi stack rm | delete a stack | safer pulumi stack ls
    pulumi up|update | change the infrastructure without a look at the plan | needs yes y skip-preview f | safer
        pulumi preview --diff
    cdk|cdktf|sst destroy|remove | destroy the infrastructure | safer cdk diff
    serverless|sls|sam|amplify|copilot remove|delete|destroy | remove the deployed service
    copilot|eksctl|kops …delete | delete the deployed service or cluster
    vagrant destroy | destroy the virtual machine | safer vagrant status
  `,
  "cloud.cluster": `
    kubectl|oc|k|kubecolor|microk8s.kubectl delete | delete objects of the cluster | safer kubectl delete
        --dry-run=client {rest}
    kubectl|oc|k drain | evict every pod of a node | safer kubectl drain --dry-run=client {rest}
    kubectl|oc|k replace | delete and recreate objects | needs force
    kubectl|oc|k apply | delete objects that are not in the files | needs prune
    kubectl|oc|k scale | stop every replica | needs replicas=0 + all
    helm|helm3 uninstall|delete|del|un | remove a release | safer helm uninstall --dry-run {rest}
    argocd app|proj|cluster|repo delete|rm | delete an application | safer argocd app list
    flux delete|uninstall | remove what flux manages
    istioctl|linkerd|cilium uninstall|x | remove the mesh | unless help
    nomad …delete|purge | delete a job or namespace
    nomad job stop | stop and purge a job | needs purge
    nomad stop | stop and purge a job | needs purge
    consul …delete|destroy | delete keys or policies
    vault delete|kv|secrets|lease|token|policy …delete|destroy|disable|revoke | delete or disable secrets
    vault delete | delete a secret
    etcdctl del | delete keys
    kind delete clusters | delete clusters with all they hold | safer kind get clusters
    minikube delete | delete a cluster with all it holds | safer minikube status
    k3d cluster delete|rm | delete a cluster with all it holds | safer k3d cluster list
  `,
  "cloud.container": `
    docker|podman|nerdctl system prune|reset | remove images, containers and caches that are not in use | safer docker
        system df
    docker|podman|nerdctl volume rm|prune|remove | delete volumes with their data | safer docker volume ls
    docker|podman|nerdctl rm | remove every listed container | needs f force | of unknown | safer docker ps -a
    docker|podman|nerdctl container rm | remove every listed container | needs f force | of unknown | safer docker ps
        -a
    docker|podman|nerdctl rmi | remove every listed image | needs f force | of unknown | safer docker images
    docker|podman|nerdctl image rm | remove every listed image | needs f force | of unknown | safer docker images
    docker|podman|nerdctl compose …down | delete the volumes or images of the project | needs v volumes rmi | safer
        docker compose down
    docker|podman|nerdctl compose …rm | delete the volumes of the project | needs v volumes | safer docker compose rm
    docker-compose|podman-compose down | delete the volumes or images of the project | needs v volumes rmi | safer
        docker-compose down
    docker-compose|podman-compose rm | delete the volumes of the project | needs v volumes f=v f=sv f=vs | safer
        docker-compose rm
    podman rm|rmi | remove everything | needs a all + f force | safer podman ps -a
    podman pod rm | remove every pod | needs a all + f force | safer podman pod ps
    docker stack|service|secret|config rm | remove a deployed stack | safer docker stack ls
    lxc|incus|multipass|colima|limactl delete|rm|purge | delete a virtual machine or container with its disk | safer
        {tool} list
    virsh undefine|destroy|vol-delete|pool-delete|snapshot-delete | delete a virtual machine | safer virsh list --all
    qm|pct destroy | delete a virtual machine | safer {tool} list
    VBoxManage|vboxmanage unregistervm | delete a virtual machine | needs delete delete-all | safer VBoxManage list
        vms
    docker swarm leave | leave the swarm and lose its state | needs f force
  `,
  "container.host": `
    kubectl|oc|k debug …node/*|nodes/* | open a shell with the whole file system of a node | safer kubectl describe node
    lxc|incus launch|init|create | run a container with every right on this machine | needs c=security.privileged*
        config=security.privileged*
    lxc|incus config set …security.privileged=true|security.privileged | give a container every right on this machine
    lxc|incus config device …source=/ | give a container the whole file system of this machine
  `,
  "cloud.platform": `
    heroku *:destroy|*:reset|*:remove|*:delete|*:killall | destroy an application or its data
    fly|flyctl destroy | destroy an application
    fly|flyctl …destroy|delete|remove | destroy an application or its data
    vercel|vc remove|rm | remove deployments
    vercel|vc * rm|remove | remove a project, domain or variable
    netlify|ntl *:delete|*:unset | delete a site
    netlify|ntl api delete* | delete a site
    turso db|group destroy | delete a database
    railway down|delete | remove a deployment
    railway …delete|remove | remove a service or volume
    render|northflank|koyeb|dokku …delete|destroy|apps:destroy|*:destroy | delete a service
    wrangler …delete|*:delete | delete a worker or its storage
    firebase *:delete|*:remove|*:disable | delete data or functions
    supabase …delete|pause | delete a project or function
    cf|oc delete|delete-*|purge-* | delete an application
    eas|expo …delete | delete builds or channels
  `,
  "cloud.repository": `
    gh|glab repo|release|secret|variable|run|workflow|issue|gist|label|environment|ssh-key|gpg-key|codespace|project|
        ruleset delete|remove|delete-* | delete it on the forge
    gh workflow disable | switch a workflow off
    gh|glab api graphql | delete through the interface of the forge | needs f=*mutation*[dD]elete*
        raw-field=*mutation*[dD]elete* F=*mutation*[dD]elete* field=*mutation*[dD]elete* f=*mutation*[dD]estroy*
    gh repo archive | archive the repository
    gh repo edit | change who can see the repository | needs visibility
    gh|glab api | delete through the interface of the forge | needs method=DELETE method=delete
  `,
  "cloud.backup": `
    restic forget|prune | delete backups | safer restic snapshots
    borg delete|prune|compact | delete backups | unless n list | safer borg list
    rclone delete|purge|deletefile|cleanup|rmdirs | delete files at the remote | safer rclone ls {rest}
    velero …delete | delete backups | safer velero backup get
    duplicity remove-*|cleanup | delete backups
    tmutil delete|deletelocalsnapshots | delete backups | safer tmutil listbackups
    btrfs subvolume delete | delete a subvolume | safer btrfs subvolume list /
    tarsnap | delete backups | needs nuke d
    kopia snapshot|repository|policy delete|expire | delete backups | safer kopia snapshot list
    snapper|timeshift delete | delete snapshots
  `,
  "cloud.queue": `
    kafka-topics|kafka-topics.sh|kafka-consumer-groups|kafka-consumer-groups.sh | delete topics or offsets | needs
        delete
    rabbitmqctl|rabbitmqadmin reset|force_reset|delete_*|purge_queue|delete|purge | delete queues or state
    nats stream|consumer|kv rm|purge|del|delete | delete a stream
    rpk topic delete | delete topics
  `,
};

/** Clouds, clusters, platforms and backups: what is deleted there is gone for everybody. */
export const cloud: Field = {
  programs: () =>
    programs(
      `
    aws | is dangerous readsNothing | variables PAGER
    az | is dangerous readsNothing
    gcloud | is dangerous readsNothing
    gsutil s3cmd mc | is readsNothing
    doctl oci ibmcloud linode-cli hcloud scw vultr-cli civo exo openstack s5cmd kops copilot
    heroku vercel vc netlify ntl render northflank koyeb dokku firebase supabase cf eas expo
    fly flyctl
    kubectl oc | is dangerous readsNothing | variables EDITOR VISUAL KUBE_EDITOR
    k3s
    microk8s
    helm | is dangerous readsNothing
    k kubecolor microk8s.kubectl helm3
    argocd flux velero eksctl kind minikube k3d
    terraform tofu | is dangerous readsNothing
    terragrunt kafka-topics kafka-topics.sh
    vault nomad consul
    pulumi | is dangerous | flags -yf yes skip-preview force preview-only help|h | values -sCmt stack cwd message target
        config-file parallel | exact
    restic | flags dry-run|n prune help|h | values -rpo repo password-file tag host path group-by keep-last keep-daily
        keep-weekly keep-within | exact
    borg | flags -s dry-run|n list stats help|h | values -P keep-daily keep-weekly keep-monthly prefix | exact
    goreleaser | flags snapshot clean help|h | values -fpk config release-notes skip timeout | exact
    semantic-release | flags dry-run|d ci no-ci help|h | values -brte branches tag-format plugins extends | exact
  `,
      {
        aws: {
          options: { ...CLOUD_VALUES, flags: `${CLOUD_VALUES.flags} with-decryption` },
          effects: readsAndUploads,
          run: runRemotely,
        },
        az: { options: CLOUD_VALUES, effects: readsAndUploads, run: runRemotely },
        gcloud: {
          options: CLOUD_VALUES,
          effects: readsAndUploads,
          run: runRemotely,
        },
        gsutil: { options: { ...CLOUD_VALUES, values: "-uag" }, effects: readsAndUploads },
        doctl: { options: CLOUD_VALUES, run: runRemotely },
        heroku: { options: PLATFORM, run: runRemotely },
        fly: {
          options: { ...PLATFORM, values: `${PLATFORM.values} -C command` },
          run: runRemotely,
        },
        kubectl: {
          options: { ...KUBE, flags: `${KUBE.flags} raw minify flatten` },
          effects: copyIntoContainer,
          run: runInCluster,
        },
        k3s: { options: KUBE, run: runInCluster, tool: clusterTool },
        microk8s: { tool: clusterTool },
        argocd: { options: COBRA, tool: clusterTool, run: runRemotely },
        helm: { options: KUBE },
        k: { options: KUBE, run: runInCluster },
        terraform: { options: TERRAFORM, tool: withVariables },
        terragrunt: { options: TERRAFORM },
        vault: { options: VAULT, run: runRemotely },
        restic: { effects: effectsOfRestic },
      },
    ),
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
    value !== undefined && name.startsWith("TF_CLI_ARGS") ? blankSeparated(describe(value)) : [],
  );
  return added.length === 0 ? undefined : [...call.argv, ...added.map(word => text(word))];
}
