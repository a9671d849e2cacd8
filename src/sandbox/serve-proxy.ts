import { Socket } from "node:net";
import { createProxy } from "./proxy.ts";

/** The descriptors that `native/sandbox` hands to the proxy. */
const LISTENER = 3;
const LIFE = 4;

/** Serves the sandbox that started this process until it has ended. What is printed is told to the person at the end. */
export async function serveProxy(allowed: readonly string[], print: (line: string) => void): Promise<void> {
  const server = createProxy({
    allowed,
    onRefused: (place, reason) =>
      print(
        `amplihack: the sandbox refused ${place}: ${reason}. To allow it: amplihack sandbox allow ${place}\n`,
      ),
  });
  const life = new Socket({ fd: LIFE, readable: true, writable: false });
  await new Promise<void>((resolve, reject) => {
    life.on("end", resolve).on("close", resolve).on("error", resolve).resume();
    server.on("error", reject);
    server.listen({ fd: LISTENER });
  });
  server.closeAllConnections();
  server.close();
}
