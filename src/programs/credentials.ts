import { type Field, type Operation, operation } from "./program.ts";

const reveals = (command: string, what: string, more: Pick<Operation, "needs" | "unless"> = {}): Operation =>
  operation("sec.keychain", command, what, more);

const OPERATIONS: readonly Operation[] = [
  reveals(
    "security find-generic-password|find-internet-password|dump-keychain|export|find-key",
    "show a password of the keychain",
  ),
  reveals("gh auth token", "show the token of GitHub"),
  reveals("gh auth status", "show the token of GitHub", { needs: "t show-token" }),
  reveals("glab auth token", "show the token of GitLab"),
  reveals("op read", "show a secret of 1Password"),
  reveals("op item get", "show a secret of 1Password", { needs: "reveal fields" }),
  reveals("pass show", "show a password"),
  reveals("pass */*", "show a password"),
  reveals("gopass show|cat", "show a password"),
  reveals("npm config get *:_auth*|*:_password", "show a token of the registry"),
  reveals("vault read", "show a secret", { needs: "field format" }),
  reveals("vault kv get", "show a secret"),
  reveals("aws configure get|export-credentials", "show a key of AWS"),
  reveals("aws secretsmanager get-secret-value|batch-get-secret-value", "show a secret"),
  reveals("aws ssm get-parameter|get-parameters|get-parameters-by-path", "show a secret", {
    needs: "with-decryption",
  }),
  reveals("aws sts get-session-token|get-federation-token", "make a token of AWS"),
  reveals("gcloud auth print-*", "show a token of Google Cloud"),
  reveals("gcloud auth application-default print-*", "show a token of Google Cloud"),
  reveals("gcloud secrets versions access", "show a secret"),
  reveals("az account get-access-token", "show a token of Azure"),
  reveals("az keyvault secret show|download", "show a secret"),
  reveals("kubectl|oc get secret|secrets|secret/*|secrets/*", "show secrets of the cluster", {
    needs: "o=*json* o=*yaml* output=*json* output=*yaml* o=*template* output=*template* template",
  }),
  reveals("kubectl|oc config view", "show the keys of the clusters", { needs: "raw" }),
  reveals("git credential fill", "show stored credentials"),
  reveals(
    "git-credential-osxkeychain|git-credential-libsecret|git-credential-store|git-credential-cache|git-credential-manager get",
    "show stored credentials",
  ),
  reveals(
    "docker-credential-osxkeychain|docker-credential-desktop|docker-credential-secretservice|docker-credential-pass get|list",
    "show stored credentials",
  ),
  reveals("heroku auth:token|authorizations:create", "show a token of Heroku"),
  reveals("heroku config|config:get", "show the variables of an application"),
  reveals("bw get|list|export", "show a secret of Bitwarden", { needs: "session raw" }),
  reveals("bw get password|item|totp|notes", "show a secret of Bitwarden"),
  reveals("lpass show|export", "show a secret of LastPass"),
  reveals("secret-tool lookup|search", "show a secret of the keyring"),
  reveals("keyring get", "show a secret of the keyring"),
  reveals("gpg|gpg2", "export private keys", { needs: "export-secret-keys export-secret-subkeys" }),
  reveals("doppler secrets", "show secrets", { unless: "only-names" }),
  reveals("chamber read|export", "show secrets"),
  reveals("npm token create", "make a token"),
  reveals("fly|flyctl auth token", "show a token"),
  reveals("infisical secrets|export", "show secrets"),
  reveals("sops", "show decrypted secrets", { needs: "d decrypt" }),
  reveals("ansible-vault view|decrypt", "show decrypted secrets"),
];

/** Programs that keep passwords and tokens, and show them when told to. */
export const credentials: Field = {
  programs: [
    { names: "bw", options: { values: "session", flags: "raw", abbreviates: false } },
    {
      names: "git-crypt sops ansible-vault mkcert certbot keytool ssh-copy-id ssh-add",
      is: ["readsNothing"],
    },
  ],
  operations: OPERATIONS,
};
