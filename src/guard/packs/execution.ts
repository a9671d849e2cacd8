import type { RuleTable } from "../rule.ts";

export const EXECUTION = {
  "exec.remote": {
    title: "runs code from the network",
    verdict: "ask",
    when: "Bytes from the network run as code: piped into a shell or interpreter, or saved and started in the same command.",
    lost: "It would run whatever {target} sends at that moment, and that has not been read.",
    safer: "curl -fsSL {url} -o script.sh && less script.sh",
  },
  "exec.decoded": {
    title: "runs decoded text",
    verdict: "deny",
    when: "Decoded or computed text runs as code and cannot be read beforehand; text that can be read is judged by what it does, and asks.",
    lost: "It would run text that was hidden by an encoding ({target}), which hides what it does.",
    safer: "{decoder} > script.sh && less script.sh",
  },
  "exec.netshell": {
    title: "gives a shell to the network",
    verdict: "deny",
    isAllowable: false,
    when: "A shell is attached to a socket: /dev/tcp, nc -e, socat EXEC, a fifo loop, or the same in program code.",
    lost: "It would give whoever is at the other end of {target} a shell on this machine.",
    safer: "ssh user@host",
  },
  "exec.computed": {
    title: "runs a program that is not known",
    verdict: "ask",
    atLevel: { strict: "deny" },
    when: "The name of the program stays unknown and its arguments look destructive; at level strict, any path argument is enough.",
    lost: "It would run {target}, and it is not known which program that is.",
    safer: "echo {target}",
  },
  "net.homograph": {
    title: "goes to a look-alike address",
    verdict: "ask",
    when: "The host of a URL mixes scripts or uses letters that look like Latin ones; or a URL with credentials is piped to a shell.",
    lost: "It would talk to {target}, whose name only looks like the one it imitates.",
    safer: "getent hosts {target}",
  },
  "net.metadata": {
    title: "asks the cloud for this machine's credentials",
    verdict: "ask",
    when: "A request to the metadata service of a cloud (169.254.169.254, metadata.google.internal and the like), however the address is written.",
    lost: "It would ask {target}, which hands out the credentials of this machine to whoever asks.",
    safer: "curl -I https://example.com",
  },
} satisfies RuleTable;
