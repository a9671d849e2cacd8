import type { OptionGrammar } from "../../shell/options.ts";
import type { Verb, VerbTable } from "./verb.ts";

const verb = (command: string, what: string, more: Omit<Verb, "rule" | "command" | "what"> = {}): Verb => ({
  rule: "sec.keychain",
  command,
  what,
  ...more,
});

const KUBE: OptionGrammar = {
  values: "-nol namespace context output selector template kubeconfig",
  flags: "-A all-namespaces raw minify flatten",
  abbreviates: false,
  shortEquals: true,
};

const VERBS: readonly Verb[] = [
  verb(
    "security find-generic-password|find-internet-password|dump-keychain|export|find-key",
    "show a password of the keychain",
  ),
  verb("gh auth token", "show the token of GitHub"),
  verb("gh auth status", "show the token of GitHub", { needs: "t show-token" }),
  verb("glab auth token", "show the token of GitLab"),
  verb("op read", "show a secret of 1Password"),
  verb("op item get", "show a secret of 1Password", { needs: "reveal fields" }),
  verb("pass show", "show a password"),
  verb("pass */*", "show a password"),
  verb("gopass show|cat", "show a password"),
  verb("npm config get *:_auth*|*:_password", "show a token of the registry"),
  verb("vault read", "show a secret", { needs: "field format" }),
  verb("vault kv get", "show a secret"),
  verb("aws configure get|export-credentials", "show a key of AWS"),
  verb("aws secretsmanager get-secret-value|batch-get-secret-value", "show a secret"),
  verb("aws ssm get-parameter|get-parameters|get-parameters-by-path", "show a secret", {
    needs: "with-decryption",
  }),
  verb("aws sts get-session-token|get-federation-token", "make a token of AWS"),
  verb("gcloud auth print-*", "show a token of Google Cloud"),
  verb("gcloud auth application-default print-*", "show a token of Google Cloud"),
  verb("gcloud secrets versions access", "show a secret"),
  verb("az account get-access-token", "show a token of Azure"),
  verb("az keyvault secret show|download", "show a secret"),
  verb("kubectl|oc get secret|secrets|secret/*|secrets/*", "show secrets of the cluster", {
    needs: "o=*json* o=*yaml* output=*json* output=*yaml* o=*template* output=*template* template",
  }),
  verb("kubectl|oc config view", "show the keys of the clusters", { needs: "raw" }),
  verb("git credential fill", "show stored credentials"),
  verb("git-credential-* get", "show stored credentials"),
  verb(
    "docker-credential-osxkeychain|docker-credential-desktop|docker-credential-secretservice|docker-credential-pass get|list",
    "show stored credentials",
  ),
  verb("heroku auth:token|authorizations:create", "show a token of Heroku"),
  verb("heroku config|config:get", "show the variables of an application"),
  verb("bw get|list|export", "show a secret of Bitwarden", { needs: "session raw" }),
  verb("bw get password|item|totp|notes", "show a secret of Bitwarden"),
  verb("lpass show|export", "show a secret of LastPass"),
  verb("secret-tool lookup|search", "show a secret of the keyring"),
  verb("keyring get", "show a secret of the keyring"),
  verb("gpg|gpg2", "export private keys", { needs: "export-secret-keys export-secret-subkeys" }),
  verb("doppler secrets", "show secrets", { unless: "only-names" }),
  verb("chamber read|export", "show secrets"),
  verb("npm token create", "make a token"),
  verb("fly|flyctl auth token", "show a token"),
  verb("infisical secrets|export", "show secrets"),
  verb("sops", "show decrypted secrets", { needs: "d decrypt" }),
  verb("ansible-vault view|decrypt", "show decrypted secrets"),
];

export const secretVerbs: VerbTable = {
  verbs: VERBS,
  options: {
    kubectl: KUBE,
    oc: KUBE,
    aws: { unknownTakesValue: true, flags: "with-decryption no-cli-pager", abbreviates: false },
    op: { values: "account vault session config fields format", abbreviates: false },
    gcloud: { unknownTakesValue: true, abbreviates: false },
    vault: { isSingleDash: true, abbreviates: false },
    bw: { values: "session", flags: "raw", abbreviates: false },
  },
};
