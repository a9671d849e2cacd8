import {
  askChoice,
  askYesOrNo,
  CommandError,
  defineCommand,
  FORMAT_OPTION,
  loadReadHosts,
  option,
  type Terminal,
  tellProblems,
  usageError,
} from "../cli/index.ts";
import { AUTONOMY, type Autonomy, PARTS, PROFILE_RULES, PROFILES, type Profile } from "../config/index.ts";
import { whyStartedByAgent } from "../hooks/index.ts";
import { AGENTS } from "../hosts/index.ts";
import {
  findOnPath,
  type InstallRequest,
  isContainer,
  loadOperations,
  planUserCommands,
} from "../install/index.ts";
import { loadPlatform } from "../launcher/index.ts";
import { memberAt } from "../protocol/index.ts";
import { requireDirectories } from "../state/index.ts";
import type { System } from "../system/index.ts";
import { version } from "../version.ts";
import { AUTONOMY_MEANINGS, whyNoSandbox } from "./autonomy.ts";
import { chosenParts, PROFILE_NAMES, PROFILE_NOTE, readUserConfig } from "./parts.ts";

const PROFILE_QUESTION = `Which parts?
  standard   recommended: guard, undo, memory, transcripts
  guard      the guard alone: stops what would lose work or leak secrets
  full       standard, plus reminders and checks when the agent stops`;
const CONTAINER_CHOICE =
  "  container  standard, and agents may change the system: for an image that is only this project's";
const MAIN_QUESTION = "Keep agents from committing directly to main or master? Recommended.";

const MAX_QUESTIONS = 4;

/** At most four questions; everything else takes its default and can be changed later. */
class Questions {
  private left: number;

  constructor(mayAsk: boolean) {
    this.left = mayAsk ? MAX_QUESTIONS : 0;
  }

  ask<T>(initial: T, question: () => T): T {
    if (this.left === 0) return initial;
    this.left -= 1;
    return question();
  }

  /** The first choice is what Enter means. */
  choose<C extends string>(terminal: Terminal, question: string, choices: readonly [C, ...C[]]): C {
    return this.ask(choices[0], () => askChoice(terminal, question, choices));
  }
}

type Wishes = Pick<InstallRequest, "scope" | "defaultTool" | "updatePreference" | "isProfileAgreed">;
const NO_WISHES: Wishes = {
  scope: "user",
  defaultTool: undefined,
  updatePreference: undefined,
  isProfileAgreed: false,
};

/** What `--interactive` asks for. A PATH that is right, and an agent that is the only one, are not asked about. */
function askWishes(
  system: System,
  terminal: Terminal,
  questions: Questions,
  scope: InstallRequest["scope"] | undefined,
): Wishes {
  const [first, ...others] = AGENTS.filter(name => findOnPath(system, name) !== undefined);
  return {
    scope: scope ?? questions.choose<"user" | "project">(terminal, "Register for", ["user", "project"]),
    isProfileAgreed:
      isPathRight(system) ||
      questions.ask(false, () =>
        askYesOrNo(terminal, "Add amplihack to the PATH in your shell's start-up file?"),
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
function askParts(
  system: System,
  terminal: Terminal,
  questions: Questions,
  chosen: InstallRequest["parts"],
): Pick<InstallRequest, "parts" | "rules" | "isMainProtected"> {
  const config = readUserConfig(system);
  // An installation writes the parts, so from then on they are there.
  const isFirst = memberAt(config, "parts") === undefined;
  const profile = isFirst && chosen === undefined ? askProfile(system, terminal, questions) : undefined;
  const parts = profile === undefined ? chosen : PROFILES[profile];
  const isGuarded = parts === undefined || parts.includes("guard");
  const isMainAsked = isFirst && isGuarded && memberAt(config, "guard", "rules", "git.main") === undefined;
  return {
    parts,
    rules: profile && PROFILE_RULES[profile],
    isMainProtected: isMainAsked
      ? questions.ask(true, () => askYesOrNo(terminal, MAIN_QUESTION, true))
      : undefined,
  };
}

function askProfile(system: System, terminal: Terminal, questions: Questions): Profile {
  return isContainer(system)
    ? questions.choose(terminal, `${PROFILE_QUESTION}\n${CONTAINER_CHOICE}\nYour choice`, [
        "standard",
        "guard",
        "full",
        "container",
      ] as const)
    : questions.choose(terminal, `${PROFILE_QUESTION}\nYour choice`, ["standard", "guard", "full"] as const);
}

/** Asked once, in plain words. Where the sandbox cannot work, it is shown with the reason and cannot be chosen. */
async function askAutonomy(
  system: System,
  terminal: Terminal,
  questions: Questions,
): Promise<Autonomy | undefined> {
  if (memberAt(readUserConfig(system), "autonomy") !== undefined) return undefined;
  const unavailable = terminal.isInteractive ? await whyNoSandbox(system) : undefined;
  const describeLevel = (level: Autonomy) =>
    level === "sandbox" && unavailable !== undefined
      ? `not possible here: ${unavailable}`
      : `${level === "off" ? "recommended to begin with: " : ""}${AUTONOMY_MEANINGS[level]}`;
  const lines = AUTONOMY.map(level => `  ${level.padEnd(10)}  ${describeLevel(level)}`);
  const question = `Which of your agents' questions should amplihack answer for you?\n${lines.join("\n")}\nYour answer`;
  return unavailable === undefined
    ? questions.choose<Autonomy>(terminal, question, AUTONOMY)
    : questions.choose<Autonomy>(terminal, question, ["off", "understood"]);
}

/** Only a person raises it: an agent that installs does not. */
function requireNoAgent(system: System, level: Autonomy | undefined): void {
  if (level === undefined || level === "off") return;
  const obstacle = whyStartedByAgent(system, requireDirectories(system).stateHome);
  if (obstacle !== undefined) throw new CommandError(obstacle, { kind: "not-a-person" });
}

const TRUST_QUESTION = "Codex runs only hooks that you trust. Trust amplihack's? Recommended.";

export const command = defineCommand({
  name: "install",
  summary: "register the hooks with your agent hosts",
  group: "Set up",
  details: `
Puts the hook program in ~/.amplihack and writes entries that start it into the settings of every host that is found,
or of those named. Everything else in those files stays as it is, byte for byte, and a backup is kept. Permissions of
the hosts are never changed. A second run changes nothing.`,
  options: {
    host: option.string("HOST", "claude, copilot, codex … or all", { isRepeatable: true }),
    scope: option.choice(["user", "project"], "for all your work, or for this project (user by default)"),
    local: option.string("DIR", "also take agents, commands and recipes from this folder"),
    interactive: option.boolean("ask for the scope, the default agent and update checks, too"),
    "dry-run": option.boolean("show what would change and write nothing"),
    full: option.boolean("with --dry-run: every change as a diff"),
    force: option.boolean("replace files changed by hand, write read-only ones"),
    "no-permissions": option.boolean("accepted; permissions are never touched anyway"),
    yes: option.boolean("ask nothing: as if you pressed Enter at every question; Codex may run these hooks"),
    dedupe: option.boolean("remove registrations that make a host run every hook twice"),
    profile: option.choice(PROFILE_NAMES, `which parts: ${PROFILE_NOTE}`),
    parts: option.string(
      "A,B",
      `the same part by part: ${PARTS.join(", ")}; workflow and mcp alone are added to what is on`,
    ),
    failure: option.choice(
      ["open", "ask", "closed"],
      "what hooks do when they cannot run: let pass, ask, refuse",
    ),
    autonomy: option.choice(
      AUTONOMY,
      "which questions of your agents are answered for you (as it is, else off)",
    ),
    verbose: option.boolean("also show what each host can and cannot do"),
    "programs-only": option.boolean("only put the programs in their place; registrations stay as they are", {
      isHidden: true,
    }),
    "force-refresh": option.boolean("accepted for compatibility", { isHidden: true }),
    format: FORMAT_OPTION,
  },
  forAgents: {
    use: "passes",
    asksWith: ["autonomy", "dedupe", "failure", "force", "local", "parts", "profile", "programs-only", "yes"],
    loosensWith: [
      "autonomy=sandbox",
      "autonomy=understood",
      "failure=open",
      "profile=container",
      "profile=guard",
    ],
    passesWith: ["dry-run"],
    runsFile: ["local/.claude", "local/amplifier-bundle"],
  },
  examples: {
    "amplihack install": "registers with every host that is found",
    "amplihack install --dry-run": "shows what that would change; --full shows it line by line",
    "amplihack install --profile guard": "registers, and switches on the guard alone",
    "amplihack install --parts mcp": "also registers the MCP server with every host that has MCP",
    "amplihack install --parts workflow": "also brings subagents, commands and skills of the workflow",
    "amplihack install --host codex --yes": "registers with Codex, which then runs the hooks",
    "amplihack install --scope project --host claude": "registers in this project's .claude/settings.json",
  },
  async run({ options, system, terminal }) {
    const { findPackage, install, needsTrustAgreement, renderInstall, requireDirectories } =
      await loadOperations();
    const { readHosts } = await loadReadHosts();
    const { checkPlatform } = await loadPlatform();
    checkPlatform(process.platform);
    if (options.full && !options["dry-run"])
      throw usageError("--full goes with --dry-run", "amplihack install --dry-run --full");
    const hosts = options["programs-only"] ? [] : readHosts(options.host, "amplihack install");
    const mayAsk = terminal.isInteractive && !options["dry-run"] && !options.yes;
    const questions = new Questions(mayAsk);
    if (options.interactive && !terminal.isInteractive)
      terminal.warn("amplihack: no terminal to ask at; going on with the defaults\n");
    requireNoAgent(system, options.autonomy);
    const wishes = options.interactive ? askWishes(system, terminal, questions, options.scope) : NO_WISHES;
    const chosen = chosenParts(system, options.profile, options.parts);
    if (chosen?.includes("guard") === false)
      terminal.warn("amplihack: without the part guard nothing is refused or asked about\n");
    const request = {
      hosts,
      assets: options.local,
      isDryRun: options["dry-run"],
      isForced: options.force,
      isDeduping: options.dedupe,
      failure: options.failure,
      ...((!mayAsk && !options.yes) || options["programs-only"]
        ? { parts: chosen, isMainProtected: undefined }
        : askParts(system, terminal, questions, chosen)),
      ...(options.profile === undefined ? {} : { rules: PROFILE_RULES[options.profile] }),
      ...wishes,
      scope: options.scope ?? wishes.scope,
    };
    const isAsked = (mayAsk || options.yes) && !options["programs-only"] && options.autonomy === undefined;
    const autonomy = isAsked ? await askAutonomy(system, terminal, questions) : options.autonomy;
    return tellProblems("install", async () => {
      const isTrustAgreed =
        options.yes ||
        (mayAsk &&
          needsTrustAgreement(system, requireDirectories(system), request) &&
          questions.ask(false, () => askYesOrNo(terminal, TRUST_QUESTION, true)));
      const report = await install(system, findPackage(system), { ...request, autonomy, isTrustAgreed });
      // Hooks go by what was found at the last check.
      const isSandboxed = memberAt(readUserConfig(system), "autonomy") === "sandbox";
      const unavailable = isSandboxed && !options["dry-run"] ? await whyNoSandbox(system) : undefined;
      if (unavailable !== undefined)
        terminal.warn(`amplihack: autonomy sandbox answers as understood here, because ${unavailable}\n`);
      const text = renderInstall(report, {
        isVerbose: options.verbose,
        isFull: options.full,
        paint: terminal.paint,
        home: system.env.get("HOME"),
        project: requireDirectories(system).projectRoot,
      });
      // Whole files are shown as they would be, line by line.
      if (options.full && options.format === "text") terminal.print(text);
      else terminal.printResult(options.format, report, text);
      return report.success ? 0 : 1;
    });
  },
});
