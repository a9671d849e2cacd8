import type { OperationRule } from "../../config/index.ts";
import { knownPrefix } from "../../shell/index.ts";
import {
  type Datum,
  firstValue,
  joined,
  knownDatumText,
  listDatum,
  listItems,
  listOptions,
  literal,
  mapText,
  reference,
  separatedBy,
} from "./datum.ts";
import {
  evaluateText,
  fileContent,
  noteDelete,
  noteDirectory,
  noteEndlessStart,
  noteEvaluate,
  noteLoss,
  noteMode,
  noteMove,
  noteNetwork,
  notePrint,
  noteRead,
  noteShell,
  noteSpawn,
  noteSql,
  noteWrite,
  openFile,
  runWords,
  send,
} from "./effects.ts";
import { waits } from "./evaluate.ts";
import {
  type FunctionCall,
  fromNetwork,
  type LibraryFunction,
  select,
  withArgument,
} from "./evaluation-context.ts";
import { callBack, invoke } from "./invoke.ts";

// Makers of library functions that touch something outside the program. Every `string` parameter is a selector of
// an argument, see `select`.

/** Deletes a path, or all paths of a list. */
export function deletes(path: string, how?: "recursively"): LibraryFunction {
  return withArgument(path, (target, call, context) => noteDelete(context, call, target, how !== undefined));
}

/** Reads a file; the result is its content. */
export function reads(path: string): LibraryFunction {
  return withArgument(path, (target, call, context) => {
    noteRead(context, call, target);
    return fileContent(target);
  });
}

/** Shows its arguments. */
export function prints(): LibraryFunction {
  return (call, context) => notePrint(context, call, joined(call.positional));
}

/** Writes a file. The result is what it was called on, so that `f:write(a):write(b)` can be followed. */
export function writes(path: string, content = "", how?: "appending"): LibraryFunction {
  return withArgument(path, (target, call, context) => {
    noteWrite(context, call, target, how !== undefined, select(call, content));
    return call.receiver;
  });
}

/** Opens a file as its mode says; writing to the result is writing to the file. */
export function opens(path: string, mode: string, fallback = "r"): LibraryFunction {
  return withArgument(path, (target, call, context) => {
    const given = select(call, mode);
    const letters =
      given === undefined || given.kind === "function" ? fallback : (knownDatumText(given) ?? "r+");
    return openFile(context, call, target, letters);
  });
}

export function moves(from: string, to: string): LibraryFunction {
  return transfers(from, to, "move");
}

/** Copies and links: what was at the first path is found at the second. */
export function copies(from: string, to: string): LibraryFunction {
  return transfers(from, to, "copy");
}

function transfers(from: string, to: string, kind: "move" | "copy"): LibraryFunction {
  return withArgument(to, (target, call, context) => {
    const source = select(call, from);
    if (source !== undefined) noteMove(context, call, source, target, kind);
    return target;
  });
}

export function changesMode(path: string, mode = "", how?: "recursively"): LibraryFunction {
  return withArgument(path, (target, call, context) =>
    noteMode(context, call, target, how !== undefined, select(call, mode)),
  );
}

export function changesDirectory(path: string): LibraryFunction {
  return withArgument(path, (target, call, context) => noteDirectory(context, call, target));
}

/** Hands a text to a shell; the result is what the command prints. */
export function runsShell(command: string, cwd = "cwd"): LibraryFunction {
  return withArgument(command, (line, call, context) =>
    reference(`${call.name}()`, noteShell(context, call, line, select(call, cwd))),
  );
}

/** Starts a program given as a list (words) or as a text (for a shell). */
export function runsWords(words: string, cwd = "cwd", stdin = "stdin"): LibraryFunction {
  return withArgument(words, (given, call, context) =>
    runWords(context, call, given, select(call, cwd), select(call, stdin)),
  );
}

/** `system("line")`, `system("program", "word")`; environment in front, options behind and blocks are neither. */
export function runsLineOrWords(words: string, cwd = "cwd", stdin = "stdin"): LibraryFunction {
  return withArgument(words, (list, call, context) => {
    const given = listItems(list).filter(datum => datum.kind !== "function");
    const words = given.filter(datum => datum.kind !== "record");
    const [first, ...rest] = words.length === 0 ? given : words;
    if (first === undefined) return undefined;
    // Ruby: `system(["rm", "shown name"], "-rf")`
    const program = first.kind === "list" && rest.length > 0 ? (first.items[0] ?? first) : first;
    const isAlone = rest.length === 0 && !call.isOpenEnded;
    const argv = isAlone ? first : listDatum([program, ...rest], call.isOpenEnded);
    return runWords(context, call, argv, select(call, cwd), select(call, stdin));
  });
}

/** Starts a program with the words of a list, without the first `skipped`, which name the program again. */
export function startsProgram(program: string, words: string, skipped = 0, cwd = "cwd"): LibraryFunction {
  return withArgument(program, (name, call, context) => {
    const list = select(call, words) ?? listDatum([]);
    const origins = listOptions(list).flatMap(option =>
      noteSpawn(
        context,
        call,
        [name, ...(option.kind === "list" ? option.items.slice(skipped) : [])],
        option.kind !== "list" || option.isOpenEnded,
        select(call, cwd),
      ),
    );
    return reference(`${call.name}()`, origins);
  });
}

/** A signal as the program `kill` sends it. */
export function kills(processes: string, signal: string): LibraryFunction {
  return withArgument(processes, (targets, call, context) => {
    const given = select(call, signal);
    const name =
      given?.kind === "reference" ? given.name.slice(given.name.lastIndexOf(".") + 1) : knownDatumText(given);
    const option = name === undefined ? [] : [literal(`-${name}`)];
    noteSpawn(context, call, [literal("kill"), ...option, ...listItems(targets)], call.isOpenEnded);
    return undefined;
  });
}

/** Starts a process beside this one. In a loop that never ends and waits for nothing it takes the machine down. */
export function forks(callback = ""): LibraryFunction {
  return (call, context) => {
    noteEndlessStart(context, call.name, call.at);
    const child = select(call, callback);
    const outer = context.endless;
    context.endless = 0;
    if (child !== undefined) callBack(context, call, [], [child]);
    context.endless = outer;
    return undefined;
  };
}

/** Calls a block again and again: `loop { … }`. */
export const repeats = (): LibraryFunction => (call, context) => {
  const block = call.positional.find(datum => datum.kind === "function");
  const isEndless = block?.kind === "function" && !waits(block.definition.body);
  if (isEndless) context.endless += 1;
  callBack(context, call, []);
  if (isEndless) context.endless -= 1;
  return undefined;
};

/** Speaks to an address; everything else leaves with it. The result is the answer. */
export function sends(address: string, rest = "1.."): LibraryFunction {
  return (call, context) => {
    const target = select(call, address) ?? call.receiver ?? reference("address");
    return send(context, call, target, [
      ...listItems(select(call, rest) ?? listDatum([])),
      ...call.named.values(),
    ]);
  };
}

/** Sends its arguments to whatever the receiver is connected with. */
export const sendsToReceiver = (): LibraryFunction => (call, context) => {
  const target = call.receiver ?? reference("connection");
  noteNetwork(context, call, target, [...call.positional, ...call.named.values()]);
  return reference(`${call.name}()`, [fromNetwork(context)]);
};

/** Connects with a host, given as a text or as a list with its port; the result can be spoken to. */
export function connects(host: string, port = ""): LibraryFunction {
  return (call, context) => {
    const [address, number] = [select(call, host) ?? reference("address"), select(call, port)];
    const parts = number === undefined ? listItems(address) : [address, number];
    const target = joined(separatedBy(literal(":"), parts));
    noteNetwork(context, call, target, []);
    return reference("connection", [fromNetwork(context)], target);
  };
}

/** Fetches an address into a file. */
export function downloads(address: string, file: string): LibraryFunction {
  return withArgument(address, (target, call, context) => {
    const answer = reference("download", [fromNetwork(context)]);
    noteNetwork(context, call, target, []);
    const path = select(call, file);
    if (path !== undefined) noteMove(context, call, answer, path, "copy");
    return answer;
  });
}

/** Runs a text as code of the same language: read on the spot if known, told if it is not the program's own. */
export function evaluates(code: string): LibraryFunction {
  return withArgument(code, evaluateText);
}

/** Runs the content of a file, or of an address, as code of the same language. */
export function evaluatesFile(path: string): LibraryFunction {
  return withArgument(path, (target, call, context) => {
    if (/^(?:https?|ftp|php|data):/.test(knownPrefix(firstValue(target)))) {
      noteNetwork(context, call, target, []);
      return noteEvaluate(context, call, context.language.id, reference("include", [fromNetwork(context)]));
    }
    noteRead(context, call, target);
    return noteEvaluate(context, call, context.language.id, fileContent(target));
  });
}

/** Calls one of its arguments with others: `Thread(target=f, args=[x])`, `call_user_func("f", x)`. */
export function calls(callee: string, passed: string): LibraryFunction {
  return withArgument(callee, (target, call, context) => {
    const given = select(call, passed) ?? listDatum([]);
    const isOpenEnded = given.kind === "list" && given.isOpenEnded;
    return invoke(context, target, { ...call, positional: listItems(given), named: new Map(), isOpenEnded });
  });
}

/** Calls its argument at once or later, and gives it back: `functools.partial(f, x)`. */
export function wraps(callee: string, passed: string): LibraryFunction {
  const call = calls(callee, passed);
  return withArgument(callee, (target, given, context) => {
    call(given, context);
    return target;
  });
}

// Makers of library functions that speak to a database.

/** Opens a database that is a file; statements are given to the result. */
export function opensDatabase(path: string, prefix?: RegExp): LibraryFunction {
  return withArgument(path, file => {
    const plain = prefix === undefined ? file : mapText(file, known => known.replace(prefix, ""));
    return reference("database", [], plain);
  });
}

/** Sends a statement. `handle` as the second selector: to the file that the receiver was opened for. */
export function runsSql(statement: string): LibraryFunction {
  return withArgument(statement, (text, call, context) => {
    noteSql(context, call, text, findDatabase(call.receiver));
    callBack(context, call, [reference("rows")]);
    return reference(`${call.name}()`, [], call.receiver);
  });
}

/** The file of the database behind a handle, a cursor or a statement. */
function findDatabase(receiver: Datum | undefined): Datum | undefined {
  let datum = receiver;
  for (let hops = 0; hops < 4 && datum?.kind === "reference"; hops += 1) {
    if (datum.name === "database") return datum.receiver;
    datum = datum.receiver;
  }
  return undefined;
}

const CONDITIONS = {
  always: () => true,
  "without arguments": ({ positional, named }: FunctionCall) => positional.length + named.size === 0,
  /** `deleteMany()`, `deleteMany({})`, `delete_many({})` */
  "without filter": ({ positional, named }: FunctionCall) =>
    named.size === 0 && (positional.length === 0 || isEmpty(positional[0])),
  /** `User.delete_all`, and not `User.where(…).delete_all` */
  "of a whole table": ({ name }: FunctionCall) => !NARROWED.test(name) && OF_TABLE.test(name),
  /** `Post.all.each(&:destroy)` */
  "of each row": ({ name }: FunctionCall) => !NARROWED.test(name) && /\[\]\.\w+!?$/.test(name),
  /** `sync({ force: true })` */
  forced: ({ positional }: FunctionCall) =>
    positional.some(datum => datum.kind === "record" && datum.fields.has("force")),
} as const;

const NARROWED = /\.(where|filter|exclude|limit|find|find_by|first|last|get|only|order_by)\w*\(\)/i;
const OF_TABLE =
  /(^|\.)([A-Z]\w*|objects|all|all\(\)|query\(\)|table\(\)|unscoped)\.\w+!?$|^[a-z]+\.truncate$/;

function isEmpty(datum: Datum | undefined): boolean {
  return datum?.kind === "record"
    ? datum.fields.size === 0
    : datum?.kind === "list" && datum.items.length === 0;
}

/** Empties or drops something of a database, under a condition. */
export function losesData(
  rule: OperationRule,
  what: string,
  condition: keyof typeof CONDITIONS = "always",
): LibraryFunction {
  return (call, context) => {
    if (CONDITIONS[condition](call)) noteLoss(context, call, rule, what);
    callBack(context, call, [reference("rows")]);
    return undefined;
  };
}
