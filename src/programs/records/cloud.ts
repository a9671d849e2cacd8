import {
  blankSeparated,
  callEnvironment,
  describe,
  type OptionGrammar,
  text,
  type Value,
  wordAt,
} from "../../shell/index.ts";
import { commands, type Field, type ParsedCall, program } from "../model/program.ts";
import { copyIntoContainer } from "./containers.ts";
import { runInCluster, runRemotely } from "./remote.ts";
import { effectsOfRestic, readsAndUploads, restoredInto } from "./remote-copy.ts";

const CLOUD_VALUES: OptionGrammar = {
  unknownTakesValue: true,
  abbreviates: false,
  flags:
    "-qfyrRm recursive delete dryrun dry-run quiet force yes debug no-cli-pager no-paginate no-verify-ssl auto-approve help|h version only-show-errors no-wait delete-unmatched-destination-objects async all purge skip-final-snapshot",
};
/** Command lines that choose the cluster, the workspace and the project of later ones. */
const CHOOSES_CLUSTER = /^(kubectl|oc|k) config (use-context|set-context) |^(kubectx|kubens) /;
/** Pods that a set makes again, by the names that it gives them: `web-5d8f7c9b4-x2k4p`. No such part has a vowel. */
const PODS_OF_SETS = [5, 6, 7, 8, 9, 10]
  .map(length => `*-${"[b-df-hj-np-tv-xz2-9]".repeat(length)}-${"[a-z0-9]".repeat(5)}`)
  .flatMap(name => ["pod", "pods", "po"].map(kind => `${kind} ${name}`))
  .join("|");
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
    "-nlpt namespace name context selector server output timeout region profile config-file access-token kubeconfig",
  shortEquals: true,
  abbreviates: false,
};

/** Clouds, clusters, platforms and backups: what is deleted there is gone for everybody. */
export const cloud: Field = {
  reaches: true,
  // biome-ignore lint/complexity/noExcessiveLinesPerFunction: a table, a record a program
  programs: () => [
    program("aws", "dangerous readsNothing", {
      shellVariables: "PAGER",
      options: { ...CLOUD_VALUES, flags: `${CLOUD_VALUES.flags} with-decryption` },
      effects: readsAndUploads,
      run: runRemotely,
      operations: [
        "deploy.production ecs|lambda|deploy|cloudformation|elasticbeanstalk|apprunner|amplify|codepipeline|codebuild|cloudfront|appconfig|sagemaker|opsworks|apigateway|apigatewayv2|stepfunctions update-service|run-task|update-function-code|update-function-configuration|update-alias|create-deployment|deploy|update-stack|create-stack|execute-change-set|update-environment|start-deployment|start-job|start-pipeline-execution|start-build|create-invalidation|update-distribution|update-endpoint | deploy | stops aws ecs update-service web | passes aws ecs list web",
        "grant.access iam|kms|organizations|sso-admin|identitystore|cognito-idp|ram|ecr|secretsmanager|sns|sqs|lambda|s3api|es|opensearch|glue|lakeformation|redshift attach-*|put-*-policy|create-access-key|create-login-profile|update-login-profile|add-user-to-group|update-assume-role-policy|create-user|create-role|create-policy-version|set-default-policy-version|add-role-to-*|upload-ssh-public-key|upload-signing-certificate|create-service-specific-credential|create-grant|invite-account-*|create-account*|create-group-membership|admin-add-*|admin-create-user|admin-set-*|create-resource-share|associate-resource-share*|set-repository-policy|put-resource-policy|put-bucket-policy|add-permission|grant-permissions|set-*-policy | give rights | stops aws iam attach-x web | passes aws iam list web",
        "cloud.other organizations|account close-account|leave-organization|remove-account-from-organization | close an account with all that is in it | stops aws organizations close-account --account-id 1 | passes aws organizations list-accounts",
        "grant.protection cloudtrail|configservice|guardduty|securityhub|macie2|inspector2|access-analyzer|wafv2|logs|cloudwatch|backup stop-*|update-trail|put-event-selectors|update-detector|put-retention-policy|update-*-plan|disassociate-*|put-metric-filter|archive-findings|set-alarm-state | switch a record or an alarm off | stops aws cloudtrail stop-x web | passes aws cloudtrail list web",
        "grant.protection s3api put-bucket-versioning|put-bucket-encryption|put-object-lock-configuration|put-bucket-logging|put-bucket-lifecycle-configuration|put-object-retention|put-object-legal-hold | lift the protection of a bucket | needs versioning-configuration=*Suspended* versioning-configuration=*Disabled* bucket-logging-status legal-hold=*OFF* bypass-governance-retention lifecycle-configuration | stops aws s3api put-bucket-versioning web --versioning-configuration Suspended | passes aws s3api put-bucket-versioning web",
        "grant.protection rds|docdb|neptune|dynamodb|ec2|elbv2|redshift|elasticache|eks|cognito-idp modify-*|update-* | switch a protection off | needs backup-retention-period=0 no-deletion-protection no-multi-az no-disable-api-termination point-in-time-recovery-specification=*alse* attributes=*deletion_protection*alse* snapshot-retention-limit=0 no-deletion-protection-enabled automated-snapshot-retention-period=0 no-disable-api-stop deletion-protection=INACTIVE | stops aws rds modify-x web --backup-retention-period 0 | passes aws rds modify-x web",
        "spend.resource * run-instances|run-job-flow|create-db-*|create-*cluster*|create-*instance*|create-nat-gateway|create-load-balancer|create-volume|create-file-system|create-fleet|create-endpoint|create-training-job|create-notebook*|create-*nodegroup|create-capacity*|create-dedicated*|create-vpn*|create-transit*|create-domain|create-savings-plan|create-workspaces|create-stream|create-broker*|create-*environment|create-table|create-compute*|request-spot-*|purchase-*|allocate-*|register-domain|transfer-domain|renew-domain|set-desired-capacity|update-auto-scaling-group|modify-*-capacity|increase-*|start-training*|request-service-quota-increase | create or buy a cloud resource | stops aws x run-instances web | passes aws x list web",

        "sys.cron scheduler|events|ssm create-schedule|put-rule|put-targets|create-association|create-maintenance-window | make something start automatically | stops aws scheduler create-schedule web | passes aws scheduler list-schedules",
        "cloud.resource ec2|rds|emr|sagemaker|lightsail|workspaces|neptune|docdb stop-* | stop what others may use | stops aws ec2 stop-instances --instance-ids i-1 | passes aws ec2 describe-instances",
        "cloud.storage s3 rm|rb | delete objects or a bucket | safer aws s3 rm --dryrun {rest} | stops aws s3 rm web",
        "cloud.storage s3 mv | move objects away | needs recursive | stops aws s3 mv web --recursive | passes aws s3 mv web",
        "cloud.storage s3 sync | delete what is only at the target | needs delete | safer aws s3 sync --dryrun {rest} | stops aws s3 sync web --delete",
        "cloud.resource * delete-*|terminate-*|remove-*|deregister-*|purge-*|schedule-key-deletion|disable-*|batch-delete-*|admin-delete-*|destroy-* | delete or disable a cloud resource | stops aws x delete-cluster web | passes aws x list web",
        "cloud.resource route53 change-resource-record-sets | change or delete names that are in use | safer aws route53 list-resource-record-sets {rest} | stops aws route53 change-resource-record-sets --hosted-zone-id Z1 --change-batch file://a.json",
        "cloud.public s3api put-bucket-acl|put-object-acl | let everybody read | needs acl=public-* acl=authenticated-read grant-read=*Users* grant-write=*Users* grant-full-control=*Users* | safer aws s3api get-bucket-acl | stops aws s3api put-bucket-acl web --acl public-read",
        "cloud.public s3 cp|sync|mv | let everybody read | needs acl=public-* acl=authenticated-read grants=*Users* | safer aws s3 ls | stops aws s3 cp web --acl public-read",
        `cloud.public s3api put-bucket-policy | let everybody in | needs policy=*Principal*"[*]"* | safer aws s3api get-bucket-policy | stops aws s3api put-bucket-policy --bucket b --policy '{"Statement":[{"Principal":"*"}]}'`,
        "cloud.public s3api|s3control put-public-access-block | lift the block of public access | needs public-access-block-configuration=*alse* | safer aws s3api get-public-access-block | stops aws s3api put-public-access-block web --public-access-block-configuration alse",
        "cloud.public ec2 modify-image-attribute | let everybody start the image | needs launch-permission=*all* | stops aws ec2 modify-image-attribute web --launch-permission all | passes aws ec2 modify-image-attribute web",
        "cloud.public ec2 modify-snapshot-attribute | let everybody copy the snapshot | needs group-names=all | stops aws ec2 modify-snapshot-attribute web --group-names all | passes aws ec2 modify-snapshot-attribute web",
        "cloud.public rds modify-db-snapshot-attribute|modify-db-cluster-snapshot-attribute | let everybody copy the snapshot | needs values-to-add=all | stops aws rds modify-db-snapshot-attribute web --values-to-add all | passes aws rds modify-db-snapshot-attribute web",
        "cloud.public rds modify-db-instance|create-db-instance | open the database to the internet | needs publicly-accessible | stops aws rds modify-db-instance web --publicly-accessible | passes aws rds modify-db-instance web",
        "cloud.public ec2 authorize-security-group-ingress | open a port to the internet | needs cidr=0.0.0.0/0 cidr-ipv6=::/0 ip-permissions=*0.0.0.0/0* | stops aws ec2 authorize-security-group-ingress web --cidr 0.0.0.0/0 | passes aws ec2 authorize-security-group-ingress web",
        "cloud.public lambda|sns|sqs add-permission | let everybody call it | needs principal=[*] | stops aws lambda add-permission --principal '*' | passes aws lambda add-permission --principal s3.amazonaws.com",
        "sec.keychain configure get|export-credentials | show a key of AWS | stops aws configure get web | passes aws configure list web",
        "sec.keychain secretsmanager get-secret-value|batch-get-secret-value | show a secret | stops aws secretsmanager get-secret-value web | passes aws secretsmanager list web",
        "sec.keychain ssm get-parameter|get-parameters|get-parameters-by-path | show a secret | needs with-decryption | stops aws ssm get-parameter web --with-decryption | passes aws ssm get-parameter web",
        "sec.keychain sts get-session-token|get-federation-token | make a token of AWS | stops aws sts get-session-token web | passes aws sts list web",
      ],
    }),
    program("az", "dangerous readsNothing", {
      chosenBy: /^az account set /,
      options: CLOUD_VALUES,
      effects: readsAndUploads,
      run: runRemotely,
      operations: [
        "deploy.production …deploy|up|swap | deploy | stops az thing deploy web | passes az thing list web",
        "deploy.production deployment|containerapp|webapp|functionapp|spring|staticwebapp …create|update|restart|config-zip | deploy | stops az deployment create web | passes az --help",
        "grant.access role|ad|keyvault|identity|policy …assignment|sp|app|member|owner|set-policy|credential|permission|definition create|add|reset|create-for-rbac|grant|admin-consent|update|assign | give rights | stops az role assignment create web | passes az role assignment list web",
        "grant.access …set-policy|create-for-rbac|add-permission|admin-consent | give rights | stops az thing set-policy web | passes az thing list web",
        "grant.protection …update|set | switch a protection off | needs enable-versioning=false enable-delete-retention=false enable-soft-delete=false enable-purge-protection=false default-action=Allow public-network-access=Enabled delete-retention=false backup-retention=0 disable-local-auth=false https-only=false min-tls-version=TLS1_0 | stops az thing update web --enable-versioning false | passes az thing update web",
        "grant.protection backup|monitor|security|sentinel …disable|stop|cancel | switch a backup or an alarm off | stops az backup disable web | passes az backup list web",
        "spend.resource vm|vmss|aks|redis|cosmosdb|appservice|acr|batch|hdinsight|synapse|databricks|netappfiles|search|eventhubs|servicebus|apim|ml|reservations|disk create|scale|update|start|purchase | create or enlarge a cloud resource | stops az vm create web | passes az vm list web",
        "spend.resource sql|postgres|mysql|mariadb|network|container|appservice|kusto|ml db|server|mi|elastic-pool|flexible-server|application-gateway|nat|vnet-gateway|firewall|cluster|pool|plan|compute create|scale|update | create or enlarge a cloud resource | stops az sql db create web | passes az sql db list web",

        "cloud.resource …delete|purge|remove|delete-batch|reset | delete a cloud resource | stops az thing delete web | passes az thing list web",
        "cloud.public storage container set-permission|create | let everybody read | needs public-access=blob public-access=container | stops az storage container set-permission web --public-access blob | passes az storage container set-permission web",
        "cloud.public storage account create|update | let containers be public | needs allow-blob-public-access=true | stops az storage account create web --allow-blob-public-access true | passes az storage account create web",
        "cloud.public network nsg rule create|update | open a port to the internet | needs source-address-prefixes=[*] source-address-prefixes=Internet source-address-prefixes=0.0.0.0/0 source-address-prefix=[*] | stops az network nsg rule create --source-address-prefixes '*' | passes az network nsg rule create --source-address-prefixes 10.0.0.0/8",
        "sec.keychain …keys list|show|renew | show the keys of a service | stops az storage account keys list -n x | passes az storage account list",
        "sec.keychain …credential show | show the keys of a service | stops az acr credential show -n x | passes az ad app credential list",
        "sec.keychain …list-keys|show-connection-string|list-connection-strings|list-publishing-credentials|list-publishing-profiles | show the keys of a service | stops az redis list-keys -n x | passes az redis list",
        "sec.keychain account get-access-token | show a token of Azure | stops az account get-access-token web | passes az account list web",
        "sec.keychain keyvault secret show|download | show a secret | stops az keyvault secret show web | passes az keyvault secret list web",
      ],
    }),
    program("gcloud", "dangerous readsNothing", {
      takes: "builds:submit",
      chosenBy: CHOOSES_PROJECT,
      options: CLOUD_VALUES,
      effects: readsAndUploads,
      run: runRemotely,
      operations: [
        "deploy.production app deploy | deploy to everybody who uses it | unless no-promote | ask | stops gcloud app deploy | passes gcloud app describe",
        "deploy.production run|app|functions|endpoints|beta|alpha|builds|deploy|compute|artifacts …deploy|update-traffic|promote|rollback|rolling-action|submit | deploy | stops gcloud run deploy web | passes gcloud thing list web",
        "grant.access …add-iam-policy-binding|set-iam-policy|add-iam-member | give rights | stops gcloud thing add-iam-policy-binding web | passes gcloud thing list web",
        "grant.access …service-accounts|keys|roles|api-keys|hmac create|update|undelete|enable | make an account or a key | stops gcloud service-accounts create web | passes gcloud service-accounts list web",
        "grant.protection …update|patch|modify | switch a protection off | needs no-versioning no-backup no-deletion-protection no-enable-point-in-time-recovery clear-retention-period no-enable-bin-log no-uniform-bucket-level-access no-public-access-prevention clear-lifecycle no-soft-delete no-enable-logging no-shielded-secure-boot no-enable-master-authorized-networks retention-days=1 | stops gcloud thing update web --no-versioning | passes gcloud thing update web",
        "grant.protection …services|logs|sinks|policies disable|remove|update | switch a service or record off | needs force disabled no-include-children | stops gcloud services disable web --force | passes gcloud services disable web",
        "spend.resource …instances|clusters|node-pools|addresses|disks|custom-jobs|notebooks|jobs|reservations|commitments|routers|tunnels|databases|replicas|nodes|machines|indexes|endpoints|registrations|capacity create|resize|create-with-container|submit|register|scale | create or enlarge a cloud resource | stops gcloud instances create web | passes gcloud instances list web",

        "cloud.storage …storage rm | delete objects | stops gcloud storage rm web | passes gcloud storage list web",
        "cloud.storage …storage rsync | delete what is only at the target | needs delete-unmatched-destination-objects | stops gcloud storage rsync web --delete-unmatched-destination-objects | passes gcloud storage rsync web",
        "cloud.resource …delete|remove-*|purge|reset | delete a cloud resource | stops gcloud thing delete web | passes gcloud thing list web",
        "cloud.public …add-iam-policy-binding | let everybody in | needs member=allUsers member=allAuthenticatedUsers | stops gcloud thing add-iam-policy-binding web --member allUsers | passes gcloud thing add-iam-policy-binding web",
        "cloud.public …firewall-rules create|update | open a port to the internet | needs source-ranges=*0.0.0.0/0* | stops gcloud firewall-rules create web --source-ranges 0.0.0.0/0 | passes gcloud firewall-rules create web",
        "sec.keychain auth print-* | show a token of Google Cloud | stops gcloud auth print-access-token web | passes gcloud auth list web",
        "sec.keychain auth application-default print-* | show a token of Google Cloud | stops gcloud auth application-default print-access-token web | passes gcloud auth application-default list web",
        "sec.keychain secrets versions access | show a secret | stops gcloud secrets versions access web | passes gcloud secrets versions list web",
      ],
    }),
    program("gsutil s3cmd mc", "readsNothing", {
      chosenBy: CHOOSES_PROJECT,
      options: { ...CLOUD_VALUES, values: "-uag" },
      effects: readsAndUploads,
      operations: [
        "gsutil: cloud.storage rm|rb | delete objects or a bucket | stops gsutil rm web | passes gsutil list web",
        "gsutil: cloud.storage rsync | delete what is only at the target | needs d | unless n | stops gsutil rsync web -d | passes gsutil rsync web",
        "s3cmd mc: cloud.storage del|rm|rb|rmdir|expunge | delete objects or a bucket | stops s3cmd del web | passes s3cmd list web",
        "gsutil: cloud.public iam ch allUsers:*|allAuthenticatedUsers:* | let everybody in | unless d | safer gsutil iam get | stops gsutil iam ch allUsers:x web",
        "gsutil: cloud.public acl|defacl ch | let everybody read | needs u=All*Users:* g=All*Users:* | safer gsutil acl get | stops gsutil acl ch web -u AllxUsers:x",
        "gsutil: cloud.public acl|defacl set public-*|authenticated-read | let everybody read | safer gsutil acl get | stops gsutil acl set public-read web",
        "gsutil: cloud.public cp|rsync|mv | let everybody read | needs a=public-* a=authenticated-read | stops gsutil cp web -a public-read | passes gsutil cp web",
        "mc: cloud.public anonymous|policy set public|download|upload | let everybody in | safer mc anonymous get | stops mc anonymous set public web",
        "s3cmd: cloud.public setacl|put|sync|cp | let everybody read | needs acl-public P | safer s3cmd info | stops s3cmd setacl web --acl-public",
      ],
    }),
    program("doctl oci ibmcloud linode-cli hcloud scw vultr-cli civo exo openstack s5cmd kops copilot", "", {
      options: CLOUD_VALUES,
      run: runRemotely,
      operations: [
        "deploy.production …deploy|create-deployment|rollback|promote | deploy | stops doctl thing deploy web | passes doctl thing list web",
        "grant.access …ssh-key|key|keys|token|tokens|user|users|member|members|policy|acl|access|apikey create|add|import|invite|grant|attach | give rights | stops doctl ssh-key create web | passes doctl ssh-key list web",
        "spend.resource …create|launch|resize|scale|order|enable-ha|provision | create or enlarge a cloud resource | stops doctl thing create web | passes doctl thing list web",

        "s5cmd: cloud.storage del|rm|rb|rmdir|expunge | delete objects or a bucket | stops s5cmd del web | passes s5cmd list web",
        "doctl oci ibmcloud linode-cli hcloud scw vultr-cli civo exo openstack: cloud.resource …delete|remove|purge|reset|destroy|rm|terminate|*-delete|rebuild | delete a cloud resource | stops doctl thing delete web | passes doctl thing list web",
        "copilot: cloud.infra remove|delete|destroy | remove the deployed service | stops copilot remove | passes copilot list web",
        "copilot kops: cloud.infra …delete | delete the deployed service or cluster | stops copilot thing delete | passes copilot thing list web",
        "doctl: cloud.public compute firewall create|add-rules | open a port to the internet | needs inbound-rules=*0.0.0.0/0* | stops doctl compute firewall create web --inbound-rules 0.0.0.0/0 | passes doctl compute firewall create web",
      ],
    }),
    program("heroku vercel vc netlify ntl render northflank koyeb dokku firebase supabase cf eas expo", "", {
      options: PLATFORM,
      run: runRemotely,
      operations: [
        "vercel vc: deploy.production - | deploy to production | needs prod production | ask | stops vercel web --prod | passes vercel web",
        "vercel vc: deploy.production promote|rollback | deploy to production | ask | stops vercel promote web | passes vercel list web",
        "vercel vc: deploy.production deploy | deploy | stops vercel deploy web | passes vercel list web",
        "netlify ntl: deploy.production deploy|build | deploy to production | needs prod p prodIfUnlocked prod-if-unlocked | ask | stops netlify deploy web --prod | passes netlify deploy web",
        "heroku: deploy.production container:release|container:push|releases:rollback|ps:restart|ps:scale|maintenance:on | deploy | stops heroku container:release web | passes heroku list web",
        "heroku: deploy.production pipelines:promote | deploy to production | ask | stops heroku pipelines:promote web | passes heroku list web",
        "heroku: grant.access access:add|access:update|members:add|members:set|authorizations:create|keys:add|teams:*|spaces:* | give rights | stops heroku access:add web | passes heroku list web",
        "heroku: grant.protection drains:remove|features:disable|buildpacks:clear|certs:auto:disable|webhooks:remove|pg:backups:unschedule | switch a protection off | stops heroku drains:remove web | passes heroku list web",
        "heroku: spend.resource addons:create|addons:upgrade|addons:plans|ps:scale|ps:resize|ps:type|domains:add|create | buy capacity | stops heroku addons:create web | passes heroku list web",
        "eas: deploy.production submit | release to a store | ask | safer eas build:list | stops eas submit -p ios | passes eas build",
        "firebase cf eas expo supabase render northflank koyeb dokku: deploy.production deploy|push|redeploy|submit|update|promote|restage|hosting:clone|functions:deploy|up|release | deploy | stops firebase deploy web | passes firebase list web",
        "supabase: deploy.production db push | deploy | stops supabase db push web | passes supabase db list web",
        "dokku supabase render koyeb northflank cf: spend.resource …create|scale|create-service | create or enlarge a resource | stops dokku thing create web | passes dokku thing list web",

        "supabase: db.reset db reset | empty the database | safer supabase db diff | stops supabase db reset",
        "heroku: cloud.platform *:destroy|*:reset|*:remove|*:delete|*:killall|*:unset | destroy an application or its data | stops heroku apps:destroy web | passes heroku list web",
        "vercel vc: cloud.platform remove|rm | remove deployments | stops vercel remove web | passes vercel list web",
        "vercel vc: cloud.platform * rm|remove | remove a project, domain or variable | stops vercel x rm web | passes vercel x list web",
        "netlify ntl: cloud.platform *:delete|*:unset | delete a site | stops netlify functions:delete web | passes netlify list web",
        "netlify ntl: cloud.platform api delete* | delete a site | stops netlify api deleteVolume web | passes netlify api list web",
        "render northflank koyeb dokku: cloud.platform …delete|destroy|apps:destroy|*:destroy | delete a service | stops render thing delete web | passes render thing list web",
        "firebase: cloud.platform *:delete|*:remove|*:disable | delete data or functions | stops firebase functions:delete web | passes firebase list web",
        "supabase: cloud.platform …delete|pause | delete a project or function | stops supabase thing delete web | passes supabase thing list web",
        "cf: cloud.platform delete|delete-*|purge-* | delete an application | stops cf delete web | passes cf list web",
        "eas expo: cloud.platform …delete | delete builds or channels | stops eas thing delete web | passes eas thing list web",
        "heroku: sec.keychain auth:token|authorizations:create | show a token of Heroku | stops heroku auth:token web | passes heroku list web",
        "heroku: sec.keychain config|config:get | show the variables of an application | stops heroku config web | passes heroku list web",
        "netlify ntl: sec.keychain env:list|env:get | show the variables of an application | stops netlify env:list web | passes netlify list web",
      ],
    }),
    program("fly flyctl", "", {
      options: { ...PLATFORM, values: `${PLATFORM.values} -C command` },
      run: runRemotely,
      operations: [
        "deploy.production deploy|launch | deploy | stops fly deploy web | passes fly list web",
        "deploy.production image|machine|machines|secrets|apps|app update|restart|set|import|deploy | deploy | stops fly image update web | passes fly image list web",
        "grant.access …tokens|orgs|ssh|ips create|invite|issue|add | give rights | stops fly tokens create web | passes fly tokens list web",
        "spend.resource scale|volumes|volume|machine|machines|postgres|pg|redis|ips|certs|extensions count|vm|memory|create|extend|run|clone|allocate-v4|allocate-v6|add|update | buy capacity | stops fly scale count web | passes fly scale list web",

        "cloud.platform destroy | destroy an application | stops fly destroy web | passes fly list web",
        "cloud.platform …destroy|delete|remove|unset | destroy an application or its data | stops fly thing destroy web | passes fly thing list web",
        "sec.keychain auth token | show a token | stops fly auth token web | passes fly auth list web",
      ],
    }),
    program("kubectl oc k kubecolor microk8s.kubectl", "dangerous readsNothing guessed appliesManifests", {
      uses: "f",
      chosenBy: CHOOSES_CLUSTER,
      shows: "get describe logs top explain api-resources api-versions version cluster-info",
      shellVariables: "EDITOR VISUAL KUBE_EDITOR",
      options: {
        ...KUBE,
        flags: `${KUBE.flags} raw minify flatten privileged disable-filter`,
        values: `${KUBE.values} overrides address accept-hosts`,
      },
      effects: copyIntoContainer,
      run: runInCluster,
      operations: [
        "deploy.production rollout restart|undo|pause|resume | change what runs | stops kubectl rollout restart deploy/web | passes kubectl rollout status deploy/web",
        "deploy.production apply|replace|patch|set|scale|edit|autoscale|create|expose | change what runs | stops kubectl apply web | passes kubectl diff -f a.yaml",
        "grant.access create clusterrolebinding|rolebinding|clusterrole|role|serviceaccount|sa|token | give rights | stops kubectl create clusterrolebinding web | passes kubectl --help",
        "grant.access auth|certificate|adm|policy|set reconcile|approve|policy|subject|add-* | give rights | stops kubectl auth reconcile web | passes kubectl auth get web",
        "grant.protection label|annotate|patch …pod-security*=privileged|*enforce=privileged | lift a protection | stops kubectl label pod-securityx=privileged web | passes kubectl --help",

        `cloud.cluster delete | delete objects of the cluster | free on ${PODS_OF_SETS} | safer kubectl delete --dry-run=client {rest} | stops kubectl delete web | passes kubectl delete pod web-5d8f7c9b4-x2k4p`,
        "cloud.cluster drain | evict every pod of a node | safer kubectl drain --dry-run=client {rest} | stops kubectl drain web",
        "cloud.cluster replace | delete and recreate objects | needs force raw | stops kubectl replace web --force | passes kubectl replace web",
        'cloud.cluster patch|edit | take away what keeps objects from being deleted | needs p=*finalizers*null* patch=*finalizers*null* p=*finalizers*[]* patch=*finalizers*[]* | stops kubectl patch pv web -p \'{"metadata":{"finalizers":null}}\' | passes kubectl patch pv web -p \'{"metadata":{"labels":null}}\'',
        "cloud.cluster apply | delete objects that are not in the files | needs prune | stops kubectl apply web --prune | passes kubectl apply web",
        "cloud.cluster scale | stop every replica | needs replicas=0 + all | stops kubectl scale web --replicas 0 --all | passes kubectl scale web",
        "container.host run|debug | run a container with every right on a node | needs privileged overrides=*privileged*true* overrides=*hostPID*true* overrides=*hostPath* | safer kubectl get pods | stops kubectl run web --image a --privileged | passes kubectl run web --image a",
        "net.expose proxy | let other machines use the cluster with your rights | needs address=0.0.0.0 accept-hosts=*[*]* accept-hosts=.* disable-filter | stops kubectl proxy --address 0.0.0.0 | passes kubectl proxy",
        "container.host debug …node/*|nodes/* | open a shell with the whole file system of a node | safer kubectl describe node | stops kubectl debug node/one web",
        "sec.keychain get secret|secrets|secret/*|secrets/* | show secrets of the cluster | needs o=*json* o=*yaml* output=*json* output=*yaml* o=*template* output=*template* template | stops kubectl get secret web -o json | passes kubectl get secret web",
        "sec.keychain config view | show the keys of the clusters | needs raw | stops kubectl config view web --raw | passes kubectl config view web",
      ],
    }),
    program("k3s", "appliesManifests", { options: KUBE, uses: "f", run: runInCluster, tool: clusterTool }),
    program("microk8s", "", { tool: clusterTool }),
    program("helm helm3 microk8s.helm microk8s.helm3", "dangerous readsNothing appliesManifests", {
      uses: "f",
      chosenBy: CHOOSES_CLUSTER,
      shows: "list ls status get history search show version",
      options: KUBE,
      operations: [
        "deploy.production upgrade|install|rollback | deploy | stops helm upgrade web | passes helm list web",

        "publish push | publish a chart | safer helm package . | stops helm push",
        "cloud.cluster uninstall|delete|del|un | remove a release | safer helm uninstall --dry-run {rest} | stops helm uninstall web",
      ],
    }),
    program("argocd", "", {
      options: COBRA,
      run: runRemotely,
      operations: [
        "deploy.production app sync|rollback|set|create|patch|actions | deploy | stops argocd app sync web | passes argocd app list web",
        "grant.access account|proj|repocreds|cluster update-password|generate-token|add|add-role*|role | give rights | stops argocd account update-password web | passes argocd account list web",
        "cloud.cluster app|proj|cluster|repo delete|rm | delete an application | safer argocd app list | stops argocd app delete web",
      ],
    }),
    program("flux", "", {
      options: COBRA,
      run: runRemotely,
      operations: [
        "deploy.production reconcile|resume|create|bootstrap | deploy | stops flux reconcile web | passes flux list web",
        "cloud.cluster delete|uninstall | remove what flux manages | stops flux delete web | passes flux list web",
      ],
    }),
    program("velero", "", {
      options: COBRA,
      run: runRemotely,
      operations: [
        "grant.protection schedule pause | switch a backup off | stops velero schedule pause web | passes velero schedule list web",
        "cloud.backup …delete | delete backups | safer velero backup get | stops velero thing delete web",
      ],
    }),
    program("eksctl", "", {
      options: COBRA,
      run: runRemotely,
      operations: [
        "spend.resource create|scale|upgrade | create or enlarge a cluster | stops eksctl create web | passes eksctl list web",
        "grant.access create|utils iamidentitymapping|iamserviceaccount|associate-iam-oidc-provider | give rights | stops eksctl create iamidentitymapping web | passes eksctl --help",
        "cloud.infra …delete | delete the deployed service or cluster | stops eksctl thing delete | passes eksctl thing list web",
      ],
    }),
    // Clusters of this machine.
    program("kind minikube k3d", "", {
      options: COBRA,
      tool: clusterTool,
      run: runRemotely,
      operations: [
        "kind: cloud.cluster delete cluster | delete a cluster of this machine, which is made again | free on cluster | stops kind delete cluster web | passes kind delete cluster",
        "kind: cloud.cluster delete clusters | delete clusters with all they hold | safer kind get clusters | stops kind delete clusters web",
        "minikube: cloud.cluster delete | delete a cluster with all it holds | safer minikube status | stops minikube delete web",
        "k3d: cloud.cluster cluster delete|rm | delete a cluster with all it holds | safer k3d cluster list | stops k3d cluster delete web",
      ],
    }),
    program("terraform tofu terragrunt", "dangerous readsNothing guessed", {
      runsFiles: "*.tf *.hcl *.sh *.py",
      chosenBy: CHOOSES_WORKSPACE,
      shows: "version show output providers graph",
      options: TERRAFORM,
      tool: withVariables,
      operations: [
        "deploy.production apply | change the infrastructure | stops terraform apply web | passes terraform version web",

        "cloud.infra destroy | destroy the infrastructure | safer terraform plan -destroy | stops terraform destroy",
        "cloud.infra apply | change the infrastructure without a look at the plan | answered | safer terraform plan | stops yes yes |terraform apply",
        "cloud.infra apply | change the infrastructure without a look at the plan | needs auto-approve destroy | safer terraform plan | stops terraform apply -auto-approve",
        "cloud.infra state rm | make the state forget a resource | safer terraform state list | stops terraform state rm",
        "cloud.infra state push | replace the state | safer terraform state pull | stops terraform state push",
        "cloud.infra force-unlock | break the lock of another run | safer terraform plan | stops terraform force-unlock",
        "cloud.infra workspace delete | delete a workspace with its state | safer terraform workspace list | stops terraform workspace delete",
        "terragrunt: cloud.infra run-all|run destroy | destroy the infrastructure | safer terragrunt run-all plan -destroy | stops terragrunt run-all destroy",
        "terragrunt: cloud.infra run-all apply | change the infrastructure without a look at the plan | safer terragrunt run-all plan | stops terragrunt run-all apply",
        "sec.keychain output *pass*|*secret*|*token*|*key* | show a secret | stops terraform output db_password web | passes terraform output version web",
      ],
    }),
    program("vault", "", {
      options: VAULT,
      run: runRemotely,
      operations: [
        "grant.access policy|token|auth|write|operator|identity|secrets write|create|enable|auth/*|generate-root|identity/*|sys/policy/*|sys/policies/* | give rights | stops vault policy write web | passes vault policy list web",
        "grant.protection audit|operator disable|seal|step-down | switch a record off | stops vault audit disable web | passes vault audit list web",
        "cloud.cluster delete|kv|secrets|lease|token|policy …delete|destroy|disable|revoke | delete or disable secrets | stops vault delete delete web | passes vault --help",
        "cloud.cluster delete | delete a secret | stops vault delete web | passes vault list web",
        "sec.keychain read *secret*|kv/*|database/creds/*|aws/creds/* | show a secret | stops vault read app/secret web | passes vault read list web",
        "sec.keychain read | show a secret | needs field format | stops vault read web -field | passes vault read web",
        "sec.keychain kv get | show a secret | stops vault kv get web | passes vault kv list web",
      ],
    }),
    program("nomad", "", {
      options: VAULT,
      run: runRemotely,
      operations: [
        "deploy.production run|job|deployment run|promote|revert|scale|dispatch | deploy | stops nomad run run web | passes nomad run list web",
        "grant.access acl token|policy|role|bootstrap|auth-method create|update|bootstrap | give rights | stops nomad acl token create web | passes nomad acl token list web",
        "cloud.cluster …delete|purge | delete a job or namespace | stops nomad thing delete web | passes nomad thing list web",
        "cloud.cluster job stop | stop and purge a job | needs purge | stops nomad job stop web -purge | passes nomad job stop web",
        "cloud.cluster stop | stop and purge a job | needs purge | stops nomad stop web -purge | passes nomad stop web",
      ],
    }),
    program("consul", "", {
      options: VAULT,
      run: runRemotely,
      operations: [
        "grant.access acl token|policy|role|bootstrap|auth-method create|update|bootstrap | give rights | stops consul acl token create web | passes consul acl token list web",
        "cloud.cluster …delete|destroy | delete keys or policies | stops consul thing delete web | passes consul thing list web",
      ],
    }),
    program("pulumi", "dangerous", {
      runsFiles: "*",
      chosenBy: /^pulumi stack (select|init) /,
      options: {
        flags: "-yf yes skip-preview force preview-only help|h",
        values: "-sCmt stack cwd message target config-file parallel",
        abbreviates: false,
      },
      operations: [
        "deploy.production up|update | change the infrastructure | stops pulumi up web | passes pulumi list web",

        "cloud.infra destroy|down | destroy the infrastructure | unless preview-only | safer pulumi preview --diff | stops pulumi destroy",
        "cloud.infra stack rm | delete a stack | safer pulumi stack ls | stops pulumi stack rm",
        "cloud.infra up|update | change the infrastructure without a look at the plan | needs yes y skip-preview f | safer pulumi preview --diff | stops pulumi up --yes",
      ],
    }),
    program("restic", "", {
      options: {
        flags: "dry-run|n prune help|h",
        values: "-rpo repo password-file tag host path group-by keep-last keep-daily keep-weekly keep-within",
        abbreviates: false,
      },
      effects: call => [...effectsOfRestic(call), ...restoredInto(call)],
      operations: [
        "cloud.backup forget|prune | delete backups | safer restic snapshots | stops restic forget web",
      ],
    }),
    program("borg", "", {
      options: {
        flags: "-s dry-run|n list stats help|h",
        values: "-P keep-daily keep-weekly keep-monthly prefix",
        abbreviates: false,
      },
      operations: [
        "cloud.backup delete|prune|compact | delete backups | unless n list | safer borg list | stops borg delete web",
      ],
      effects: call => restoredInto(call, text(".")),
    }),
    program("packer", "readsNothing", {
      options: {
        values: "var var-file only except on-error",
        flags: "force debug",
        isSingleDash: true,
        abbreviates: false,
      },
      operations: [
        "cloud.infra build | replace the images that are there | needs force | safer packer validate . | stops packer build -force web | passes packer build web",
      ],
    }),
    program("goreleaser", "", {
      options: {
        flags: "snapshot clean help|h",
        values: "-fpk config release-notes skip timeout",
        abbreviates: false,
      },
      operations: [
        "publish release | publish a release | unless snapshot skip-publish skip=*publish* | safer goreleaser release --snapshot | stops goreleaser release",
      ],
    }),
    program("semantic-release", "", {
      options: {
        flags: "dry-run|d ci no-ci help|h",
        values: "-brte branches tag-format plugins extends",
        abbreviates: false,
      },
      operations: [
        "publish - | publish a release | safer semantic-release --dry-run | stops semantic-release",
      ],
    }),
    commands([
      "kafka-configs kafka-configs.sh: cloud.queue - | change how long topics keep what is in them | needs alter | stops kafka-configs web --alter | passes kafka-configs web --describe",
      "cdk cdktf sst: deploy.production deploy|bootstrap | deploy | stops cdk deploy web | passes cdk list web",
      "serverless sls sam amplify: deploy.production deploy|publish|push|rollback | deploy | stops serverless deploy web | passes serverless list web",
      "helmfile skaffold: deploy.production apply|sync|run|deploy | deploy | stops helmfile apply web | passes helmfile list web",
      "cap: deploy.production …deploy|deploy:* | deploy | stops cap thing deploy web | passes cap thing list web",
      "kamal: deploy.production deploy|redeploy|rollback|setup | deploy to the servers that people use | unless d destination | ask | stops kamal deploy | passes kamal deploy -d staging",
      "fastlane: deploy.production …release|deploy|deliver|supply|upload_to_app_store|upload_to_play_store | release to a store | ask | stops fastlane ios release | passes fastlane test",
      "skopeo: publish copy|sync * docker://* | push an image to a registry | stops skopeo copy a docker://x/y | passes skopeo inspect docker://x",
      "crane: publish push|copy|cp | push an image to a registry | stops crane push a.tar x/y | passes crane ls x",
      "sbt: publish …publish|publishSigned|+publish* | publish an artifact | stops sbt publishSigned | passes sbt compile",
      "surge: deploy.production * | deploy to production | free on list|whoami|login|logout|teardown | ask | stops surge dist | passes surge list",
      "kamal: deploy.production deploy|redeploy|rollback|setup | deploy | stops kamal deploy -d prod | passes kamal list web",
      "ansible-playbook: deploy.production * | run a playbook | unless C check syntax-check list-hosts list-tasks list-tags | stops ansible-playbook x web | passes ansible-playbook x -C",
      "spin waypoint werf garden tilt devspace kapp ytt flagger octo octopus spinnaker spin: deploy.production …deploy|converge|up|release|promote|rollback|create-release | deploy | stops spin thing deploy web | passes spin thing list web",
      "auditctl: grant.protection - | switch the record off | needs e=0 D | stops auditctl web -e 0 | passes auditctl web",
      "stripe: grant.access …keys|webhook_endpoints create | give rights | stops stripe keys create web | passes stripe keys list web",
      "sentry-cli: deploy.production releases|deploys new|finalize | release | stops sentry-cli releases new web | passes sentry-cli releases list web",
      "helmfile skaffold: cloud.infra destroy|delete | remove every release | stops helmfile destroy | passes helmfile list web",
      "cdk cdktf sst: cloud.infra destroy|remove | destroy the infrastructure | safer cdk diff | stops cdk destroy",
      "serverless sls sam amplify: cloud.infra remove|delete|destroy | remove the deployed service | stops serverless remove | passes serverless list web",
      "istioctl linkerd cilium: cloud.cluster uninstall|x | remove the mesh | unless help | stops istioctl uninstall web | passes istioctl uninstall --help",
      "etcdctl: cloud.cluster del | delete keys | stops etcdctl del web | passes etcdctl list web",
      "virsh: cloud.container undefine|destroy|vol-delete|pool-delete|snapshot-delete | delete a virtual machine | safer virsh list --all | stops virsh undefine web",
      "qm pct: cloud.container destroy | delete a virtual machine | safer {tool} list | stops qm destroy web",
      "VBoxManage vboxmanage: cloud.container unregistervm | delete a virtual machine | needs delete delete-all | safer VBoxManage list vms | stops VBoxManage unregistervm web --delete",
      "turso: cloud.platform db|group destroy | delete a database | stops turso db destroy web | passes turso db list web",
      "duplicity: cloud.backup remove-*|cleanup | delete backups | stops duplicity remove-tag web | passes duplicity list web",
      "tmutil: cloud.backup delete|deletelocalsnapshots | delete backups | safer tmutil listbackups | stops tmutil delete web",
      "btrfs: cloud.backup subvolume delete | delete a subvolume | safer btrfs subvolume list / | stops btrfs subvolume delete web",
      "tarsnap: cloud.backup - | delete backups | needs nuke d | stops tarsnap web --nuke | passes tarsnap web",
      "kopia: cloud.backup snapshot|repository|policy delete|expire | delete backups | safer kopia snapshot list | stops kopia snapshot delete web",
      "snapper timeshift: cloud.backup delete | delete snapshots | stops snapper delete web | passes snapper list web",
      "kafka-topics kafka-topics.sh kafka-consumer-groups kafka-consumer-groups.sh: cloud.queue - | delete topics or offsets | needs delete | stops kafka-consumer-groups web --delete | passes kafka-consumer-groups web",
      "rabbitmqctl rabbitmqadmin: cloud.queue reset|force_reset|delete_*|purge_queue|delete|purge | delete queues or state | stops rabbitmqctl reset web | passes rabbitmqctl list web",
      "nats: cloud.queue stream|consumer|kv rm|purge|del|delete | delete a stream | stops nats stream rm web | passes nats stream list web",
      "rpk: cloud.queue topic delete | delete topics | stops rpk topic delete web | passes rpk topic list web",
      "btrfs: disk.raw device|dev delete|remove | take a disk out of its file system | stops btrfs device delete web | passes btrfs device list web",
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
  const added = callEnvironment(call).flatMap(({ name, value }) =>
    value !== undefined && name.startsWith("TF_CLI_ARGS") ? blankSeparated(describe(value)) : [],
  );
  return added.length === 0 ? undefined : [...call.argv, ...added.map(word => text(word))];
}
