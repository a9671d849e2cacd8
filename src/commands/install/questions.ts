import { askChoice, askYesOrNo, type Terminal } from "../../cli/index.ts";
import { PROFILES } from "../../config/index.ts";
import { findOnPath, type InstallRequest, planUserCommands } from "../../install/index.ts";
import { memberAt } from "../../protocol/index.ts";
import { AGENTS, requireDirectories } from "../../state/index.ts";
import type { System } from "../../system/index.ts";
import { version } from "../../version.ts";
import { readUserConfig } from "../parts/choice.ts";

const PROFILE_QUESTION = `Which parts?
  guard     stops what would lose work or leak secrets
  standard  guard, history with undo, memory, transcripts; no new way of working
  full      standard, and the workflow: reminders, checks when the agent stops
Your choice`;
const MAIN_QUESTION = "Shall agents be kept from committing on main or master directly?";

const MAX_QUESTIONS = 3;

/** Nobody is asked more than three things; what is not asked keeps its default, and can be changed later. */
export class Questions {
  private left: number;

  constructor(mayAsk: boolean) {
    this.left = mayAsk ? MAX_QUESTIONS : 0;
  }

  ask<T>(initial: T, question: () => T): T {
    if (this.left === 0) return initial;
    this.left -= 1;
    return question();
  }
}

type Wishes = Pick<InstallRequest, "scope" | "defaultTool" | "updatePreference" | "isProfileAgreed">;
export const NO_WISHES: Wishes = {
  scope: "user",
  defaultTool: undefined,
  updatePreference: undefined,
  isProfileAgreed: false,
};

/** What `--interactive` asks for. A PATH that is right, and an agent that is the only one, are not asked about. */
export function askWishes(
  system: System,
  terminal: Terminal,
  questions: Questions,
  scope: InstallRequest["scope"] | undefined,
): Wishes {
  const [first, ...others] = AGENTS.filter(name => findOnPath(system, name) !== undefined);
  return {
    scope:
      scope ??
      questions.ask(NO_WISHES.scope, () =>
        askChoice<"user" | "project">(terminal, "Register for", ["user", "project"]),
      ),
    isProfileAgreed:
      isPathRight(system) ||
      questions.ask(false, () =>
        askYesOrNo(terminal, "May your shell's start-up file be changed, to find amplihack?"),
      ),
    defaultTool:
      first === undefined || others.length === 0
        ? undefined
        : questions.ask(undefined, () => askChoice(terminal, "Default agent", [first, ...others])),
    updatePreference: questions.ask(undefined, () =>
      askChoice<"always" | "never">(terminal, "Check for updates at launch", ["always", "never"]),
    ),
  };
}

function isPathRight(system: System): boolean {
  const { missingOnPath } = planUserCommands(system, requireDirectories(system), version);
  return missingOnPath === undefined;
}

/** Asked once: what the configuration or the command line says already is not asked. */
export function askParts(
  system: System,
  terminal: Terminal,
  questions: Questions,
  chosen: InstallRequest["parts"],
): Pick<InstallRequest, "parts" | "isMainProtected"> {
  const config = readUserConfig(system);
  // An installation writes the parts, so from then on they are there.
  const isFirst = memberAt(config, "parts") === undefined;
  const profile =
    isFirst && chosen === undefined
      ? questions.ask(undefined, () =>
          askChoice(terminal, PROFILE_QUESTION, ["standard", "guard", "full"] as const),
        )
      : undefined;
  const parts = profile === undefined ? chosen : PROFILES[profile];
  const isGuarded = parts === undefined || parts.includes("guard");
  const isMainAsked = isFirst && isGuarded && memberAt(config, "guard", "rules", "git.main") === undefined;
  return {
    parts,
    isMainProtected: isMainAsked
      ? questions.ask(undefined, () => askChoice(terminal, MAIN_QUESTION, ["yes", "no"]) === "yes")
      : undefined,
  };
}
