import { knownPrefix } from "../../../shell/value.ts";
import type { LibraryFunction } from "../../meaning/context.ts";
import { fromNetwork } from "../../meaning/context.ts";
import { firstValue, joined, listDatum, literal, reference } from "../../meaning/datum.ts";
import { noteEvaluate, noteNetwork, noteRead, noteShell, noteSpawn } from "../../meaning/effects.ts";
import { invoke } from "../../meaning/invoke.ts";
import { elementOf } from "../../meaning/members.ts";
import {
  contentOf,
  evaluates,
  evaluateText,
  runsShell,
  runWords,
  sends,
  sendsToReceiver,
} from "../../meaning/models.ts";

type Rows = readonly (readonly [string, LibraryFunction])[];

/** `proc_open(cmd, descriptors, pipes, cwd)`: a text or a list. */
const opensProcess: LibraryFunction = (call, context) => {
  const [command, , , cwd] = call.positional;
  return command === undefined
    ? undefined
    : runWords(context, call, command, cwd?.kind === "text" ? cwd : undefined);
};

const replaces: LibraryFunction = (call, context) => {
  const [program, list] = call.positional;
  if (program === undefined) return undefined;
  const words = list?.kind === "list" ? list.items : [];
  noteSpawn(
    context,
    call,
    [program, ...words],
    list !== undefined && (list.kind !== "list" || list.isOpenEnded),
  );
  return undefined;
};

/** `call_user_func("system", "…")` */
const callsByName: LibraryFunction = (call, context) => {
  const [callee, ...rest] = call.positional;
  return callee === undefined ? undefined : invoke(context, callee, { ...call, positional: rest });
};

const callsWithList: LibraryFunction = (call, context) => {
  const [callee, list] = call.positional;
  if (callee === undefined) return undefined;
  const positional = list?.kind === "list" ? list.items : list === undefined ? [] : [list];
  return invoke(context, callee, { ...call, positional });
};

/** `array_map("unlink", $files)`; `array_walk` and `usort` have the list first. */
function callsForEach(functionAt: number, listAt: number): LibraryFunction {
  return (call, context) => {
    const [callee, list] = [call.positional[functionAt], call.positional[listAt]];
    if (callee === undefined || list === undefined) return undefined;
    const items = list.kind === "list" && !list.isOpenEnded ? list.items : [elementOf(list)];
    return listDatum(
      items.map(item => invoke(context, callee, { ...call, positional: [item] })),
      list.kind !== "list",
    );
  };
}

/** `include "x.php"`: the content of the file is code; from an address it is foreign. */
const includes: LibraryFunction = (call, context) => {
  const [path] = call.positional;
  if (path === undefined) return undefined;
  if (/^(?:https?|ftp|php|data):/.test(knownPrefix(firstValue(path)))) {
    noteNetwork(context, call, path, []);
    noteEvaluate(context, call, "php", reference("include", [fromNetwork(context)]));
  } else {
    noteRead(context, call, path);
    noteEvaluate(context, call, "php", contentOf(path));
  }
  return undefined;
};

/** `create_function("$a", "code")` */
const makesFunction: LibraryFunction = (call, context) => {
  const code = call.positional[1];
  return code === undefined ? undefined : evaluateText(context, call, code);
};

const connects: LibraryFunction = (call, context) => {
  const [host, port] = call.positional;
  const target =
    host === undefined
      ? reference("address")
      : port === undefined
        ? host
        : joined([host, literal(":"), port]);
  noteNetwork(context, call, target, []);
  return reference("connection", [fromNetwork(context)], target);
};

/** `curl_setopt($h, CURLOPT_POSTFIELDS, $data)`: the handle collects what will be sent. */
const setsCurl: LibraryFunction = (call, context) => {
  const [handle, option, value] = call.positional;
  if (handle === undefined || value === undefined) return undefined;
  const name = option?.kind === "reference" ? option.name : "";
  if (name === "curlopt_url") noteNetwork(context, call, value, []);
  if (name === "curlopt_postfields" || name === "curlopt_infile") noteNetwork(context, call, handle, [value]);
  return undefined;
};

const mails: LibraryFunction = (call, context) => {
  const [address, ...rest] = call.positional;
  if (address !== undefined) noteNetwork(context, call, address, rest);
  return undefined;
};

const readsProgram: LibraryFunction = (call, context) => {
  const [command] = call.positional;
  return command === undefined ? undefined : reference("`()", noteShell(context, call, command));
};

export const PROCESS_MODELS: Rows = [
  ["system exec shell_exec passthru popen", runsShell("command")],
  ["`", readsProgram],
  ["proc_open", opensProcess],
  ["pcntl_exec", replaces],
  ["eval assert", evaluates],
  ["create_function", makesFunction],
  ["include include_once require require_once", includes],
  ["call_user_func forward_static_call register_shutdown_function", callsByName],
  ["call_user_func_array", callsWithList],
  ["array_map", callsForEach(0, 1)],
  ["array_walk array_filter usort", callsForEach(1, 0)],
  [
    "curl_init",
    (call, context) =>
      call.positional[0] === undefined ? reference("curl", [fromNetwork(context)]) : sends()(call, context),
  ],
  ["curl_setopt", setsCurl],
  ["curl_exec", (_call, context) => reference("curl_exec()", [fromNetwork(context)])],
  ["fsockopen pfsockopen stream_socket_client socket_connect", connects],
  ["fwrite fputs socket_write socket_send", sendsIfConnected],
  ["mail", mails],
  ["dns_get_record gethostbyname checkdnsrr", sends()],
];

function sendsIfConnected(
  call: Parameters<LibraryFunction>[0],
  context: Parameters<LibraryFunction>[1],
): ReturnType<LibraryFunction> {
  const [handle, ...rest] = call.positional;
  if (handle?.kind !== "reference" || handle.name !== "connection") return undefined;
  return sendsToReceiver({ ...call, receiver: handle, positional: rest }, context);
}
