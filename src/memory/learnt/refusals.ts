import { type Call, type LearntNote, type NoteFinder, quote } from "./note.ts";
import { type CommandWords, readCommand } from "./similar-commands.ts";

/** As `renderTexts` of the guard begins and ends what it tells an agent, alone or behind the person's text. */
const REFUSAL = /\[([\w./-]+)\]:? ([\s\S]*?)(?: Safer: |\nAgent: not run| You cannot switch this off)/;

interface Refusal {
  readonly rule: string;
  readonly reason: string;
}

/** What the guard said when it refused a call. */
export function refusalIn({ output }: Call): Refusal | undefined {
  const [, rule, reason] = REFUSAL.exec(output) ?? [];
  return rule === undefined || reason === undefined ? undefined : { rule, reason };
}

/** What comes later answers something else. */
const MAX_CALLS_BETWEEN = 6;
const MAX_REASON_LENGTH = 120;

/** A command that the guard refused, and what was done in its place. */
export function findRefusals(): NoteFinder {
  let last: { readonly command: CommandWords; readonly refusal: Refusal; callsAgo: number } | undefined;
  const found = new Map<string, LearntNote>();
  return {
    see(step) {
      if (step.kind !== "call" || step.command === undefined) return;
      const command = readCommand(step.command);
      if (command === undefined) return;
      const refusal = refusalIn(step);
      if (refusal !== undefined) {
        last = { command, refusal, callsAgo: 0 };
        return;
      }
      if (last === undefined || ++last.callsAgo > MAX_CALLS_BETWEEN || step.hasFailed) return;
      if (!sharesWord(last.command, command)) return;
      const { rule, reason } = last.refusal;
      found.set(last.command.text, {
        category: "learning",
        text: `\`${quote(last.command.text)}\` was refused (${rule}: ${quote(reason, MAX_REASON_LENGTH)}). \`${quote(command.text)}\` was done instead.`,
      });
      last = undefined;
    },
    notes: () => [...found.values()],
  };
}

function sharesWord(refused: CommandWords, done: CommandWords): boolean {
  if (refused.text === done.text) return false;
  return (
    refused.program === done.program || refused.operands.some(operand => done.operands.includes(operand))
  );
}
