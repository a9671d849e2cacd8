import type { OperationRule } from "../../config/index.ts";
import { withArgument } from "./arguments.ts";
import type { FunctionCall, LibraryFunction } from "./context.ts";
import { type Datum, mapText, reference } from "./datum.ts";
import { noteLoss, noteSql } from "./effects.ts";
import { callBack } from "./invoke.ts";

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
    noteSql(context, call, text, databaseOf(call.receiver));
    callBack(context, call, [reference("rows")]);
    return reference(`${call.name}()`, [], call.receiver);
  });
}

/** The file of the database behind a handle, a cursor or a statement. */
function databaseOf(receiver: Datum | undefined): Datum | undefined {
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
