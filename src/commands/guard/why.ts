import { CommandError, defineCommand, FORMAT_OPTION, type Terminal, wrapText } from "../../cli/index.ts";
import { type ExplainedRule, isCode, loadCustomRules, loadRules, type Rule } from "../../guard/index.ts";
import { loadGrants } from "../../hooks/index.ts";
import { didYouMean, escapeHidden } from "../../text/index.ts";
import { describeRefusal } from "./allow-once.ts";
import { openForCommand } from "./judged.ts";

export const whyCommand = defineCommand({
  name: "why",
  summary: "explain a rule or a refusal: when the rule applies, what is at stake, what to do instead",
  options: { format: FORMAT_OPTION },
  positionals: [
    {
      name: "RULE|CODE",
      summary: "a rule id such as git.push, or the code of a refusal; all rules when left out",
      isOptional: true,
      completes: "rule",
    },
  ],
  forAgents: { use: "passes", looks: [] },
  examples: {
    "amplihack guard why git.push": "explains one rule",
    "amplihack guard why": "lists every rule with what it says here",
  },
  async run({ options, positionals, system, terminal }) {
    const { toRule } = await loadCustomRules();
    const { explainRule, PACKS } = await loadRules();
    const { config, stateHome } = openForCommand(system, terminal, undefined);
    const rules: readonly Rule[] = [...PACKS.flatMap(pack => pack.rules), ...config.guard.custom.map(toRule)];
    const explain = (names: readonly string[]) =>
      rules.filter(({ id }) => names.includes(id)).map(rule => explainRule(rule, config.guard));
    const [id] = positionals;
    if (id === undefined) {
      const all = explain(rules.map(rule => rule.id));
      const lines = all.map(one => {
        const start = `${one.id.padEnd(22)} ${one.here.verdict.padEnd(5)} `;
        if (terminal.columns === undefined) return `${start}${one.title}\n`;
        const title = wrapText(one.title, terminal, start.length);
        return `${start}${title.join(`\n${" ".repeat(start.length)}`)}\n`;
      });
      terminal.printResult(options.format, all, lines.join(""));
      return 0;
    }
    const [told] = explain([id]);
    if (told !== undefined) {
      terminal.printResult(options.format, told, render(told, terminal));
      return 0;
    }
    const { findRefusal } = await loadGrants();
    const refused = isCode(id) ? findRefusal(system, stateHome, id) : undefined;
    if (refused === undefined) throw unknown(id, rules);
    const spoke = explain(refused.rules);
    const { digest: _, ...shown } = refused;
    const lines = describeRefusal(refused).map(line => `${escapeHidden(line)}\n`);
    const text = [lines.join(""), ...spoke.map(one => render(one, terminal))].join("\n");
    terminal.printResult(options.format, { refused: shown, rules: spoke }, text);
    return 0;
  },
});

function unknown(id: string, rules: readonly Rule[]): CommandError {
  const ids = rules.map(rule => rule.id);
  return new CommandError(`there is no rule '${id}', and no refusal with that code${didYouMean(id, ids)}`, {
    kind: "not-found",
    fix: "amplihack guard why",
  });
}

const LABEL = 12;

function render(told: ExplainedRule, terminal: Terminal): string {
  const { relaxed, standard, strict } = told.levels;
  const rows: readonly (readonly [string, string])[] = [
    ["when", told.when],
    ["at stake", told.lost],
    ["instead", told.instead],
    ["try", told.safer],
    ["here", verdictHere(told)],
    ["levels", `relaxed ${relaxed}, standard ${standard}, strict ${strict}.`],
    ["permission", describePermission(told)],
  ];
  const lines = rows
    .filter(([, text]) => text !== "")
    .flatMap(([label, text]) =>
      wrapText(text, terminal, LABEL + 3).map(
        (line, index) => `  ${(index === 0 ? label : "").padEnd(LABEL)} ${line}`,
      ),
    );
  return `${terminal.paint("bold", told.id)}  ${told.title}\n\n${lines.join("\n")}\n`;
}

function verdictHere({ here: { level, configured, verdict }, recoverable }: ExplainedRule): string {
  const why = configured === null ? `level ${level}` : `the configuration sets ${configured}, level ${level}`;
  const kept = recoverable && verdict === "ask" && level !== "strict";
  return `${verdict} (${why}).${kept ? " It passes when a copy was kept first: amplihack undo." : ""}`;
}

function describePermission({ allowable, levels }: ExplainedRule): string {
  if (levels.strict === "warn")
    return "It stops nothing, so there is nothing to permit: guard.rules can silence it.";
  return allowable
    ? "A person can permit it: once with the code of the refusal, always with an entry in guard.allow, in all cases with guard.rules."
    : "It can never be permitted: no setting, entry or code lets it pass.";
}
