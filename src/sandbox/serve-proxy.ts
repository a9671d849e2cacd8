import { connect, createServer, type Server, Socket } from "node:net";
import { createProxy } from "./proxy.ts";

/** The descriptors that `native/sandbox` hands to the proxy. */
const LISTENER = 3;
const LIFE = 4;
const FIRST_PORT = 5;

/** Serves the sandbox that started this process until it has ended. What is printed is told to the person at the end. */
export async function serveProxy(
  { allowed, ports }: { readonly allowed: readonly string[]; readonly ports: readonly number[] },
  print: (line: string) => void,
): Promise<void> {
  const server = createProxy({
    allowed,
    onRefused: (place, reason, mayBeAllowed) => {
      const advice = mayBeAllowed ? ` To allow it: amplihack sandbox allow ${place}` : "";
      print(`amplihack: the sandbox refused ${place}: ${reason}.${advice}\n`);
    },
  });
  const forwarded = ports.map(forwardPort);
  const life = new Socket({ fd: LIFE, readable: true, writable: false });
  await new Promise<void>((resolve, reject) => {
    life.on("end", resolve).on("close", resolve).on("error", resolve).resume();
    for (const [index, each] of [server, ...forwarded].entries()) {
      each.on("error", reject);
      each.listen({ fd: index === 0 ? LISTENER : FIRST_PORT + index - 1 });
    }
  });
  server.closeAllConnections();
  for (const each of [server, ...forwarded]) each.close();
}

/** The same port of the machine, byte for byte. */
function forwardPort(port: number): Server {
  return createServer({ allowHalfOpen: true }, inner => {
    const outer = connect({ host: "localhost", port, allowHalfOpen: true });
    const end = () => {
      inner.destroy();
      outer.destroy();
    };
    inner.on("error", end);
    outer.on("error", end);
    inner.pipe(outer).pipe(inner);
  });
}
