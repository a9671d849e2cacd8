import type { RuleTable } from "../rule.ts";

export const SECRETS = {
  "sec.read": {
    title: "shows a secret",
    verdict: "ask",
    when: "The content of a protected file reaches the output, another file, an archive or an interpreter, by any program.",
    lost: "It would show what is in {target}; whatever the agent reads can end up anywhere.",
    safer: "ls -l {target}",
  },
  "sec.exfil": {
    title: "sends a secret away",
    verdict: "deny",
    isAllowable: false,
    when: "Protected content, the environment or a variable with a secret's name flows to a network tool; in an address it asks.",
    lost: "It would send {target} to {host}, where it cannot be taken back.",
    safer: "ls -l {file}",
  },
  "sec.write": {
    title: "changes a secret",
    verdict: "ask",
    when: "Creates, overwrites, moves or deletes a protected file; authorized_keys is denied.",
    lost: "It would change or remove {target}, which may be the only copy of a secret.",
    safer: "ls -l {target}",
  },
  "sec.keychain": {
    title: "reveals a stored credential",
    verdict: "ask",
    when: "A password manager, keychain, cloud or forge tool is told to print a secret or token.",
    lost: "It would {what}, in the open: {target}.",
    safer: "{tool} --help",
  },
} satisfies RuleTable;
