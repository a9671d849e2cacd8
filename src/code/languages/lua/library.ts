import { select, withArgument } from "../../meaning/arguments.ts";
import { argumentList, type LibraryFunction, standardInput } from "../../meaning/context.ts";
import { knownTextOf, reference } from "../../meaning/datum.ts";
import { noteNetwork } from "../../meaning/effects.ts";
import { defineLanguage } from "../../meaning/library-table.ts";
import { formats } from "../../meaning/value-kinds.ts";
import { parseLua } from "./syntax.ts";

/** `("rm %s"):format(x)` or `string.format("rm %s", x)` */
const formatsText: LibraryFunction = (call, context) =>
  call.receiver?.kind === "text" ? formats("this", "0..")(call, context) : formats("0", "1..")(call, context);

/** What the names of Lua's own library mean. */
export const LUA = defineLanguage({
  id: "lua",
  parse: parseLua,
  functions: () => [
    ["print io.write", "prints"],
    ["os.execute io.popen vim.fn.system", "runsShell", "0"],
    ["os.remove lfs.rmdir vim.fn.delete", "deletes", "0"],
    ["os.rename", "moves", "0", "1"],
    ["io.{open,lines,input}", "opens", "0", "1"],
    ["file.write", "writes", "handle", "0", "appending"],
    ["file.{read,lines,close} text.lines", "gives", "this"],
    ["os.getenv", "readsVariable", "0"],
    ["os.tmpname", "returns", "temporary path"],
    ["io.read", "returns", "standard input"],
    ["load loadstring", "evaluates", "0 this"],
    ["dofile loadfile", "evaluatesFile", "0"],
    ["require", call => reference(knownTextOf(select(call, "0")) ?? "module")],
    ["pcall xpcall assert ipairs pairs tostring table.unpack unpack", "gives", "0 this"],
    ["lfs.dir", "returns", "any name"],
    ["string.format text.format", formatsText],
    ["string.char", "makesCharacters", "0.."],
    ["{string,text}.reverse", "reverses", "0 this"],
    ["table.concat", "joinsItems", "0", "1"],
    ["{socket.http,ssl.https,http}.request", "sends", "0"],
  ],
  methods: () => [
    // `socket.tcp():connect(host, port)`
    ["connect", withArgument("0", (host, call, context) => noteNetwork(context, call, host, []))],
  ],
  constants: () => [
    ["arg", context => argumentList(context)],
    ["io.stdin", standardInput],
  ],
  canonical: name => name.replace(/^_G\./, ""),
});
