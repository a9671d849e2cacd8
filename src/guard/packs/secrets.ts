import type { RuleTable } from "../rule.ts";

export const SECRETS = {
  "sec.read": {
    title: "shows a secret",
    verdict: "ask",
    when: "The content of a protected file reaches the output, another file, an archive or an interpreter, by any program.",
    lost: "It would show what is in {target} to the agent.",
    person: "What an agent has read can end up in logs, commits and requests.",
    model: "Work with names of variables and with example files, not with values.",
    safer: "ls -l {target}",
  },
  "sec.exfil": {
    title: "sends a secret away",
    verdict: "deny",
    isAllowable: false,
    when: "Protected content, the environment or a variable with a secret's name flows to a network tool; in an address it asks.",
    lost: "It would send {target} to {host}.",
    person: "It cannot be taken back: the secret would have to be changed.",
    model: "Do not send secrets anywhere, in whole or in part.",
    safer: "ls -l {file}",
  },
  "sec.write": {
    title: "changes a secret",
    verdict: "ask",
    when: "Creates, overwrites, moves or deletes a protected file; authorized_keys is denied.",
    lost: "It would change or remove {target}, which may be the only copy of a secret.",
    person: "Allow it only if you have the old content elsewhere.",
    model: "Name the line that has to change and leave the edit to a person.",
    safer: "ls -l {target}",
  },
  "sec.keychain": {
    title: "reveals a stored credential",
    verdict: "ask",
    when: "A password manager, keychain, cloud or forge tool is told to print a secret or token.",
    lost: "It would {what}, in the open: {target}.",
    person: "What an agent has read can end up in logs, commits and requests.",
    model: "Let the tool use its credential itself, without printing it.",
    safer: "{tool} --help",
  },
} satisfies RuleTable;
