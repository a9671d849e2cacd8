import {
  type Command,
  forEachNode,
  parseShell,
  type SyntaxNode,
  type Word,
  type WordPart,
} from "../shell/index.ts";
import { type CommandRule, mayBeNamed } from "./condition.ts";

const MAX_COMMAND_CHARS = 64 * 1024;

/**
 * Whether any command in a shell text may be the one the rule names: every one that would run is looked at, also inside
 * `$()`, backticks and compound commands, without leading assignments. What cannot be read might be.
 */
export function mayRun(text: string, rule: CommandRule): boolean {
  if (text.length > MAX_COMMAND_CHARS) return true;
  const { statements, problems, placeholders } = parseShell(text);
  const isDoubtful = problems.length > 0 || placeholders.size > 0;
  return isDoubtful || statements.some(statement => mayContain(statement, rule));
}

function mayContain(node: SyntaxNode, rule: CommandRule): boolean {
  if ("errors" in node && node.errors !== undefined && node.errors.length > 0) return true;
  if (node.type === "Command" && mayBe(node, rule)) return true;
  let isPossible = false;
  forEachNode(node, child => {
    isPossible ||= mayContain(child, rule);
  });
  return isPossible;
}

function mayBe(command: Command, rule: CommandRule): boolean {
  if (command.name === undefined) return false;
  const words: Word[] = [command.name];
  for (const argument of command.suffix) if (argument.type === "Word") words.push(argument);
  return mayBeNamed(
    words.map(word => ({ value: word.value, text: word.text, isDynamic: isDynamic(word) })),
    rule,
  );
}

/** Its value is known only when the shell runs: an expansion, a substitution or a glob. */
function isDynamic(word: Word): boolean {
  return word.parts?.some(isDynamicPart) ?? false;
}

function isDynamicPart(part: WordPart): boolean {
  if (part.type === "DoubleQuoted" || part.type === "LocaleString") return part.parts.some(isDynamicPart);
  return part.type !== "Literal" && part.type !== "SingleQuoted" && part.type !== "AnsiCQuoted";
}
