import { defineCommand } from "../../cli/command.ts";
import { CommandError } from "../../cli/errors.ts";
import { FORMAT_OPTION } from "../../cli/option.ts";
import { didYouMean } from "../../protocol/nearest.ts";
import { openForCommand } from "./judged.ts";

export const whyCommand = defineCommand({
  name: "why",
  summary: "explain a rule: when it speaks, what would be lost, what to do instead",
  options: { format: FORMAT_OPTION },
  positionals: [
    { name: "RULE", summary: "a rule id such as git.push; all rules when left out", isOptional: true },
  ],
  examples: {
    "amplihack guard why git.push": "explains one rule",
    "amplihack guard why": "lists every rule",
  },
  async run({ options, positionals, system, terminal }) {
    const { findRule, PACKS } = await import("../../guard/index.ts");
    const { ruleOf } = await import("../../guard/custom-rules.ts");
    const { actionAt } = await import("../../guard/rule.ts");
    const rules = PACKS.flatMap(pack => pack.rules);
    const [id] = positionals;
    const shown = (rule: (typeof rules)[number]) => ({
      id: rule.id,
      title: rule.title,
      when: rule.when,
      lost: rule.lost,
      safer: rule.safer,
      levels: {
        relaxed: actionAt(rule, "relaxed"),
        standard: actionAt(rule, "standard"),
        strict: actionAt(rule, "strict"),
      },
      allowable: rule.isAllowable !== false,
    });
    if (id === undefined) {
      const lines = rules.map(
        rule => `${rule.id.padEnd(22)} ${actionAt(rule, "standard").padEnd(5)} ${rule.title}\n`,
      );
      terminal.printResult(options.format, rules.map(shown), lines.join(""));
      return 0;
    }
    const { custom, level, rules: chosen } = openForCommand(system, terminal, undefined).config.guard;
    const own = custom.find(one => one.id === id);
    const rule = findRule(id) ?? (own === undefined ? undefined : ruleOf(own));
    if (rule === undefined) {
      const ids = rules.map(one => one.id);
      throw new CommandError(`there is no rule '${id}'${didYouMean(id, ids)}`, {
        kind: "not-found",
        fix: "amplihack guard why",
      });
    }
    // What counts where it was asked: by the level, unless the configuration names the rule.
    const here = { level, configured: Object.hasOwn(chosen, id) ? chosen[id] : null };
    const told = { ...shown(rule), here };
    const { relaxed, standard, strict } = told.levels;
    const lines = [
      `${terminal.paint("bold", told.id)}  ${told.title}`,
      "",
      `  speaks when  ${told.when}`,
      `  at stake     ${told.lost}`,
      `  instead      ${told.safer}`,
      `  levels       relaxed ${relaxed}, standard ${standard}, strict ${strict}; what is said above of single cases goes before`,
      `  here         level ${level}${here.configured === null ? "" : `; your configuration says ${here.configured} for this rule`}`,
      `  can ${told.allowable ? "be permitted by configuration or once by a person" : "never be permitted"}`,
    ];
    terminal.printResult(options.format, told, `${lines.join("\n")}\n`);
    return 0;
  },
});
