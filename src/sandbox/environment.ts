import type { System } from "../system/index.ts";
import { isSecretVariable } from "../workspace/index.ts";

/** Ways to agents, displays, buses and editors outside: the sockets are hidden, and the names would only mislead. */
const LEADS_OUTSIDE =
  /^(SSH_(AUTH_SOCK|AGENT_PID|ASKPASS|CONNECTION|CLIENT)|GPG_AGENT_INFO|DBUS_.*|DISPLAY|WAYLAND_DISPLAY|XAUTHORITY|XDG_RUNTIME_DIR|DOCKER_(HOST|CONTEXT)|CONTAINER_HOST|KUBECONFIG|GIT_ASKPASS|SUDO_ASKPASS|VSCODE_.*|CURSOR_TRACE_ID|TMUX|STY|BROWSER|NOTIFY_SOCKET|LISTEN_.*|(HTTPS?|ALL|FTP|NO)_PROXY)$/i;

/** Names of the variables that a command in the sandbox is given; `kept` are those that a person named. */
export function keptVariables(env: System["env"], kept: readonly string[]): readonly string[] {
  return env
    .names()
    .filter(name => kept.includes(name) || !(LEADS_OUTSIDE.test(name) || isSecretVariable(env, name)));
}
