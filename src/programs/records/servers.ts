import {
  describe,
  knownText,
  type ProgramEffect,
  parseOptions,
  text,
  type Value,
  wordAt,
} from "../../shell/index.ts";
import { payloads, sendEffect } from "../model/effects.ts";
import { type Field, type ParsedCall, program } from "../model/program.ts";

/** Programs that let others read files of this machine, or reach its ports. */
export const servers: Field = {
  programs: () => [
    program("serve http-server live-server sirv servor browser-sync", "readsNothing", {
      options: { flags: "-sdnCSg single cors", values: "-lpacP listen port host" },
      effects: call => offer(call.operands[0], call.options.valueOf("a", "host")),
    }),
    program("httpd", "readsNothing", {
      options: { flags: "-fiv", values: "-pchu" },
      effects: call => offer(call.options.valueOf("h"), call.options.valueOf("p")),
    }),
    program("caddy", "readsNothing", {
      options: { flags: "browse", values: "-rl root listen domain" },
      effects: call =>
        call.operands.some(word => knownText(word) === "file-server")
          ? offer(call.options.valueOf("root", "r"), call.options.valueOf("l", "listen"))
          : [],
    }),
    program("twistd", "readsNothing", {
      options: { flags: "n", values: "path port" },
      effects: call => {
        const path = call.argv.findIndex(word => knownText(word) === "--path");
        return path < 0 ? [] : offer(call.argv[path + 1], undefined);
      },
    }),
    program("ngrok", "readsNothing", {
      effects: ({ operands }) =>
        operands.flatMap(word => {
          const path = /^file:\/\/(\/.*)$/.exec(describe(word))?.[1];
          return path === undefined ? [] : offer(text(path), undefined);
        }),
      operations: [
        "net.expose http|tcp|tls|start | make a port of this machine reachable from the internet | stops ngrok http web | passes ngrok list web",
      ],
    }),
    program("ipfs", "readsNothing", {
      options: { flags: "-rqQHn recursive" },
      effects: ({ operands: [action, ...files] }) =>
        action !== undefined && knownText(action) === "add"
          ? sendEffect(undefined, payloads("file", files))
          : [],
    }),
    program("cloudflared lt localtunnel tailscale bore zrok devtunnel tmate upterm sshx", "readsNothing", {
      options: { values: "-p url port" },
      operations: [
        "cloudflared: net.expose tunnel | make a port of this machine reachable from the internet | needs url | stops cloudflared tunnel web --url | passes cloudflared tunnel web",
        "cloudflared: net.expose tunnel run | make a port of this machine reachable from the internet | stops cloudflared tunnel run web | passes cloudflared tunnel list web",
        "lt localtunnel: net.expose - | make a port of this machine reachable from the internet | needs p port | stops lt web -p | passes lt web",
        "tailscale: net.expose funnel | make a port of this machine reachable from the internet | stops tailscale funnel web | passes tailscale list web",
        "tmate sshx: net.expose - | share a terminal of this machine with others | stops tmate | passes tmate --help",
        "upterm: net.expose host | share a terminal of this machine with others | stops upterm host web | passes upterm session list",
        "bore: net.expose local | make a port of this machine reachable from the internet | stops bore local web | passes bore list web",
        "zrok: net.expose share | make this machine reachable from the internet | stops zrok share web | passes zrok list web",
        "devtunnel: net.expose host | make a port of this machine reachable from the internet | stops devtunnel host web | passes devtunnel list web",
      ],
    }),
  ],
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
