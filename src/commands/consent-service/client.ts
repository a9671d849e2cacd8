import { connect } from "node:net";
import { CommandError } from "../../cli/index.ts";
import { type RefusedCommand, shownToPerson } from "../../hooks/index.ts";
import { errorText } from "../../protocol/index.ts";
import { SERVICE_SOCKET } from "./broker.ts";

const MAX_REPLY = 1_024;

/** Has the service ask the person. Returns when the grant expires; throws when none was given. */
export async function askService(
  { code, digest = "", session = "", host = "", command, cwd }: RefusedCommand,
  socket: string = SERVICE_SOCKET,
): Promise<number> {
  const shown = Buffer.from(shownToPerson({ command, cwd })).toString("base64");
  const request = ["amplihack-consent 1", code.toUpperCase(), digest, session, host, shown];
  const reply = await exchange(socket, `${request.join("\n")}\n`).catch((error: unknown) => {
    throw new CommandError("nothing was permitted: the consent service cannot be reached", {
      kind: "failed",
      causes: [errorText(error)],
      fix: "amplihack consent-service",
    });
  });
  const [, expires] = /^yes (\d+)\n?$/.exec(reply) ?? [];
  if (expires !== undefined) return Number(expires);
  const why = /^no ([ -~]+)\n?$/.exec(reply)?.[1] ?? "its answer was not understood";
  throw new CommandError(`not permitted: ${why}`, { kind: "declined" });
}

function exchange(path: string, request: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let reply = "";
    const socket = connect({ path, allowHalfOpen: true }, () => socket.write(request));
    socket.setEncoding("utf8");
    socket.on("data", (text: string) => {
      reply += text;
      if (reply.length > MAX_REPLY) socket.destroy();
    });
    socket.on("error", reject);
    socket.on("end", () => socket.end());
    socket.on("close", () => resolve(reply));
  });
}
