import { knownPrefix } from "../../shell/value.ts";
import { firstValue, joined, listDatum, literal, reference } from "../meaning/datum.ts";
import { noteEvaluate, noteNetwork, noteRead, noteShell, noteSpawn } from "../meaning/effects.ts";
import { invoke } from "../meaning/invoke.ts";
import { elementOf } from "../meaning/members.ts";
import {
  contentOf,
  evaluates,
  evaluateText,
  runsShell,
  runWords,
  sends,
  sendsToReceiver,
} from "../meaning/models.ts";
import type { Model } from "../meaning/run.ts";
import { fromNetwork } from "../meaning/run.ts";

type Rows = readonly (readonly [string, Model])[];

/** `proc_open(cmd, descriptors, pipes, cwd)`: a text or a list. */
const opensProcess: Model = (call, run) => {
  const [command, , , cwd] = call.positional;
  return command === undefined
    ? undefined
    : runWords(run, call, command, cwd?.kind === "text" ? cwd : undefined);
};

const replaces: Model = (call, run) => {
  const [program, list] = call.positional;
  if (program === undefined) return undefined;
  const words = list?.kind === "list" ? list.items : [];
  noteSpawn(run, call, [program, ...words], list !== undefined && (list.kind !== "list" || list.isOpenEnded));
  return undefined;
};

/** `call_user_func("system", "…")` */
const callsByName: Model = (call, run) => {
  const [callee, ...rest] = call.positional;
  return callee === undefined ? undefined : invoke(run, callee, { ...call, positional: rest });
};

const callsWithList: Model = (call, run) => {
  const [callee, list] = call.positional;
  if (callee === undefined) return undefined;
  const positional = list?.kind === "list" ? list.items : list === undefined ? [] : [list];
  return invoke(run, callee, { ...call, positional });
};

/** `array_map("unlink", $files)`; `array_walk` and `usort` have the list first. */
function callsForEach(functionAt: number, listAt: number): Model {
  return (call, run) => {
    const [callee, list] = [call.positional[functionAt], call.positional[listAt]];
    if (callee === undefined || list === undefined) return undefined;
    const items = list.kind === "list" && !list.isOpenEnded ? list.items : [elementOf(list)];
    return listDatum(
      items.map(item => invoke(run, callee, { ...call, positional: [item] })),
      list.kind !== "list",
    );
  };
}

/** `include "x.php"`: the content of the file is code; from an address it is foreign. */
const includes: Model = (call, run) => {
  const [path] = call.positional;
  if (path === undefined) return undefined;
  if (/^(?:https?|ftp|php|data):/.test(knownPrefix(firstValue(path)))) {
    noteNetwork(run, call, path, []);
    noteEvaluate(run, call, "php", reference("include", [fromNetwork(run)]));
  } else {
    noteRead(run, call, path);
    noteEvaluate(run, call, "php", contentOf(path));
  }
  return undefined;
};

/** `create_function("$a", "code")` */
const makesFunction: Model = (call, run) => {
  const code = call.positional[1];
  return code === undefined ? undefined : evaluateText(run, call, code);
};

const connects: Model = (call, run) => {
  const [host, port] = call.positional;
  const target =
    host === undefined
      ? reference("address")
      : port === undefined
        ? host
        : joined([host, literal(":"), port]);
  noteNetwork(run, call, target, []);
  return reference("connection", [fromNetwork(run)], target);
};

/** `curl_setopt($h, CURLOPT_POSTFIELDS, $data)`: the handle collects what will be sent. */
const setsCurl: Model = (call, run) => {
  const [handle, option, value] = call.positional;
  if (handle === undefined || value === undefined) return undefined;
  const name = option?.kind === "reference" ? option.path : "";
  if (name === "curlopt_url") noteNetwork(run, call, value, []);
  if (name === "curlopt_postfields" || name === "curlopt_infile") noteNetwork(run, call, handle, [value]);
  return undefined;
};

const mails: Model = (call, run) => {
  const [address, ...rest] = call.positional;
  if (address !== undefined) noteNetwork(run, call, address, rest);
  return undefined;
};

const readsProgram: Model = (call, run) => {
  const [command] = call.positional;
  return command === undefined ? undefined : reference("`()", noteShell(run, call, command));
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
    (call, run) =>
      call.positional[0] === undefined ? reference("curl", [fromNetwork(run)]) : sends()(call, run),
  ],
  ["curl_setopt", setsCurl],
  ["curl_exec", (_call, run) => reference("curl_exec()", [fromNetwork(run)])],
  ["fsockopen pfsockopen stream_socket_client socket_connect", connects],
  ["fwrite fputs socket_write socket_send", sendsIfConnected],
  ["mail", mails],
  ["dns_get_record gethostbyname checkdnsrr", sends()],
];

function sendsIfConnected(call: Parameters<Model>[0], run: Parameters<Model>[1]): ReturnType<Model> {
  const [handle, ...rest] = call.positional;
  if (handle?.kind !== "reference" || handle.path !== "connection") return undefined;
  return sendsToReceiver({ ...call, receiver: handle, positional: rest }, run);
}
