import type { RuleTable } from "../rule.ts";

export const GIT_SETTINGS = {
  "git.config": {
    title: "makes git run code or send elsewhere",
    verdict: "ask",
    atLevel: { relaxed: "allow" },
    when: "Configuration that runs a program or redirects: core.fsmonitor, core.sshCommand, aliases with !, credential.helper, url.*.insteadOf, a push address set just before a push.",
    lost: "It would make git run a program or talk to another place from now on: {target}.",
    person: "The setting stays until it is removed.",
    model: "Use git as it is configured.",
    safer: "git config --list --show-origin",
  },
  "git.secret-add": {
    title: "adds a secret to history",
    verdict: "ask",
    atLevel: { relaxed: "allow" },
    when: "git add of a protected file by name, or with -f over everything.",
    lost: "It would put {target} into the history, where a secret stays for ever.",
    person: "Once it is pushed, the secret has to be changed.",
    model: "Have the file ignored, and commit an example without values.",
    safer: "echo {name} >> .gitignore",
  },
} satisfies RuleTable;
