import {
  askLine,
  CommandError,
  type CommandInvocation,
  defineCommand,
  FORMAT_OPTION,
  type Terminal,
  usageError,
} from "../../cli/index.ts";
import { type AllowEntry, addAllowEntry, type GuardSettings, userConfigFile } from "../../config/index.ts";
import { canBeAllowedForGood, isCode, loadGuard } from "../../guard/index.ts";
import { loadGrants, loadGuardContext, type RefusedCommand } from "../../hooks/index.ts";
import { errorText } from "../../protocol/index.ts";
import { localTimestamp, readMachineKey } from "../../state/index.ts";
import { type System, sha256Hex } from "../../system/index.ts";
import { escapeHidden, REDACTED } from "../../text/index.ts";
import { openForCommand } from "./judged.ts";

const CONSONANTS = "bdfgjklmnprstvwz";
const VOWELS = "aeio";
const SYLLABLES = 8;

/** Refuses where an agent runs this command: only a person at a terminal of their own takes protection away. */
export async function requirePerson(system: System, stateHome: string): Promise<void> {
  const { whyNoHuman } = await loadGrants();
  const obstacle = whyNoHuman(system, stateHome);
  if (obstacle !== undefined) throw new CommandError(obstacle, { kind: "not-a-person" });
}

/**
 * Shows what is to be permitted, whole and with everything written out that cannot be seen, and has the person type a
 * phrase. It is new each time and comes from the machine's key, so that nothing that was read before says what it is.
 * True when the person typed `always` in front of it, where that is offered.
 */
export async function confirmByPhrase(
  system: System,
  terminal: Terminal,
  stateHome: string,
  {
    shown,
    always,
    question,
  }: {
    readonly shown: readonly string[];
    /** what `always` in front of the phrase means; undefined where it is not offered */
    readonly always?: string | undefined;
    readonly question: string;
  },
): Promise<boolean> {
  const { openGuard } = await loadGuardContext();
  const { consent } = openGuard(system, undefined, () => {}).config;
  terminal.warn(
    `\n${shown
      .flatMap(text => text.split("\n"))
      .map(line => `  ${escapeHidden(line)}\n`)
      .join("")}\n`,
  );
  const phrase = makePhrase(system, stateHome, shown.join("\n"));
  if (always !== undefined) terminal.warn(`Type "always" in front of the phrase ${escapeHidden(always)}.\n`);
  const typed = askLine(terminal, `Type "${phrase}" ${question}: `);
  const words = typed.trim().toLowerCase().split(/\s+/).join(" ");
  const isAlways = always !== undefined && words === `always ${phrase}`;
  if (!isAlways && words !== phrase) throw new CommandError("not permitted", { kind: "declined" });
  if (consent !== "terminal") {
    const { requireSystemPrompt, withTextAgent } = await import("./system-prompt.ts");
    await withTextAgent(async () => requireSystemPrompt(system, question));
  }
  return isAlways;
}

function makePhrase(system: System, stateHome: string, subject: string): string {
  const key = readMachineKey(system, stateHome);
  const digest = sha256Hex(system.text.encode(`${key}\n${system.random.hex(32)}\n${subject}\n${key}`));
  const syllables = Array.from({ length: SYLLABLES }, (_, index) => {
    const number = Number.parseInt(digest.slice(index * 2, index * 2 + 2), 16);
    return `${CONSONANTS[number >> 4]}${VOWELS[number % 4]}`;
  });
  return syllables.join("").match(/.{4}/g)?.join(" ") ?? "";
}

const options = { format: FORMAT_OPTION };

export const allowOnceCommand = defineCommand({
  name: "allow-once",
  summary: "allow one refused command, once within fifteen minutes, or always in its directory",
  details: `
Shows the command as it was sent, why it was refused and when, and asks for a phrase that is new each time. It works only
for a person at a terminal of their own, which no agent runs; the setting consent offers other ways to confirm: amplihack
consent-service. With "always" in front of the phrase the command is allowed in that directory from now on: an entry in
guard.allow of your own configuration.`,
  options,
  positionals: [{ name: "CODE", summary: "the six characters that came with the refusal" }],
  forAgents: "loosens",
  examples: { "amplihack guard allow-once 7FDQJ7": "shows the command and asks for your consent" },
  async run(invocation) {
    const { positionals, system, terminal } = invocation;
    const { findRefusal } = await loadGrants();
    const code = (positionals[0] ?? "").toUpperCase();
    if (!isCode(code))
      throw usageError(`'${positionals[0]}' is not a code: expected six letters and digits`, undefined, 4);
    const { stateHome } = openForCommand(system, terminal, undefined);
    await requirePerson(system, stateHome);
    const refused = findRefusal(system, stateHome, code);
    if (refused === undefined) {
      throw new CommandError(`no refused command has the code ${code}`, {
        kind: "not-found",
        fix: "let the agent try again; the refusal shows the code",
      });
    }
    const { consent } = (await loadGuardContext()).openGuard(system, undefined, () => {}).config;
    if (consent === "service") return allowByService(invocation, stateHome, refused);
    const entry = await entryFor(system, refused);
    const isAlways = await confirmByPhrase(system, terminal, stateHome, {
      shown: [...describeRefusal(refused), ...(entry === undefined ? [ONCE_ONLY] : [])],
      always: entry === undefined ? undefined : `to allow it in ${refused.cwd} from now on`,
      question: "to permit exactly this, once",
    });
    return isAlways && entry !== undefined
      ? allowAlways(invocation, stateHome, refused, entry)
      : allowOnce(invocation, stateHome, refused);
  },
});

const ONCE_ONLY =
  "It can be allowed once only: it depends on the content of a file, on a value that is not known, or on several commands.";

/** What a person is shown of a refused command. */
export function describeRefusal({ command, cwd, rules, found = [], refusedMs }: RefusedCommand): string[] {
  const reasons = found.length > 0 ? found : [`refused by ${rules.join(", ")}`];
  return [command, "", `in ${cwd}`, `refused at ${localTime(refusedMs)}`, ...reasons];
}

/** `2026-01-02 03:04:05`, where the person is */
function localTime(ms: number): string {
  return localTimestamp(ms).slice(0, 19).replace("T", " ");
}

/** The entry that would let the command pass from now on; undefined when no entry can. */
export async function entryFor(
  system: System,
  { command, cwd, rules, refusedMs }: RefusedCommand,
): Promise<AllowEntry | undefined> {
  const { openGuard } = await loadGuardContext();
  const { judgeCommand } = await loadGuard();
  if (command.includes(REDACTED) || system.files.follow(cwd)?.kind !== "directory") return undefined;
  const { context, config } = openGuard(system, cwd, () => {});
  const day = localTime(refusedMs).slice(0, 10);
  const entry = { command, cwd, reason: `allowed by me on ${day} (${rules.join(", ")})` };
  const settings = { ...config.guard, allow: [...config.guard.allow, entry] };
  const judgeWith = (changed: GuardSettings) =>
    judgeCommand(command, { ...context, machineKey: undefined, settings: changed });
  const before = judgeWith(config.guard);
  // A command that passes alone was refused for another reason: other arguments of the tool, or no copy could be kept.
  if (before.verdict === "allow" || !before.all.every(canBeAllowedForGood)) return undefined;
  return judgeWith(settings).verdict === "allow" ? entry : undefined;
}

/** The service shows it once more, asks, and writes what permits it. There is no "always": that is a file of the user's. */
async function allowByService(
  { options: { format }, system, terminal }: CommandInvocation<typeof options>,
  stateHome: string,
  refused: RefusedCommand,
): Promise<number> {
  const { noteGiven } = await loadGrants();
  const { askService } = await import("../consent-service/client.ts");
  const { withTextAgent } = await import("./system-prompt.ts");
  const lines = describeRefusal(refused).flatMap(text => text.split("\n"));
  terminal.warn(`\n${lines.map(line => `  ${escapeHidden(line)}\n`).join("")}\n`);
  terminal.note("The consent service asks for your password.\n");
  const expiresMs = await withTextAgent(() => askService(refused));
  noteGiven(system, stateHome, refused);
  const value = { success: true, code: refused.code, expires: new Date(expiresMs).toISOString() };
  terminal.printResult(format, value, `Permitted once, until ${localTime(expiresMs)}.\n`);
  return 0;
}

async function allowOnce(
  { options: { format }, system, terminal }: CommandInvocation<typeof options>,
  stateHome: string,
  refused: RefusedCommand,
): Promise<number> {
  const { grantOnce } = await loadGrants();
  const { code, expiresMs } = grantOnce(system, stateHome, refused);
  const value = { success: true, code, expires: new Date(expiresMs).toISOString() };
  terminal.printResult(format, value, `Permitted once, until ${localTime(expiresMs)}.\n`);
  return 0;
}

async function allowAlways(
  { options: { format }, system, terminal }: CommandInvocation<typeof options>,
  stateHome: string,
  refused: RefusedCommand,
  entry: AllowEntry,
): Promise<number> {
  const { noteGiven } = await loadGrants();
  const { code } = refused;
  const file = userConfigFile(stateHome);
  try {
    addAllowEntry(system, file, entry);
    noteGiven(system, stateHome, refused);
  } catch (error) {
    throw new CommandError(`nothing was changed: ${errorText(error)}`, { kind: "invalid" });
  }
  const text = `Allowed in ${entry.cwd} from now on. To take it back, remove the entry from guard.allow in ${file}.\n`;
  terminal.printResult(format, { success: true, code, always: true, file, entry }, text);
  return 0;
}
