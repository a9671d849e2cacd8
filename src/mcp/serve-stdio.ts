import type { Readable, Writable } from "node:stream";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { createServer } from "./server.ts";
import type { ServerContext } from "./tool.ts";

/** A message may be this long; a longer one ends the connection, since what follows it cannot be told apart. */
const MAX_MESSAGE_BYTES = 10 * 1024 * 1024;

interface StdioOptions {
  readonly input: Readable;
  /** gets messages of the protocol and nothing else */
  readonly output: Writable;
  /** ends the connection from here */
  readonly onStop: (stop: () => void) => void;
}

/** Serves one client until it ends the stream. The exit code is 1 when the connection ended for another reason. */
export async function serveStdio(
  context: ServerContext,
  { input, output, onStop }: StdioOptions,
): Promise<number> {
  const handle = createServer(context);
  const transport = new StdioServerTransport(input, output, { maxBufferSize: MAX_MESSAGE_BYTES });
  let isOrderly = false;
  const closed = new Promise<void>(resolve => {
    handle.server.server.onclose = resolve;
  });
  const end = (): void => {
    isOrderly = true;
    void handle.server.close();
  };
  input.once("end", end).once("close", end);
  // A client that is gone reads nothing more.
  output.once("error", end);
  onStop(end);
  await handle.server.connect(transport);
  await closed;
  if (!isOrderly) context.warn(`the connection ended: a message was longer than ${MAX_MESSAGE_BYTES} bytes`);
  await handle.idle();
  return isOrderly ? 0 : 1;
}
