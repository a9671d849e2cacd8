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
        "sec.keychain get|list|export | show a secret of Bitwarden | needs session raw",
        "sec.keychain get password|item|totp|notes | show a secret of Bitwarden",
      ],
    }),
    program("sops", "readsNothing", {
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
        "sec.keychain - | show decrypted secrets | needs d decrypt",
        "sec.keychain decrypt | show decrypted secrets",
      ],
    }),
    program("git-crypt ansible-vault mkcert certbot keytool ssh-copy-id ssh-add", "readsNothing", {
      operations: ["ansible-vault: sec.keychain view|decrypt | show decrypted secrets"],
    }),
    program("ps", "", {
      shows: "*",
      operations: [
        "sec.keychain - | show the variables of other processes | needs E",
        "sec.keychain *e | show the variables of other processes",
        "sec.keychain *eww* | show the variables of other processes",
        "sec.keychain *auxe* | show the variables of other processes",
      ],
    }),
    commands([
      "git-credential-osxkeychain git-credential-libsecret git-credential-store git-credential-cache git-credential-manager: sec.keychain get | show stored credentials",
      "security: sec.keychain find-generic-password|find-internet-password|dump-keychain|export|find-key | show a password of the keychain",
      "pass: sec.keychain show | show a password",
      "pass: sec.keychain */* | show a password",
      "gopass: sec.keychain show|cat | show a password",
      "docker-credential-osxkeychain docker-credential-desktop docker-credential-secretservice docker-credential-pass: sec.keychain get|list | show stored credentials",
      "lpass: sec.keychain show|export | show a secret of LastPass",
      "secret-tool: sec.keychain lookup|search | show a secret of the keyring",
      "keyring: sec.keychain get | show a secret of the keyring",
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
