import {
  describe,
  knownText,
  type ProgramEffect,
  parseOptions,
  text,
  type Value,
  wordAt,
} from "../../shell/index.ts";
import { payloads, sendEffect } from "../model/payloads.ts";
import type { Field, OperationTables, ParsedCall } from "../model/program.ts";
import { programs } from "../model/program-table.ts";

const EXPOSING: OperationTables = {
  "net.expose": `
    ngrok http|tcp|tls|start | make a port of this machine reachable from the internet
    cloudflared tunnel | make a port of this machine reachable from the internet | needs url
    cloudflared tunnel run | make a port of this machine reachable from the internet
    lt|localtunnel | make a port of this machine reachable from the internet | needs p port
    ssh|autossh | make a port of this machine reachable from another | needs R
    tailscale funnel | make a port of this machine reachable from the internet
    bore local | make a port of this machine reachable from the internet
    zrok share | make this machine reachable from the internet
    devtunnel host | make a port of this machine reachable from the internet
  `,
};

/** Programs that let others read files of this machine, or reach its ports. */
export const servers: Field = {
  operations: EXPOSING,
  programs: () =>
    programs(
      `
    serve http-server live-server sirv servor browser-sync | is readsNothing | values -lpacP listen port host | flags -sdnCSg
        single cors
    httpd | is readsNothing | values -pchu | flags -fiv
    caddy | is readsNothing | values -rl root listen domain | flags browse
    twistd | is readsNothing | values path port | flags n
    ngrok | is readsNothing
    ipfs | is readsNothing | flags -rqQHn recursive
    cloudflared lt localtunnel tailscale bore zrok devtunnel | is readsNothing | values -p url port
  `,
      {
        serve: { effects: call => offer(call.operands[0], call.options.valueOf("a", "host")) },
        httpd: { effects: call => offer(call.options.valueOf("h"), call.options.valueOf("p")) },
        caddy: {
          effects: call =>
            call.operands.some(word => knownText(word) === "file-server")
              ? offer(call.options.valueOf("root", "r"), call.options.valueOf("l", "listen"))
              : [],
        },
        twistd: {
          effects: call => {
            const path = call.argv.findIndex(word => knownText(word) === "--path");
            return path < 0 ? [] : offer(call.argv[path + 1], undefined);
          },
        },
        ngrok: {
          effects: ({ operands }) =>
            operands.flatMap(word => {
              const path = /^file:\/\/(\/.*)$/.exec(describe(word))?.[1];
              return path === undefined ? [] : offer(text(path), undefined);
            }),
        },
        ipfs: {
          effects: ({ operands: [action, ...files] }) =>
            action !== undefined && knownText(action) === "add"
              ? sendEffect(undefined, payloads("file", files))
              : [],
        },
      },
    ),
};

/** A directory, by default the current one, that everybody who reaches the address may read. */
function offer(directory: Value | undefined, address: Value | undefined): readonly ProgramEffect[] {
  return sendEffect(address, payloads("offer", [directory ?? text(".")]));
}

/** `php -S ADDRESS -t DIRECTORY` */
export function offeredByPhp({ options }: ParsedCall): readonly ProgramEffect[] {
  return options.has("S") ? offer(options.valueOf("t"), options.valueOf("S")) : [];
}

/** `ruby -run -e httpd DIRECTORY` */
export function offeredByRuby({ options, operands }: ParsedCall): readonly ProgramEffect[] {
  const isServer =
    options.valuesOf("r").some(value => knownText(value) === "un") &&
    options.valuesOf("e").some(code => knownText(code)?.trim() === "httpd");
  return isServer ? offer(operands[0], undefined) : [];
}

/** `python -m http.server -d DIRECTORY` */
export function offeredByPython({ argv }: ParsedCall): readonly ProgramEffect[] {
  const at = argv.findIndex(word => /^(http\.server|SimpleHTTPServer)$/.test(knownText(word) ?? ""));
  if (at < 1 || !/^-[a-zA-Z]*m$/.test(describe(wordAt(argv, at - 1)))) return [];
  const options = parseOptions(argv.slice(at), { values: "b|bind d|directory p|protocol", flags: "cgi" });
  return offer(options.valueOf("d"), options.valueOf("b"));
}
