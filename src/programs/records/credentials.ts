import { joinValues, knownText, unknownOutput } from "../../shell/index.ts";
import { keptVariables } from "../model/prefix.ts";
import type { Field, OperationTables } from "../model/program.ts";
import { runString } from "../model/run.ts";

const OPERATIONS: OperationTables = {
  "sec.keychain": `
    security find-generic-password|find-internet-password|dump-keychain|export|find-key | show a password of the
        keychain
    gh auth token | show the token of GitHub
    gh auth status | show the token of GitHub | needs t show-token
    glab auth token | show the token of GitLab
    op read | show a secret of 1Password
    op item get | show a secret of 1Password | needs reveal fields
    pass show | show a password
    pass */* | show a password
    gopass show|cat | show a password
    npm config get *:_auth*|*:_password | show a token of the registry
    vault read *secret*|kv/*|database/creds/*|aws/creds/* | show a secret
    vault read | show a secret | needs field format
    vault kv get | show a secret
    aws configure get|export-credentials | show a key of AWS
    aws secretsmanager get-secret-value|batch-get-secret-value | show a secret
    aws ssm get-parameter|get-parameters|get-parameters-by-path | show a secret | needs with-decryption
    aws sts get-session-token|get-federation-token | make a token of AWS
    gcloud auth print-* | show a token of Google Cloud
    gcloud auth application-default print-* | show a token of Google Cloud
    gcloud secrets versions access | show a secret
    az account get-access-token | show a token of Azure
    az keyvault secret show|download | show a secret
    kubectl|oc get secret|secrets|secret/*|secrets/* | show secrets of the cluster | needs o=*json* o=*yaml*
        output=*json* output=*yaml* o=*template* output=*template* template
    kubectl|oc config view | show the keys of the clusters | needs raw
    git credential fill | show stored credentials
    git-credential-osxkeychain|git-credential-libsecret|git-credential-store|git-credential-cache|
        git-credential-manager get | show stored credentials
    docker-credential-osxkeychain|docker-credential-desktop|docker-credential-secretservice|docker-credential-pass
        get|list | show stored credentials
    heroku auth:token|authorizations:create | show a token of Heroku
    heroku config|config:get | show the variables of an application
    bw get|list|export | show a secret of Bitwarden | needs session raw
    bw get password|item|totp|notes | show a secret of Bitwarden
    lpass show|export | show a secret of LastPass
    secret-tool lookup|search | show a secret of the keyring
    keyring get | show a secret of the keyring
    gpg|gpg2 | export private keys | needs export-secret-keys export-secret-subkeys
    doppler secrets | show secrets | unless only-names
    chamber read|export | show secrets
    npm token create | make a token
    fly|flyctl auth token | show a token
    infisical secrets|export | show secrets
    sops | show decrypted secrets | needs d decrypt
    sops decrypt | show decrypted secrets
    dotenv list|get | show secrets of the project
    dotenvx get|decrypt | show secrets of the project
    docker|podman compose config | show the values of all variables | needs env-file | unless q quiet services images
        profiles volumes hash no-interpolate
    docker-compose config | show the values of all variables | needs env-file | unless q quiet services images profiles
        volumes hash no-interpolate
    docker|podman …inspect …*.Env* | show the variables of a container
    railway variables|variable | show the variables of an application
    netlify|ntl env:list|env:get | show the variables of an application
    vercel env pull | fetch the variables of an application
    terraform|tofu output *pass*|*secret*|*token*|*key* | show a secret
    ps | show the variables of other processes | needs E
    ps *e | show the variables of other processes
    ps *eww* | show the variables of other processes
    ps *auxe* | show the variables of other processes
    ansible-vault view|decrypt | show decrypted secrets
  `,
};

/** Programs that keep passwords and tokens, and show them when told to. */
export const credentials: Field = {
  programs: () => [
    { names: "bw", options: { values: "session", flags: "raw", abbreviates: false } },
    {
      names: "sops",
      is: ["readsNothing"],
      options: { values: "-i input-type output-type output config", flags: "d|decrypt", abbreviates: false },
      // `sops exec-env FILE COMMAND`
      run(call) {
        const [action, , command] = call.operands;
        if (
          action === undefined ||
          command === undefined ||
          !/^exec-(env|file)$/.test(knownText(action) ?? "")
        )
          return [unknownOutput(call)];
        const line = joinValues(call.operands.slice(2), " ");
        return runString(line, { ...call, environment: [...call.environment, keptVariables(call)] });
      },
    },
    {
      names: "git-crypt ansible-vault mkcert certbot keytool ssh-copy-id ssh-add",
      is: ["readsNothing"],
    },
  ],
  operations: OPERATIONS,
};

const OWN_HOSTS: readonly (readonly [programs: RegExp, hosts: RegExp])[] = [
  [/^gh$/, /(^|\.)github(usercontent)?\.com$/],
  [/^glab$/, /(^|\.)gitlab\.com$/],
  [/^gcloud$/, /\.(googleapis\.com|run\.app|pkg\.dev)$/],
  [/^az$/, /\.(azure\.com|azure\.net|microsoft\.com|windows\.net)$/],
];

/** Does the tool keep its tokens for this very host? */
export function isOwnHost(program: string | undefined, address: string): boolean {
  const host = /^https:\/\/([^/:?#@]+)(?=[/:?#]|$)/i.exec(address)?.[1] ?? "";
  return OWN_HOSTS.some(([programs, hosts]) => programs.test(program ?? "") && hosts.test(host));
}
