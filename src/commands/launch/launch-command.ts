import { defineCommand, type LeafCommand, option } from "../../cli/index.ts";
import type { AgentName } from "../../hosts/index.ts";
import { LAUNCH_TOOLS } from "../../launcher/index.ts";

const RESUMING = {
  resume: option.boolean("go on with an earlier session; its id may follow"),
  continue: option.boolean("go on with the last session"),
  "continue-session": option.boolean("the same as --continue", { isHidden: true }),
  "checkout-repo": option.string(
    "OWNER/REPO",
    "clone a repository of github.com, or reuse its clone here, and start there",
  ),
} as const;
const PERMISSIONS = {
  "skip-permissions": option.boolean("the agent asks no questions; never the default"),
} as const;
const EVERYWHERE = {
  cwd: option.string("DIR", "directory to start in"),
  "dry-run": option.boolean("show what would be started, and start nothing"),
  "print-env": option.boolean("show what the agent's environment adds, and start nothing"),
  shims: option.boolean("also guard what scripts and programs run, by shims on PATH"),
  "strict-version": option.boolean("refuse an agent older than AMPLIHACK_MIN_…_VERSION"),
  "allow-untrusted-hooks": option.boolean("start although hooks look tampered with"),
  reflection: option.boolean("look back on the session when it ends"),
  "no-reflection": option.boolean("do not"),
  "subprocess-safe": option.boolean("for agents started by agents: no questions, no update check"),
  "skip-update-check": option.boolean("do not look for a newer amplihack"),
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
    forAgents: {
      use: "asks",
      passesWith: ["dry-run", "print-env"],
      loosensWith: ["skip-permissions", "allow-untrusted-hooks"],
      launches: agent,
    },
    examples: {
      [say]: `starts ${title} here`,
      [`${say} -- ${answersOnce} "explain this project"`]: "passes words on to the agent",
      [`${say} --dry-run`]: "shows program, arguments, hooks and session, and starts nothing",
    },
    async run(invocation) {
      const { launch } = await import("./launch.ts");
      return launch(agent, invocation);
    },
  });
}
