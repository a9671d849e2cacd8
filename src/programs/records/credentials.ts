import { joinValues, knownText, unknownOutput } from "../../shell/index.ts";
import { commands, type Field, program } from "../model/program.ts";
import { runString } from "../model/run.ts";
import { keptVariables } from "./prefixes.ts";

/** Programs that keep passwords and tokens, and show them when told to. */
export const credentials: Field = {
  programs: () => [
    program("bw", "", {
      options: { values: "session", flags: "raw", abbreviates: false },
      operations: [
        "sec.keychain get|list|export | show a secret of Bitwarden | needs session raw | stops bw get web --session | passes bw get web",
        "sec.keychain get password|item|totp|notes | show a secret of Bitwarden | stops bw get password web | passes bw get list web",
      ],
    }),
    program("sops", "readsNothing usesFiles", {
      options: { values: "-i input-type output-type output config", flags: "d|decrypt", abbreviates: false },
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
      operations: [
        "sec.keychain - | show decrypted secrets | needs d decrypt | stops sops web -d | passes sops web",
        "sec.keychain decrypt | show decrypted secrets | stops sops decrypt web | passes sops list web",
      ],
    }),
    program("keytool", "readsNothing usesFiles", {
      uses: "keystore destkeystore srckeystore",
      options: {
        values: "keystore storepass alias file destkeystore srckeystore",
        isSingleDash: true,
        abbreviates: false,
      },
      effects: [{ write: "keystore", how: "edit", when: "delete changealias storepasswd keypasswd" }],
    }),
    program("git-crypt ansible-vault mkcert certbot ssh-copy-id ssh-add", "readsNothing usesFiles", {
      operations: [
        "ssh-copy-id: grant.access * | let a key in | unless n | stops ssh-copy-id -i a.pub me@web | passes ssh-copy-id -n -i a.pub me@web",

        "ansible-vault: sec.keychain view|decrypt | show decrypted secrets | stops ansible-vault view web | passes ansible-vault list web",
      ],
    }),
    program("ps", "", {
      shows: "*",
      operations: [
        "sec.keychain - | show the variables of other processes | needs E | stops ps web -E | passes ps web",
        "sec.keychain *e | show the variables of other processes | stops ps axe web | passes ps list web",
        "sec.keychain *eww* | show the variables of other processes | stops ps eww web | passes ps list web",
        "sec.keychain *auxe* | show the variables of other processes | stops ps auxe web | passes ps list web",
      ],
    }),
    commands([
      "git-credential-osxkeychain git-credential-libsecret git-credential-store git-credential-cache git-credential-manager: sec.keychain get | show stored credentials | stops git-credential-osxkeychain get web | passes git-credential-osxkeychain list web",
      "security: sec.keychain find-generic-password|find-internet-password|dump-keychain|export|find-key | show a password of the keychain | stops security find-generic-password web | passes security list web",
      "security: grant.protection add-trusted-cert|remove-trusted-cert|trust-settings-import|authorizationdb | change whom this machine trusts | unless h | stops security add-trusted-cert web | passes security list web",
      "pass gopass: cloud.other rm|remove|delete|init|mv|move | delete or rewrite stored passwords | stops pass rm web | passes pass ls",
      "pass: sec.keychain show | show a password | stops pass show web | passes pass list web",
      "pass: sec.keychain */* | show a password | stops pass mail/work web | passes pass list web",
      "gopass: sec.keychain show|cat | show a password | stops gopass show web | passes gopass list web",
      "docker-credential-osxkeychain docker-credential-desktop docker-credential-secretservice docker-credential-pass: sec.keychain get|list | show stored credentials | stops docker-credential-osxkeychain get web | passes docker-credential-osxkeychain status web",
      "lpass: sec.keychain show|export | show a secret of LastPass | stops lpass show web | passes lpass list web",
      "secret-tool: sec.keychain lookup|search | show a secret of the keyring | stops secret-tool lookup web | passes secret-tool list web",
      "keyring: sec.keychain get | show a secret of the keyring | stops keyring get web | passes keyring list web",
    ]),
  ],
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
