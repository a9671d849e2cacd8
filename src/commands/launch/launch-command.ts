import { defineCommand, type LeafCommand } from "../../cli/command.ts";
import { LAUNCH_TOOLS } from "../../launcher/tools.ts";
import type { AgentName } from "../../state/active-agent.ts";

const RESUMING = {
  resume: { kind: "boolean", summary: "go on with an earlier session; its id may follow" },
  continue: { kind: "boolean", summary: "go on with the last session" },
  "continue-session": { kind: "boolean", summary: "the same as --continue", isHidden: true },
  "checkout-repo": {
    kind: "string",
    label: "OWNER/REPO",
    summary: "clone a repository of github.com, or reuse its clone here, and start there",
  },
} as const;
const PERMISSIONS = {
  "skip-permissions": { kind: "boolean", summary: "the agent asks before nothing; never a default" },
} as const;
const EVERYWHERE = {
  cwd: { kind: "string", label: "DIR", summary: "directory to start in" },
  "dry-run": { kind: "boolean", summary: "show what would be started, and start nothing" },
  "print-env": { kind: "boolean", summary: "show what the agent's environment adds, and start nothing" },
  shims: { kind: "boolean", summary: "also guard what scripts and programs run, by shims on PATH" },
  "strict-version": { kind: "boolean", summary: "refuse an agent older than AMPLIHACK_MIN_…_VERSION" },
  "allow-untrusted-hooks": { kind: "boolean", summary: "start although hooks look tampered with" },
  reflection: { kind: "boolean", summary: "look back on the session when it ends" },
  "no-reflection": { kind: "boolean", summary: "do not" },
  "subprocess-safe": {
    kind: "boolean",
    summary: "for agents started by agents: no questions, no update check",
  },
  "skip-update-check": { kind: "boolean", summary: "do not look for a newer amplihack" },
} as const;

/** The command that starts one agent; `name` where it is not the agent's own. */
export function launchCommand(agent: AgentName, name: string = agent): LeafCommand {
  const { title, resumes, skipsPermissions, answersOnce } = LAUNCH_TOOLS[agent];
  const say = `amplihack ${name}`;
  return defineCommand({
    name,
    summary: name === agent ? `start ${title}` : `start ${title}, the default agent`,
    group: "Work",
    isPassThrough: true,
    details:
      "The first word that is not an option below, and everything after it or after --, goes to the agent.\n" +
      "Exit code: the agent's own; 128+n when signal n ended it, 126 not startable, 127 not found, 1 refused.",
    options: {
      ...(resumes ? RESUMING : {}),
      ...(skipsPermissions ? PERMISSIONS : {}),
      ...EVERYWHERE,
    },
    examples: [
      { command: say, does: `starts ${title} here` },
      { command: `${say} -- ${answersOnce} "explain this project"`, does: "passes words on to the agent" },
      {
        command: `${say} --dry-run`,
        does: "shows program, arguments, hooks and session, and starts nothing",
      },
    ],
    async run(invocation) {
      const { launch } = await import("./launch.ts");
      return launch(agent, invocation);
    },
  });
}
