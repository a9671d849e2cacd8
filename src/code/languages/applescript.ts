import { literal } from "../meaning/datum.ts";
import { noteDelete, noteLoss, noteShell } from "../meaning/effects.ts";
import { type LibraryFunction, withArgument } from "../meaning/evaluation-context.ts";
import { defineLanguage } from "../meaning/library-table.ts";
import { DEFAULT_GRAMMAR, type Grammar, Parser, readExpression } from "../syntax/parser.ts";
import type { ReadingBudget } from "../syntax/source.ts";
import { type LexerRules, PLAIN_ESCAPES, readText, tokenise } from "../syntax/tokens.ts";
import { level, type Node, nameNode } from "../syntax/tree.ts";

const LEXER_RULES: LexerRules = {
  lineComments: ["--", "#"],
  blockComments: [["(*", "*)"]],
  marks: "¬ ≠",
  readSpecial: lexer =>
    lexer.source.charAt(lexer.at) === '"' ? readText(lexer, { escapes: PLAIN_ESCAPES }) : undefined,
};

/** Phrases that do something. The functions that stand for them have underscores in place of the blanks. */
const PHRASES =
  "do shell script,do script,run script,path to home folder,quoted form of,posix path of,posix file,delete,shut down,restart,log out,make login item,make new login item"
    .split(",")
    .map(phrase => phrase.split(" "));
const WITHOUT_VALUE = /^(?:path_to_home_folder|shut_down|restart|log_out|make_(?:new_)?login_item)$/;

const GRAMMAR: Grammar = {
  ...DEFAULT_GRAMMAR,
  infix: new Map([...level(2, "join", "&"), ...level(1, "other", "= is")]),
  prefixes: new Set(["the"]),
  negations: new Set(["not", "-"]),
  endsAtLine: true,
  parenthesesAreList: true,
  readPrimary: readPhrase,
};

function parseAppleScript(source: string, budget: ReadingBudget): readonly Node[] {
  const parser = new Parser(tokenise(source, LEXER_RULES, budget), GRAMMAR, budget);
  return parser.readMany(readStatement);
}

/** `set x to value`; everything else is looked through for phrases. */
function readStatement(parser: Parser): Node {
  const isSetting = parser.isNext("set") && parser.peek(1).kind === "name" && parser.isNext("to", 2);
  if (!isSetting) return readExpression(parser);
  parser.at += 1;
  const target = nameNode(parser.take().text);
  parser.takeIf("to");
  return { kind: "assign", target, value: readExpression(parser) };
}

function readPhrase(parser: Parser): Node | undefined {
  const at = parser.peek().start;
  const words = PHRASES.find(phrase =>
    phrase.every((word, ahead) => {
      const token = parser.peek(ahead);
      return token.kind === "name" && token.text.toLowerCase() === word;
    }),
  );
  if (words === undefined) return undefined;
  parser.at += words.length;
  const name = words.join("_");
  const value = WITHOUT_VALUE.test(name) ? [] : [{ value: readExpression(parser, 2) }];
  return { kind: "call", callee: nameNode(name), arguments: value, at };
}

/** `do shell script` and its kin; everything else is looked through for them. */
export const APPLESCRIPT = defineLanguage({
  id: "applescript",
  parse: parseAppleScript,
  functions: () => [
    ["do_shell_script do_script", "runsShell", "0"],
    ["run_script", "evaluates", "0"],
    ["quoted_form_of posix_path_of posix_file", "gives", "0"],
    ["path_to_home_folder", "returns", "home"],
    [
      "delete",
      withArgument("0", (target, call, context) =>
        target.kind === "text" ? noteDelete(context, call, target, true) : undefined,
      ),
    ],
    ["shut_down", runsCommand("shutdown -h now")],
    ["restart", runsCommand("shutdown -r now")],
    ["log_out", runsCommand("launchctl bootout")],
    [
      "make_login_item make_new_login_item",
      (call, context) => noteLoss(context, call, "sys.cron", "make something start at login"),
    ],
  ],
});

/** What the phrases that end the work of everyone come to as commands. */
function runsCommand(command: string): LibraryFunction {
  return (call, context) => {
    noteShell(context, call, literal(command));
    return undefined;
  };
}
