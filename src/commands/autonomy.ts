import {
  CommandError,
  defineCommand,
  defineFamily,
  FORMAT_OPTION,
  loadProgress,
  type Terminal,
  tellProblems,
  usageError,
} from "../cli/index.ts";
import { AUTONOMY, type Autonomy, effectiveAutonomy, loadConfig } from "../config/index.ts";
import { HOST_LIST } from "../hosts/index.ts";
import { isPresent, loadConfigSetting, loadFileEdit } from "../install/index.ts";
import { loadSandbox } from "../sandbox/index.ts";
import { requireDirectories } from "../state/index.ts";
import type { System } from "../system/index.ts";
import { count, didYouMean, escapeHidden } from "../text/index.ts";
import { type AnsweredCalls, loadAnsweredCalls } from "../verify/index.ts";
import { sandboxPlaces } from "./sandbox/places.ts";

const WEEK_MS = 7 * 24 * 60 * 60 * 1000;
const BAR = 40;
const SHOWN_GAPS = 5;

/** Each level in one line, for people. */
export const AUTONOMY_MEANINGS: Readonly<Record<Autonomy, string>> = {
  off: "you answer them all",
  understood: "yes to what is fully understood and can be undone",
  sandbox: "the rest runs in a sandbox; doubtful changes wait for you",
};

const showCommand = defineCommand({
  name: "show",
  summary: "show what is answered for you, and what stood in the way",
  options: { format: FORMAT_OPTION },
  forAgents: { use: "passes", looks: [] },
  examples: {
    "amplihack autonomy": "the level, and what each level would have answered in the last 7 days",
    "amplihack autonomy show --json": "the same, for programs",
  },
  async run({ options, system, terminal }) {
    const { ProgressLine } = await loadProgress();
    const { measureAnswers, commandAgainst } = await loadAnsweredCalls();
    const places = requireDirectories(system);
    const { config, notices } = loadConfig(system, places);
    for (const { message } of notices) terminal.warn(`Warning: ${message}\n`);
    const { level, why } = effectiveAutonomy(config);
    const sinceMs = system.clock.nowMs() - WEEK_MS;
    const seen = await new ProgressLine(system, terminal).during("reading recorded sessions …", () =>
      measureAnswers(system, places.home, sinceMs),
    );
    const gaps = seen.gaps
      .slice(0, SHOWN_GAPS)
      .map(gap => ({ ...gap, command: commandAgainst(gap) ?? null }));
    const hosts = answeredHosts(system);
    const unavailable = level === "sandbox" ? await whyNoSandbox(system) : undefined;
    const document = {
      level,
      set: config.autonomy,
      why: why ?? null,
      sandbox:
        level === "sandbox" ? { available: unavailable === undefined, why: unavailable ?? null } : null,
      hosts,
      week: { ...seen, gaps },
    };
    const lines = [
      `autonomy: ${terminal.paint("bold", level)}${why === undefined ? "" : `, although it is set to ${config.autonomy}: ${why}`}`,
      `  ${AUTONOMY_MEANINGS[level]}`,
      ...(unavailable === undefined ? [] : [`  It is understood here, because ${unavailable}`]),
      ...hosts.map(({ title, answered, why: reason, sandboxed }) => {
        const runs = level === "sandbox" ? SANDBOXED[sandboxed] : "";
        const verb = level === "off" ? "can be" : "is";
        return answered
          ? `  ${title} ${verb} answered${runs}`
          : `  ${title} cannot be answered: it ${reason}${runs}`;
      }),
      "",
      ...weekLines(seen, terminal),
      ...gaps.map(
        ({ kind, what, why: reason, calls, command }) =>
          `  ${String(calls).padStart(5)}  ${kind} ${escapeHidden(what)}: ${escapeHidden(reason)}${command === null ? "" : `\n         ${terminal.paint("dim", command)}`}`,
      ),
    ];
    terminal.printResult(options.format, document, `${lines.join("\n")}\n`);
    if (options.format === "text")
      terminal.note(`\nChange it: amplihack autonomy set ${AUTONOMY.join("|")}\n`);
    return 0;
  },
});

const SANDBOXED = {
  never: "",
  always: "; its commands run in the sandbox",
  "own-sandbox-off": "; its commands run in the sandbox while its own is off",
} as const;

function answeredHosts(system: System) {
  const places = requireDirectories(system);
  return HOST_LIST.flatMap(({ id, answering, sandboxing, setup }) => {
    const title = setup?.().title;
    if (title === undefined || !isPresent(system, places, id)) return [];
    const isAnswered = typeof answering !== "string";
    const sandboxed =
      sandboxing === undefined ? "never" : sandboxing.ownSandbox === undefined ? "always" : "own-sandbox-off";
    return [
      { host: id, title, answered: isAnswered, why: isAnswered ? null : answering, sandboxed } as const,
    ];
  });
}

/** Why no call can run in the sandbox here, tried for real; undefined where it can. What is found is what hooks go by. */
export async function whyNoSandbox(system: System): Promise<string | undefined> {
  const { checkSandbox } = await loadSandbox();
  const { report } = checkSandbox(system, sandboxPlaces(system));
  if (report === undefined || report.by === "bwrap") return "amplihack-sandbox is not installed";
  const lacking = (["namespaces", "network", "seccomp"] as const).find(layer => !report[layer].works);
  return lacking && `this machine has no ${lacking} for it: ${report[lacking].reason ?? "it does not work"}`;
}

function weekLines(seen: AnsweredCalls, terminal: Terminal): readonly string[] {
  const { calls, understood, sandbox, asked, prompted, spared, bounded, isPartial } = seen;
  if (calls === 0) return ["No session of the last 7 days is recorded here."];
  const parts = [
    ["green", "█", understood, "understood"],
    ["cyan", "▓", sandbox, "sandbox"],
    ["yellow", "░", asked, "asked"],
  ] as const;
  const widths = parts.map(([, , number]) => Math.round((number / calls) * BAR));
  const bar = parts.map(([colour, mark], index) => terminal.paint(colour, mark.repeat(widths[index] ?? 0)));
  const percent = (number: number) => `${Math.round((number / calls) * 100)} %`;
  return [
    `Of ${count(calls, "call")} in the last 7 days${isPartial ? ", the newest of them" : ""}:`,
    `  ${bar.join("")}`,
    `  ${terminal.paint("green", "█")} ${percent(understood)} would be answered at understood`,
    `  ${terminal.paint("cyan", "▓")} ${percent(sandbox)} more would run in the sandbox at sandbox`,
    `  ${terminal.paint("yellow", "░")} ${percent(asked)} would still be asked about`,
    ...(prompted === 0
      ? []
      : [
          `  of ${count(prompted, "question")} that your agents would have asked, understood answers ${spared} and sandbox ${spared + bounded}`,
        ]),
    "",
    "What stood in the way most often:",
  ];
}

const setCommand = defineCommand({
  name: "set",
  summary: "choose what is answered for you: off, understood or sandbox",
  details: `
Raising it works only for a person at a terminal of their own, which no agent runs, and asks for a phrase that is new each
time. Lowering it asks nothing. With guard.level strict it is off, whatever is set.`,
  options: { format: FORMAT_OPTION },
  positionals: [{ name: "LEVEL", summary: AUTONOMY.join(", ") }],
  forAgents: "loosens",
  examples: {
    "amplihack autonomy set understood": "calls of which everything is known run without a question",
    "amplihack autonomy set off": "every question is yours again",
  },
  async run({ options, positionals, system, terminal }) {
    const places = requireDirectories(system);
    const [wanted = ""] = positionals;
    const level = AUTONOMY.find(each => each === wanted);
    if (level === undefined)
      throw usageError(`'${wanted}' is not one of ${AUTONOMY.join(", ")}${didYouMean(wanted, AUTONOMY)}`);
    const before = loadConfig(system, { ...places, projectRoot: undefined }).config.autonomy;
    if (isRaised(before, level)) {
      const { requirePerson, confirmByPhrase } = await import("./guard/allow-once.ts");
      await requirePerson(system, places.stateHome);
      await confirmByPhrase(system, terminal, places.stateHome, {
        shown: [`autonomy: ${level}`, AUTONOMY_MEANINGS[level]],
        question: "to have these questions answered for you",
      });
    }
    await writeAutonomy(system, level);
    const unavailable = level === "sandbox" ? await whyNoSandbox(system) : undefined;
    const { config, notices } = loadConfig(system, places);
    for (const { message } of notices) terminal.warn(`Warning: ${message}\n`);
    const { level: counts, why } = effectiveAutonomy(config);
    const note =
      counts !== level
        ? ` It is ${counts} here: ${why ?? "the project or the machine sets it so"}.`
        : unavailable === undefined
          ? ""
          : ` It is understood here, because ${unavailable}.`;
    const text = `Autonomy is set to ${level}: ${AUTONOMY_MEANINGS[level]}.${note}\n`;
    terminal.printResult(options.format, { success: true, level, effective: counts, why: why ?? null }, text);
    return 0;
  },
});

export function isRaised(before: Autonomy, after: Autonomy): boolean {
  return AUTONOMY.indexOf(after) > AUTONOMY.indexOf(before);
}

/** Into the user's own configuration. */
async function writeAutonomy(system: System, level: Autonomy): Promise<void> {
  const { applyEdit } = await loadFileEdit();
  const { settingsEdit } = await loadConfigSetting();
  const edit = settingsEdit(requireDirectories(system), [{ path: ["autonomy"], value: level }]);
  await tellProblems("autonomy", async () => applyEdit(system, edit, { isBackedUp: false }));
}

/** `config set` raises nothing that a person has to consent to. */
export function refuseRaise(system: System, wanted: string): void {
  const level = AUTONOMY.find(each => each === wanted);
  const { config } = loadConfig(system, { ...requireDirectories(system), projectRoot: undefined });
  if (level === undefined || !isRaised(config.autonomy, level)) return;
  throw new CommandError("autonomy is raised with your consent only", {
    kind: "not-a-person",
    fix: `amplihack autonomy set ${level}`,
  });
}

export const command = defineFamily({
  name: "autonomy",
  summary: "choose which questions of your agent are answered for you",
  group: "Protect",
  details: "What is answered, what never is, and how to see it: docs/autonomy.md.",
  subcommands: [showCommand, setCommand],
  initial: showCommand,
  examples: {
    "amplihack autonomy": "the level, and what each level would have answered in the last 7 days",
    "amplihack autonomy set off": "every question is yours again",
  },
});
