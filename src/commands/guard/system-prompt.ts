import { spawn, spawnSync } from "node:child_process";
import { CommandError } from "../../cli/index.ts";
import type { System } from "../../system/index.ts";

const ROOT = 0;
const SET_USER_ID = 0o4000;
const WRITABLE_BY_OTHERS = 0o022;

/** A program of the system that asks for the person's password in its own window, and does nothing else. */
interface SystemPrompt {
  readonly program: string;
  /** it can ask only as root */
  readonly isSetUserId: boolean;
  argumentsFor(what: string): readonly string[];
}

/** Absolute paths, because a program that wants to answer for the person can set `PATH`. */
const PROMPTS: readonly SystemPrompt[] = [
  { program: "/usr/bin/pkexec", isSetUserId: true, argumentsFor: () => ["/bin/true"] },
  {
    program: "/usr/bin/osascript",
    isSetUserId: false,
    argumentsFor: what => [
      "-e",
      `do shell script "/usr/bin/true" with prompt ${JSON.stringify(`amplihack: ${what}`)} with administrator privileges`,
    ],
  },
];

/** The system's own prompt that can be used here. */
export function findSystemPrompt(
  { files }: Pick<System, "files">,
  prompts: readonly SystemPrompt[] = PROMPTS,
): SystemPrompt | undefined {
  return prompts.find(({ program, isSetUserId }) => {
    const facts = files.follow(program);
    return (
      facts?.kind === "file" &&
      facts.uid === ROOT &&
      (facts.mode & WRITABLE_BY_OTHERS) === 0 &&
      (!isSetUserId || (facts.mode & SET_USER_ID) !== 0)
    );
  });
}

/** Has the system ask for the person's password. Throws unless it was given. */
export function requireSystemPrompt(
  system: Pick<System, "files">,
  what: string,
  prompt = findSystemPrompt(system),
): void {
  if (prompt === undefined)
    throw new CommandError("nothing was permitted: consent is set to desktop, and there is no prompt here", {
      kind: "not-found",
      causes: ["neither polkit (/usr/bin/pkexec) nor the dialogs of macOS were found"],
      fix: "install polkit, or permit it where there is a desktop",
    });
  const { status } = spawnSync(prompt.program, [...prompt.argumentsFor(what)], { stdio: "inherit" });
  if (status !== 0)
    throw new CommandError("not permitted: the system's prompt was not answered with a password", {
      kind: "declined",
    });
}

const TEXT_AGENT = "/usr/bin/pkttyagent";

/**
 * Where no desktop shows polkit's questions, as on a console or over SSH, polkit's own program asks at this terminal while
 * `action` runs. Where a desktop does, it steps back: polkit finds that out only in a session of the system's.
 */
export async function withTextAgent<Result>(
  action: () => Promise<Result>,
  program: string = TEXT_AGENT,
): Promise<Result> {
  const isOfSession = (process.env["XDG_SESSION_ID"] ?? "") !== "";
  const words = [
    "--notify-fd",
    "3",
    "--process",
    String(process.pid),
    ...(isOfSession ? ["--fallback"] : []),
  ];
  const agent = spawn(program, words, { stdio: ["inherit", "inherit", "ignore", "pipe"] });
  await new Promise<void>(resolve => {
    // The pipe ends when it is registered, or when it ends; without the program the system may still ask by itself.
    agent.on("error", () => resolve());
    agent.stdio[3]?.on("close", () => resolve()).on("data", () => {});
  });
  try {
    return await action();
  } finally {
    agent.kill();
  }
}
