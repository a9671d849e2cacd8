import type { Readable, Writable } from "node:stream";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { createServer } from "./server.ts";
import type { ServerContext } from "./tool.ts";

/** A message may be this long; a longer one ends the connection, since what follows it cannot be told apart. */
const MAX_MESSAGE_BYTES = 10 * 1024 * 1024;

const NEWLINE = 10;

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
  let problem: string | undefined = `a message was longer than ${MAX_MESSAGE_BYTES} bytes`;
  let isLineOpen = false;
  const closed = new Promise<void>(resolve => {
    handle.server.server.onclose = resolve;
  });
  const end = (why?: string): void => {
    problem = why;
    void handle.server.close();
  };
  const endOfInput = (): void => end();
  input.once("end", endOfInput).once("close", endOfInput);
  // A client that is gone reads nothing more; other failures lose answers that somebody waits for.
  output.once("error", (error: NodeJS.ErrnoException) =>
    end(error.code === "EPIPE" ? undefined : `an answer could not be written (${error.code ?? error.name})`),
  );
  onStop(endOfInput);
  const connected = handle.server.connect(transport);
  // Behind the transport's own listener, with which the stream begins to flow.
  input.on("data", (chunk: Buffer) => {
    isLineOpen = chunk.at(-1) !== NEWLINE;
  });
  await connected;
  await closed;
  if (problem !== undefined) context.warn(`the connection ended: ${problem}`);
  else if (isLineOpen) context.warn("the last message was left out: its line has no end");
  await handle.idle();
  return problem === undefined ? 0 : 1;
}
